/** Finds the changes of a step in the store, and so proves that it changed nothing else. */
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import type { Tables } from '../../src/sandbox/store/schema/tables.ts';
import type { TestSandbox } from './sandbox.ts';

const TABLES = [
  'partner',
  'account',
  'user',
  'folder',
  'folder_access',
  'list',
  'subscriber',
  'subscription',
  'profile_field',
  'profile_data',
  'search',
  'sms_destination',
  'form',
  'sender_address',
  'do_not_contact',
  'sms',
  'sms_message',
  'email_message',
  'email_message_link',
  'task',
  'task_recipient',
  'delivery',
  'click_automation',
  'open_automation',
  'subscription_automation',
  'date_automation',
  'sms_automation',
  'queued_action',
  'log',
] as const satisfies readonly (keyof Tables)[];

/** Changes by table: `+3` is a new row, `-3` a deleted one, and `3 paused 0→1` a changed one. Empty means no change. */
export type Changes = Readonly<Record<string, readonly string[]>>;

export async function changesOf(sandbox: TestSandbox, step: () => Promise<unknown>): Promise<Changes> {
  const before = await everything(sandbox);
  await step();
  const after = await everything(sandbox);
  const changes: Record<string, readonly string[]> = {};
  for (const table of TABLES) {
    const lines = linesOf(before.get(table) ?? new Map(), after.get(table) ?? new Map());
    if (lines.length > 0) changes[table] = lines;
  }
  return changes;
}

/** Returns all rows of all tables as one text, for comparisons. */
export async function stateOf(sandbox: TestSandbox): Promise<string> {
  const tables = [];
  for (const table of TABLES) tables.push(await sandbox.rows(table));
  return JSON.stringify(tables);
}

type Rows = ReadonlyMap<string, SqlRow>;

async function everything(sandbox: TestSandbox): Promise<ReadonlyMap<string, Rows>> {
  const tables = new Map<string, Rows>();
  for (const table of TABLES)
    tables.set(table, new Map((await sandbox.rows(table)).map((row) => [keyOf(row), row])));
  return tables;
}

const KEYS = [
  'id',
  'list_id',
  'task_id',
  'field_id',
  'user_id',
  'folder_id',
  'account_id',
  'subscriber_id',
  'email',
];

/** Returns the key of a row without an id, or of a subscription: `list_id 1, subscriber_id 2` is `1-2`. */
function keyOf(row: SqlRow): string {
  if (row['confirmationredirect'] !== undefined) return `${row['list_id']}-${row['subscriber_id']}`;
  if (row['id'] !== undefined) return String(row['id']);
  const parts = KEYS.flatMap((key) => (row[key] === undefined ? [] : [row[key]]));
  return parts.join('-');
}

function linesOf(before: Rows, after: Rows): readonly string[] {
  const gone = [...before.keys()].filter((key) => !after.has(key)).map((key) => `-${key}`);
  const come = [...after.keys()].filter((key) => !before.has(key)).map((key) => `+${key}`);
  const changed = [...after].flatMap(([key, row]) => {
    const old = before.get(key);
    if (!old) return [];
    return Object.keys(row)
      .filter((column) => row[column] !== old[column])
      .map((column) => `${key} ${column} ${old[column]}→${row[column]}`);
  });
  return [...gone, ...come, ...changed];
}
