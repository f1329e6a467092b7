/** Finds and locks due work: tasks, single SMS, queued actions of rules, and planned reactions. */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { findId } from './rows.ts';
import type { Row } from './schema/tables.ts';

export interface DueWorkItem {
  /** Time at which the item is due, in Unix seconds. */
  readonly due: number;
  readonly id: number;
  readonly accountId: number;
}

/** Returns the item that is due first, by time and then id; undefined if none waits. `accountId` restricts the search to one account. */
export async function findFirstDueItem(
  db: Db,
  table: 'task' | 'sms' | 'queued_action' | 'reaction',
  accountId?: number,
): Promise<DueWorkItem | undefined> {
  const ofAccount = accountId === undefined ? sql`` : sql`account_id = ${accountId} and`;
  // Every time is 0 or more. The condition selects a range of the index, which contains only due items.
  const query = sql<DueWorkItem>`select due, id, account_id as "accountId" from ${sql.ref(table)}
    where ${ofAccount} due >= 0 order by due, id limit 1`;
  return await db.first(query);
}

export type QueuedAction = Row<'queued_action'>;

/** An action that is not in the queue yet. `due` is Unix seconds. */
export type NewQueuedAction = Omit<QueuedAction, 'id'>;

/** Returns queued actions of all accounts in order of time: those after `place` that are due by `horizon` (Unix seconds). */
export async function listDueActions(
  db: Db,
  horizon: number,
  place: Pick<QueuedAction, 'due' | 'id'> | undefined,
  limit: number,
): Promise<QueuedAction[]> {
  const { due, id } = place ?? { due: -1, id: 0 };
  return db.all(sql<Row<'queued_action'>>`select * from queued_action
    where due <= ${horizon} and (due, id) > (${due}, ${id}) order by due, id limit ${limit}`);
}

/** Deletes the account's queued actions or planned reactions that were performed: those up to this `due` and `id`. */
export async function removeDueRowsUpTo(
  db: Db,
  table: 'queued_action' | 'reaction',
  accountId: number,
  { due, id }: { readonly due: number; readonly id: number },
): Promise<void> {
  await db.run(
    sql`delete from ${sql.ref(table)} where account_id = ${accountId} and (due, id) <= (${due}, ${id})`,
    { keepsCache: true },
  );
}

/** Deletes the queued actions of a rule (Interface, "States": DELETE of a rule aborts its queued actions). */
export async function abortActions(db: Db, kind: RuleKind, ruleId: number): Promise<void> {
  await db.run(sql`delete from queued_action where rule_kind = ${kind} and rule_id = ${ruleId}`);
}

/** Kinds of due work, in the order in which the engine does them (src/sandbox/engine/tick.ts). */
export const DUE_WORK_KINDS = ['task', 'sms', 'rule'] as const;

export type DueWorkKind = (typeof DUE_WORK_KINDS)[number];

export interface DueWorkEntry {
  /** Time at which the work is due, in Unix seconds. */
  readonly due: number;
  readonly kind: DueWorkKind;
  /** Id of the task, the single SMS, or the queued action. */
  readonly id: number;
}

/** Returns a page of the account's due work up to `until`: by time, then kind, then id. */
export async function listDueWork(
  db: Db,
  accountId: number,
  page: {
    readonly until?: number | undefined;
    readonly after?: DueWorkEntry | undefined;
    readonly limit: number;
    /** Rule whose queued actions are listed. If omitted, all due work is listed. */
    readonly rule?: { readonly kind: RuleKind; readonly id: number } | undefined;
  },
): Promise<DueWorkEntry[]> {
  const { until = Number.MAX_SAFE_INTEGER, after, limit, rule } = page;
  const afterRank = after === undefined ? -1 : DUE_WORK_KINDS.indexOf(after.kind);
  const found: DueWorkEntry[] = [];
  // Each table is read in the order of its own index, no further than the page.
  for (const [rank, kind] of DUE_WORK_KINDS.entries()) {
    if (rule && kind !== 'rule') continue;
    const afterId = rank < afterRank ? Number.MAX_SAFE_INTEGER : rank > afterRank ? 0 : (after?.id ?? 0);
    const query = sql<{
      readonly due: number;
      readonly id: number;
    }>`select due, id from ${sql.ref(TABLE_BY_KIND[kind])}
      where ${rule ? sql`rule_kind = ${rule.kind} and rule_id = ${rule.id} and ${sql.noIndex('account_id')}` : sql`account_id`} = ${accountId}
      and due <= ${until} and (due, id) > (${after?.due ?? -1}, ${afterId})
      order by due, id limit ${limit}`;
    found.push(...(await db.all(query)).map(({ due, id }) => ({ due, kind, id })));
  }
  const rankOf = ({ kind }: DueWorkEntry): number => DUE_WORK_KINDS.indexOf(kind);
  return found.sort((a, b) => a.due - b.due || rankOf(a) - rankOf(b) || a.id - b.id).slice(0, limit);
}

const TABLE_BY_KIND = { task: 'task', sms: 'sms', rule: 'queued_action' } as const;

/** Locks the account in a transaction on a shared store. The row of the account is the lock, so a killed process leaves none. */
export async function lockAccountRow(db: Db, accountId: number): Promise<void> {
  await db.run(sql`select 1 from account where id = ${accountId} for no key update`);
}

/** Locks the clock until the transaction ends. A process locks it to change the clock or, with a manual clock, to run due work. */
export async function lockClockRow(db: Db): Promise<void> {
  await db.run(sql`select 1 from setting where key = 'clock.mode' for update`);
}

/** Locks the account whose work due by `time` (Unix seconds) has waited longest and that no other process has locked. Returns its id. */
export async function lockAccountWithDueWork(db: Db, time: number): Promise<number | undefined> {
  const due = TABLES_WITH_DUE_WORK.map(
    (table) =>
      sql`(select account_id, due from ${sql.ref(table)} where due <= ${time} order by due limit ${MAX_DUE_ROWS})`,
  );
  const longest = sql<{ readonly id: number }>`select a.id from account a
    join (select account_id, min(due) as due from (${sql.join(due, ' union all ')}) d group by account_id) f
    on f.account_id = a.id order by f.due, a.id limit 1 for no key update of a skip locked`;
  const found = await findId(db, longest);
  if (found !== undefined) return found;
  // All rows above may belong to one account that another process holds, so this query looks at every account.
  const isDue = TABLES_WITH_DUE_WORK.map(
    (table) => sql`exists (select 1 from ${sql.ref(table)} t where t.account_id = a.id and t.due <= ${time})`,
  );
  const any = sql<{ readonly id: number }>`select a.id from account a where ${sql.join(isDue, ' or ')}
    order by a.id limit 1 for no key update of a skip locked`;
  return findId(db, any);
}

const TABLES_WITH_DUE_WORK = ['task', 'sms', 'queued_action', 'reaction'] as const;

/** Maximum number of due rows that are read from each of `TABLES_WITH_DUE_WORK`, to find the account that has waited longest. */
const MAX_DUE_ROWS = 500;
