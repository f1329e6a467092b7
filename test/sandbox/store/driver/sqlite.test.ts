import fc from 'fast-check';
import Database from 'libsql';
import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { RevertibleStore } from '../../../../src/sandbox/store/driver/sqlite.ts';
import { storeOf } from '../../../../src/sandbox/store/driver/sqlite.ts';
import type { Db } from '../../../../src/sandbox/store/driver/store.ts';

interface User {
  readonly id: number;
  readonly name: string | null;
  readonly number: number | null;
}

let store: RevertibleStore;
let prepared: string[];
beforeEach(() => {
  const database = new Database(':memory:');
  database.exec(`create table user (id integer primary key, name text, number integer);
    create table nonce (identity, nonce);
    insert into user values (1, 'one', 10), (2, 'two', 20), (3, 'three', 30)`);
  prepared = [];
  const watched = new Proxy(database, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name, target);
      return (text: string) => {
        prepared.push(text);
        return target.prepare(text);
      };
    },
  });
  store = storeOf(watched);
});

const byId = (id: number) => sql<Pick<User, 'name'>>`select name from user where id = ${id}`;

it('prepares a text once', async () => {
  for (let id = 1; id <= 3; id += 1) await store.db.all(byId(id));
  expect(prepared).toEqual(['select name from user where id = ?']);
});

it('returns the row of the given values, with `all` and with `first`', async () => {
  const { db } = store;
  const all = (id: number) => db.all(byId(id));
  const first = (id: number) => db.first(byId(id));
  expect([
    await all(1),
    await first(2),
    await all(3),
    await first(1),
    await first(9),
    await first(3),
    await all(9),
    await first(2),
  ]).toEqual([
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

it('accepts new values after a statement has failed', async () => {
  const { db } = store;
  const insert = (id: number, name: string) => db.run(sql`insert into user values (${id}, ${name}, 0)`);
  await expect(insert(1, 'again')).rejects.toThrow('UNIQUE');
  expect(await insert(4, 'four')).toEqual({ changes: 1, id: 4 });
  expect(await db.first(byId(4))).toEqual({ name: 'four' });
  const parse = (text: string) => db.first(sql`select json(${text}) as value`);
  await expect(parse('{')).rejects.toThrow('JSON');
  expect(await parse('{}')).toEqual({ value: '{}' });
});

it('returns new columns of a `*`', async () => {
  const { db } = store;
  const all = () => db.first(sql`select * from user where id = 1`);
  expect(await all()).toEqual({ id: 1, name: 'one', number: 10 });
  await db.exec(sql`alter table user add column later default 5`);
  expect(await all()).toEqual({ id: 1, name: 'one', number: 10, later: 5 });
});

it('lets other work wait until a transaction ends, and rolls back a transaction that fails', async () => {
  const failing = store.transaction(async (db) => {
    await db.run(sql`update user set name = 'changed' where id = 1`);
    expect(await db.first(byId(1))).toEqual({ name: 'changed' });
    throw new Error('no');
  });
  const outside = store.db.first(byId(1));
  await expect(failing).rejects.toThrow('no');
  expect(await outside).toEqual({ name: 'one' });
});

describe('revertAfter', () => {
  const rename = (name: string) =>
    store.transaction((db) => db.run(sql`update user set name = ${name} where id = 1`));
  const nameOf = (id: number) => store.transaction((db) => db.first(byId(id)));

  it('takes back all transactions of the work, also those of nested work', async () => {
    await rename('first');
    const found = await store.revertAfter(async () => {
      await rename('second');
      await store.revertAfter(async () => {
        await rename('third');
        expect(await nameOf(1)).toEqual({ name: 'third' });
      });
      return nameOf(1);
    });
    expect(found).toEqual({ name: 'second' });
    expect(await nameOf(1)).toEqual({ name: 'first' });
  });

  it('takes back the work that fails, and the work after a failed transaction', async () => {
    const work = store.revertAfter(async () => {
      await rename('second');
      await expect(
        store.transaction(async (db) => {
          await db.run(sql`update user set name = 'third' where id = 1`);
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await nameOf(1)).toEqual({ name: 'second' });
      throw new Error('end');
    });
    await expect(work).rejects.toThrow('end');
    expect(await nameOf(1)).toEqual({ name: 'one' });
  });

  it('reads known rows again', async () => {
    const known = () => store.transaction((db) => db.rowCache.get('user', 1, () => db.first(byId(1))));
    await store.revertAfter(async () => {
      await rename('second');
      expect(await known()).toEqual({ name: 'second' });
    });
    expect(await known()).toEqual({ name: 'one' });
  });
});

describe('known rows', () => {
  const known = (db: Db, id: number) => db.rowCache.get('user', id, () => db.first(byId(id)));

  it('are read once, and again in the next transaction only if they may have changed', () =>
    store.transaction(async (db) => {
      const row = await known(db, 1);
      expect(await known(db, 1)).toBe(row);
      expect(await known(db, 2)).toEqual({ name: 'two' });
      expect(await known(db, 9)).toBeUndefined();
      expect(() => Object.assign(row ?? {}, { name: 'other' })).toThrow(TypeError);
    }));

  it.each([
    ['an update', sql`update user set name = 'changed' where id = 1`],
    ['an insert', sql`insert or replace into user values (1, 'changed', 0)`],
    ['an update with `returning`', sql`update user set name = 'changed' where id = 1 returning id`],
    ['a common table expression', sql`with x as (select 1) update user set name = 'changed' where id = 1`],
  ])('are read again after %s', (_, query) =>
    store.transaction(async (db) => {
      expect(await known(db, 1)).toEqual({ name: 'one' });
      await db.run(query);
      expect(await known(db, 1)).toEqual({ name: 'changed' });
    }),
  );

  it('are read again after a rollback to a savepoint', () =>
    store.transaction(async (db) => {
      await db.run(sql`savepoint piece`, { keepsCache: true });
      await db.run(sql`update user set name = 'changed' where id = 1`);
      expect(await known(db, 1)).toEqual({ name: 'changed' });
      await db.run(sql`rollback to piece`);
      expect(await known(db, 1)).toEqual({ name: 'one' });
    }));

  it('are read again after a rollback', async () => {
    await expect(
      store.transaction(async (db) => {
        await db.run(sql`update user set name = 'changed' where id = 1`);
        expect(await known(db, 1)).toEqual({ name: 'changed' });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await store.transaction((db) => known(db, 1))).toEqual({ name: 'one' });
  });

  it('are read again after a write outside of a transaction', async () => {
    expect(await store.transaction((db) => known(db, 1))).toEqual({ name: 'one' });
    await store.db.run(sql`update user set name = 'changed' where id = 1`);
    expect(await store.transaction((db) => known(db, 1))).toEqual({ name: 'changed' });
  });

  it('are not kept if a write comes between the read and its result', () =>
    store.transaction(async (db) => {
      const reading = known(db, 1);
      const writing = db.run(sql`update user set name = 'changed' where id = 1`);
      await Promise.all([reading, writing]);
      expect(await known(db, 1)).toEqual({ name: 'changed' });
    }));

  it('stay cached after a write that keeps them', () =>
    store.transaction(async (db) => {
      const before = await known(db, 1);
      await db.run(sql`insert into nonce (identity, nonce) values (1, 2)`, { keepsCache: true });
      expect(await known(db, 1)).toBe(before);
    }));
});

describe('rows as JSON', () => {
  const all = sql<User>`select * from user order by id`;
  const members = {
    sqlByName: { id: '"id"', name: '"name"', number: '"number"' },
    canHoldFractionalNumbers: true,
  };

  it('have the values of the rows, in their order', () =>
    store.transaction(async (db) => {
      expect(db.texts(all, members)).toEqual([
        '{"id":1,"name":"one","number":10}',
        '{"id":2,"name":"two","number":20}',
        '{"id":3,"name":"three","number":30}',
      ]);
      await db.run(sql`delete from user`);
      expect(db.texts(all, members)).toEqual([]);
    }));

  it('keep every text and every whole number', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0')),
      fc.constantFrom('\n', '\\', '"', "'", '\u0001\u001f\u007f\u2028', ',1.5', '😀', '1e5', '{"a":1}'),
    );
    const row = fc.tuple(fc.option(text), fc.option(fc.maxSafeInteger()));
    return store.transaction((db) =>
      fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1 }), async (rows) => {
          await db.run(sql`delete from user`);
          for (const [name, number] of rows)
            await db.run(sql`insert into user values (null, ${name}, ${number})`);
          const stored = await db.all(all);
          expect(stored.map((each) => [each.name, each.number])).toEqual(rows);
          const found = db.texts(all, members);
          if (found) expect(found.map((each) => JSON.parse(each))).toEqual(stored);
          else expect(JSON.stringify(rows)).toMatch(/:-?[0-9]+[.e]/);
        }),
      ),
    );
  });

  it('are undefined if a number has a fraction', () =>
    store.transaction(async (db) => {
      await db.run(sql`update user set number = 0.1 + 0.2 where id = 2`);
      expect(db.texts(all, members)).toBeUndefined();
      expect((await db.all(all))[1]).toEqual({ id: 2, name: 'two', number: 0.30000000000000004 });
    }));
});
