/** Finds out what was wrong with a refused request, header by header or attribute by attribute. */
import { type ClaimField, claimFields } from '../../auth/claim-problem.ts';
import { formatJson } from '../../protocol/json.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { ServiceError } from '../../protocol/service-errors.ts';
import type { WireRequest } from '../../protocol/wire.ts';
import { type FailedCheck, NotAuthenticated } from '../request/failed-check.ts';

/** `field` is a header, an attribute, or `method` and `path`. */
export type RequestField = ClaimField;

export interface RequestProblems {
  /** The message of the answer, with its details. */
  readonly message: string;
  /** For a 401 all headers of the authentication, right ones too. Otherwise only what was wrong. */
  readonly fields: readonly RequestField[];
}

/**
 * @param request left out where not even its head could be read
 * @param why the sentence for the header that failed, of a 401
 */
export function problemsOf(
  error: ServiceError,
  request: WireRequest | undefined,
  naming: Naming,
  why: string | null = null,
): RequestProblems {
  if (error instanceof NotAuthenticated)
    return {
      message: error.message,
      fields: request ? judgedHeaders(error.failed, why, request, naming) : [],
    };
  const { findings, additionalInformation } = error.details;
  if (findings !== undefined)
    return {
      message: cut(error.message),
      fields: findings
        .slice(0, MOST_FIELDS)
        .map(({ attribute, reason }) => ({ field: cut(attribute), sent: null, problem: cut(reason) })),
    };
  const message = withDetails(error.message, additionalInformation);
  return { message, fields: request ? fieldOfStatus(error.status, message, request) : [] };
}

const MOST_FIELDS = 20;
const LONGEST = 300;
/** As long as a key of the service, with digits that may be percent-encoded. */
const LONG_HEX = /(?:[0-9a-f]|%(?:3[0-9]|[46][1-6])){32,}/gi;
/** Redacts before it cuts, or the cut could leave the beginning of a key. */
const redacted = (text: string): string => text.replace(LONG_HEX, '[redacted]');

function cut(text: string): string {
  const safe = redacted(text);
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe;
}

function withDetails(message: string, details: unknown): string {
  if (details === undefined || details === null) return cut(message);
  const text = typeof details === 'string' ? details : formatJson(details);
  return cut(message === '' ? text : `${message}: ${text}`);
}

function judgedHeaders(
  { check, header, ...failed }: FailedCheck,
  why: string | null,
  request: WireRequest,
  naming: Naming,
): readonly RequestField[] {
  const { headerPrefix } = naming;
  const failing =
    check === 'signature'
      ? 'Authorization'
      : check === 'clock'
        ? 'Date'
        : `${headerPrefix}${check === 'nonce' ? 'Nonce' : (header ?? '')}`;
  return claimFields(request, naming).map(({ field, sent, problem }) => {
    const told = field === failing && problem === null ? (why ?? failed.why) : problem;
    return { field, sent: sent && redacted(sent), problem: told && redacted(told) };
  });
}

/** Names the part of a request that an answer without findings is about. */
function fieldOfStatus(
  status: number,
  problem: string,
  { method, path, headers }: WireRequest,
): readonly RequestField[] {
  switch (status) {
    case 404:
      return [{ field: 'path', sent: cut(path), problem }];
    case 405:
      return [{ field: 'method', sent: method, problem }];
    case 415:
      return [{ field: 'Content-Type', sent: cut(headers['content-type'] ?? '') || null, problem }];
    default:
      return [];
  }
}
