/**
 * Records the requests to the service (contract, "The sandbox, for people and teams"), in batches, so that no request waits for its row.
 * Keys, signatures and `Authorization` are not recorded. Only the latest requests have their headers and bodies.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { API_KEY_PLACEHOLDERS, canonicalString, signatureOf } from '../../service/auth/sign.ts';
import { checkAuthHeaders } from '../../service/auth/verify.ts';
import { headerNames, type Naming } from '../../service/protocol/naming.ts';
import type { ServiceError } from '../../service/protocol/service-errors.ts';
import type { WireRequest } from '../../service/protocol/wire.ts';
import { isApiPath } from '../request/route.ts';
import { type FailedAuthCheck, NotAuthenticatedError } from '../request/verify.ts';
import { listApiKeys } from '../store/accounts.ts';
import {
  logRequests,
  MAX_DETAILED_REQUESTS,
  MAX_LOGGED_REQUESTS,
  type RequestLogRow,
} from '../store/logs.ts';
import { type Db, type Store, WITHOUT_LOCK } from '../store/open.ts';
import { clipBody, isSecretName, shownBody, shownHeaders } from './request-details.ts';
import { describeRequestProblems, explainSignatureMistake, LONG_HEX } from './request-problems.ts';

/** The log entry of a request in progress. */
export interface LoggedRequest {
  /** Time of the request in milliseconds, by the machine's clock. */
  readonly time: number;
  /** Value of `performance.now()` when the request began. */
  readonly begun: number;
  ended: number;
  readonly method: string;
  readonly target: string;
  /** Sender that the headers name. A request with status 401 has not proved that it comes from this sender. */
  readonly who: string | null;
  /** Status of the response. Null if no response was sent. */
  status: number | null;
  /** Error that the sandbox responded with, and the request. `request` is missing if the sandbox could not read its headers. */
  refused: { readonly error: ServiceError; readonly request?: WireRequest } | undefined;
  /** Fault that the sandbox injected into this request. Undefined if it injected none. */
  injected: string | undefined;
  /** Advice to the author of the client, if a successful request shows a likely mistake. Otherwise undefined. */
  advice: string | undefined;
  /** Headers, body and response body. Undefined for a request that is no longer among the latest ones. */
  details: RequestDetails | undefined;
}

interface RequestDetails {
  readonly headers: IncomingHttpHeaders;
  /** Undefined if there is no body, or if the sandbox did not read it. */
  body?: string | undefined;
  answer?: string | undefined;
}

type Header = string | string[] | undefined;

export interface RequestLog {
  /** Returns the entry to pass to `end`; undefined if the path is not one of the interface. */
  readonly begin: (
    incoming: Pick<IncomingMessage, 'url' | 'method' | 'headers'>,
  ) => LoggedRequest | undefined;
  /** @param status null if no response was sent */
  readonly end: (request: LoggedRequest, status: number | null, answer?: string) => void;
  /** Writes the gathered requests if none has ended since the last call, or if `MAX_UNWRITTEN_MS` have passed. */
  readonly writeIfDue: () => Promise<void>;
  readonly flush: () => Promise<void>;
}

/** Maximum milliseconds between two writes while requests keep coming. A killed process loses at most this much of the log. */
const MAX_UNWRITTEN_MS = 10_000;

/** Number of rows that are written at once; that takes some milliseconds, in which no request is handled. */
const ROWS_AT_ONCE = 1_000;

/** @param machineNow returns this machine's time in milliseconds */
export function createRequestLog(
  store: Pick<Store, 'transaction'>,
  naming: Naming,
  machineNow: () => number,
): RequestLog {
  const names = headerNames(naming);
  const who = rememberLast();
  const adviceOn = watchPages();
  /** The unwritten requests, as a ring buffer of `MAX_LOGGED_REQUESTS`: a new entry overwrites the oldest. */
  let entries: LoggedRequest[] = [];
  let count = 0;
  let seen = 0;
  let written = performance.now();
  let last: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    const [gathered, begin] = [entries, count > MAX_LOGGED_REQUESTS ? count % MAX_LOGGED_REQUESTS : 0];
    entries = [];
    count = 0;
    seen = 0;
    written = performance.now();
    if (gathered.length === 0) return last;
    const write = async (): Promise<void> => {
      const inOrder = [...gathered.slice(begin), ...gathered.slice(0, begin)];
      for (let at = 0; at < inOrder.length; at += ROWS_AT_ONCE) {
        const rows = inOrder.slice(at, at + ROWS_AT_ONCE).map((entry) => rowOf(entry, naming));
        await store.transaction(async (db) => logRequests(db, await withoutKeys(db, rows)), WITHOUT_LOCK);
        await setImmediate();
      }
    };
    const turn = last.then(write);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    begin: (incoming) => {
      const target = incoming.url ?? '';
      if (!isApiPath(target)) return undefined;
      const { headers, method = '' } = incoming;
      const begun = performance.now();
      return {
        time: machineNow(),
        begun,
        ended: begun,
        method,
        target,
        who: bySvc(who(headers[names.pid], headers[names.cid], headers[names.uid]), headers['user-agent']),
        status: null,
        refused: undefined,
        injected: undefined,
        advice: undefined,
        details: { headers },
      };
    },
    end: (request, status, answer) => {
      const { details } = request;
      if (details) {
        details.body = details.body && clipBody(details.body);
        details.answer = answer && clipBody(answer);
      }
      const old = entries[(count - MAX_DETAILED_REQUESTS) % MAX_LOGGED_REQUESTS];
      if (old) old.details = undefined;
      request.status = status;
      request.ended = performance.now();
      request.advice = adviceOn(request);
      entries[count % MAX_LOGGED_REQUESTS] = request;
      count += 1;
    },
    writeIfDue: async () => {
      if (count > 0 && (count === seen || performance.now() - written > MAX_UNWRITTEN_MS)) await flush();
      else seen = count;
    },
    flush,
  };
}

/** Redacts the keys of all companies and partners. Reads the keys from the database only if a row may contain a key. */
async function withoutKeys(db: Db, rows: readonly RequestLogRow[]): Promise<readonly RequestLogRow[]> {
  const isSuspect = ({ path, why, signed, problems }: RequestLogRow): boolean =>
    [path, why, signed, problems].some((text) => text !== null && mayHoldKey(text));
  const suspect = new Set(rows.filter(isSuspect));
  const keys = suspect.size === 0 ? [] : await listApiKeys(db);
  return rows.map((row) => {
    const cut = { ...row, path: row.path.slice(0, MAX_TARGET_LENGTH) };
    if (!suspect.has(row)) return cut;
    const { path, why, signed, problems } = row;
    return {
      ...row,
      // Redacts before it cuts: a cut key would no longer be recognised, and its beginning would stay.
      path: redactKeys(path, keys).slice(0, MAX_TARGET_LENGTH),
      why: why && redactKeys(why, keys),
      signed: signed && redactKeys(signed, keys),
      problems: problems && redactKeys(problems, keys),
    };
  });
}

function rowOf(request: LoggedRequest, naming: Naming): RequestLogRow {
  const { time, who, begun, ended, method, target, status, refused, injected, advice, details } = request;
  const failed = refused?.error instanceof NotAuthenticatedError ? refused.error.failed : undefined;
  const why = (failed && whyOf(failed, target)) ?? injected ?? advice ?? null;
  return {
    time: Math.floor(time / 1000),
    who,
    method: method.slice(0, 20),
    path: shownTarget(target, naming),
    status,
    milliseconds: Math.round((ended - begun) * 10) / 10,
    failed: failed?.check ?? null,
    why,
    ...signaturesOf(failed, refused?.request, naming),
    problems:
      refused === undefined
        ? null
        : JSON.stringify(describeRequestProblems(refused.error, refused.request, naming, why)),
    headers: details ? JSON.stringify(shownHeaders(details.headers)) : null,
    body: details?.body ? shownBody(details.body, naming) : null,
    answer: details?.answer ? shownBody(details.answer, naming) : null,
  };
}

/** Number of consecutive requests for the same page of records at which the log warns of a loop. Fewer requests may be retries. */
const SAME_PAGES = 3;

const MAX_CLIENTS = 1_000;

/** Returns a function that warns of a client that repeats a page: `next` equals `start` if all its rows have the same sort value. */
function watchPages(): (request: LoggedRequest) => string | undefined {
  const last = new Map<string | null, { readonly target: string; readonly times: number }>();
  return ({ method, target, who, status }) => {
    if (method !== 'GET' || status !== 200) return undefined;
    const before = last.get(who);
    const times = before?.target === target ? before.times + 1 : 1;
    if (last.size >= MAX_CLIENTS) last.clear();
    last.set(who, { target, times });
    if (times < SAME_PAGES || !/[?&]start=/.test(target)) return undefined;
    return (
      `The client has requested this page ${times} times in a row. If all rows of a page have the same value in the ` +
      'sort attribute, the field "next" also has this value, and the client gets the same page again. To avoid this, ' +
      'sort by id, or skip the rows that you already have'
    );
  };
}

/** Returns a function that describes the sender, such as `company 1 user 1`. Consecutive equal senders share one string. */
function rememberLast(): (partnerId: Header, companyId: Header, userId: Header) => string | null {
  let last: { readonly ids: readonly Header[]; readonly who: string | null } = { ids: [], who: null };
  return (...ids) => {
    if (!ids.every((id, at) => id === last.ids[at])) last = { ids, who: whoIn(ids) };
    return last.who;
  };
}

/** Adds `(completion)` or `(doctor)` if shell completion or `svc doctor` sent the request, as in `company 1 user 1 (doctor)`. */
function bySvc(who: string | null, agent: string | undefined): string | null {
  const [, part] = /^svc \((completion|doctor)\)$/.exec(agent ?? '') ?? [];
  return part === undefined ? who : `${who ?? 'nobody'} (${part})`;
}

function whoIn(ids: readonly Header[]): string | null {
  const named = ['partner', 'company', 'user'].flatMap((kind, at) => {
    const id = ids[at];
    if (id === undefined) return [];
    // Any other text may be a key in the wrong header.
    return [`${kind} ${/^[0-9]{1,20}$/.test(String(id)) ? String(id) : '?'}`];
  });
  return named.length === 0 ? null : named.join(' ');
}

const MAX_TARGET_LENGTH = 2_000;

/** Returns path and query, without the values of parameters whose names say that they are secret. */
function shownTarget(target: string, naming: Naming): string {
  const [path = '', query] = splitOnce(target, '?');
  if (query === undefined) return path;
  const pairs = query.split('&').map((pair) => {
    const [name = '', value] = splitOnce(pair, '=');
    return value === undefined || !isSecretName(name, naming) ? pair : `${name}=[redacted]`;
  });
  return `${path}?${pairs.join('&')}`;
}

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function whyOf({ check, why, claimed }: FailedAuthCheck, target: string): string {
  if (check !== 'signature' || claimed?.key === undefined) return why;
  const query = splitOnce(target, '?')[1] ?? '';
  const slip = explainSignatureMistake(claimed.claim, query, claimed.key, claimed.naming);
  return `${why}: ${slip ?? 'no common slip explains it, so most likely it was made with another key'}`;
}

/** Characters of a signature that the log shows, as `--explain-signature` does. A complete one could be replayed. */
const SHOWN_OF_SIGNATURE = 6;

function signaturesOf(
  failed: FailedAuthCheck | undefined,
  request: WireRequest | undefined,
  own: Naming,
): Pick<RequestLogRow, 'signed' | 'signature' | 'expected'> {
  const nothing = { signed: null, signature: null, expected: null };
  if (failed === undefined) return nothing;
  if (failed.claimed === undefined)
    return request === undefined ? nothing : { ...nothing, signed: wantedString(request, own) };
  const { claim, naming, key } = failed.claimed;
  return {
    signed: canonicalString(claim.signed, API_KEY_PLACEHOLDERS[claim.kind], naming),
    signature: claim.signature.slice(0, SHOWN_OF_SIGNATURE),
    expected: key === undefined ? null : signatureOf(claim.signed, key, naming).slice(0, SHOWN_OF_SIGNATURE),
  };
}

/** Returns the string to sign with a placeholder, such as `<company_id>`, for each missing header. */
function wantedString(request: WireRequest, naming: Naming): string {
  const fields = new Map(
    checkAuthHeaders(request, naming).map(({ field, sent, problem }) => [
      field,
      problem === null ? sent : null,
    ]),
  );
  const of = (end: string): string | undefined => fields.get(`${naming.headerPrefix}${end}`) ?? undefined;
  const isPartner = request.headers['authorization']?.startsWith(`${naming.partnerScheme} `) === true;
  const signed = {
    method: request.method,
    path: request.path,
    date: fields.get('Date') ?? '<http-date>',
    partnerId: isPartner ? (of('PID') ?? '<partner_id>') : undefined,
    companyId: of('CID') ?? (isPartner ? undefined : '<company_id>'),
    userId: of('UID') ?? (isPartner ? undefined : '<user_id>'),
    nonce: of('Nonce') === undefined ? '<random_string>' : (request.headers[headerNames(naming).nonce] ?? ''),
  };
  return canonicalString(signed, API_KEY_PLACEHOLDERS[isPartner ? 'partner' : 'company'], naming);
}

/** Reports whether a text may contain an API key. Only then does the log read the keys from the database. */
const mayHoldKey = (text: string): boolean => text.search(LONG_HEX) !== -1;

/** Replaces each sequence of hexadecimal digits that contains one of the keys with `[redacted]`. Upper and lower case count as equal. */
const redactKeys = (text: string, keys: readonly string[]): string =>
  text.replace(LONG_HEX, (run) => {
    const digits = decodeURIComponent(run).toLowerCase();
    return keys.some((key) => digits.includes(key.toLowerCase())) ? '[redacted]' : run;
  });
