/** The queue of actions that rules have triggered. */

import type { RuleKind } from '../../resources/rule-kinds.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

export type QueuedAction = Row<'queued_action'>;

/** An action that is not in the queue yet. `due` is Unix seconds. */
export type NewQueuedAction = Omit<QueuedAction, 'id'>;

/**
 * Returns the next `limit` queued actions of all accounts, in order of time: those after `place` that are due by `horizon` (Unix seconds).
 */
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

/**
 * Deletes the account's first queued actions, in order of due time and id. The last action to delete is the one with the given `due` and
 * `id`. The caller has performed all of these actions.
 */
export async function removeActionsUpTo(
  db: Db,
  accountId: number,
  { due, id }: Pick<QueuedAction, 'due' | 'id'>,
): Promise<void> {
  const query = sql`delete from queued_action where account_id = ${accountId} and (due, id) <= (${due}, ${id})`;
  await db.run(query, { keepsCache: true });
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
    }>`select due, id from ${sql.ref(TABLES[kind])}
      where ${rule ? sql`rule_kind = ${rule.kind} and rule_id = ${rule.id} and ${sql.noIndex('account_id')}` : sql`account_id`} = ${accountId}
      and due <= ${until} and (due, id) > (${after?.due ?? -1}, ${afterId})
      order by due, id limit ${limit}`;
    found.push(...(await db.all(query)).map(({ due, id }) => ({ due, kind, id })));
  }
  const rankOf = ({ kind }: DueWorkEntry): number => DUE_WORK_KINDS.indexOf(kind);
  return found.sort((a, b) => a.due - b.due || rankOf(a) - rankOf(b) || a.id - b.id).slice(0, limit);
}

const TABLES = { task: 'task', sms: 'sms', rule: 'queued_action' } as const;

/** Returns queued actions in any order. They stay in the queue. */
export async function queuedActionsById(db: Db, ids: readonly number[]): Promise<QueuedAction[]> {
  if (ids.length === 0) return [];
  return db.all(sql<Row<'queued_action'>>`select * from queued_action where id in (${sql.join(ids)})`);
}
