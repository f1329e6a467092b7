/** One write as the journal keeps it: who asked what of the service, how it was before, and what came of it. */

import type { AccountId } from '../auth/credentials.ts';
import { idText, nameIn } from '../client/record-title.ts';
import { maskBody } from '../client/secret-attributes.ts';
import type { Json, JsonObject } from '../protocol/envelope.ts';
import { resourceNamed } from '../resources/catalogue.ts';
import type { Id } from '../schema/integer.ts';
import type { Method, Resource } from '../schema/resource.ts';

export type WriteMethod = Exclude<Method, 'GET' | 'HEAD'>;

/** `intent`: written down before it was sent, and nothing was heard of it since. */
export type State = 'intent' | 'done' | 'failed' | 'unknown';

/** Who asks, of whom, and with which command; the same for all writes of one run. */
export interface Actor {
  /** Null where flags and environment said it all. */
  readonly profile: string | null;
  readonly origin: string;
  readonly company: AccountId | null;
  readonly user: AccountId | null;
  /** Noun and verb; never what stood after them, which may be secret. */
  readonly command: string;
}

export interface Write {
  readonly method: WriteMethod;
  /** The name of the resource, or of `svc api` the path. */
  readonly resource: string;
  readonly id: Id | null;
  /** The body, or what a DELETE names. */
  readonly sent: JsonObject | null;
  /**
   * Of a PUT the attributes as they were, of those that it names and those that it changed besides; of a DELETE the
   * whole records that went, unless they were too many: then `kept` names the file that holds them.
   */
  readonly before: JsonObject | readonly JsonObject[] | null;
  readonly kept?: { readonly file: string; readonly records: number };
  /** The write that this one takes back. */
  readonly undoes?: number;
}

export interface WriteOutcome {
  readonly state: Exclude<State, 'intent'>;
  readonly id?: Id | null;
  readonly before?: Write['before'];
  /** Of a POST the record, of a PUT the same attributes as `before`. */
  readonly after?: JsonObject;
  readonly error?: { readonly kind: string; readonly message: string; readonly http?: number };
  /** The answer was lost, and what it made was found. */
  readonly recovered?: true;
}

/** A write by its number: its intent, where there was one, and over it what came of it. */
export interface Entry extends Actor, Write, Omit<WriteOutcome, 'state' | 'id' | 'before'> {
  readonly n: number;
  /** The same for all writes of one command; entries of earlier versions have none. */
  readonly run?: string;
  /** ISO 8601 in UTC, by the clock of this machine: when it was begun. */
  readonly time: string;
  readonly state: State;
}

/** `task 12 (Spring sale)`, or the path of `svc api`. */
export function whatOf({ resource: name, id, sent, before, after }: Omit<Entry, 'n' | 'time'>): string {
  const resource = resourceNamed(name);
  if (resource === undefined) return name;
  const noun = resource.variant === undefined ? resource.noun : `${resource.noun} ${resource.variant}`;
  const record = after ?? (isList(before) ? before[0] : before) ?? sent ?? {};
  const called = nameIn(resource, record) || nameIn(resource, sent ?? {});
  if (isList(before) && before.length > 1) return `${noun} ${before.length} records`;
  if (typeof sent?.['file'] === 'string') return `${noun} of ${sent['file']}`;
  if (id === null) return `${noun}${called || namesOf(sent)}`;
  return `${resource.noun} ${idText(resource, id)}${called}`;
}

export const isList = (value: Write['before']): value is readonly JsonObject[] => Array.isArray(value);

/** The write as it may be kept: no passwords and keys, and none of the secrets of this run wherever they stand. */
export function writeWithoutSecrets(
  { sent, before, after, ...rest }: JsonObject,
  redact: (text: string) => string,
  resource?: Resource,
): JsonObject {
  const records = { sent, before, after };
  const kept = Object.entries(records).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return {
    ...(withoutSecrets(rest, redact) as JsonObject),
    ...Object.fromEntries(kept.map(([name, each]) => [name, withoutSecrets(each, redact, resource)])),
  };
}

/** One record, or several, of the resource. */
export function withoutSecrets(value: Json, redact: (text: string) => string, resource?: Resource): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each: Json) => withoutSecrets(each, redact, resource));
  if (typeof value !== 'object' || value === null) return value;
  const masked = maskBody(value as JsonObject, resource);
  return Object.fromEntries(
    Object.entries(masked).map(([key, each]) => [key, withoutSecrets(each ?? null, redact)]),
  );
}

const namesOf = (sent: JsonObject | null): string =>
  sent === null
    ? ''
    : ` ${Object.entries(sent)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')}`;
