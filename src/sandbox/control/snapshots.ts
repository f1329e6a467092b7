/** Saves, restores, lists and deletes copies of all data. */

import { conflict } from '../../protocol/service-errors.ts';
import { deleteSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from '../data/snapshots.ts';
import { serviceNow } from '../engine/clock.ts';
import type { Store } from '../store/open.ts';
import { insertRow } from '../store/rows.ts';
import type { OperationsOf } from './operation.ts';

export const snapshotOperations = {
  'snapshot save': async ({ service: { store }, dataDir }, { name }) => {
    requireOwn(store);
    return { ...(await saveSnapshot(store, dataDir, name)) };
  },
  'snapshot restore': async ({ service: { store, outside }, dataDir }, { name }) => {
    requireOwn(store);
    const shown = await restoreSnapshot(store, dataDir, name);
    return store.transaction(async (db) => {
      const time = await serviceNow(db, outside.machineNow());
      await insertRow(db, 'log', { time, kind: 'snapshot', text: `Snapshot ${shown.name} restored` });
      return { ...shown, time };
    });
  },
  'snapshot list': async ({ dataDir }) => listSnapshots(dataDir).map((each) => ({ ...each })),
  'snapshot delete': async ({ dataDir }, { name }) => {
    deleteSnapshot(dataDir, name);
    return { name };
  },
} satisfies OperationsOf<'snapshot'>;

/** Refuses snapshots on PostgreSQL: snapshots copy the database file, and the server has better tools for shared data. */
function requireOwn({ isShared }: Store): void {
  if (isShared)
    throw conflict(
      'Snapshots are copies of the database in the data folder, and this sandbox is on PostgreSQL: use pg_dump to save its data',
    );
}
