/**
 * Interface, "Resources and their fields", on the wire: each row of its tables against records that GET returns. The rows come from
 * test/resources/transcript.ts and never from the declarations.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import {
  documented,
  enumValues,
  presenceOf,
  type Row,
  rowsOf,
  TIMED,
  words,
} from '../resources/read-transcript.ts';
import { automationKinds, departures, type Transcript } from '../resources/transcript.ts';
import { type FieldRecords, makeFieldRecords, PLAIN_TEXT } from '../support/field-records.ts';
import { type As, createTestSandbox, NOW, type TestSandbox } from '../support/sandbox.ts';

let sandbox: TestSandbox;
let world: ReadonlyMap<string, FieldRecords>;
beforeAll(async () => {
  sandbox = await createTestSandbox();
  world = await makeFieldRecords(sandbox);
});

const worldOf = (name: string): FieldRecords => {
  const found = world.get(name);
  if (!found) throw new Error(`no records of ${name}`);
  return found;
};
const reader = (name: string): As => (name === 'accountFeatures' ? 'partner' : 'admin');
const get = (name: string, query: string) =>
  sandbox.send(reader(name), 'GET', `${worldOf(name).collection}?${query}`);
/** Rows of the fields that only a sample response has. */
const sampleOnly: Readonly<Record<string, readonly (readonly [string, Row])[]>> = Object.fromEntries(
  Object.entries(departures.sampleOnly).map(([name, fields]) => [
    name,
    Object.entries(fields).map(([field, type]) => [field, { type, F: '', S: '', words: '' }] as const),
  ]),
);
const filtersByWire: Readonly<Record<string, readonly string[]>> = departures.filters;

/** Fields that may be null by their type, and that this service never shows as null, or never otherwise. */
const NEVER_NULL = ['account.subscriber_count'];
const ALWAYS_NULL = ['user.password', 'emailMessage.tracktextlinks', 'task.splittest_id'];

describe.each([...documented])('%s', (name, table: Transcript) => {
  const rows = [...rowsOf(table.fields), ...(sampleOnly[name] ?? [])];

  it('GET gives exactly the fields of its table, and those of the sample response', () => {
    const wanted = rows.map(([field]) => field).sort();
    const { records } = worldOf(name);
    expect(records.length).toBeGreaterThan(1);
    for (const record of records) expect(Object.keys(record).sort()).toEqual(wanted);
  });

  it('HEAD takes the attributes that are listed for it, and no others', async () => {
    const [record = {}] = worldOf(name).records;
    for (const [field] of rows) {
      const target = `/v1/${name}?${field}=${inQuery(record[field])}`;
      const { status } = await sandbox.send(reader(name), 'HEAD', target);
      // Wire, "item": an `id` in the query names the item, also of account.
      const isListed = words(table.HEAD ?? '').includes(field) || field === 'id';
      expect([field, status]).toEqual([field, table.HEAD === undefined ? 405 : isListed ? 200 : 400]);
    }
  });

  it('DELETE takes the attributes that are listed for it, and no others', async () => {
    for (const [field, { type }] of rows) {
      // No record has these values.
      const value = type.startsWith('string')
        ? field === 'id'
          ? '999_999'
          : 'nobody@example.org'
        : '999999';
      const { status } = await sandbox.send(reader(name), 'DELETE', `/v1/${name}?${field}=${value}`);
      const isListed = words(table.DELETE ?? '').includes(field);
      expect([field, status]).toEqual([field, table.DELETE === undefined ? 405 : isListed ? 404 : 400]);
    }
  });

  describe.each(['POST', 'PUT'] as const)('%s', (method) => {
    const { required, optional, partner } = presenceOf(name, table, method);
    if (table[method] === undefined) {
      it('is unsupported', async () => {
        expect((await sandbox.send(reader(name), method, `/v1/${name}`, {})).status).toBe(405);
      });
      return;
    }

    it('requires the attributes that are listed as required, and no others', async () => {
      const given = await refusals(writer(name), method, targetOf(name, method), {});
      expect(given.map(({ attribute }) => attribute).sort()).toEqual([...required].sort());
    });

    if (method === 'PUT')
      it('requires the id', async () => {
        const given = await refusals(writer(name), method, `/v1/${name}`, {});
        const key = name === 'subscriberProfileData' ? 'subscriber_id' : 'id';
        expect(given.map(({ attribute }) => attribute)).toContain(key);
      });

    it('takes the attributes that are listed for it, and no others', async () => {
      // An object is a value of no attribute, so each attribute has a fault: in its value, or because the method does not take it.
      const body = Object.fromEntries(rows.filter(([field]) => field !== 'id').map(([field]) => [field, {}]));
      const taken = async (as: As) =>
        (await refusals(as, method, targetOf(name, method), body))
          .filter(({ attribute, reason }) => attribute in body && !NOT_TAKEN.test(reason))
          .map(({ attribute }) => attribute)
          .sort();
      const listed = [...required, ...optional].filter((attribute) => attribute !== 'id');
      expect(await taken(writer(name))).toEqual(listed.sort());
      if (partner.length > 0) expect(await taken('partner')).toEqual([...listed, ...partner].sort());
    });
  });

  describe.each(rows)('%s', (field, row: Row) => {
    const [type = '', isNullable] = row.type.split('/');
    const path = `${name}.${field}`;
    const values = (): readonly unknown[] => worldOf(name).records.map((record) => record[field]);

    it('has its type', () => {
      const shown = values().filter((value) => value !== null);
      for (const value of shown)
        expect([value, isOfType(value, type, enumValues(name, field))]).toEqual([value, true]);
      if (!ALWAYS_NULL.includes(path)) expect(shown.length).toBeGreaterThan(0);
      // "Unix timestamps in seconds"
      if (type === 'decimal' || field === 'lastlogon')
        for (const time of shown) expect(Math.abs(Number(time) - NOW)).toBeLessThan(10 * 86_400);
    });

    it('is null if its type allows null, and never otherwise', () => {
      expect(values().includes(null)).toBe(isNullable !== undefined && !NEVER_NULL.includes(path));
    });

    const written = (['PUT', 'POST'] as const).find((method) => {
      const { required, optional } = presenceOf(name, table, method);
      return table[method] !== undefined && [...required, ...optional].includes(field);
    });
    if (isNullable === undefined && written !== undefined)
      it('is refused as null', async () => {
        const given = await refusals(writer(name), written, targetOf(name, written), { [field]: null });
        expect(given.map(({ attribute }) => attribute)).toContain(field);
      });

    const initial = /default ([a-z_0-9]+)/.exec(row.words)?.[1];
    if (initial !== undefined)
      it(`has its default: ${initial}`, () => {
        const { plain } = worldOf(name);
        // A write-only attribute is always null. Its default shows in what it does: the text is as it was sent.
        if (row.words.includes('write-only'))
          expect([plain?.[field], plain?.['text']]).toEqual([null, PLAIN_TEXT]);
        else expect(plain?.[field]).toBe(readDefault(initial));
      });

    const isFilter = row.F === 'Y' || filtersByWire[name]?.includes(field) === true;
    // Wire, "item": an `id` in the query names the item, also where the table has no F.
    if (isFilter)
      it('is a filter', async () => {
        expect(distinct(values()).length).toBeGreaterThan(1);
        for (const value of distinct(values())) {
          const { data, list } = await get(name, `${field}=${inQuery(value)}`);
          const ids = field === 'id' ? [data['id']] : list.map(({ id }) => id);
          const wanted = worldOf(name).records.filter((record) => record[field] === value);
          expect([value, [...ids].sort()]).toEqual([value, wanted.map(({ id }) => id).sort()]);
        }
      });
    else if (field !== 'id')
      it('is no filter', async () => {
        const { status, response } = await get(name, `${field}=${inQuery(values()[0])}`);
        expect([status, attributesIn(response)]).toEqual([400, expect.arrayContaining([field])]);
      });

    if (row.S === 'Y')
      it('is a sort key', async () => {
        const base = baseOf(name, field);
        const { list: up } = await get(name, `${base}sort=${field}`);
        const { list: down } = await get(name, `${base}sort=${field}&reverse=true`);
        const sorted = up.map((record) => record[field]);
        expect(distinct(sorted).length).toBeGreaterThan(1);
        expect(sorted).toEqual([...sorted].sort(inOrder));
        expect(down).toEqual([...up].reverse());
        if (base === '') expect(up).toHaveLength(worldOf(name).records.length);
      });
    else
      it('is no sort key', async () => {
        const { status, response } = await get(name, `${baseOf(name, field)}sort=${field}`);
        expect([status, attributesIn(response)]).toEqual([400, ['sort']]);
      });
  });
});

function isOfType(value: unknown, type: string, values: readonly unknown[] | undefined): boolean {
  if (values !== undefined && !values.includes(value)) return false;
  switch (type) {
    case 'int':
      return Number.isSafeInteger(value);
    case 'decimal':
      return Number.isFinite(value);
    case 'bool':
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    default:
      return type === 'enum' && values !== undefined;
  }
}

/** Returns a value as a query has it: null is empty. */
const inQuery = (value: unknown): string => (value === null ? '' : encodeURIComponent(String(value)));

const distinct = (values: readonly unknown[]): readonly unknown[] => [...new Set(values)];

/** Returns the filter that a collection of profile data needs, by the other key than the one that is looked at. */
function baseOf(name: string, field: string): string {
  if (name !== 'subscriberProfileData') return '';
  const other = field === 'subscriber_id' ? 'subscriberprofilefield_id' : 'subscriber_id';
  return `${other}=${inQuery(worldOf(name).records[0]?.[other])}&`;
}

/** Reasons of an attribute that the method does not take from this sender. */
const NOT_TAKEN = /^(?:is read-only|is set by the service|cannot be changed|can be set only)/;

const writer = (name: string): As => (name === 'account' ? 'partner-alone' : reader(name));

function targetOf(name: string, method: 'POST' | 'PUT'): string {
  if (method === 'POST') return `/v1/${name}`;
  return `/v1/${name}/${name === 'accountFeatures' ? 1 : String(worldOf(name).records[0]?.['id'])}`;
}

interface Refusal {
  readonly attribute: string;
  readonly reason: string;
}

/** Returns the faults that a 400 names; none if the request is accepted. */
async function refusals(
  as: As,
  method: 'POST' | 'PUT',
  target: string,
  body: object,
): Promise<readonly Refusal[]> {
  const { status, response } = await sandbox.send(as, method, target, body);
  expect([200, 400]).toContain(status);
  return status === 200 ? [] : refusalsIn(response);
}

const refusalsIn = (response: JsonObject): readonly Refusal[] =>
  response['additional_information'] as unknown as readonly Refusal[];
const attributesIn = (response: JsonObject): readonly string[] =>
  refusalsIn(response).map(({ attribute }) => attribute);

// Interface, "Per-kind differences": the values of `actiontype`.
describe.each(TIMED)('%s', (kind) => {
  const types = new Set(Object.values(automationKinds).flatMap(({ actiontype }) => words(actiontype)));

  it('takes the action types that are listed for its kind, and no others', async () => {
    const taken: string[] = [];
    for (const actiontype of [...types, 'other']) {
      const given = await refusals('admin', 'POST', `/v1/${kind}`, { actiontype });
      if (!given.some(({ attribute }) => attribute === 'actiontype')) taken.push(actiontype);
    }
    expect(taken.sort()).toEqual(words(automationKinds[kind].actiontype).sort());
  });
});

/** Returns a default as the tables write it: a constant, a number or a word. */
function readDefault(text: string): unknown {
  const constants: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };
  if (Object.hasOwn(constants, text)) return constants[text];
  return /^[0-9]+$/.test(text) ? Number(text) : text;
}

/** Null comes before every value, and false before true. */
function inOrder(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return (one as string) < (other as string) ? -1 : 1;
}
