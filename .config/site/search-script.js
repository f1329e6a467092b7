import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Returns the script that searches the index, with the library that it needs. */
export async function searchScript() {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('assets/search.js', import.meta.url)),
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
  await bundle.close();
  return `/* MiniSearch (MIT), https://github.com/lucaong/minisearch */\n${output[0].code}`;
}
