/** Looks for the record of a POST whose outcome is unknown. A POST is sent again only after such a look-up (contract, "Safety"). */

import { type Id, isId } from '../../../kit/schema/integer.ts';
import type { AnyRecord, BodyOf, Resource, Values } from '../../../kit/schema/resource.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import type { task } from '../../../service/resources/task.ts';
import type { OnRequestWait } from '../connection.ts';
import { ClientError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { Reads } from '../reads.ts';
import type { ServiceClock } from '../service-clock.ts';
import {
  buildLookUpFilters,
  findCreated,
  highestId,
  type ListRowsFunction,
  type StateBefore,
} from './find-created.ts';
import { lookUpSchedule, MAX_DATE_HEADER_CLOCK_SKEW_MS, MAX_HTTP_POST_ATTEMPTS } from './settle.ts';

export interface LookUp {
  readonly list: ListRowsFunction;
  readonly get: Reads['get'];
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds that a POST may still take to reach the service after this machine stopped waiting for the response. If its record does
   * not exist when this time is over, the POST counts as lost.
   */
  readonly settleMs: number;
  readonly serviceClock: Pick<ServiceClock, 'earliest' | 'signingTime' | 'credentialsMayBeValid'>;
  readonly onWait?: OnRequestWait | undefined;
}

export interface PendingCreate {
  readonly resource: Resource;
  readonly body: Values;
  /**
   * Sends the POST. Retries the POST only if the service certainly did not process the earlier attempt.
   * @param above highest id before the POST, if svc knows it
   * @throws ClientError `unknown` if the response is about another record
   */
  readonly send: (above: StateBefore['above']) => Promise<AnyRecord>;
  /** All attempts count, including the retries within `send`. */
  readonly maySend: () => boolean;
  /**
   * State of the service before the POST (highest id and time), if the caller has stored this state in a journal. If omitted,
   * `createOnce` reads the state before it sends the POST.
   */
  readonly stateBefore?: StateBefore | undefined;
  readonly onRecovered?: ((record: AnyRecord) => void) | undefined;
}

/**
 * Repeats the POST only if the resource is declared `send-again` and a look-up did not find the record.
 * @throws ClientError `unknown` if the outcome stays unknown
 */
export async function createOnce(context: LookUp, pending: PendingCreate): Promise<AnyRecord> {
  const { resource, body } = pending;
  const maySend = (sends: number): boolean => sends < MAX_HTTP_POST_ATTEMPTS && pending.maySend();
  const { earliest, signingTime } = context.serviceClock;
  const above =
    pending.stateBefore?.above ??
    (resource.inDoubt === 'note-first' ? await highestId(context.list, resource, body) : undefined);
  for (let sends = 1; ; sends += 1) {
    const begun = context.clock.now();
    const before = earliest(begun);
    const offset = signingTime(0);
    try {
      return await pending.send(above);
    } catch (error) {
      const doubt = openOutcomeIn(error, context, resource, sends);
      const stateBefore = (): StateBefore => ({
        above,
        since: pending.stateBefore?.since ?? earlierOf(before, earliest(begun)),
      });
      const settleMs = doubt.kind === 'unknown' ? context.settleMs : 0;
      const made = await lookForCreated(context, pending, { doubt, settleMs, stateBefore });
      if (made !== undefined) return made;
      if (doubt.kind !== 'unknown') {
        // The look-up had to correct the clock, so the 401 was about the clock.
        if (doubt.status === 401 && signingTime(0) !== offset && maySend(sends)) continue;
        throw doubt;
      }
      if (resource.inDoubt !== 'send-again' || !maySend(sends))
        throw await neverFound(context, pending, doubt);
    }
  }
}

/**
 * Returns the lower of two times that the service's clock showed, in Unix seconds. Ignores a time that is undefined, and returns undefined
 * if both are. The time that svc read later can be the lower one, because a user can move a sandbox clock back.
 */
function earlierOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/**
 * Checks the error of a failed POST:
 * - If svc must look up whether the service created the record, returns the error.
 * - If the POST certainly created no record, throws the error.
 * - If the last attempt failed and the outcome of an earlier attempt is unknown, throws an error of the kind `unknown`.
 * @param sends number of times that svc has sent the POST
 */
function openOutcomeIn(
  error: unknown,
  { serviceClock }: LookUp,
  resource: Resource,
  sends: number,
): ClientError {
  if (!(error instanceof ClientError)) throw error;
  if (error.kind === 'unknown') return error;
  // A copy of this request may have arrived first and used up its nonce.
  if (error.status === 401 && serviceClock.credentialsMayBeValid()) return error;
  if (sends === 1) throw error;
  // Wire, "Responses": 409 if the record exists. The previous attempt created the record after all, or another client did.
  if (error.status === 409) return error;
  if (error.kind === 'refused') throw error;
  throw unknownBecause(
    error,
    resource,
    `an earlier attempt got no response, and the next attempt failed: ${error.message}`,
  );
}

interface Look {
  readonly doubt: ClientError;
  readonly settleMs: number;
  readonly stateBefore: () => StateBefore;
}

async function lookForCreated(
  context: LookUp,
  pending: PendingCreate,
  look: Look,
): Promise<AnyRecord | undefined> {
  const { method, path } = look.doubt;
  const until = context.clock.now() + look.settleMs;
  const endWait = context.onWait?.({ kind: 'settle', method, path, until, hasUncertainAttempt: true });
  try {
    return await lookOnSchedule(context, pending, look);
  } finally {
    endWait?.();
  }
}

/**
 * Returns undefined if no look-up finds it.
 * @throws ClientError `unknown` if the outcome stays unknown
 */
async function lookOnSchedule(
  { list, clock, signal }: LookUp,
  { resource, body, onRecovered }: PendingCreate,
  { doubt, settleMs, stateBefore }: Look,
): Promise<AnyRecord | undefined> {
  const since = clock.now();
  for (const { afterMs, isLast } of lookUpSchedule(settleMs)) {
    let made: readonly AnyRecord[];
    try {
      await clock.sleep(Math.max(0, since + afterMs - clock.now()), signal);
      made = await findCreated(list, resource, body, stateBefore);
    } catch (error) {
      // The first look-up only saves waiting. Only a failure of the last one is reported.
      if (!isLast && !signal?.aborted) continue;
      // If the look-up is also refused with 401, the first 401 was genuine.
      if (error instanceof ClientError && error.status === 401 && doubt.status === 401) throw doubt;
      throw stillUnknown(resource, body, doubt, {
        problem: signal?.aborted ? 'interrupted' : lookProblem(error),
      });
    }
    const [first, ...more] = made;
    if (first === undefined) continue;
    if (more.length > 0 && resource.inDoubt !== 'send-again')
      throw stillUnknown(resource, body, doubt, { ids: made.map(({ id }) => id ?? null).filter(isId) });
    onRecovered?.(first);
    return first;
  }
  return undefined;
}

async function neverFound(
  context: LookUp,
  { resource, body }: PendingCreate,
  doubt: ClientError,
): Promise<ClientError> {
  const witness = resource.name === 'task' ? await messageUseClause(context, body) : '';
  const problem = `svc found no matching record within ${Math.round(context.settleMs / 1000)} s${witness}`;
  return stillUnknown(resource, body, doubt, { problem, late: true });
}

/**
 * A message is in use if any task is scheduled with it (interface, emailMessage and smsMessage), so the clause hints that the task exists,
 * but proves nothing.
 */
async function messageUseClause(
  { get }: LookUp,
  { message_id: id, channel }: BodyOf<typeof task>,
): Promise<string> {
  if (!isId(id)) return '';
  try {
    const message = await get(channel === 'sms' ? smsMessage : emailMessage, id);
    if (typeof message?.used !== 'boolean') return '';
    return message.used ? `, but message ${id} is in use` : `, and message ${id} is not in use`;
  } catch {
    // The clause only adds to an error that is thrown without it too.
    return '';
  }
}

interface LookResult {
  readonly problem?: string | undefined;
  readonly ids?: readonly Id[] | undefined;
  /** True if the look-up found no record but the POST may still reach the service. */
  readonly late?: boolean | undefined;
}

function stillUnknown(
  resource: Resource,
  body: Values,
  doubt: ClientError,
  { problem, ids, late }: LookResult,
): ClientError {
  const found =
    ids === undefined
      ? problem
      : `more than one matching record was created after the request was sent: ${ids.join(', ')}`;
  const wait = late
    ? ` The request can still arrive until ${MAX_DATE_HEADER_CLOCK_SKEW_MS / 60_000} minutes after it was sent.`
    : '';
  const advice = late
    ? `After ${MAX_DATE_HEADER_CLOCK_SKEW_MS / 60_000} minutes, look for the record, and repeat the request only if the record does not exist`
    : 'Check whether the record exists before you repeat the request';
  return unknownBecause(doubt, resource, `${doubt.message}; ${found}.${wait} ${advice}`, {
    resource: resource.name,
    filters: buildLookUpFilters(resource, body),
    ids: ids ?? [],
  });
}

function unknownBecause(
  cause: ClientError,
  resource: Resource,
  message: string,
  lookUp: ClientError['lookUp'] = { resource: resource.name, filters: {}, ids: [] },
): ClientError {
  const { method, path, status, envelope } = cause;
  return new ClientError('unknown', message, { method, path, status, envelope, cause, lookUp });
}

const lookProblem = (error: unknown): string =>
  `the lookup failed (${error instanceof Error ? error.message : String(error)})`;
