import type { JsonObject } from '../../protocol/json.ts';
import { ServiceError } from '../../protocol/service-errors.ts';
import { listRequests, MAX_REQUESTS } from '../store/request-log.ts';
import type { OperationsOf } from './operation.ts';

export const requestOperations = {
  /** Lists the requests to the service, including those that are not in the database yet. */
  requests: async ({ service, requests }, { explain, ...filters }) => {
    await requests.flush();
    const rows = await listRequests(service.store.db, { ...filters, id: explain });
    if (explain !== undefined && rows.length === 0)
      throw new ServiceError(404, `request ${explain} not found among the last ${MAX_REQUESTS}`);
    return rows.map(({ failed, why, signed, signature, expected, problems, ...came }) => ({
      ...{ ...came, check: failed, why, signed, signature, expected },
      ...(explain === undefined ? {} : explained(problems)),
    }));
  },
} satisfies OperationsOf<'requests'>;

/** Returns the explanation of a request. A successful request has no problems. */
const explained = (problems: string | null): JsonObject =>
  problems === null ? { message: null, fields: [] } : (JSON.parse(problems) as JsonObject);
