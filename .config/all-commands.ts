/** Completion's tree of all commands. `completion-tree.js` bundles and runs it during the build. */
import { treesByCommand } from '../src/cli/completion/tree.ts';
import { entries } from '../src/cli/registry/entries.ts';

export const trees = (): Promise<Readonly<Record<string, string>>> => treesByCommand(entries);
