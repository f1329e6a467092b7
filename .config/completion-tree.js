import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { rawText } from './raw-text.js';

/** Resolves `svc:completion-tree`: runs the declarations of all commands during the build, and keeps the tree as JSON. */
export function completionTree() {
  return {
    name: 'completion-tree',
    resolveId: (source) => (source === MODULE ? `\0${MODULE}` : null),
    load: async (id) =>
      id === `\0${MODULE}` ? { code: `export default ${JSON.stringify(await treesByCommand())};` } : null,
  };
}

const MODULE = 'svc:completion-tree';
const SOURCE = fileURLToPath(new URL('./all-commands.ts', import.meta.url));

/** Bundles the declarations, because Node 20 does not read TypeScript, and runs them. */
async function treesByCommand() {
  const bundle = await rolldown({
    input: SOURCE,
    platform: 'node',
    external: ['libsql'],
    plugins: [rawText()],
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
  await bundle.close();
  const module = { exports: {} };
  new Function('module', 'exports', 'require', output[0].code)(module, module.exports, createRequire(SOURCE));
  return module.exports.trees();
}
