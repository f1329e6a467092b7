import type { Id } from '../../kit/schema/integer.ts';
import type { AnyRecord, Resource } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import type { ResolvedCredentials } from '../profiles/credentials.ts';
import { formatNameInBrackets, formatRecordId, maskSecretsInBody } from '../requests/record-title.ts';
import type { WriteMethod } from '../requests/write.ts';

/** State of a write. `intent`: the write was noted before it was sent, and no outcome has been recorded. */
export type WriteState = 'intent' | 'done' | 'failed' | 'unknown';

/** All writes of one run have the same values. */
export interface WriteRequestSender {
  /** Null if flags and environment gave all values. */
  readonly profile: string | null;
  readonly origin: string;
  readonly company: AccountId | null;
  readonly user: AccountId | null;
  /** Noun and verb of the command, without its arguments, which may be secret. */
  readonly command: string;
}

export interface NotedWrite {
  readonly method: WriteMethod;
  /** Name of the resource, or the path for `svc api`. */
  readonly resource: string;
  readonly id: Id | null;
  /** For a DELETE, the attributes that select the records to delete. */
  readonly sent: AnyRecord | null;
  /**
   * Previous state. For a PUT, the attributes in its body and the other attributes that the PUT changed. For a DELETE, the complete deleted
   * records. If there are too many records for one line, `before` is null and `kept` names the file with the records.
   */
  readonly before: AnyRecord | readonly AnyRecord[] | null;
  readonly kept?: { readonly file: string; readonly records: number };
  readonly undoes?: number;
}

export interface WriteOutcome {
  readonly state: Exclude<WriteState, 'intent'>;
  readonly id?: Id | null;
  readonly before?: NotedWrite['before'];
  /** For a POST, the created record. For a PUT, the attributes that `before` also has. */
  readonly after?: AnyRecord;
  readonly error?: { readonly kind: string; readonly message: string; readonly http?: number };
  readonly recovered?: true;
}

/** A write that was noted before it was sent has two lines in the file. Its entry combines both lines. */
export interface Entry extends WriteRequestSender, NotedWrite, Omit<WriteOutcome, 'state' | 'id' | 'before'> {
  readonly n: number;
  /** Entries of earlier versions have none. */
  readonly run?: string;
  /** Start of the write: ISO 8601 in UTC, by the clock of this machine. */
  readonly time: string;
  readonly state: WriteState;
}

export function describeWrittenRecord({
  resource: name,
  id,
  sent,
  before,
  after,
}: Omit<Entry, 'n' | 'time'>): string {
  const resource = resourceNamed(name);
  if (resource === undefined) return name;
  const noun = resource.variant === undefined ? resource.noun : `${resource.noun} ${resource.variant}`;
  const record = after ?? (isRecordArray(before) ? before[0] : before) ?? sent ?? {};
  const called = formatNameInBrackets(resource, record) || formatNameInBrackets(resource, sent ?? {});
  if (isRecordArray(before) && before.length > 1) return `${noun} ${before.length} records`;
  const file = fileOfBulkJob(sent);
  if (file !== undefined) return `${noun} of ${file}`;
  if (id === null) return `${noun}${called || namesOf(sent)}`;
  return `${resource.noun} ${formatRecordId(resource, id)}${called}`;
}

/** Returns undefined for a write of one record. */
export function fileOfBulkJob(sent: NotedWrite['sent']): string | undefined {
  const { file } = sent ?? {};
  return typeof file === 'string' ? file : undefined;
}

export const isRecordArray = (value: NotedWrite['before']): value is readonly AnyRecord[] =>
  Array.isArray(value);

export function removeSecretsFromWrite(
  { sent, before, after, ...rest }: Omit<Entry, 'n'>,
  redact: (text: string) => string,
  resource?: Resource,
): object {
  const records = Object.entries({ sent, before, after }).filter(([, each]) => each !== undefined);
  return Object.fromEntries([
    ...Object.entries(rest).map(([name, each]) => [name, removeSecretsFromRecords(each ?? null, redact)]),
    ...records.map(([name, each]) => [name, removeSecretsFromRecords(each, redact, resource)]),
  ]);
}

/** @param resource resource of the records; from this resource, svc knows which attributes are passwords */
export function removeSecretsFromRecords(
  value: unknown,
  redact: (text: string) => string,
  resource?: Resource,
): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => removeSecretsFromRecords(each, redact, resource));
  if (!isObject<Json>(value)) return value;
  const masked = maskSecretsInBody(value, resource);
  return Object.fromEntries(
    Object.entries(masked).map(([key, each]) => [key, removeSecretsFromRecords(each ?? null, redact)]),
  );
}

const namesOf = (sent: AnyRecord | null): string =>
  sent === null
    ? ''
    : ` ${Object.entries(sent)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')}`;

/** @param command noun and verb of the command, without arguments */
export function determineWriteRequestSender(
  { credentials, origin, profile }: ResolvedCredentials,
  command: string,
): WriteRequestSender {
  return {
    profile: profile?.name ?? null,
    origin,
    company: credentials.companyId ?? null,
    user: credentials.userId ?? null,
    command,
  };
}

export const isSameWriteRequestSender = (
  a: Omit<WriteRequestSender, 'command'>,
  b: Omit<WriteRequestSender, 'command'>,
): boolean =>
  a.profile === b.profile && a.origin === b.origin && a.company === b.company && a.user === b.user;
