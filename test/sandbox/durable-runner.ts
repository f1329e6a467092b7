/** A sandbox that tests kill or trace. It prints its address on stdout. `durable-runner FOLDER [pragma …]` */

import { randomBytes } from 'node:crypto';
import { dataDirAt } from '../../src/sandbox/data/data-dir.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { DEFAULT_WIRE_NAMING } from '../../src/service/protocol/naming.ts';

const [folder = '', pragma] = process.argv.slice(2);
const running = await startSandbox({
  dataDir: dataDirAt(folder),
  port: 0,
  seed: 'empty',
  clock: 'manual',
  naming: DEFAULT_WIRE_NAMING,
  machineNow: () => Date.now(),
  random: (octets) => randomBytes(octets),
  report: (_, error) => process.stderr.write(`${String(error)}\n`),
});
// A seeded defect that the test must notice.
if (pragma !== undefined) await running.service.store.db.run(sql.raw(pragma));
process.stdout.write(`${JSON.stringify(running.ready)}\n`);
process.once('SIGTERM', () => void running.stop());
