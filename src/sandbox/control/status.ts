import { PAGE_NAMES } from '../../protocol/control/observe.ts';
import { invalid, notFound } from '../../protocol/service-errors.ts';
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
  /** Creates a link that works once. Only the browser receives the session that it starts. */
  open: async ({ service, sessions, endpoint }, { page, company }) => {
    const path = pathOf(page ?? 'outbox', company ?? (await firstCompanyId(service.store.db)) ?? 0);
    const { secret, expires } = sessions.ticket(path);
    return { url: `${endpoint().baseUrl}/open/${secret}`, expires };
  },
  /** Stops this sandbox. A signal could reach another process that reuses the pid; a request with the token reaches only this one. */
  stop: async ({ askToStop, endpoint }) => {
    askToStop();
    return { stopping: true, pid: endpoint().pid };
  },
  /** Lists events that the sandbox logged, such as a loop of rules, or a message that no provider accepted. */
  'log list': async ({ service }, { limit }) =>
    (await listLog(service.store.db, limit)).map((line) => ({ ...line })),
} satisfies OperationsOf<'status' | 'open' | 'stop' | 'log'>;

/** Returns the path of a page that is given by its name, its path, or its URL on any host. @throws ServiceError 404 for an unknown page */
function pathOf(page: string, company: number): string {
  const path = page.replace(/^https?:\/\/[^/]+/, '').replace(/^\/(ui(\/|$))?/, '');
  const [, named = company, rest = ''] = /^(?:([0-9]{1,15})(?:\/|$))?(.*)$/s.exec(path) ?? [];
  if (!/^[\w.:/-]*(\?[\w.:%&=+@-]*)?$/.test(rest) || /(^|\/)\.|^\/|\/\//.test(rest))
    throw invalid([{ attribute: 'page', reason: 'must be a page of the sandbox, such as outbox or clock' }]);
  const [first = ''] = rest.split(/[/?]/);
  if (first !== '' && !PAGE_NAMES.includes(first)) throw notFound(`Page ${first}`);
  return `/ui/${named}/${first === '' ? `outbox${rest}` : rest}`;
}
