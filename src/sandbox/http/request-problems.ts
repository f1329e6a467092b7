/** Explains a refused request part by part, and an invalid signature by common mistakes of clients. */
import { createHmac, hash } from 'node:crypto';
import { sayReason } from '../../kit/schema/reason.ts';
import { canonicalString } from '../../service/auth/sign.ts';
import {
  type AuthHeaderCheck,
  checkAuthHeaders,
  type UnverifiedSignature,
} from '../../service/auth/verify.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import type { ServiceError } from '../../service/protocol/service-errors.ts';
import type { WireRequest } from '../../service/protocol/wire.ts';
import { type FailedAuthCheck, NotAuthenticatedError } from '../request/verify.ts';

/** One part of a request with the result of its check: a header, an attribute, `method` or `path`. */
type RequestField = AuthHeaderCheck;

export interface RequestProblems {
  /** Error message of the response, followed by the details of the error. */
  readonly message: string;
  /** Parts of the request: for a 401, every authentication header, and otherwise only those with a problem. */
  readonly fields: readonly RequestField[];
}

/** Returns the problems of a request, perhaps without its head. `headerProblem` describes the header that failed, for a 401. */
export function describeRequestProblems(
  error: ServiceError,
  request: WireRequest | undefined,
  naming: Naming,
  headerProblem: string | null = null,
): RequestProblems {
  if (error instanceof NotAuthenticatedError)
    return {
      message: error.message,
      fields: request ? judgedHeaders(error.failed, headerProblem, request, naming) : [],
    };
  const { findings, additionalInformation } = error.details;
  if (findings !== undefined)
    return {
      message: cut(error.message),
      fields: findings.slice(0, MAX_FIELDS).map(({ attribute, reason }) => ({
        field: cut(attribute),
        sent: null,
        problem: cut(sayReason(reason)),
      })),
    };
  const message = withDetails(error.message, additionalInformation);
  return { message, fields: request ? fieldOfStatus(error.status, message, request) : [] };
}

const MAX_FIELDS = 20;

const MAX_PROBLEM_LENGTH = 300;

/** Matches 32 or more hexadecimal digits, perhaps percent-encoded: a key of the service may have 32 or 40. */
export const LONG_HEX = /(?:[0-9a-f]|%(?:3[0-9]|[46][1-6])){32,}/gi;

/** Redacts keys in the text. Callers redact a text before they shorten it, because a shortened key would not be recognised. */
export const redacted = (text: string): string => text.replace(LONG_HEX, '[redacted]');

function cut(text: string): string {
  const safe = redacted(text);
  return safe.length > MAX_PROBLEM_LENGTH ? `${safe.slice(0, MAX_PROBLEM_LENGTH)}…` : safe;
}

function withDetails(message: string, details: unknown): string {
  if (details === undefined || details === null) return cut(message);
  const text = typeof details === 'string' ? details : formatJson(details);
  return cut(message === '' ? text : `${message}: ${text}`);
}

function judgedHeaders(
  { check, header, ...failed }: FailedAuthCheck,
  why: string | null,
  request: WireRequest,
  naming: Naming,
): readonly RequestField[] {
  const { headerPrefix } = naming;
  // These requests have no signature, so their other headers do not count.
  if (check === 'login' || check === 'token')
    return [
      { field: check === 'login' ? 'body' : 'Authorization', sent: null, problem: redacted(failed.why) },
    ];
  const failing =
    check === 'signature'
      ? 'Authorization'
      : check === 'clock'
        ? 'Date'
        : `${headerPrefix}${check === 'nonce' ? 'Nonce' : (header ?? '')}`;
  return checkAuthHeaders(request, naming).map(({ field, sent, problem }) => {
    const told = field === failing && problem === null ? (why ?? failed.why) : problem;
    return { field, sent: sent && redacted(sent), problem: told && redacted(told) };
  });
}

/** Returns the part of the request that caused this status, for a response that lists no attributes. */
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

/** Returns the single mistake that leads to this wrong signature. Without one, the usual cause is a wrong key. */
export function explainSignatureMistake(
  { signed, signature }: UnverifiedSignature,
  query: string,
  key: string,
  naming: Naming,
): string | undefined {
  const right = canonicalString(signed, key, naming);
  const withPath = (path: string): string => canonicalString({ ...signed, path }, key, naming);
  const lines = right.split('\r\n');
  const [first = '', ...rest] = lines.slice(0, -1);
  const joined = (texts: readonly string[]): string => [...texts, key].join('\r\n');
  const slips: readonly (readonly [does: string, text: string])[] = [
    ['the signed lines end in LF, but must end in CR LF', right.replaceAll('\r\n', '\n')],
    [
      'the signed lines end in LF instead of CR LF, and the signed string ends in LF instead of the key',
      `${right.replaceAll('\r\n', '\n')}\n`,
    ],
    ['the signed string ends in CR LF, but must end with the key', `${right}\r\n`],
    ['the signed string ends in LF, but must end with the key', `${right}\n`],
    ['the line end before the key is missing', right.slice(0, -key.length - 2) + key],
    ['the key at the end is missing', right.slice(0, -key.length)],
    ['the signed lines are joined without line ends', lines.join('')],
    ['the query is signed with the path', withPath(query === '' ? signed.path : `${signed.path}?${query}`)],
    ['the path is signed without /v1', withPath(signed.path.replace(/^\/v1(?=\/)/, ''))],
    ['the path is signed without its leading slash', withPath(signed.path.slice(1))],
    ['the path is signed after percent-decoding', withPath(decoded(signed.path))],
    ['the path is signed with an additional slash at its end', withPath(`${signed.path}/`)],
    [
      'the method is signed in lower case, but must be in upper case',
      right.replace(signed.method, signed.method.toLowerCase()),
    ],
    [
      `the header names are signed in lower case, but must be written like ${naming.headerPrefix}CID`,
      joined([first, ...rest.map(lowerName)]),
    ],
    ['the space after the colons is missing', right.replaceAll(/^([A-Za-z0-9-]+): /gm, '$1:')],
    ['the values are signed without the names of their headers', joined([first, ...rest.map(valueOnly)])],
    [
      'the nonce comes before the ids',
      joined([first, ...rest.slice(0, 1), ...rest.slice(-1), ...rest.slice(1, -1)]),
    ],
    ['the user comes before the company', joined([first, ...userFirst(rest, naming)])],
    ['the Date is missing', joined([first, ...rest.slice(1)])],
    ['the ids are missing', joined([first, ...rest.slice(0, 1), ...rest.slice(-1)])],
    [
      'the user is missing',
      joined([first, ...rest.filter((line) => !line.startsWith(`${naming.headerPrefix}UID`))]),
    ],
    ['the nonce is missing', joined([first, ...rest.slice(0, -1)])],
    ['the key comes first', `${key}\r\n${lines.slice(0, -1).join('\r\n')}`],
    ['the key is in upper case', right.slice(0, -key.length) + key.toUpperCase()],
  ];
  const [does] = slips.find(([, text]) => text !== right && hash('sha1', text, 'hex') === signature) ?? [];
  if (does !== undefined) return does;
  for (const text of [right, right.slice(0, -key.length), right.slice(0, -key.length - 2)])
    if (createHmac('sha1', key).update(text).digest('hex') === signature)
      return 'the signature is an HMAC, but must be the plain SHA-1 of the string to sign';
  return undefined;
}

const lowerName = (line: string): string => line.replace(/^[^:]+/, (name) => name.toLowerCase());

const valueOnly = (line: string): string => line.replace(/^[^:]+: /, '');

function userFirst(lines: readonly string[], { headerPrefix }: Naming): readonly string[] {
  const isUser = (line: string): boolean => line.startsWith(`${headerPrefix}UID`);
  return [...lines.slice(0, 1), ...lines.filter(isUser), ...lines.slice(1).filter((line) => !isUser(line))];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
