import fc from 'fast-check';
import Database from 'libsql';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepStatements, type Statements } from '../../../src/sandbox/store/statements.ts';

let statements: Statements;
let prepared: string[];
beforeEach(() => {
  const database = new Database(':memory:');
  database.exec(`create table user (id integer primary key, name text, number integer);
    create table nonce (identity, nonce);
    insert into user values (1, 'one', 10), (2, 'two', 20), (3, 'three', 30)`);
  prepared = [];
  const watched = new Proxy(database, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (text: string) => {
        prepared.push(text);
        return target.prepare(text);
      };
    },
  });
  statements = keepStatements(watched);
});

const byId = 'select name from user where id = ?';
const run = (text: string, values: readonly unknown[] = []) => statements.prepare(text).run(values);

it('prepares a text once', () => {
  for (let id = 1; id <= 3; id += 1) statements.prepare('select * from user where id = ?').all([id]);
  expect(prepared).toEqual(['select * from user where id = ?']);
});

it('gives the row of the values that are asked for, however it was asked before', () => {
  const { all, first } = {
    all: (id: number) => statements.prepare(byId).all([id]),
    first: (id: number) => statements.prepare(byId).first([id]),
  };
  expect([all(1), first(2), all(3), first(1), first(9), first(3), all(9), first(2)]).toEqual([
    [{ name: 'one' }],
    { name: 'two' },
    [{ name: 'three' }],
    { name: 'one' },
    undefined,
    { name: 'three' },
    [],
    { name: 'two' },
  ]);
});

it('takes values again after one that failed', () => {
  const insert = 'insert into user values (?, ?, ?)';
  expect(() => run(insert, [1, 'again', 0])).toThrow('UNIQUE');
  run(insert, [4, 'four', 40]);
  expect(statements.prepare(byId).first([4])).toEqual({ name: 'four' });
  expect(() => statements.prepare('select json(?) as value').first(['{'])).toThrow('JSON');
  expect(statements.prepare('select json(?) as value').first(['{}'])).toEqual({ value: '{}' });
});

it('knows new columns of a `*` once they are there', () => {
  const all = 'select * from user where id = 1';
  expect(statements.prepare(all).first([])).toEqual({ id: 1, name: 'one', number: 10 });
  run('alter table user add column later default 5');
  expect(statements.prepare(all).first([])).toEqual({ id: 1, name: 'one', number: 10, later: 5 });
});

describe('known rows', () => {
  const known = (id: number) => statements.known(byId, [id]);

  it('are read once', () => {
    expect(known(1)).toBe(known(1));
    expect(known(2)).toEqual({ name: 'two' });
    expect(known(9)).toBeUndefined();
    expect(() => Object.assign(known(1) ?? {}, { name: 'other' })).toThrow(TypeError);
  });

  it.each([
    ['an update', 'update user set name = ? where id = 1'],
    ['an insert', 'insert or replace into user values (1, ?, 0)'],
    ['one with RETURNING', 'update user set name = ? where id = 1 returning id'],
    ['one behind a common table expression', 'with x as (select 1) update user set name = ? where id = 1'],
  ])('are read anew after %s', (_, text) => {
    expect(known(1)).toEqual({ name: 'one' });
    const statement = statements.prepare(text);
    if (statement.reader) statement.all(['changed']);
    else statement.run(['changed']);
    expect(known(1)).toEqual({ name: 'changed' });
  });

  it('are read anew after what was done is taken back', () => {
    run('begin');
    run('savepoint piece');
    run("update user set name = 'changed' where id = 1");
    expect(known(1)).toEqual({ name: 'changed' });
    run('rollback to piece');
    expect(known(1)).toEqual({ name: 'one' });
    run("update user set name = 'changed' where id = 1");
    expect(known(1)).toEqual({ name: 'changed' });
    run('rollback');
    expect(known(1)).toEqual({ name: 'one' });
  });

  it('outlast a nonce', () => {
    const before = known(1);
    run('insert into nonce (identity, nonce) values (1, 2)');
    expect(known(1)).toBe(before);
  });
});

describe('rows as JSON', () => {
  const all = 'select * from user order by id';
  const members = { sql: { id: '"id"', name: '"name"', number: '"number"' }, mayHaveFraction: true };
  const texts = () => statements.prepare(all).texts(members, []);

  it('say what the rows hold, in their order', () => {
    expect(texts()).toEqual([
      '{"id":1,"name":"one","number":10}',
      '{"id":2,"name":"two","number":20}',
      '{"id":3,"name":"three","number":30}',
    ]);
    run('delete from user');
    expect(texts()).toEqual([]);
  });

  it('keep every text and every whole number', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0')),
      fc.constantFrom('\n', '\\', '"', "'", '\u0001\u001f\u007f\u2028', ',1.5', '😀', '1e5', '{"a":1}'),
    );
    const row = fc.tuple(fc.option(text), fc.option(fc.maxSafeInteger()));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        run('delete from user');
        for (const [name, number] of rows) run('insert into user values (null, ?, ?)', [name, number]);
        const stored = statements.prepare(all).all([]);
        expect(stored.map((each) => [each['name'], each['number']])).toEqual(rows);
        const found = texts();
        if (found) expect(found.map((each) => JSON.parse(each))).toEqual(stored);
        else expect(JSON.stringify(rows)).toMatch(/:-?[0-9]+[.e]/);
      }),
    );
  });

  it('leave numbers with a fraction to the rows', () => {
    run('update user set number = 0.1 + 0.2 where id = 2');
    expect(texts()).toBeUndefined();
    expect(statements.prepare(all).all([])[1]).toEqual({ id: 2, name: 'two', number: 0.30000000000000004 });
  });
});
