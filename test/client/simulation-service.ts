/** A model of the service by wire.md: Date window, nonces, POST, GET with filters and pages. It records which create made each row. */
import { createHash } from 'node:crypto';
import type { Values } from '../../src/kit/schema/resource.ts';
import { errorResponseBody, type JsonObject, okResponseBody } from '../../src/service/protocol/envelope.ts';
import {
  createConflictError,
  createNotFoundError,
  createUnauthenticatedError,
  type ServiceError,
} from '../../src/service/protocol/service-errors.ts';
import type { WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';
import { doNotContact } from '../../src/service/resources/do-not-contact.ts';
import { subscriberProfileData } from '../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../src/service/resources/task.ts';
import { user } from '../../src/service/resources/user.ts';

/** The logical create from which a row came. Rows of others have none. */
export type Maker = number | undefined;

export interface ModelService {
  readonly handle: (request: WireRequest, maker: Maker) => WireResponse;
  /** Inserts a row that someone else created this many seconds ago. */
  readonly insert: (resource: string, values: Values, ageSeconds: number) => void;
  readonly madeBy: (maker: number) => readonly JsonObject[];
  readonly rows: (resource: string) => readonly JsonObject[];
}

export interface ServiceOptions {
  /** Milliseconds by the service's clock. */
  readonly now: () => number;
  /** True if responses have the service's own time in addition to Date. */
  readonly tellsTime: boolean;
  /** True if the service enforces the uniqueness that wire.md describes. The interface itself does not require it. */
  readonly unique: boolean;
}

const DATE_WINDOW = 15 * 60_000;
const UNIQUE: Readonly<Record<string, readonly string[]>> = {
  [user.name]: ['username'],
  [doNotContact.name]: ['contactdata'],
  [subscriberProfileData.name]: ['subscriberprofilefield_id', 'subscriber_id'],
};
const WORDS = new Set(['sort', 'reverse', 'count', 'start']);

export function createModelService({ now, tellsTime, unique }: ServiceOptions): ModelService {
  const tables = new Map<string, JsonObject[]>();
  const made = new Map<number, JsonObject[]>();
  const nonces = new Set<string>();
  let lastId = 0;
  const rows = (resource: string): JsonObject[] => {
    const found = tables.get(resource) ?? [];
    tables.set(resource, found);
    return found;
  };
  const seconds = (): number => Math.floor(now() / 1000);
  const add = (resource: string, values: Values, cdate: number): JsonObject => {
    lastId += 1;
    const row = { ...stored(resource, values, cdate), id: idOf(resource, values, lastId), cdate };
    rows(resource).push(row);
    return row;
  };

  const answer = (status: number, body: string): WireResponse => {
    const headers = { date: new Date(now()).toUTCString() };
    const time = tellsTime ? { 'x-svc-time': String(seconds()) } : {};
    return { status, headers: { ...headers, ...time }, body };
  };
  const refuse = (fault: ServiceError): WireResponse => answer(fault.status, errorResponseBody(fault));

  function post(resource: string, values: Values, maker: Maker): WireResponse {
    const keys = unique ? (UNIQUE[resource] ?? []) : [];
    const twin = rows(resource).find(
      (row) => keys.length > 0 && keys.every((key) => row[key] === values[key]),
    );
    if (twin) return refuse(createConflictError('exists', twin['id'] as number | string));
    const row = add(resource, values, seconds());
    if (maker !== undefined) made.set(maker, [...(made.get(maker) ?? []), row]);
    return answer(202, okResponseBody(row));
  }

  function get(resource: string, query: string): WireResponse {
    const words = new URLSearchParams(query);
    const filters = [...words].filter(([name]) => !WORDS.has(name));
    const direction = words.get('reverse') === 'true' ? -1 : 1;
    const start = words.get('start');
    const matching = rows(resource)
      .filter((row) => filters.every(([name, wanted]) => String(row[name] ?? '') === wanted))
      .filter((row) => start === null || direction * (Number(row['id']) - Number(start)) >= 0)
      .sort((a, b) => direction * (Number(a['id']) - Number(b['id'])));
    const page = matching.slice(0, Math.min(200, Number(words.get('count') ?? 200)));
    if (page.length === 0) return refuse(createNotFoundError(resource));
    const following = matching[page.length];
    return answer(200, okResponseBody(page, following === undefined ? null : (following['id'] ?? null)));
  }

  return {
    rows,
    madeBy: (maker) => made.get(maker) ?? [],
    insert: (resource, values, age) => {
      add(resource, values, Math.floor(seconds() - age));
    },
    handle: ({ method, path, query, headers, body }, maker) => {
      const nonce = headers['x-svc-nonce'] ?? '';
      const off = Math.abs(Date.parse(headers['date'] ?? '') - now());
      if (!(off <= DATE_WINDOW) || nonces.has(nonce)) return refuse(createUnauthenticatedError(seconds()));
      nonces.add(nonce);
      const [, , resource = '', id] = path.split('/');
      if (method === 'POST') return post(resource, JSON.parse(body ?? '') as Values, maker);
      if (id === undefined) return get(resource, query);
      // Interface, emailMessage and smsMessage: `used` in a scheduled task.
      const used = rows(task.name).some((row) => String(row['message_id']) === id);
      return answer(200, okResponseBody({ id: Number(id), used }));
    },
  };
}

/** Interface, task: an earlier scheduledtime is set to now. Wire: html is returned with rewritten links. */
function stored(resource: string, values: Values, now: number): Values {
  if (resource === task.name)
    return { ...values, scheduledtime: Math.max(now, Number(values['scheduledtime'])) };
  const { html } = values;
  return typeof html === 'string'
    ? { ...values, html: createHash('sha1').update(html).digest('hex') }
    : values;
}

function idOf(resource: string, values: Values, next: number): number | string {
  if (resource !== subscriberProfileData.name) return next;
  return `${values['subscriberprofilefield_id']}_${values['subscriber_id']}`;
}
