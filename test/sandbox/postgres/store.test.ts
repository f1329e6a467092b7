/** Contract, "The sandbox, for people and teams": `--store postgres://…`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountById } from '../../../src/sandbox/store/accounts.ts';
import { dropPostgresTables } from '../../../src/sandbox/store/driver/postgres-database.ts';
import { removeUrlPassword } from '../../../src/sandbox/store/driver/postgres-url.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { type Db, explainStoreError, openStore, type Store } from '../../../src/sandbox/store/open.ts';
import { insertRow, insertRows, type SqlRow, updateRow } from '../../../src/sandbox/store/rows.ts';
import { findTableRelationToAccount } from '../../../src/sandbox/store/schema/ddl.ts';
import { type Row, type Tables, tables } from '../../../src/sandbox/store/schema/tables.ts';
import { OLDEST_SCHEMA_VERSION, schemaUpgradeSteps } from '../../../src/sandbox/store/schema/versions.ts';
import { type Cluster, postgresPrograms, runSql, startCluster } from '../../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const CURRENT = OLDEST_SCHEMA_VERSION + schemaUpgradeSteps.length;

describe.skipIf(postgresPrograms() === undefined)('a store on PostgreSQL', () => {
  let cluster: Cluster;
  let made = 0;
  const stores: Store[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
    runSql(cluster.url, "create role guest login password 'rosebud'");
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  afterAll(() => cluster?.remove());

  const database = (): string => {
    made += 1;
    runSql(cluster.url, `create database d${made}`);
    return cluster.urlOf(`d${made}`);
  };
  const open = async (url: string): Promise<Store> => {
    const store = await openStore(url);
    stores.push(store);
    return store;
  };

  describe('its tables', () => {
    it('are those of SQLite, with all their columns and indexes', async () => {
      const url = database();
      await open(url);
      const sqlite = await open(':memory:');
      const inSqlite = await sqlite.db.all(sql<{ readonly kind: string; readonly name: string }>`
        select type as kind, name from sqlite_master where name not like 'sqlite\\_%' escape '\\'`);
      const named = (kind: string): readonly string[] =>
        inSqlite.filter((row) => row.kind === kind).map(({ name }) => name);
      expect(named('table').length).toBeGreaterThan(30);
      expect(named('index').length).toBeGreaterThan(100);
      const lines = (query: string): readonly string[] => runSql(url, query).split('\n').sort();
      const ofCatalog = "where schemaname = 'public'";
      expect(lines(`select tablename from pg_tables ${ofCatalog}`)).toEqual(
        [...named('table'), 'svc_version'].sort(),
      );
      const indexes = lines(`select indexname from pg_indexes ${ofCatalog}`);
      expect(indexes).toEqual(expect.arrayContaining([...named('index')]));
      for (const table of named('table')) {
        const columns = await sqlite.db.all(
          sql<{
            readonly name: string;
          }>`select name from pragma_table_info(${table})`,
        );
        expect([
          table,
          lines(`select column_name from information_schema.columns where table_name = '${table}'`),
        ]).toEqual([table, expect.arrayContaining(columns.map(({ name }) => name))]);
      }
    });

    // src/sandbox/README.md, "Keys": the requirements of a distributed PostgreSQL.
    it('begin with the account in their keys, or are listed as tables without one', async () => {
      const url = database();
      await open(url);
      const keys = runSql(
        url,
        `select c.conrelid::regclass::text || ' ' || c.contype::text || ' ' || string_agg(a.attname, ',' order by k.at)
          from pg_constraint c cross join unnest(c.conkey) with ordinality k (attnum, at)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
          where c.contype in ('p', 'u', 'f') and c.connamespace = 'public'::regnamespace group by c.oid, c.conrelid, c.contype
        union all select i.indrelid::regclass::text || ' x ' || pg_get_indexdef(i.indexrelid, 1, true)
          from pg_index i join pg_class r on r.oid = i.indrelid
          where i.indisunique and not i.indisprimary and r.relnamespace = 'public'::regnamespace`,
      )
        .split('\n')
        .map((line) => line.replaceAll('"', '').split(' '));
      expect(keys.length).toBeGreaterThan(60);
      const readme = readFileSync('src/sandbox/README.md', 'utf8');
      const of = (keyed: string): readonly string[] =>
        Object.keys(tables).filter((name) => findTableRelationToAccount(name, tables) === keyed);
      expect(of('root')).toEqual(['account']);
      for (const [table = '', kind, columns = ''] of keys) {
        const first = columns.split(',')[0];
        if (of('account').includes(table))
          // The partner of an account is in a table that every node has.
          expect([table, kind, first]).toEqual([table, kind, 'account_id']);
      }
      for (const table of of('apart')) expect(readme).toContain(`\`${table}\``);
      expect(of('apart')).not.toContain('task_recipient');
    });

    it('take the account from the row that they reference', async () => {
      const { db } = await open(database());
      await db.run(sql`insert into partner (id, name, api_key, timezone) values (1, 'P', 'k', 'UTC')`);
      for (const id of [1, 2])
        await db.run(sql`insert into account (id, partner_id, api_key, name, contactemail, timezone, cdate, mdate)
          values (${id}, 1, 'k', 'A', 'a@example.com', 'UTC', 1, 1)`);
      await db.run(sql`insert into list (id, account_id, name, cdate) values (7, 2, 'L', 1)`);
      await db.run(
        sql`insert into subscriber (id, account_id, email, cdate) values (9, 2, 'a@example.com', 1)`,
      );
      await db.run(sql`insert into subscription (list_id, subscriber_id, cdate) values (7, 9, 1)`);
      const rows = await db.all(sql`select account_id, list_id, subscriber_id from subscription`);
      expect(rows).toEqual([{ account_id: 2, list_id: 7, subscriber_id: 9 }]);
      // A row cannot name the account of another.
      await expect(
        db.run(sql`insert into subscription (account_id, list_id, subscriber_id, cdate) values (1, 7, 9, 1)`),
      ).rejects.toMatchObject({ code: '23503' });
    });
  });

  describe('is migrated to the current tables', () => {
    it('once, and keeps its rows when it is opened again', async () => {
      const url = database();
      await open(url);
      runSql(url, "insert into setting values ('kept', 'yes')");
      const { db } = await open(url);
      expect(await db.all(sql<Row<'setting'>>`select * from setting`)).toEqual([
        { key: 'kept', value: 'yes' },
      ]);
      expect(runSql(url, 'select version from svc_version')).toBe(String(CURRENT));
    });

    it('once, even if several processes start together', async () => {
      const url = database();
      const opened = await Promise.all(Array.from({ length: 5 }, () => open(url)));
      expect(opened).toHaveLength(5);
      expect(runSql(url, 'select version from svc_version')).toBe(String(CURRENT));
    });
  });

  describe('is refused, and left unchanged', () => {
    it("if it has another program's tables", async () => {
      const url = database();
      runSql(url, 'create table theirs (id int)');
      await expect(open(url)).rejects.toMatchObject({
        name: 'StoreError',
        message: 'the database has tables of another program',
      });
      expect(runSql(url, "select tablename from pg_tables where schemaname = 'public'")).toBe('theirs');
    });

    it.each([
      [
        999,
        'was written by a newer svc (version 999 of the tables)',
        'create an empty one with createdb, and give it with --store',
      ],
      [
        15,
        'was made by a development version of svc (its tables are of version 15)',
        'run svc sandbox reset to remove its tables and start over',
      ],
    ])('if its tables have version %i', async (version, words, hint) => {
      const url = database();
      await (await openStore(url)).close();
      runSql(url, `update svc_version set version = ${version}`);
      await expect(open(url)).rejects.toMatchObject({
        name: 'StoreError',
        message: `the database ${words}`,
        hints: [hint],
      });
      expect(runSql(url, 'select version from svc_version')).toBe(String(version));
    });

    it.each([
      ['no such database', (url: string) => url.replace(/[^/]*$/, 'nosuch'), 'database not found'],
      ['no server', () => 'postgres://svc:rosebud@127.0.0.1:1/postgres', 'cannot reach PostgreSQL'],
      [
        'a user that may not create tables',
        (url: string) => url.replace('svc@', 'guest:rosebud@'),
        'create tables',
      ],
    ])('with %s, in words without a password', async (_, change, words) => {
      const error = await openStore(change(database())).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ name: 'StoreError', message: expect.stringContaining(words) });
      const { message, hints } = error as { readonly message: string; readonly hints: readonly string[] };
      expect(`${message} ${hints}`).not.toContain('rosebud');
      expect(hints).toHaveLength(1);
    });
  });

  it('upgrades the tables of 0.1.0 to those of a new database', async () => {
    const url = database();
    await (await openStore(url)).close();
    const objects = (): string =>
      runSql(
        url,
        "select table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(collation_name, '') from information_schema.columns " +
          "where table_schema = 'public' union all select indexdef from pg_indexes where schemaname = 'public' " +
          'union all select tgname || tgrelid::regclass::text from pg_trigger where not tgisinternal order by 1',
      );
    const wanted = objects();
    expect(wanted).toContain('task_click');
    for (const statement of [
      'drop table task_click, cleared, inbound_sms',
      'drop index rule_action_subscriber',
      'drop function svc_account_of_task_click()',
      'drop index task_recipient_bounced',
      'alter table request_log drop column headers, drop column body, drop column answer',
      'update svc_version set version = 17',
    ])
      runSql(url, statement);
    await open(url);
    expect(objects()).toBe(wanted);
  });

  it('has the numbers of SQLite, large ones digit for digit', async () => {
    const { db } = await open(database());
    const query = sql`select 7::bigint as small, 9007199254740993::bigint as large, count(*) as count,
      sum(x) as sum, 1 = 1 as yes, 1 = 2 as no from (values (1::bigint), (2)) v (x)`;
    expect(await db.all(query)).toEqual([
      { small: 7, large: 9007199254740993n, count: 2, sum: 3, yes: 1, no: 0 },
    ]);
  });

  it('never reports a transaction with a failed statement as committed', async () => {
    const store = await open(database());
    const swallowed = store.transaction(async (db) => {
      await db.run(sql`insert into setting (key, value) values ('a', 'b')`);
      await db.run(sql`select 1 / 0`).catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow('the transaction was rolled back');
    expect(await store.db.all(sql<Row<'setting'>>`select * from setting`)).toEqual([]);
  });

  it('retries one of two conflicting transactions, and both succeed', async () => {
    const store = await open(database());
    await insertRows(store.db, 'setting', [
      { key: 'a', value: '0' },
      { key: 'b', value: '0' },
    ]);
    let tries = 0;
    let bothHold = (): void => {};
    const meet = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    let oneLanded = (): void => {};
    const landed = new Promise<void>((resolve) => {
      oneLanded = resolve;
    });
    const inOrder = (...keys: readonly string[]) =>
      store.transaction(
        async (db) => {
          tries += 1;
          // A transaction that begins again could conflict with the other one again, until that one is committed.
          if (tries > 2) await landed;
          for (const [at, key] of keys.entries()) {
            await db.run(
              sql`update setting set value = cast(cast(value as integer) + 1 as text) where key = ${key}`,
            );
            if (at > 0) continue;
            if (tries === 2) bothHold();
            await meet;
          }
        },
        { kind: 'without-lock' },
      );
    await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')].map((each) => each.then(oneLanded)));
    expect(tries).toBe(3);
    expect(
      (await store.db.all(sql<Pick<Row<'setting'>, 'value'>>`select value from setting`)).map(
        ({ value }) => value,
      ),
    ).toEqual(['2', '2']);
  });

  it('reads a cached row again after it may have changed', async () => {
    const store = await open(database());
    const put = (table: keyof Tables, row: SqlRow) => insertRow(store.db, table, row);
    await put('partner', { name: 'P', api_key: 'k', timezone: 'UTC' });
    const own = { partner_id: 1, api_key: 'k', contactemail: 'c@example.com', timezone: 'UTC' };
    await put('account', { ...own, name: 'Before', cdate: 1, mdate: 1 });
    const nameOf = async (db: Db) => (await accountById(db, 1))?.name;
    await store.transaction(
      async (db) => {
        expect(await nameOf(db)).toBe('Before');
        await updateRow(db, 'account', 1, { name: 'After' });
        expect(await nameOf(db)).toBe('After');
        await db.run(sql`savepoint piece`, { keepsCache: true });
        await updateRow(db, 'account', 1, { name: 'Taken back' });
        expect(await nameOf(db)).toBe('Taken back');
        await db.run(sql`rollback to piece`);
        expect(await nameOf(db)).toBe('After');
      },
      { kind: 'account', id: 1 },
    );
    const seen = await store.transaction(
      async (db) => {
        const before = await nameOf(db);
        await store.transaction((other) => updateRow(other, 'account', 1, { name: 'Later' }), {
          kind: 'account',
          id: 1,
        });
        return [before, await nameOf(db)];
      },
      { kind: 'read' },
    );
    // Both reads see the same moment.
    expect(seen).toEqual(['After', 'After']);
    expect(await nameOf(store.db)).toBe('Later');
    await store.transaction(
      async (db) => {
        await nameOf(db);
        await updateRow(store.db, 'account', 1, { name: 'By another' });
        expect(await nameOf(db)).toBe('By another');
      },
      { kind: 'without-lock' },
    );
  });

  describe('reset', () => {
    it('removes our tables, and nothing else', async () => {
      const url = database();
      await (await openStore(url)).close();
      runSql(url, 'create table theirs (id int)');
      await dropPostgresTables(url);
      expect(runSql(url, "select tablename from pg_tables where schemaname = 'public'")).toBe('theirs');
      expect(runSql(url, "select count(*) from pg_proc where proname like 'svc%'")).toBe('0');
      runSql(url, 'drop table theirs');
      await open(url);
    });

    it('is refused while a sandbox uses it, and if something else depends on our tables', async () => {
      const url = database();
      const store = await openStore(url);
      await store.db.all(sql<Row<'setting'>>`select * from setting`);
      await expect(dropPostgresTables(url)).rejects.toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining('a sandbox is still running on this database'),
      });
      await store.close();
      runSql(url, 'create view theirs as select * from log');
      await expect(dropPostgresTables(url)).rejects.toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining('something else in the database depends'),
      });
      await open(url);
    });
  });

  describe('a sandbox on it', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    const running: SocketSandbox[] = [];
    beforeAll(async () => {
      folder = await temporaryFolder();
    });
    afterEach(async () => {
      for (const sandbox of running.splice(0)) await sandbox.stop();
    });
    afterAll(() => folder.remove());
    const start = async (options: Parameters<typeof runSandbox>[1]): Promise<SocketSandbox> => {
      const sandbox = await runSandbox(folder.path, options);
      running.push(sandbox);
      return sandbox;
    };

    it('is found by a later start without a URL, and the folder has no password and no database', async () => {
      const url = database();
      const withPassword = url.replace('svc@', 'svc:rosebud@');
      const first = await start({ store: withPassword });
      expect((await first.api('POST', '/v1/folder', { name: 'Kept' })).status).toBe(202);
      await first.stop();
      expect(readFileSync(join(folder.path, 'store.json'), 'utf8')).toBe(`{"url":"${url}"}\n`);
      const again = await start({ store: undefined });
      expect(again.seeded).toBe(false);
      expect(again.sharedStore).toBe(url);
      expect((await again.api('GET', '/v1/folder')).text).toContain('Kept');
      expect((await again.control('snapshot save', { name: 'x' })).json).toEqual({
        error: { status: 409, message: expect.stringContaining('pg_dump') },
      });
    });

    it('responds 503 without a change if it loses the database, and continues once the database is back', async () => {
      const sandbox = await start({ store: database() });
      expect((await sandbox.api('GET', '/v1/user')).status).toBe(200);
      cluster.stop();
      const [get, post] = [
        await sandbox.api('GET', '/v1/user'),
        await sandbox.api('POST', '/v1/folder', { name: 'Lost' }),
      ];
      const control = await sandbox.control('clock show');
      cluster.start();
      expect([get.status, post.status, control.status]).toEqual([503, 503, 503]);
      expect(get.text).toContain("Cannot reach the sandbox's database; nothing was done");
      expect(control.text).toContain('nothing was done');
      expect((await sandbox.api('POST', '/v1/folder', { name: 'Back' })).status).toBe(202);
      const folders = (await sandbox.api('GET', '/v1/folder')).text;
      expect([folders.includes('Back'), folders.includes('Lost')]).toEqual([true, false]);
    });

    it('handles a connection that ends in the middle of a request', async () => {
      const url = database();
      const store = await open(url);
      const cut = store.transaction(async (db) => {
        await db.run(sql`insert into setting (key, value) values ('half', 'done')`);
        const pid = (await db.first(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`))?.pid;
        runSql(cluster.url, `select pg_terminate_backend(${pid})`);
        await db.run(sql`insert into setting (key, value) values ('other', 'half')`);
      });
      const error = await cut.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(explainStoreError(error)).toEqual({
        status: 503,
        words: "Cannot reach the sandbox's database; nothing was done",
      });
      expect(await store.db.all(sql<Row<'setting'>>`select * from setting`)).toEqual([]);
    });
  });
});

it.each([
  ['postgres://u:p%40ss@h:5/d', 'postgres://u@h:5/d'],
  ['postgres:///d?host=/run/postgresql&password=secret', 'postgres:///d?host=%2Frun%2Fpostgresql'],
  ['postgresql://h/d?sslpassword=x&sslmode=require', 'postgresql://h/d?sslmode=require'],
  ['postgres://[broken', 'postgres://…'],
])('a URL is shown without its password: %s', (url, shown) => {
  expect(removeUrlPassword(url)).toBe(shown);
});
