/** Derives data for the build and for `npm run docs` from the declarations of all commands. `run-typescript.js` runs this file. */
import { buildCompletionTreeJsonByCommand } from '../src/cli/completion/tree.ts';
import { topLevelCommandEntries } from '../src/cli/registry/entries.ts';
import { manPages } from './man.ts';
import { reference } from './reference.ts';

/** Returns the completion tree of each command as JSON, by command name. */
export const trees = (): Promise<Readonly<Record<string, string>>> =>
  buildCompletionTreeJsonByCommand(topLevelCommandEntries);

/** Returns the reference and the manual pages, by path. */
export async function documents(): Promise<ReadonlyMap<string, string>> {
  const pages = [...(await manPages(topLevelCommandEntries))].map(
    ([file, text]) => [`docs/man/${file}`, text] as const,
  );
  return new Map([['docs/reference.md', await reference(topLevelCommandEntries)], ...pages]);
}
