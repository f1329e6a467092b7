/**
 * Interface, "Resources and their fields", on the wire: each row of its tables against records that GET returns. The rows come from
 * test/resources/transcript.ts and never from the declarations.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/envelope.ts';
import { documented, enumValues, presenceOf, type Row, rowsOf, words } from '../resources/read-transcript.ts';
import { departures, type Transcript } from '../resources/transcript.ts';
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
const sampleOnly: Readonly<Record<string, object>> = departures.sampleOnly;
const filtersByWire: Readonly<Record<string, readonly string[]>> = departures.filters;

/** Fields that may be null by their type, and that this service never shows as null, or never otherwise. */
const NEVER_NULL = ['account.subscriber_count'];
const ALWAYS_NULL = ['user.password', 'emailMessage.tracktextlinks', 'task.splittest_id'];

describe.each([...documented])('%s', (name, table: Transcript) => {
  const rows = [...rowsOf(table.fields)];

  it('GET gives exactly the fields of its table, and those of the sample response', () => {
    const wanted = [...rows.map(([field]) => field), ...Object.keys(sampleOnly[name] ?? {})].sort();
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

  describe.each(rows)('%s', (field, row: Row) => {
    const [type = '', isNullable] = row.type.split('/');
    const path = `${name}.${field}`;
    const values = (): readonly unknown[] => worldOf(name).records.map((record) => record[field]);

    it('has its type in every response', () => {
      const shown = values().filter((value) => value !== null);
      for (const value of shown)
        expect([value, isOfType(value, type, enumValues(name, field))]).toEqual([value, true]);
      if (!ALWAYS_NULL.includes(path)) expect(shown.length).toBeGreaterThan(0);
      // "Unix timestamps in seconds"
      if (type === 'decimal' || field === 'lastlogon')
        for (const time of shown) expect(Math.abs(Number(time) - NOW)).toBeLessThan(10 * 86_400);
    });

    it('is null in a response if its type allows null, and never otherwise', () => {
      expect(values().includes(null)).toBe(isNullable !== undefined && !NEVER_NULL.includes(path));
    });

    const written = (['PUT', 'POST'] as const).find((method) => {
      const { required, optional } = presenceOf(name, table, method);
      return table[method] !== undefined && [...required, ...optional].includes(field);
    });
    if (isNullable === undefined && written !== undefined)
      it(`is refused as null by ${written}`, async () => {
        expect(await attributesRefused(name, written, { [field]: null })).toContain(field);
      });

    const initial = /default ([a-z_0-9]+)/.exec(row.words)?.[1];
    if (initial !== undefined)
      it(`is ${initial} by default`, () => {
        const { plain } = worldOf(name);
        // A write-only attribute is always null. Its default shows in what it does: the text is as it was sent.
        if (row.words.includes('write-only'))
          expect([plain?.[field], plain?.['text']]).toEqual([null, PLAIN_TEXT]);
        else expect(plain?.[field]).toBe(readDefault(initial));
      });

    const isFilter = row.F === 'Y' || filtersByWire[name]?.includes(field) === true;
    // Wire, "item": an `id` in the query names the item, also where the table has no F.
    if (isFilter)
      it('is a filter of GET', async () => {
        expect(distinct(values()).length).toBeGreaterThan(1);
        for (const value of distinct(values())) {
          const { data, list } = await get(name, `${field}=${inQuery(value)}`);
          const ids = field === 'id' ? [data['id']] : list.map(({ id }) => id);
          const wanted = worldOf(name).records.filter((record) => record[field] === value);
          expect([value, [...ids].sort()]).toEqual([value, wanted.map(({ id }) => id).sort()]);
        }
      });
    else if (field !== 'id')
      it('is no filter of GET', async () => {
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

/** Sends a body that is refused, and returns the attributes that the response names. */
async function attributesRefused(
  name: string,
  method: 'POST' | 'PUT',
  body: object,
): Promise<readonly string[]> {
  const id = name === 'accountFeatures' ? 1 : String(worldOf(name).records[0]?.['id']);
  const as: As = name === 'account' ? 'partner-alone' : reader(name);
  const target = method === 'PUT' ? `/v1/${name}/${id}` : `/v1/${name}`;
  const { status, response } = await sandbox.send(as, method, target, body);
  expect(status).toBe(400);
  return attributesIn(response);
}

const attributesIn = (response: JsonObject): readonly string[] =>
  (response['additional_information'] as readonly { readonly attribute: string }[]).map(
    ({ attribute }) => attribute,
  );

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
