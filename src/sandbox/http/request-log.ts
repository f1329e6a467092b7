/**
 * Each request to the service as it came, for who writes a client (contract, "The sandbox, for people and teams"). They
 * are gathered in memory and written together, so that a request doesn't wait for its line. No bodies, no signatures, no
 * `Authorization`.
 */
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { canonicalString } from '../../auth/canonical.ts';
import { claimFields } from '../../auth/claim-problem.ts';
import { KEY_PLACEHOLDERS, signatureOf } from '../../auth/sign.ts';
import { fromWireName, headerNames, type Naming } from '../../protocol/naming.ts';
import type { ServiceError } from '../../protocol/service-errors.ts';
import type { WireRequest } from '../../protocol/wire.ts';
import { type FailedCheck, NotAuthenticated } from '../request/failed-check.ts';
import { isInterfacePath } from '../request/route.ts';
import { slipBehind } from '../request/signature-slips.ts';
import { apiKeys } from '../store/identity.ts';
import type { Db, Store } from '../store/open.ts';
import { type LoggedRow, logRequests, MOST_REQUESTS } from '../store/request-log.ts';
import { mayHoldKey, redactKeys } from './redact-keys.ts';
import { problemsOf } from './request-problems.ts';

/** A request that is being answered. */
export interface LoggedRequest {
  /** The machine's clock, milliseconds. */
  readonly time: number;
  /** As `performance.now()` has it. */
  readonly begun: number;
  ended: number;
  readonly method: string;
  readonly target: string;
  /** As the headers say, which a 401 has not proved. */
  readonly who: string | null;
  /** Null where no answer was given. */
  status: number | null;
  /** The answer where it is an error; without the request where its head could not be read. */
  refused: { readonly error: ServiceError; readonly request?: WireRequest } | undefined;
  /** What the sandbox did to it on purpose. */
  injected: string | undefined;
}

type Header = string | string[] | undefined;

export interface RequestLog {
  /** Undefined for what is no request to the service. */
  readonly begin: (
    incoming: Pick<IncomingMessage, 'url' | 'method' | 'headers'>,
  ) => LoggedRequest | undefined;
  /** @param status null where no answer was given */
  readonly end: (request: LoggedRequest, status: number | null) => void;
  /** Writes what has come, where there is a pause, or where the last time was long ago. */
  readonly turn: () => Promise<void>;
  /** Writes all that has come. */
  readonly flush: () => Promise<void>;
}

/** While requests come without a pause, so much of the log is lost with a process that is killed. */
const LONGEST_UNWRITTEN_MS = 10_000;

/** Rows that are written without a pause for requests: some milliseconds. */
const AT_ONCE = 1_000;

/** @param machineNow milliseconds */
export function createRequestLog(
  store: Pick<Store, 'transaction'>,
  naming: Naming,
  machineNow: () => number,
): RequestLog {
  const names = headerNames(naming);
  const who = rememberLast();
  /** Round: of more than are kept the oldest are never written at all. */
  let entries: LoggedRequest[] = [];
  let count = 0;
  let seen = 0;
  let written = performance.now();
  let last: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    const [gathered, begin] = [entries, count > MOST_REQUESTS ? count % MOST_REQUESTS : 0];
    entries = [];
    count = 0;
    seen = 0;
    written = performance.now();
    if (gathered.length === 0) return last;
    const write = async (): Promise<void> => {
      const inOrder = [...gathered.slice(begin), ...gathered.slice(0, begin)];
      for (let at = 0; at < inOrder.length; at += AT_ONCE) {
        const rows = inOrder.slice(at, at + AT_ONCE).map((entry) => rowOf(entry, naming));
        await store.transaction(async (db) => logRequests(db, await withoutKeys(db, rows)), {
          kind: 'unheld',
        });
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
      if (!isInterfacePath(target)) return undefined;
      const { headers, method = '' } = incoming;
      const begun = performance.now();
      return {
        time: machineNow(),
        begun,
        ended: begun,
        method,
        target,
        who: who(headers[names.pid], headers[names.cid], headers[names.uid]),
        status: null,
        refused: undefined,
        injected: undefined,
      };
    },
    end: (request, status) => {
      request.status = status;
      request.ended = performance.now();
      entries[count % MOST_REQUESTS] = request;
      count += 1;
    },
    turn: async () => {
      if (count > 0 && (count === seen || performance.now() - written > LONGEST_UNWRITTEN_MS)) await flush();
      else seen = count;
    },
    flush,
  };
}

/** Redacts the keys of all companies and partners. Reads them only where a row may hold one. */
async function withoutKeys(db: Db, rows: readonly LoggedRow[]): Promise<readonly LoggedRow[]> {
  const isSuspect = ({ path, why, signed, problems }: LoggedRow): boolean =>
    [path, why, signed, problems].some((text) => text !== null && mayHoldKey(text));
  const suspect = new Set(rows.filter(isSuspect));
  const keys = suspect.size === 0 ? [] : await apiKeys(db);
  return rows.map((row) => {
    const cut = { ...row, path: row.path.slice(0, LONGEST_TARGET) };
    if (!suspect.has(row)) return cut;
    const { path, why, signed, problems } = row;
    return {
      ...row,
      // Redacted before it is cut, or the cut would leave the beginning of a key.
      path: redactKeys(path, keys).slice(0, LONGEST_TARGET),
      why: why && redactKeys(why, keys),
      signed: signed && redactKeys(signed, keys),
      problems: problems && redactKeys(problems, keys),
    };
  });
}

function rowOf(request: LoggedRequest, naming: Naming): LoggedRow {
  const { time, who, begun, ended, method, target, status, refused, injected } = request;
  const failed = refused?.error instanceof NotAuthenticated ? refused.error.failed : undefined;
  const why = (failed && whyOf(failed, target)) ?? injected ?? null;
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
      refused === undefined ? null : JSON.stringify(problemsOf(refused.error, refused.request, naming, why)),
  };
}

/** Those of one client are the same text, which is made and kept once. */
function rememberLast(): (partnerId: Header, companyId: Header, userId: Header) => string | null {
  let last: { readonly ids: readonly Header[]; readonly who: string | null } = { ids: [], who: null };
  return (...ids) => {
    if (!ids.every((id, at) => id === last.ids[at])) last = { ids, who: whoIn(ids) };
    return last.who;
  };
}

function whoIn(ids: readonly Header[]): string | null {
  const named = ['partner', 'company', 'user'].flatMap((kind, at) => {
    const id = ids[at];
    if (id === undefined) return [];
    // Anything else may be a key in the wrong header.
    return [`${kind} ${/^[0-9]{1,20}$/.test(String(id)) ? String(id) : '?'}`];
  });
  return named.length === 0 ? null : named.join(' ');
}

const LONGEST_TARGET = 2_000;

/** Returns path and query, without the values of parameters whose names say that they are secret. */
function shownTarget(target: string, naming: Naming): string {
  const [path = '', query] = splitOnce(target, '?');
  if (query === undefined) return path;
  const pairs = query.split('&').map((pair) => {
    const [name = '', value] = splitOnce(pair, '=');
    const isSecret = SECRET.test(`${name} ${fromWireName(naming, name)}`);
    return value === undefined || !isSecret ? pair : `${name}=[redacted]`;
  });
  return `${path}?${pairs.join('&')}`;
}

const SECRET = /pass|secret|token|key|signature|authorization/i;

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function whyOf({ check, why, claimed }: FailedCheck, target: string): string {
  if (check !== 'signature' || claimed?.key === undefined) return why;
  const query = splitOnce(target, '?')[1] ?? '';
  const slip = slipBehind(claimed.claim, query, claimed.key, claimed.naming);
  return `${why}: ${slip ?? 'no common slip explains it, so most likely it was made with another key'}`;
}

/** Of signatures their beginnings, as `--explain-signature` shows them: a whole one could be sent by others. */
const SHOWN_OF_SIGNATURE = 6;

function signaturesOf(
  failed: FailedCheck | undefined,
  request: WireRequest | undefined,
  own: Naming,
): Pick<LoggedRow, 'signed' | 'signature' | 'expected'> {
  const nothing = { signed: null, signature: null, expected: null };
  if (failed === undefined) return nothing;
  if (failed.claimed === undefined)
    return request === undefined ? nothing : { ...nothing, signed: wantedString(request, own) };
  const { claim, naming, key } = failed.claimed;
  return {
    signed: canonicalString(claim.signed, KEY_PLACEHOLDERS[claim.kind], naming),
    signature: claim.signature.slice(0, SHOWN_OF_SIGNATURE),
    expected: key === undefined ? null : signatureOf(claim.signed, key, naming).slice(0, SHOWN_OF_SIGNATURE),
  };
}

/** Returns the string to sign for headers that claim nothing, in the interface's words where one is missing or malformed. */
function wantedString(request: WireRequest, naming: Naming): string {
  const fields = new Map(
    claimFields(request, naming).map(({ field, sent, problem }) => [field, problem === null ? sent : null]),
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
  return canonicalString(signed, KEY_PLACEHOLDERS[isPartner ? 'partner' : 'company'], naming);
}
