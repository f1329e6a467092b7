/** Summarises what a sandbox did in a span of time: sends of tasks, actions of rules, and messages per person. */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { TaskRow } from './tasks.ts';

/** Returns the tasks in order of their time that had not ended at `since` (Unix seconds), without cancelled ones. */
export function listTasksUnfinishedAt(db: Db, accountId: number, since: number): Promise<readonly TaskRow[]> {
  return db.all(sql<TaskRow>`select * from task where account_id = ${accountId} and cancelled = 0
      and (completed = 0 or endtime >= ${since}) order by scheduledtime, id`);
}

/** Returns the completed tasks that ended at `since` (Unix seconds) or later, in the order in which they ended. */
export function listTasksEndedSince(
  db: Db,
  accountId: number,
  since: number,
): Promise<readonly Pick<TaskRow, 'id' | 'channel' | 'credits'>[]> {
  return db.all(
    sql<Pick<TaskRow, 'id' | 'channel' | 'credits'>>`select id, channel, credits from task
      where account_id = ${accountId} and completed = 1 and endtime >= ${since} order by endtime, id`,
  );
}

/** Returns the earliest due time of the account's tasks. Returns undefined if no task is due by `until`. Both times are Unix seconds. */
export async function nextTaskDueTime(db: Db, accountId: number, until: number): Promise<number | undefined> {
  const [row] = await db.all(sql<{ readonly due: number | null }>`select min(due) as due from task
      where account_id = ${accountId} and due is not null and due <= ${until}`);
  return row?.due ?? undefined;
}

export interface RuleActivity {
  readonly kind: RuleKind;
  readonly id: number;
  readonly changed: number;
  readonly sent: number;
  readonly queued: number;
  readonly skipped: number;
  /** Number of messages that were skipped because the account had too few credits. */
  readonly withoutCredits: number;
  /** Unix seconds at which the first of these messages was due. Null without such messages. */
  readonly withoutCreditsSince: number | null;
}

/** Returns what each rule has done since `since` (Unix seconds), and its queued actions. Omits rules with neither. */
export function ruleActivitySince(
  db: Db,
  accountId: number,
  since: number,
): Promise<readonly RuleActivity[]> {
  return db.all(sql<RuleActivity>`select rule_kind as kind, rule_id as id, sum(changed) as changed, sum(sent) as sent,
        sum(queued) as queued, sum(skipped) as skipped, sum(starved) as "withoutCredits", min(starved_at) as "withoutCreditsSince" from (
      select rule_kind, cause_id as rule_id, 0 as changed, 1 as sent, 0 as queued, 0 as skipped, 0 as starved,
          cast(null as bigint) as starved_at from delivery
        where account_id = ${accountId} and cause = 'rule' and time >= ${since}
      union all
      select rule_kind, rule_id, case when why is null then 1 else 0 end, 0, 0, case when why is null then 0 else 1 end,
          case when why like '%too few % credits' then 1 else 0 end, case when why like '%too few % credits' then time end
        from rule_action where account_id = ${accountId} and time >= ${since}
      union all
      select rule_kind, rule_id, 0, 0, 1, 0, 0, null from queued_action where account_id = ${accountId}
    ) as work group by rule_kind, rule_id order by rule_kind, rule_id`);
}

/** Messages of one rule in one quarter of an hour. A local day never begins within one. */
export interface RuleMessagesInTime {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly sent: number;
}

/** Returns the messages that rules of a kind sent since `since` (Unix seconds), in order of time. */
export function listRuleMessages(
  db: Db,
  accountId: number,
  kind: string,
  since: number,
): Promise<readonly RuleMessagesInTime[]> {
  return db.all(sql<RuleMessagesInTime>`select cause_id as id, min(time) as first, max(time) as last, count(*) as sent
      from delivery where account_id = ${accountId} and cause = 'rule' and rule_kind = ${kind} and time >= ${since}
      group by cause_id, cast(time as bigint) / cast(${QUARTER_HOUR} as bigint) order by 2, 1`);
}

const QUARTER_HOUR = 900;

/** Returns the latest Unix second since `since` at which a task ended, a message was delivered or a rule acted, if any. */
export async function findLastActivityTime(
  db: Db,
  accountId: number,
  since: number,
): Promise<number | undefined> {
  const [row] = await db.all(sql<{ readonly time: number | null }>`select max(time) as time from (
      select max(endtime) as time from task where account_id = ${accountId} and endtime >= ${since}
      union all select max(time) from delivery where account_id = ${accountId} and time >= ${since}
      union all select max(time) from rule_action where account_id = ${accountId} and time >= ${since}) as work`);
  return row?.time ?? undefined;
}

/** Span of local time with one offset to UTC. Both values are in seconds. */
export interface UtcOffsetSpan {
  /** Unix seconds at which the span with this offset to UTC ends. */
  readonly until: number;
  readonly offset: number;
}

interface MessagesPerPersonOptions {
  /** Unix seconds. `measureMostMessagesPerPerson` does not count messages that were sent before this time. */
  readonly firstMessageTime: number;
  /** Spans of the time zone, in order of time. Each has one offset to UTC. */
  readonly utcOffsetSpans: readonly UtcOffsetSpan[];
  /** The highest subscriber id of each audience, ascending. An audience is a list or a search, with consecutive ids. */
  readonly lastSubscriberIds: readonly number[];
}

/**
 * Returns the most messages that one person can get in a local day, or in a local week from Monday. The sandbox does not know who is in
 * several audiences, so it adds the numbers of the busiest subscribers of each audience.
 */
export async function measureMostMessagesPerPerson(
  db: Db,
  accountId: number,
  { firstMessageTime, utcOffsetSpans, lastSubscriberIds }: MessagesPerPersonOptions,
  unit: 'day' | 'week',
): Promise<number> {
  const offset = chosen(
    utcOffsetSpans.map(({ until, offset: seconds }) => [sql`time < ${until}`, seconds]),
    0,
  );
  const audience = chosen(
    lastSubscriberIds.map((last, index) => [sql`subscriber_id <= ${last}`, index]),
    lastSubscriberIds.length,
  );
  // 1 January 1970 was a Thursday, three days after a Monday.
  const [seconds, shift] = unit === 'day' ? [86_400, 0] : [604_800, 3 * 86_400];
  const row = await db.first(
    sql<{ readonly most: number | null }>`select max(messages) as most from (
      select sum(messages) as messages from (
        select span, ${audience} as audience, max(messages) as messages from (
          select subscriber_id, span, count(*) as messages from (
            select subscriber_id, cast(time + ${offset} + ${shift} as bigint) / cast(${seconds} as bigint) as span from (
              ${messagesSince(accountId, firstMessageTime)}
            ) as sent
          ) as placed group by subscriber_id, span
        ) as people group by span, 2
      ) as audiences group by span
    ) as spans`,
  );
  return Number(row?.most ?? 0);
}

/** Returns how many messages each subscriber got since `since` (Unix seconds), by the subscriber's id. */
export async function countMessagesPerPerson(
  db: Db,
  accountId: number,
  since: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db.all(sql<{
    readonly person: number;
    readonly messages: number;
  }>`select subscriber_id as person,
      count(*) as messages from (${messagesSince(accountId, since)}) as sent group by subscriber_id`);
  return new Map(rows.map(({ person, messages }) => [person, Number(messages)]));
}

const messagesSince = (accountId: number, since: number): Sql =>
  sql`select r.subscriber_id, r.senttime as time from task_recipient r join task t on t.id = r.task_id
      where t.account_id = ${accountId} and r.senttime >= ${since}
    union all
    select subscriber_id, time from delivery where account_id = ${accountId} and time >= ${since}
      and subscriber_id is not null and message_id is not null`;

/** Returns an SQL expression: the value of the first condition that holds, or `otherwise` if none holds. */
function chosen(cases: readonly (readonly [condition: Sql, value: number])[], otherwise: number): Sql {
  if (cases.length === 0) return sql`${otherwise}`;
  const whens = cases.map(([condition, value]) => sql`when ${condition} then ${value} `);
  return sql`case ${sql.join(whens, '')}else ${otherwise} end`;
}
