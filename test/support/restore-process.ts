/** Replaces a store by two snapshots in turn until it is killed: `DATABASE FIRST SECOND`. */
import { openStore, restoreStore } from '../../src/sandbox/store/open.ts';

const [database = '', first = '', second = ''] = process.argv.slice(2);
const store = await openStore(database);
process.stdout.write('ready\n');
for (;;) {
  await restoreStore(store, first);
  await restoreStore(store, second);
  process.stdout.write('both\n');
}
