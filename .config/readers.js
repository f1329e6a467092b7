/** Prints the texts that readers judge, for example with `npm run readers -- --seed 7`: see readers.ts. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTypescript } from './run-typescript.js';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
if (!/^\d+$/.test(values.seed)) {
  process.stderr.write(`cannot draw texts: "${values.seed}" is not a whole number\nHint: use --seed 7\n`);
  process.exitCode = 2;
} else {
  const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
  const { readersPage, readTexts } = await runTypescript(pathOf('readers.ts'));
  process.stdout.write(`${readersPage(await readTexts(pathOf('..')), Number(values.seed))}\n`);
}
