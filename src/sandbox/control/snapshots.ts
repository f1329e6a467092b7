/** Copies of all that the sandbox holds. */

import { deleteSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from '../data/snapshots.ts';
import { serviceNow } from '../engine/clock.ts';
import { insertRow } from '../store/rows.ts';
import { text } from './arguments.ts';
import { type Operations, ofSandbox } from './operation.ts';

export const snapshotOperations: Operations = {
  'snapshot save': ofSandbox(async ({ service, dataDir }, args) => ({
    ...(await saveSnapshot(service.store.db, dataDir, text(args, 'name'))),
  })),
  'snapshot restore': ofSandbox(async ({ service: { store, outside }, dataDir }, args) => {
    const shown = await restoreSnapshot(store.db, dataDir, text(args, 'name'));
    return store.transaction(async (db) => {
      const time = await serviceNow(db, outside.machineNow());
      await insertRow(db, 'log', { time, kind: 'snapshot', text: `Snapshot ${shown.name} restored` });
      return { ...shown, time };
    });
  }),
  'snapshot list': ofSandbox(async ({ dataDir }) => listSnapshots(dataDir).map((each) => ({ ...each }))),
  'snapshot delete': ofSandbox(async ({ dataDir }, args) => {
    const name = text(args, 'name');
    deleteSnapshot(dataDir, name);
    return { name };
  }),
};
