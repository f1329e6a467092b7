import { expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';

const both = (query: ReturnType<typeof sql>) => [query.compile('sqlite'), query.compile('postgres')];

it('writes a placeholder for each value, in the syntax of either database', () => {
  expect(both(sql`select * from t where a = ${1} and b = ${'x'}`)).toEqual([
    { text: 'select * from t where a = ? and b = ?', values: [1, 'x'] },
    { text: 'select * from t where a = $1 and b = $2', values: [1, 'x'] },
  ]);
});

it('inserts parts as text, with their values in order', () => {
  const where = sql.join([sql`a = ${1}`, sql`${sql.ref('b"c')} = ${2}`], ' and ');
  expect(both(sql`select ${0} from ${sql.ref('t')} where ${where} limit ${3}`)).toEqual([
    { text: 'select ? from "t" where a = ? and "b""c" = ? limit ?', values: [0, 1, 2, 3] },
    { text: 'select $1 from "t" where a = $2 and "b""c" = $3 limit $4', values: [0, 1, 2, 3] },
  ]);
});

it('writes a part that differs between the databases', () => {
  const forms = { sqlite: sql`x = ${1}`, postgres: sql`y = ${2} or y = ${3}` };
  expect(both(sql`where ${sql.either(forms)} and ${sql.noIndex('z')} = ${4}`)).toEqual([
    { text: 'where x = ? and +z = ?', values: [1, 4] },
    { text: 'where y = $1 or y = $2 and z = $3', values: [2, 3, 4] },
  ]);
});

it('caches the text of a place in the source, and never mixes values with parts', () => {
  const query = (value: unknown) => sql`select ${value} as x`;
  expect([query(1), query(sql`y`), query(2), query(sql`z`)].map((each) => each.compile('postgres'))).toEqual([
    { text: 'select $1 as x', values: [1] },
    { text: 'select y as x', values: [] },
    { text: 'select $1 as x', values: [2] },
    { text: 'select z as x', values: [] },
  ]);
});
