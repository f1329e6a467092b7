import { listRequests } from '../store/request-log.ts';
import type { OperationsOf } from './operation.ts';

export const requestOperations = {
  /** What came before this question is among them. */
  requests: async ({ service, requests }, { status, after, before, limit }) => {
    await requests.flush();
    const rows = await listRequests(service.store.db, { status, after, before, limit });
    return rows.map(({ failed, why, signed, signature, expected, ...came }) => ({
      ...{ ...came, check: failed, why, signed, signature, expected },
    }));
  },
} satisfies OperationsOf<'requests'>;
