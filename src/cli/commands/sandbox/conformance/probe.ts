/** Sends single requests, right and wrong ones, to a service under test. It retries nothing and follows nothing. */
import { hash } from 'node:crypto';
import { canonicalString } from '../../../../auth/canonical.ts';
import type { Credentials } from '../../../../auth/credentials.ts';
import { signRequest } from '../../../../auth/sign.ts';
import { readEnvelope } from '../../../../protocol/envelope.ts';
import type { Json, JsonObject } from '../../../../protocol/json.ts';
import { fromWireName, headerNames, type Naming, toWireName } from '../../../../protocol/naming.ts';
import type { Transport, WireResponse } from '../../../../protocol/wire.ts';
import type { Method } from '../../../../schema/resource.ts';

/** A request, and how it differs from a correct one. */
export interface Parts {
  readonly method?: Method;
  /** Path and query as on the request line, from `/v1` on. */
  readonly target: string;
  readonly body?: string;
  /** `application/json` unless given. */
  readonly type?: string;
  readonly nonce?: string;
  /** Seconds between the `Date` header and this machine's clock. */
  readonly dateOffset?: number;
  /** Headers in place of the right ones, or none where the value is undefined. Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** What is hashed in place of the right string. */
  readonly signed?: (canonical: string) => string;
  /** What is sent in place of the right signature. */
  readonly signature?: (signature: string) => string;
}

export interface Answer extends WireResponse {
  /** Undefined where the answer is no envelope of a success. */
  readonly data: Json | undefined;
  readonly next: Json | undefined;
  readonly count: number | undefined;
  /** The whole `response` of an error; empty otherwise. */
  readonly error: JsonObject;
}

/** The answer is not what it has to be; the message says what was found. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
}

export interface ProbeOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** What stands before `/v1` in every path. */
  readonly basePath: string;
  /** Milliseconds. */
  readonly now: () => number;
  readonly random: (octets: number) => Uint8Array;
  /** Milliseconds for each request. */
  readonly timeout: number;
}

export interface Probe {
  readonly send: (parts: Parts) => Promise<Answer>;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** Names of the authentication headers, in lower case. */
  readonly headerNames: ReturnType<typeof headerNames>;
  /** Hexadecimal digits that occur nowhere else. */
  readonly unique: () => string;
  /** An attribute's name on the wire. */
  readonly wire: (attribute: string) => string;
  /** The value of an attribute of a record, by its neutral name. */
  readonly valueOf: (record: Json | undefined, attribute: string) => Json | undefined;
  /** Adds a record to those that the run deletes at its end. @param path from `/v1` on */
  readonly made: (path: string) => void;
  readonly removed: (path: string) => void;
  /** The records that are still to be deleted, newest first. */
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

async function send(options: ProbeOptions, parts: Parts): Promise<Answer> {
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

/** The envelope's reader fills in what is left out, and what is left out is looked at here. */
const errorIn = (body: string): JsonObject => Object(Object(JSON.parse(body)).response) as JsonObject;

function headersOf(
  options: ProbeOptions,
  parts: Parts,
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
