/** The process that the test kills. It opens the store, reports that, and performs all due work. `kill-runner DATABASE UNTIL BATCH` */
import { advanceClockTo } from '../../src/sandbox/engine/tick.ts';
import { openStore } from '../../src/sandbox/store/open.ts';

const [path = '', until, batch] = process.argv.slice(2);
const store = await openStore(path);
process.stdout.write('open\n');
await advanceClockTo(store, Number(until), { machineNow: () => Number(until) * 1000, batch: Number(batch) });
process.stdout.write('done\n');
