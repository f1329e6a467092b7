/** Versions of the tables, and the steps from one version to the next. */
import type { Dialect } from '../driver/sql.ts';
import { postgresDdl, sqliteDdl } from './ddl.ts';
import { tables } from './tables.ts';

/** The statements from one version to the next, for each database. */
export type SchemaUpgradeStep = Readonly<Record<Dialect, readonly string[]>>;

/** The oldest version that can still be opened. Databases of development versions before it are refused. */
export const OLDEST_SCHEMA_VERSION = 17;

/** Steps from `OLDEST_SCHEMA_VERSION`, oldest first. A released step is never edited: it leads to the same tables as a new database. */
export const schemaUpgradeSteps: readonly SchemaUpgradeStep[] = [
  {
    sqlite: [
      `create table "task_click" (
  task_id integer not null references "task" (id),
  subscriber_id integer not null,
  link_id integer not null,
  time integer not null,
  primary key (task_id, subscriber_id, link_id)
) without rowid`,
      `create table "cleared" (
  account_id integer not null references "account" (id),
  task_id integer not null,
  last integer not null,
  count integer not null,
  primary key (account_id, task_id)
) without rowid`,
      'create index task_recipient_bounced on "task_recipient" (task_id, subscriber_id) where bounced is not null',
      'alter table request_log add column headers text',
      'alter table request_log add column body text',
      'alter table request_log add column answer text',
    ],
    postgres: [
      `create table "task_click" (
  account_id bigint not null,
  task_id bigint not null,
  subscriber_id bigint not null,
  link_id bigint not null,
  time bigint not null,
  primary key (account_id, task_id, subscriber_id, link_id),
  foreign key (account_id, task_id) references "task" (account_id, id)
)`,
      'create index task_click_own_key on "task_click" (task_id, subscriber_id, link_id)',
      `create function svc_account_of_task_click() returns trigger language plpgsql as $$ begin
  select account_id into new.account_id from "task" where id = new.task_id;
  return new;
end $$`,
      `create trigger svc_account before insert on "task_click" for each row
  when (new.account_id is null) execute function svc_account_of_task_click()`,
      `create table "cleared" (
  account_id bigint not null,
  task_id bigint not null,
  last bigint not null,
  count bigint not null,
  primary key (account_id, task_id),
  foreign key (account_id) references "account" (id)
)`,
      'create index task_recipient_bounced on "task_recipient" (task_id, subscriber_id) where bounced is not null',
      'alter table request_log add column headers text collate "C"',
      'alter table request_log add column body text collate "C"',
      'alter table request_log add column answer text collate "C"',
    ],
  },
];

type SchemaUpgradePlan =
  | { readonly kind: 'refused'; readonly age: 'older' | 'newer' }
  | { readonly kind: 'steps'; readonly version: number; readonly statements: readonly string[] };

/** Returns the statements that create or upgrade tables of `version` (0 for an empty database), or `refused` if svc can't. */
export function planSchemaUpgrade(
  version: number,
  dialect: Dialect,
  known: readonly SchemaUpgradeStep[] = schemaUpgradeSteps,
): SchemaUpgradePlan {
  const current = OLDEST_SCHEMA_VERSION + known.length;
  if (version > current) return { kind: 'refused', age: 'newer' };
  if (version === 0) return { kind: 'steps', version: current, statements: CREATE[dialect](tables) };
  if (version < OLDEST_SCHEMA_VERSION) return { kind: 'refused', age: 'older' };
  const statements = known.slice(version - OLDEST_SCHEMA_VERSION).flatMap((step) => step[dialect]);
  return { kind: 'steps', version: current, statements };
}

const CREATE = { sqlite: sqliteDdl, postgres: postgresDdl } as const;
