import { fileURLToPath } from 'node:url';
import { runTypescript } from './run-typescript.js';

/** Returns a plug-in that creates `svc:completion-tree` from the declarations of all commands. The module exports the tree as JSON. */
export function completionTree() {
  return {
    name: 'completion-tree',
    resolveId: (source) => (source === MODULE ? `\0${MODULE}` : null),
    load: async (id) => {
      if (id !== `\0${MODULE}`) return null;
      const { trees } = await runTypescript(fileURLToPath(new URL('all-commands.ts', import.meta.url)));
      return { code: `export default ${JSON.stringify(await trees())};` };
    },
  };
}

const MODULE = 'svc:completion-tree';
