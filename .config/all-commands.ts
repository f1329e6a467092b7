/** Everything that the build and `npm run docs` derive from the declarations of all commands. `run-typescript.js` runs it. */
import { buildCompletionTreeTexts } from '../src/cli/completion/tree.ts';
import { entries } from '../src/cli/registry/entries.ts';
import { manPages } from './man.ts';
import { reference } from './reference.ts';

/** Returns completion's tree as JSON by command. */
export const trees = (): Promise<Readonly<Record<string, string>>> => buildCompletionTreeTexts(entries);

/** Returns documents by path: the reference and the manual pages. */
export async function documents(): Promise<ReadonlyMap<string, string>> {
  const pages = [...(await manPages(entries))].map(([file, text]) => [`docs/man/${file}`, text] as const);
  return new Map([['docs/reference.md', await reference(entries)], ...pages]);
}
