/** A sandbox in memory with one partner, two of its companies, and the users who may sign for them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Method } from '../../src/kit/schema/resource.ts';
import { moveClock, setClockMode } from '../../src/sandbox/engine/clock.ts';
import { createService, type Service } from '../../src/sandbox/service.ts';
import type { Store } from '../../src/sandbox/store/open.ts';
import { insertRow, type SqlRow } from '../../src/sandbox/store/rows.ts';
import type { Tables } from '../../src/sandbox/store/schema/tables.ts';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import { DEFAULT_WIRE_NAMING, type Naming } from '../../src/service/protocol/naming.ts';
import type { WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';
import { openTestStore, tableRows } from './store.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
export const NOW = 1_796_115_600;

export const KEYS = {
  company: 'c0ffee00c0ffee00c0ffee00c0ffee00',
  other: 'deadbeefdeadbeefdeadbeefdeadbeef',
  partner: 'partner-key-of-the-tests',
  stranger: 'another-partner-of-the-tests',
} as const;

/** The sender of a request. */
export type As = 'admin' | 'sub' | 'sub2' | 'other' | 'partner' | 'partner-alone' | 'stranger';

/** The ids of records in every test sandbox. */
export const IDS = {
  company: 1,
  other: 2,
  stranger: 3,
  partner: 1,
  admin: 1,
  sub: 2,
  sub2: 3,
  otherAdmin: 4,
} as const;

const HEADERS: Readonly<Record<As, readonly (readonly [string, number])[]>> = {
  admin: [
    ['CID', IDS.company],
    ['UID', IDS.admin],
  ],
  sub: [
    ['CID', IDS.company],
    ['UID', IDS.sub],
  ],
  sub2: [
    ['CID', IDS.company],
    ['UID', IDS.sub2],
  ],
  other: [
    ['CID', IDS.other],
    ['UID', IDS.otherAdmin],
  ],
  partner: [
    ['PID', IDS.partner],
    ['CID', IDS.company],
  ],
  'partner-alone': [['PID', IDS.partner]],
  stranger: [
    ['PID', 2],
    ['CID', IDS.company],
  ],
};

export interface TestSandbox {
  readonly service: Service;
  /** Sends one signed request. The test makes the signature, not src/service/auth. */
  readonly send: (as: As, method: Method, target: string, body?: unknown) => Promise<Answer>;
  /** Puts a row directly into the store. Returns its id. */
  readonly put: (table: keyof Tables, row: SqlRow) => Promise<number>;
  /** Returns a whole table, to show what did not change. */
  readonly rows: (table: keyof Tables) => Promise<readonly SqlRow[]>;
  /** Moves the manual clock to this many seconds after NOW, without performing due work. */
  readonly at: (secondsAfterNow: number) => Promise<void>;
  readonly reports: readonly unknown[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The single object of `response.data`: for a PUT the only one of its array (wire, "Responses", `data`). */
  readonly data: JsonObject;
  readonly list: readonly JsonObject[];
  /** The whole `response` object. */
  readonly response: JsonObject;
}

interface Options {
  readonly naming?: Naming;
  readonly machineNow?: () => number;
  readonly store?: Store;
  /** True if the clock runs with `machineNow` instead of standing still at NOW. */
  readonly hasRealClock?: boolean;
  /** True if the sandbox serves the companions, like `sandbox start --companions`. */
  readonly companions?: boolean;
  /** Adds records to the companies and their users. `kind` names them, so that they are added once and then copied. */
  readonly holding?: { readonly kind: string; readonly put: (sandbox: TestSandbox) => Promise<unknown> };
}

export async function createTestSandbox(options: Options = {}): Promise<TestSandbox> {
  const isManual = !options.hasRealClock;
  const { kind = '', put } = options.holding ?? {};
  const prepare = async (store: Store): Promise<void> => {
    await fill(store, isManual);
    await put?.(sandboxOn(store, options));
  };
  if (options.store) await prepare(options.store);
  const store = options.store ?? (await openTestStore(`${isManual ? 'manual' : 'real'} ${kind}`, prepare));
  return sandboxOn(store, options);
}

function sandboxOn(store: Store, options: Options): TestSandbox {
  const reports: unknown[] = [];
  const machineNow = options.machineNow ?? (() => NOW * 1000);
  const service = createService(
    store,
    {
      machineNow,
      random: (octets) => randomBytes(octets),
      trackingBaseUrl: () => 'http://127.0.0.1:4010',
      report: (_, error) => reports.push(error),
    },
    options.naming ?? DEFAULT_WIRE_NAMING,
    options.companions,
  );
  return {
    service,
    put: putInto(store),
    reports,
    send: async (as, method, target, body) =>
      readAnswer(await service.handle(signed(as, method, target, body, machineNow())), method),
    rows: (table) => tableRows(store, table),
    at: (seconds) => moveClock(store.db, NOW + seconds, NOW * 1000),
  };
}

const putInto =
  ({ db }: Store): TestSandbox['put'] =>
  (table, row) =>
    insertRow(db, table, row);

async function fill(store: Store, isManual: boolean): Promise<void> {
  const put = putInto(store);
  const times = { cdate: NOW - 86_400, mdate: NOW - 86_400 };
  await put('partner', { name: 'Partner', api_key: KEYS.partner, timezone: 'Europe/London' });
  await put('partner', { name: 'Stranger', api_key: KEYS.stranger, timezone: 'UTC' });
  const account = {
    contactemail: 'office@example.com',
    timezone: 'Europe/London',
    user_limit: 10,
    emailcreditbalance: 1000,
    smscreditbalance: 1000,
    ...times,
  };
  await put('account', { ...account, partner_id: 1, api_key: KEYS.company, name: 'Company' });
  await put('account', { ...account, partner_id: 1, api_key: KEYS.other, name: 'Other' });
  await put('account', { ...account, partner_id: 2, api_key: KEYS.other, name: 'Of the stranger' });
  const user = { firstname: 'First', lastname: 'Last', timezone: 'Europe/London', ...times };
  await put('user', { ...user, account_id: 1, username: 'admin', email: 'admin@example.com', isadmin: 1 });
  await put('user', { ...user, account_id: 1, username: 'sub', email: 'sub@example.com' });
  await put('user', { ...user, account_id: 1, username: 'sub2', email: 'sub2@example.com' });
  await put('user', { ...user, account_id: 2, username: 'admin', email: 'admin@example.net', isadmin: 1 });
  if (isManual) await setClockMode(store.db, 'manual', NOW * 1000);
}

/** Signs as the document says, independently of src/service/auth: interface, "Signature". */
export function signed(
  as: As,
  method: Method,
  target: string,
  body?: unknown,
  machineNow = NOW * 1000,
): WireRequest {
  const [path = '', query = ''] = target.split('?');
  const date = new Date(machineNow).toUTCString();
  const nonce = randomBytes(20).toString('hex');
  const ids = HEADERS[as];
  const isPartner = ids[0]?.[0] === 'PID';
  const key = keyOf(as);
  const lines = [
    `${method} ${path}`,
    `Date: ${date}`,
    ...ids.map(([name, id]) => `X-Svc-${name}: ${id}`),
    `X-Svc-Nonce: ${nonce}`,
    key,
  ];
  const signature = createHash('sha1').update(lines.join('\r\n')).digest('hex');
  return {
    method,
    path,
    query,
    headers: {
      date,
      accept: 'application/json',
      'x-svc-nonce': nonce,
      ...Object.fromEntries(ids.map(([name, id]) => [`x-svc-${name.toLowerCase()}`, String(id)])),
      authorization: `${isPartner ? 'SvcPartner' : 'SvcHash'} signature="${signature}"`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

function keyOf(as: As): string {
  if (as === 'stranger') return KEYS.stranger;
  if (as === 'partner' || as === 'partner-alone') return KEYS.partner;
  return as === 'other' ? KEYS.other : KEYS.company;
}

/** @throws Error for a PUT whose data is not an array of one */
export function readAnswer(answer: WireResponse, method: Method = 'GET'): Answer {
  const parsed = answer.body === '' ? {} : JSON.parse(answer.body);
  const response = (parsed.response ?? {}) as JsonObject;
  const data = response['data'];
  const isChange = method === 'PUT' && answer.status === 200;
  return {
    status: answer.status,
    headers: answer.headers,
    text: answer.body,
    response,
    data: (isChange ? onlyOf(data) : Array.isArray(data) ? {} : (data ?? {})) as JsonObject,
    list: (Array.isArray(data) ? data : []) as readonly JsonObject[],
  };
}

function onlyOf(data: unknown): unknown {
  if (Array.isArray(data) && data.length === 1) return data[0];
  throw new Error(`the data of a PUT is not an array of one: ${JSON.stringify(data)}`);
}
