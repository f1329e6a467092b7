/** Summarises what a sandbox did in a span of time: sends of tasks, actions of rules, and messages per person. */
import type { RuleKind } from '../../resources/automation.ts';
import type { Db } from './open.ts';
import { allRows } from './prepared.ts';
import { sql } from './sql.ts';
import type { TaskRow } from './tasks.ts';

/** Returns the tasks of an account that had something to do after `since`, in order of time. @param since Unix seconds */
export function tasksSince(db: Db, accountId: number, since: number): Promise<readonly TaskRow[]> {
  return allRows(
    db,
    sql<TaskRow>`select * from task where account_id = ${accountId} and cancelled = 0
      and (completed = 0 or endtime >= ${since}) order by scheduledtime, id`,
  );
}

/** Returns the earliest due time of a task, or undefined if none is due until `until`. Both are Unix seconds. */
export async function nextTaskDue(db: Db, accountId: number, until: number): Promise<number | undefined> {
  const [row] = await allRows(
    db,
    sql<{ readonly due: number | null }>`select min(due) as due from task
      where account_id = ${accountId} and due is not null and due <= ${until}`,
  );
  return row?.due ?? undefined;
}

export interface RuleWork {
  readonly kind: RuleKind;
  readonly id: number;
  /** Actions on lists. */
  readonly changed: number;
  /** Messages and notices. */
  readonly sent: number;
  /** Actions that are still to come. */
  readonly queued: number;
  /** Actions that were skipped. */
  readonly skipped: number;
}

/** Returns the work of each rule that did something after `since` or still has something to do. */
export function ruleWorkSince(db: Db, accountId: number, since: number): Promise<readonly RuleWork[]> {
  return allRows(
    db,
    sql<RuleWork>`select rule_kind as kind, rule_id as id, sum(changed) as changed, sum(sent) as sent,
        sum(queued) as queued, sum(skipped) as skipped from (
      select rule_kind, cause_id as rule_id, 0 as changed, 1 as sent, 0 as queued, 0 as skipped from delivery
        where account_id = ${accountId} and cause = 'rule' and time >= ${since}
      union all
      select rule_kind, rule_id, case when why is null then 1 else 0 end, 0, 0, case when why is null then 0 else 1 end
        from rule_action where account_id = ${accountId} and time >= ${since}
      union all
      select rule_kind, rule_id, 0, 0, 1, 0 from queued_action where account_id = ${accountId}
    ) as work group by rule_kind, rule_id order by rule_kind, rule_id`,
  );
}

/** Returns the time of the last delivery or action of a rule after `since`, in Unix seconds. */
export async function lastWorkSince(db: Db, accountId: number, since: number): Promise<number | undefined> {
  const [row] = await allRows(
    db,
    sql<{ readonly time: number | null }>`select max(time) as time from (
      select max(endtime) as time from task where account_id = ${accountId} and endtime >= ${since}
      union all select max(time) from delivery where account_id = ${accountId} and time >= ${since}
      union all select max(time) from rule_action where account_id = ${accountId} and time >= ${since}) as work`,
  );
  return row?.time ?? undefined;
}

/** A span of local time with one offset to UTC. All in seconds. */
export interface ZoneSpan {
  /** Unix seconds at which the span ends. */
  readonly until: number;
  readonly offset: number;
}

/**
 * Returns the most messages that one person gets in a local day, or in a local week that begins on Monday.
 * @param spans of the zone, in order; the last one holds for all later times
 */
export async function mostMessages(
  db: Db,
  accountId: number,
  { since, spans }: { readonly since: number; readonly spans: readonly ZoneSpan[] },
  unit: 'day' | 'week',
): Promise<number> {
  const last = spans.at(-1)?.offset ?? 0;
  const cases = spans.slice(0, -1).map(({ until, offset }) => sql`when time < ${until} then ${offset} `);
  const offset = cases.length === 0 ? sql`${last}` : sql`case ${sql.join(cases, '')} else ${last} end`;
  // 1 January 1970 was a Thursday, three days after a Monday.
  const [seconds, shift] = unit === 'day' ? [86_400, 0] : [604_800, 3 * 86_400];
  const [row] = await allRows(
    db,
    sql<{ readonly most: number | null }>`select max(messages) as most from (
      select count(*) as messages from (
        select subscriber_id, (time + ${offset} + ${shift}) / ${seconds} as unit from (
          select r.subscriber_id, r.senttime as time from task_recipient r join task t on t.id = r.task_id
            where t.account_id = ${accountId} and r.senttime >= ${since}
          union all
          select subscriber_id, time from delivery
            where account_id = ${accountId} and subscriber_id is not null and message_id is not null and time >= ${since}
        ) as messages
      ) as placed group by subscriber_id, unit
    ) as people`,
  );
  return row?.most ?? 0;
}
