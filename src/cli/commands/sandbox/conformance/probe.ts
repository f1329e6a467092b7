/** Sends single requests, valid or invalid, to a service under test. Never retries a request and never follows a redirect. */
import { hash } from 'node:crypto';
import { canonicalString } from '../../../../auth/canonical.ts';
import type { Credentials } from '../../../../auth/credentials.ts';
import { signRequest } from '../../../../auth/sign.ts';
import { readEnvelope } from '../../../../protocol/envelope.ts';
import type { Json, JsonObject } from '../../../../protocol/json.ts';
import { fromWireName, headerNames, type Naming, toWireName } from '../../../../protocol/naming.ts';
import type { Transport, WireResponse } from '../../../../protocol/wire.ts';
import type { Method } from '../../../../schema/resource.ts';

/** Request to send. Each member that is set makes the request differ from a valid GET. */
export interface ProbeRequest {
  readonly method?: Method;
  /** Path and query as on the request line, from `/v1` on. */
  readonly target: string;
  readonly body?: string;
  /** Content type. Defaults to `application/json`. */
  readonly type?: string;
  readonly nonce?: string;
  /** Seconds between the `Date` header and this machine's clock. */
  readonly dateOffset?: number;
  /** Headers that replace the valid headers, with names in lower case. An undefined value removes the header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Returns the string to hash instead of the valid canonical string. */
  readonly signed?: (canonical: string) => string;
  /** Returns the signature to send instead of the valid one. */
  readonly signature?: (signature: string) => string;
}

export interface ProbeAnswer extends WireResponse {
  /** Data of a success envelope, or undefined for any other response. */
  readonly data: Json | undefined;
  readonly next: Json | undefined;
  readonly count: number | undefined;
  /** The member `response` of an error's envelope, or an empty object. */
  readonly error: JsonObject;
}

/** Error for an unexpected response. The message describes the response. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
}

export interface ProbeOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** Path before `/v1` in every request. */
  readonly basePath: string;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: (octets: number) => Uint8Array;
  /** Time limit of each request in milliseconds. */
  readonly timeout: number;
}

export interface Probe {
  readonly send: (parts: ProbeRequest) => Promise<ProbeAnswer>;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** Names of the authentication headers, in lower case. */
  readonly headerNames: ReturnType<typeof headerNames>;
  /** Returns hexadecimal digits that are different on each call. */
  readonly unique: () => string;
  /** Returns an attribute's name on the wire. */
  readonly wire: (attribute: string) => string;
  /** Returns the value of a record's attribute, by its neutral name. */
  readonly valueOf: (record: Json | undefined, attribute: string) => Json | undefined;
  /** Registers a record for deletion at the end of the run. @param path the record's path from `/v1` on */
  readonly made: (path: string) => void;
  readonly removed: (path: string) => void;
  /** Returns the paths of the registered records that are not deleted yet, newest first. */
  readonly left: () => readonly string[];
}

export function createProbe(options: ProbeOptions): Probe {
  const { credentials, naming, random } = options;
  let made: readonly string[] = [];
  return {
    send: (parts) => send(options, parts),
    credentials,
    naming,
    headerNames: headerNames(naming),
    unique: () => Buffer.from(random(8)).toString('hex'),
    wire: (attribute) => toWireName(naming, attribute),
    valueOf: (record, attribute) =>
      Object.entries(Object(record) as JsonObject).find(
        ([name]) => fromWireName(naming, name) === attribute,
      )?.[1],
    made: (path) => {
      made = [path, ...made];
    },
    removed: (path) => {
      made = made.filter((each) => each !== path);
    },
    left: () => made,
  };
}

async function send(options: ProbeOptions, parts: ProbeRequest): Promise<ProbeAnswer> {
  const { method = 'GET', body } = parts;
  const [path = '', query = ''] = `${options.basePath}${parts.target}`.split('?');
  const headers = headersOf(options, parts, method, path);
  const response = await options.transport(
    { method, path, query, headers, ...(body === undefined ? {} : { body }) },
    AbortSignal.timeout(options.timeout),
  );
  const envelope = readEnvelope(response.body);
  const isOk = envelope.kind === 'ok';
  return {
    ...response,
    data: isOk ? envelope.data : undefined,
    next: isOk ? envelope.next : undefined,
    count: isOk ? envelope.count : undefined,
    error: envelope.kind === 'error' ? errorIn(response.body) : {},
  };
}

/**
 * Returns the error as the service sent it. The usual reader of envelopes fills in omitted members, but the checks must see that they are
 * omitted.
 */
const errorIn = (body: string): JsonObject => Object(Object(JSON.parse(body)).response) as JsonObject;

function headersOf(
  options: ProbeOptions,
  parts: ProbeRequest,
  method: Method,
  path: string,
): Readonly<Record<string, string>> {
  const { credentials, naming, now, random } = options;
  const date = new Date(now() + (parts.dateOffset ?? 0) * 1000).toUTCString();
  const nonce = parts.nonce ?? Buffer.from(random(20)).toString('hex');
  const right = signRequest({ method, path }, credentials, { nonce, date, naming });
  const names = headerNames(naming);
  const replaced = { ...right, ...parts.headers };
  const id = (name: string): string | undefined => replaced[name];
  const canonical = canonicalString(
    {
      ...{ method, path, nonce: replaced[names.nonce] ?? nonce, date: replaced['date'] ?? date },
      ...{ partnerId: id(names.pid), companyId: id(names.cid), userId: id(names.uid) },
    },
    credentials.apiKey,
    naming,
  );
  const signature = hash('sha1', (parts.signed ?? asItIs)(canonical), 'hex');
  const sent = (parts.signature ?? asItIs)(signature);
  const scheme = credentials.kind === 'partner' ? naming.partnerScheme : naming.companyScheme;
  const all: Record<string, string | undefined> = {
    ...right,
    authorization: `${scheme} signature="${sent}"`,
    ...(parts.body === undefined ? {} : { 'content-type': parts.type ?? 'application/json' }),
    ...parts.headers,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const asItIs = (text: string): string => text;
