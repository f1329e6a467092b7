/** Copies of all that the sandbox holds. */

import { deleteSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from '../data/snapshots.ts';
import { serviceNow } from '../engine/clock.ts';
import { insertRow } from '../store/rows.ts';
import type { OperationsOf } from './operation.ts';

export const snapshotOperations = {
  'snapshot save': async ({ service, dataDir }, { name }) => ({
    ...(await saveSnapshot(service.store.db, dataDir, name)),
  }),
  'snapshot restore': async ({ service: { store, outside }, dataDir }, { name }) => {
    const shown = await restoreSnapshot(store.db, dataDir, name);
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
