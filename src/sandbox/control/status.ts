import { invalid } from '../../protocol/service-errors.ts';
import { clockMode, serviceNow } from '../engine/clock.ts';
import { countAll, firstCompanyId, listLog } from '../store/control.ts';
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
  /** The link works once; what it starts is the browser's alone. */
  open: async ({ service, sessions, endpoint }, { page, company }) => {
    const path = pathOf(page ?? 'outbox', company ?? (await firstCompanyId(service.store.db)) ?? 0);
    const { secret, expires } = sessions.ticket(path);
    return { url: `${endpoint().baseUrl}/open/${secret}`, expires };
  },
  /** A process number may be another's by the time that a signal comes; who has the token is heard by this one alone. */
  stop: async ({ askToStop, endpoint }) => {
    askToStop();
    return { stopping: true, pid: endpoint().pid };
  },
  /** What the sandbox noticed: a rule that went round in circles, a message that no provider would take. */
  'log list': async ({ service }, { limit }) =>
    (await listLog(service.store.db, limit)).map((line) => ({ ...line })),
} satisfies OperationsOf<'status' | 'open' | 'stop' | 'log'>;

/** A page by its name, by its path, or by its whole address on whatever host. */
function pathOf(page: string, company: number): string {
  const path = page.replace(/^https?:\/\/[^/]+/, '').replace(/^\/(ui(\/|$))?/, '');
  const [, named = company, rest = ''] = /^(?:([0-9]{1,15})(?:\/|$))?(.*)$/s.exec(path) ?? [];
  if (!/^[\w.:/-]*(\?[\w.:%&=+@-]*)?$/.test(rest) || /(^|\/)\.|^\/|\/\//.test(rest))
    throw invalid([{ attribute: 'page', reason: 'must be a page of the sandbox, such as outbox or clock' }]);
  return `/ui/${named}/${rest}`;
}
