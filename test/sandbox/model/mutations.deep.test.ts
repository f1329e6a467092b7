import Database from 'libsql';
import { expect, it } from 'vitest';
import { storeOf } from '../../../src/sandbox/store/driver/sqlite.ts';
import type { Store } from '../../../src/sandbox/store/open.ts';
import { sqliteDdl } from '../../../src/sandbox/store/schema/ddl.ts';
import { tables } from '../../../src/sandbox/store/schema/tables.ts';
import { compare } from './run.ts';

/** The faults of an engine: its name, the statement that it should send, and the one that it sends. */
const FAULTS: readonly (readonly [string, RegExp, string])[] = [
  ['sends to who is on Do Not Contact', /select 1 from do_not_contact d where/, '$& 0 and'],
  [
    'looks at addresses only, not at domains',
    /\(lower\(a\.address\), a\.email_domain\)/,
    '(lower(a.address))',
  ],
  ['sends to who is suspended', /a\.suspended = 0/, 'a.suspended >= 0'],
  ['sends again to who has left and come back', /select 1 from departed_recipient p where/, '$& 0 and'],
  ['sends an e-mail for nothing', /(update account set "emailcreditbalance" = .*) - \?/, '$1 - 0 * ?'],
  [
    'goes on with a task that is cancelled',
    /(update "task" set "cancelled".*"due" =) \?/,
    '$1 ifnull(?, "due")',
  ],
  ['begins again with every batch', /(update "task" set .*"cursor" =) \?/, '$1 0 * ?'],
  [
    'counts an event each time',
    /(update task_recipient set [\s\S]*) and task_recipient\."\w+" is null$/,
    '$1',
  ],
  ['leaves rules as they are when a list goes', /set paused = 1/, 'set paused = paused'],
  ['sets off paused rules', /and \+paused = 0 and/, 'and'],
  [
    'does what a deleted rule has queued',
    /(delete from queued_action where) rule_kind/,
    '$1 0 and rule_kind',
  ],
  ['counts those without an address into size', /s\.email is not null/, '1'],
];

it.each(FAULTS)('finds an engine that %s', async (_, statement, instead) => {
  let rewritten = 0;
  const open = async () =>
    openRewriting((text) => {
      const other = text.replace(statement, instead);
      if (other !== text) rewritten += 1;
      return other;
    });
  await expect(compare({ runs: 2000, seed: 7, open, shrinks: false })).rejects.toThrow(
    'Property failed after',
  );
  expect(rewritten).toBeGreaterThan(0);
});

/** Opens a store in memory that rewrites the statements it receives. */
function openRewriting(rewrite: (statement: string) => string): Store {
  const database = new Database(':memory:');
  database.pragma('foreign_keys = ON');
  for (const statement of sqliteDdl(tables)) database.exec(statement);
  const rewriting = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (statement: string) => target.prepare(rewrite(statement))
        : Reflect.get(target, name, target),
  });
  return storeOf(rewriting);
}
