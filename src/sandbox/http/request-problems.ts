/** Explains a refused request, header by header or attribute by attribute. */
import { type ClaimField, claimFields } from '../../auth/claim-problem.ts';
import { formatJson } from '../../protocol/json.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { ServiceError } from '../../protocol/service-errors.ts';
import type { WireRequest } from '../../protocol/wire.ts';
import { type FailedCheck, NotAuthenticated } from '../request/failed-check.ts';

/** A part of a request: `field` is a header, an attribute, `method` or `path`. */
export type RequestField = ClaimField;

export interface RequestProblems {
  /** The message of the response, with its details. */
  readonly message: string;
  /** All authentication headers for a 401, including the correct ones. Otherwise only the parts with a problem. */
  readonly fields: readonly RequestField[];
}

/**
 * Returns the problems of a refused request.
 * @param request undefined if not even its head could be read
 * @param why the sentence for the header that failed, for a 401
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
/** A run of digits as long as a key of the service; digits may be percent-encoded. */
const LONG_HEX = /(?:[0-9a-f]|%(?:3[0-9]|[46][1-6])){32,}/gi;
/** Redacts the text. Callers redact before they cut, or the cut could leave the beginning of a key. */
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

/** Returns the part of a request that a response without findings is about. */
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
