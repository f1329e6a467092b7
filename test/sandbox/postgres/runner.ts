/** The process that the test kills: a sandbox on a database. `runner FOLDER URL`. Its first line is the output of `sandbox start`. */
import { randomBytes } from 'node:crypto';
import { dataDirAt } from '../../../src/sandbox/data/data-dir.ts';
import { startSandbox } from '../../../src/sandbox/start.ts';

const [folder = '', store = ''] = process.argv.slice(2);
const { ready } = await startSandbox({
  dataDir: dataDirAt(folder),
  port: 0,
  seed: 'empty',
  store,
  machineNow: () => Date.now(),
  random: (octets) => randomBytes(octets),
  report: (id, error) => {
    process.stderr.write(`failure ${id}: ${error instanceof Error ? error.stack : String(error)}\n`);
  },
});
process.stdout.write(`${JSON.stringify(ready)}\n`);
