/**
 * When the command is repeated after a crash, it looks up the writes whose outcome is unknown, uses their results, and never sends them a
 * second time.
 */

import { type Id, isId } from '../../kit/schema/integer.ts';
import { type AnyRecord, assertNever, type Resource, type Values } from '../../kit/schema/resource.ts';
import { account } from '../../service/resources/account.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import { readCurrentRecord } from '../journal/stage.ts';
import type { Client } from '../requests/client.ts';
import type { Clock } from '../requests/ports.ts';
import { titleOf } from '../requests/record-title.ts';
import { cancelsTask } from '../requests/recovery/cancellation.ts';
import { findAttributesReturnedUnchanged, type StateBefore } from '../requests/recovery/find-created.ts';
import { lookUpSchedule, MAX_DATE_HEADER_CLOCK_SKEW_MS, settleTime } from '../requests/recovery/settle.ts';
import type { Stage, Write, Written } from '../requests/write.ts';
import {
  digestOfRecordValues,
  digestOfWrite,
  idOfDeleteTarget,
  type RecordedWrite,
  timestampsInBody,
} from './recorded-write.ts';

export class ResumeError extends Error {
  override readonly name = 'ResumeError';
  readonly kind: 'in-doubt' | 'changed';
  /** Time from which the same command can find out the outcome of the write, in milliseconds since the epoch. */
  readonly knownAt: number | undefined;

  constructor(kind: ResumeError['kind'], message: string, knownAt?: number) {
    super(message);
    this.kind = kind;
    this.knownAt = knownAt;
  }
}

export const isResumeError = (error: unknown): error is ResumeError => error instanceof ResumeError;

export interface ResumeOptions {
  readonly recorder: {
    readonly writesOfEarlierRuns: readonly RecordedWrite[];
    readonly recordBeforeSending: (write: Omit<RecordedWrite, 'n' | 'ended'>) => Promise<number>;
    /** Without `success`, the service refused the write. */
    readonly recordOutcome: (n: number, success?: { readonly id?: Id | undefined }) => Promise<void>;
  };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeout: number | undefined;
  /** Milliseconds after which a POST without a response can no longer reach the service. */
  readonly settle: number | undefined;
  /** True if a person has seen how records have changed since the earlier run, and has confirmed. svc then overwrites these records. */
  readonly isConfirmed: boolean;
  readonly onFound: (title: string) => Promise<void>;
  readonly waiting: <T>(work: () => Promise<T>) => Promise<T>;
  readonly isRefusal: (error: unknown) => boolean;
}

/** Safety margin in milliseconds. svc adds it to the period in which the service accepts the Date header of a request. */
const MARGIN = 2 * 60_000;

type Pending =
  | { readonly made: Written; readonly note?: undefined; readonly stateBefore?: undefined }
  | {
      readonly made?: undefined;
      readonly note: Omit<RecordedWrite, 'n' | 'ended' | 'landsUntil'>;
      readonly stateBefore?: StateBefore;
    };

export function resumeRun(options: ResumeOptions) {
  const { recorder, clock } = options;
  const callTime = settleTime({ timeout: options.timeout });
  const unmatched = new Map(recorder.writesOfEarlierRuns.map((each) => [each.n, each]));
  const take = (sha256: string): RecordedWrite | undefined => {
    const found = [...unmatched.values()].find((each) => each.sha256 === sha256);
    if (found !== undefined) unmatched.delete(found.n);
    return found;
  };
  /**
   * The service accepts a request until some minutes after its Date header, and so even later if this machine's clock is ahead. In
   * milliseconds since the epoch.
   */
  const landsUntil = (client: Client): number => {
    const service = client.serviceTime();
    const ahead = service === undefined ? MAX_DATE_HEADER_CLOCK_SKEW_MS : clock.now() - service * 1000;
    return (
      clock.now() +
      callTime +
      MAX_DATE_HEADER_CLOCK_SKEW_MS +
      MARGIN +
      Math.min(Math.max(ahead, 0), MAX_DATE_HEADER_CLOCK_SKEW_MS)
    );
  };

  /** Returns the result of a write that an earlier run made, or what to record about this write before it is sent. */
  async function pending(client: Client, write: Write): Promise<Pending> {
    if (write.request !== undefined) {
      const { method, path, body, query = '' } = write.request;
      const sha256 = digestOfWrite(method, path, undefined, { body: String(body ?? ''), query });
      // The path may name any resource, so no look-up is possible.
      if (take(sha256) !== undefined && method === 'POST')
        throw inDoubt(`an earlier run may have sent POST ${path}`);
      return { note: { method, resource: path, sha256 } };
    }
    const { method, resource, body, options: given } = write;
    const id = method === 'DELETE' ? idOfDeleteTarget(body) : write.id;
    const sha256 = digestOfWrite(method, resource, id, body);
    const earlier = take(sha256);
    const about = { resource: resource.name, ...(id === undefined ? {} : { id }), sha256 };
    switch (method) {
      case 'POST': {
        if (earlier?.ended)
          return { made: { record: await readCreatedEarlier(client, resource, body, earlier) } };
        if (earlier === undefined) refuseUnmatched(resource, [...unmatched.values()]);
        else {
          const found = await findEarlier(client, resource, body, earlier, options);
          await recorder.recordOutcome(earlier.n, found && { id: idOf(found) });
          if (found !== undefined) {
            await options.onFound(titleOf(resource, found));
            return { made: { record: found } };
          }
        }
        const stateBefore = given?.stateBefore ?? (await readStateBefore(client, resource, body));
        const times = timestampsInBody(resource, body);
        return { note: { method, ...about, times, ...defined(stateBefore) }, stateBefore };
      }
      case 'PUT': {
        const made = earlier?.ended ? await readCurrentRecord(client, resource, id) : undefined;
        if (made !== undefined) return { made: { record: made } };
        const names = findAttributesReturnedUnchanged(resource, body);
        // A cancellation does not wait for a read.
        const record =
          cancelsTask(resource, body) || (id === undefined && !resource.single)
            ? undefined
            : await readCurrentRecord(client, resource, id);
        const wanted = digestOfRecordValues(resource, names, body);
        const before = record && digestOfRecordValues(resource, names, record);
        return { note: { method, ...about, names, wanted, ...(before === undefined ? {} : { before }) } };
      }
      case 'DELETE':
        if (earlier?.ended) return { made: { deleted: id === undefined ? [] : [id] } };
        return { note: { method, ...about } };
      default:
        return assertNever(method);
    }
  }

  const stage =
    (client: Client): Stage =>
    (next) =>
    async (write) => {
      const { made, note, stateBefore } = await pending(client, write);
      if (made !== undefined) return made;
      const n = await recorder.recordBeforeSending({ ...note, landsUntil: landsUntil(client) });
      try {
        const written = await next(
          stateBefore === undefined || write.request !== undefined
            ? write
            : { ...write, options: { ...write.options, stateBefore } },
        );
        const { record, response } = written;
        const id = record === undefined ? note.id : idOf(record);
        await recorder.recordOutcome(n, (response?.status ?? 0) < 400 ? { id } : undefined);
        return written;
      } catch (error) {
        if (options.isRefusal(error)) await recorder.recordOutcome(n);
        throw error;
      }
    };

  return {
    /** The reads of this stage use `client`. */
    stage,
    /**
     * Call this before the command looks them up.
     * @throws ResumeError `changed` if another client has written the record since
     */
    resolveEarlierWrites: async (client: Client): Promise<void> => {
      for (const write of recorder.writesOfEarlierRuns) {
        if (write.ended) continue;
        const outcome = await outcomeOf(client, write);
        if (outcome === 'changed' && !options.isConfirmed) throw changedSince(write);
        if (outcome === 'unknown') continue;
        if (outcome === 'done') {
          await recorder.recordOutcome(write.n, { id: write.id });
          unmatched.set(write.n, { ...write, ended: true });
        } else {
          await recorder.recordOutcome(write.n);
          unmatched.delete(write.n);
        }
      }
    },
    mayRecordBeMissing: (): boolean =>
      [...unmatched.values()].some(
        ({ method, ended, id }) => method !== 'POST' && (ended || (method === 'DELETE' && id === undefined)),
      ),
  };
}

/** May send one request to learn the time. */
async function readStateBefore(client: Client, resource: Resource, body: Values): Promise<StateBefore> {
  const found = await client.stateBeforePost(resource, body);
  if (found.above !== undefined || found.since !== undefined) return found;
  await client.exists(account, {});
  return client.stateBeforePost(resource, body);
}

const idOf = ({ id }: AnyRecord): Id | undefined => (isId(id) ? id : undefined);

const defined = ({ above, since }: StateBefore) => ({
  ...(above === undefined ? {} : { above }),
  ...(since === undefined ? {} : { since }),
});

async function readCreatedEarlier(
  client: Client,
  resource: Resource,
  body: Values,
  { id }: RecordedWrite,
): Promise<AnyRecord> {
  const record = id === undefined ? undefined : await client.get(resource, id);
  return record ?? { ...body, ...(id === undefined ? {} : { id }) };
}

/** An earlier run may have created a record with its own values, and a new POST could create it a second time. */
function refuseUnmatched(resource: Resource, left: readonly RecordedWrite[]): void {
  const open = left.find((each) => each.method === 'POST' && each.resource === resource.name);
  if (open !== undefined)
    throw inDoubt(`an earlier run may have created ${resource.singular}, but this run has other values`);
}

async function findEarlier(
  client: Client,
  resource: Resource,
  body: Values,
  earlier: RecordedWrite,
  { clock, signal, waiting, timeout, settle }: ResumeOptions,
): Promise<AnyRecord | undefined> {
  const { above, since, times, landsUntil } = earlier;
  if (above === undefined && since === undefined && resource.inDoubt !== 'send-again')
    throw inDoubt(`an earlier run may have created ${resource.singular}`);
  const look = async (): Promise<AnyRecord | undefined> => {
    const rows = await client.findCreated(resource, { ...body, ...times }, { above, since });
    if (rows.length > 1 && resource.inDoubt !== 'send-again')
      throw inDoubt(
        `an earlier run may have created ${resource.singular}, and several records match: ${rows.map(({ id }) => String(id)).join(', ')}`,
      );
    return rows[0];
  };
  const found = await look();
  if (found !== undefined || clock.now() >= landsUntil) return found;
  const begun = clock.now();
  const late = await waiting(async () => {
    for (const { afterMs } of lookUpSchedule(settleTime({ settle, timeout }))) {
      await clock.sleep(Math.max(0, begun + afterMs - clock.now()), signal);
      const row = await look();
      if (row !== undefined) return row;
    }
    return undefined;
  });
  if (late !== undefined || resource.inDoubt === 'send-again' || clock.now() >= landsUntil) return late;
  throw inDoubt(
    `an earlier run may have created ${resource.singular}, but svc does not find the record yet`,
    landsUntil,
  );
}

/** Compares the record with its state before the write, and with the state that the write wanted. */
async function outcomeOf(
  client: Client,
  { method, resource: name, id, names = [], before, wanted }: RecordedWrite,
): Promise<'done' | 'not-done' | 'changed' | 'unknown'> {
  const resource = resourceNamed(name);
  if (resource === undefined || method === 'POST' || (id === undefined && !resource.single)) return 'unknown';
  const record = await readCurrentRecord(client, resource, id);
  if (method === 'DELETE') return record === undefined ? 'done' : 'not-done';
  if (record === undefined) return 'changed';
  const now = digestOfRecordValues(resource, names, record);
  // Without comparable attributes, or without a change in them, the same PUT is sent again, which does no harm.
  if (names.length === 0 || before === wanted) return 'not-done';
  if (now === wanted) return 'done';
  return before === undefined || now === before ? 'not-done' : 'changed';
}

const inDoubt = (message: string, knownAt?: number): ResumeError =>
  new ResumeError('in-doubt', message, knownAt);

const changedSince = ({ method, resource }: RecordedWrite): ResumeError =>
  new ResumeError(
    'changed',
    `an earlier run was sending ${method} ${resource}, but the record has changed since`,
  );
