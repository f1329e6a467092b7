/** Defines conformance checks, each of one statement of the documents, and sends their requests without retries and redirects. */

import { hash } from 'node:crypto';
import type { Method } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import type { Credentials } from '../../service/auth/credentials.ts';
import { canonicalString, signRequest } from '../../service/auth/sign.ts';
import { readEnvelope } from '../../service/protocol/envelope.ts';
import type { Json } from '../../service/protocol/json.ts';
import { fromWireName, headerNames, type Naming, toWireName } from '../../service/protocol/naming.ts';
import type { Transport, WireResponse } from '../../service/protocol/wire.ts';

/** Request of a check: by default, a valid, signed GET. Each member changes one part of it. */
export interface ConformanceRequest {
  readonly method?: Method;
  /** Path and query of the request, starting with `/v1`. */
  readonly target: string;
  readonly body?: string;
  /** Content type. Defaults to `application/json`. */
  readonly type?: string;
  readonly nonce?: string;
  /** Number of seconds by which the `Date` header is ahead of this machine's clock. A negative number gives an earlier date. */
  readonly dateOffset?: number;
  /** Headers that replace the valid headers, with names in lower case. An undefined value removes the header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Returns the string whose hash becomes the signature. Without this member, the valid canonical string is hashed. */
  readonly stringToHash?: (canonical: string) => string;
  /** Returns the signature to send instead of the valid one. */
  readonly signature?: (signature: string) => string;
}

interface SentError {
  readonly code?: Json;
  readonly message?: Json;
  readonly additional_information?: Json;
  readonly resource_id?: Json;
}

/** Response to a request of a conformance check, with its parsed envelope. */
export interface ConformanceResponse extends WireResponse {
  /** Data of a success envelope, or undefined for any other response. */
  readonly data: Json | undefined;
  /** Member `next` of a success envelope: the value of `start` for the next page. */
  readonly next: Json | undefined;
  /** Member `count` of a success envelope: the number of records in the response. */
  readonly count: number | undefined;
  /** Error object that the service sent: the member `response` in the body of an error. An empty object if the response is not an error. */
  readonly error: SentError;
}

/** Error for a response that violates the statement of a check. The message describes the response. */
export class ConformanceViolation extends Error {
  override readonly name = 'ConformanceViolation';
}

interface ConformanceClientOptions {
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

/** Client with which the conformance checks send requests. It also remembers the records that they create. */
export type ConformanceClient = ReturnType<typeof createConformanceClient>;

export function createConformanceClient(options: ConformanceClientOptions) {
  const { credentials, naming, random } = options;
  let made: readonly string[] = [];
  return {
    ...{ credentials, naming },
    send: (parts: ConformanceRequest) => send(options, parts),
    /** Names of the authentication headers, in lower case. */
    headerNames: headerNames(naming),
    /** Returns hexadecimal digits that are different on each call. */
    uniqueHex: () => Buffer.from(random(8)).toString('hex'),
    /** Returns the name that the service under test uses for an attribute of the interface. */
    wireNameOf: (attribute: string) => toWireName(naming, attribute),
    /** Returns the value of an attribute by its name in the interface, even if the service uses another name. */
    valueOf: (record: unknown, attribute: string): unknown =>
      Object.entries(Object(record)).find(([name]) => fromWireName(naming, name) === attribute)?.[1],
    /** Registers a created record, to delete it at the end. Its path begins with `/v1`. */
    registerCreated: (path: string) => {
      made = [path, ...made];
    },
    /** Notes that a created record has been deleted, so that svc does not delete it again at the end of the run. */
    registerDeleted: (path: string) => {
      made = made.filter((each) => each !== path);
    },
    /** Returns the paths of the created records that are not deleted yet, newest first. */
    undeleted: () => made,
  };
}

async function send(
  options: ConformanceClientOptions,
  parts: ConformanceRequest,
): Promise<ConformanceResponse> {
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

/** Returns the error object as the service sent it. `readEnvelope` would add missing members. */
const errorIn = (body: string): SentError => Object(Object(JSON.parse(body)).response);

function headersOf(
  options: ConformanceClientOptions,
  parts: ConformanceRequest,
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
  const signature = hash('sha1', (parts.stringToHash ?? asItIs)(canonical), 'hex');
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

export interface ConformanceCheck {
  /** Unique id of the check in kebab-case, such as `nonce-replay`. */
  readonly id: string;
  /** Statement that the check tests: a sentence without a full stop. */
  readonly says: string;
  /** Set if the check creates and deletes its own records. If omitted, the check only reads. */
  readonly writes?: true;
  /** Set for a request to which a faulty service could respond by deleting data. svc runs such a check only on a sandbox. */
  readonly sandboxOnly?: true;
  /** Reports whether the check applies to the service under test. If omitted, the check applies to every service. */
  readonly applies?: (probe: ConformanceClient) => boolean;
  /** @throws ConformanceViolation if the service under test violates the statement in the property `says` */
  readonly run: (probe: ConformanceClient) => Promise<void>;
}

/** Throws `ConformanceViolation` with the description if the condition is false. */
export function expectThat(holds: boolean, description: string): asserts holds {
  if (!holds) throw new ConformanceViolation(description);
}

type AnswerCheck = (answer: ConformanceResponse, probe: ConformanceClient) => void;

/** Declares a check that sends one request and expects one of these status codes. `also` checks the rest. */
export const createStatusCheck = (
  id: string,
  says: string,
  request: ConformanceRequest | ((probe: ConformanceClient) => ConformanceRequest),
  statuses: readonly number[],
  also?: AnswerCheck,
): ConformanceCheck => ({
  id,
  says,
  run: async (probe) => {
    const answer = await probe.send(typeof request === 'function' ? request(probe) : request);
    expectStatus(answer, statuses);
    also?.(answer, probe);
  },
});

/** Throws `ConformanceViolation` for any other status code. */
export function expectStatus(answer: ConformanceResponse, statuses: readonly number[]): void {
  const { message } = answer.error;
  const said = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 120)}` : '';
  expectThat(statuses.includes(answer.status), `${answer.status} instead of ${statuses.join(' or ')}${said}`);
}

/** Valid status codes of a POST: any 2xx (wire, "status codes"). */
export const VALID_POST_STATUSES: readonly number[] = [200, 201, 202];
/** Status codes of an accepted GET: 200 if a record matches, 404 if none does. */
export const VALID_GET_STATUSES: readonly number[] = [200, 404];

/** Returns the attributes that a response with status 400 reports as invalid. */
export function faultyAttributes({ error }: ConformanceResponse): readonly string[] {
  const details = error.additional_information;
  return Array.isArray(details) ? details.map((each) => String(Object(each).attribute)) : [];
}

/** Returns a function that checks that a response with status 400 reports this attribute as invalid. */
export const createInvalidAttributeCheck =
  (attribute: string): AnswerCheck =>
  (answer, probe) =>
    expectThat(
      faultyAttributes(answer).includes(probe.wireNameOf(attribute)),
      `additional_information of the error does not mention ${probe.wireNameOf(attribute)}`,
    );

export const createRequestPathMatchingNoRecord = (probe: ConformanceClient): string =>
  `/v1/folder?${probe.wireNameOf('name')}=none-${probe.uniqueHex()}`;

export async function requestOneUserRecord(probe: ConformanceClient): Promise<{ readonly id?: Json }> {
  const answer = await probe.send({ target: '/v1/user?count=1' });
  expectStatus(answer, [200]);
  const user = Array.isArray(answer.data) ? answer.data[0] : undefined;
  expectThat(isObject<Json>(user), 'GET /v1/user does not return an array of users');
  return user;
}
