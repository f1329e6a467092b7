import { createRequire } from 'node:module';
import { rolldown } from 'rolldown';
import { rawText } from './raw-text.js';

/**
 * Runs a TypeScript file with everything that it imports, and returns its exports. Node 20 does not read TypeScript.
 * @param path the absolute path of the file
 */
export async function runTypescript(path) {
  const bundle = await rolldown({
    input: path,
    platform: 'node',
    external: ['libsql', 'rolldown/parseAst'],
    plugins: [rawText()],
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
  await bundle.close();
  const module = { exports: {} };
  new Function('module', 'exports', 'require', output[0].code)(module, module.exports, createRequire(path));
  return module.exports;
}
