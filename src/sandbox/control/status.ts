import { clockMode, serviceNow } from '../engine/clock.ts';
import { countAll, listLog } from '../store/control.ts';
import type { OperationsOf } from './operation.ts';

export const statusOperations = {
  status: async ({ service, faultInjection, dataDir, endpoint }) => {
    const { db } = service.store;
    const { baseUrl, pid } = endpoint();
    return {
      running: true,
      baseUrl,
      pid,
      dataDir: dataDir.path,
      clock: await clockMode(db),
      time: await serviceNow(db, service.outside.machineNow()),
      ...(await countAll(db)),
      faults: faultInjection.list().length,
    };
  },
  /** A process number may be another's by the time that a signal comes; who has the token is heard by this one alone. */
  stop: async ({ askToStop, endpoint }) => {
    askToStop();
    return { stopping: true, pid: endpoint().pid };
  },
  /** What the sandbox noticed: a rule that went round in circles, a message that no provider would take. */
  'log list': async ({ service }, { limit }) =>
    (await listLog(service.store.db, limit)).map((line) => ({ ...line })),
} satisfies OperationsOf<'status' | 'stop' | 'log'>;
