/** Reads the outbox by send: one row for everything that a task or a rule has delivered, and one for each other message. */
import { RULE_KINDS, type RuleKind } from '../../service/resources/rule-kinds.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { lastCleared } from './outbox-entry.ts';
import { countBy } from './rows.ts';

/** A send in the outbox: all messages that one task or one rule has delivered, or one single message. */
export interface OutboxSendSummary {
  /** Time of the send's latest message, in Unix seconds. */
  readonly lastMessageTime: number;
  readonly kind: OutboxSendKind;
  readonly id: number;
  readonly rule_kind: RuleKind | null;
  readonly messageCount: number;
  /** Recipients who opened, clicked and bounced. Null for a send that the service does not count. */
  readonly opened: number | null;
  readonly clicked: number | null;
  readonly bounced: number | null;
}

/** Kinds of sends. Sends with the same time are sorted in this order. */
const SEND_KINDS = ['delivery', 'rule', 'task'] as const;

type OutboxSendKind = (typeof SEND_KINDS)[number];

/** Position of a send in the outbox: the time of its last message in Unix seconds, then the number that `orderOf` returns. */
interface OutboxSendPosition {
  readonly last: number;
  readonly order: number;
}

interface OutboxSendsQuery {
  readonly accountId: number;
  readonly channel?: string | undefined;
  /** Only the send of this task. */
  readonly taskId?: number | undefined;
  /** Only the send of this rule. */
  readonly rule?: { readonly kind: RuleKind; readonly id: number } | undefined;
  readonly before?: OutboxSendPosition | undefined;
  readonly limit: number;
  /** Current time in Unix seconds. For a task that is still being sent, this counts as the time of the latest message. */
  readonly now: number;
}

/** Returns sends, newest first, and the `total` of messages in the whole outbox, or of the task or rule. */
export async function listOutboxSends(db: Db, page: OutboxSendsQuery) {
  const { limit, before, taskId, rule } = page;
  const isWhole = taskId === undefined && rule === undefined;
  const rules = taskId === undefined ? await rulesIn(db, page) : [];
  const single = isWhole ? await countSingle(db, page, rules) : 0;
  const found = [
    ...(rule === undefined ? await tasksIn(db, page) : []),
    ...rules.filter((send) => before === undefined || compare(send, before) < 0),
    ...(single === 0 ? [] : await deliveriesIn(db, page)),
  ];
  const ofRules = rules.reduce((sum, { messageCount }) => sum + messageCount, 0);
  return {
    sends: found.sort((a, b) => compare(b, positionOfOutboxSend(a))).slice(0, limit),
    total: (rule === undefined ? await countOfTasks(db, page) : 0) + ofRules + single,
  };
}

/** Factor for the kind of a send in the result of `orderOf`. Ids are below 10 to the power of 13, so its parts do not overlap. */
const SEND_KIND_FACTOR = 10 ** 14;

const RULE_KIND_FACTOR = 10 ** 13;

export const positionOfOutboxSend = (send: OutboxSendSummary): OutboxSendPosition => ({
  last: send.lastMessageTime,
  order: orderOf(send),
});

const orderOf = ({ kind, rule_kind, id }: Pick<OutboxSendSummary, 'kind' | 'rule_kind' | 'id'>): number =>
  SEND_KINDS.indexOf(kind) * SEND_KIND_FACTOR +
  (rule_kind === null ? 0 : RULE_KINDS.indexOf(rule_kind)) * RULE_KIND_FACTOR +
  id;

const compare = (send: OutboxSendSummary, place: OutboxSendPosition): number =>
  send.lastMessageTime - place.last || orderOf(send) - place.order;

const ofChannel = ({ channel }: OutboxSendsQuery) =>
  channel === undefined ? sql`1 = 1` : sql`channel = ${channel}`;

/** Number of the task's messages that were not cleared. */
const shown = (accountId: number) =>
  sql`(sent - coalesce((select c.count from cleared c where c.account_id = ${accountId} and c.task_id = task.id), 0))`;

const started = (accountId: number) => sql`started = 1 and ${shown(accountId)} > 0`;

const ofTask = ({ taskId }: OutboxSendsQuery) => (taskId === undefined ? sql`1 = 1` : sql`id = ${taskId}`);

const NOT_COUNTED = sql`cast(null as bigint) as opened, cast(null as bigint) as clicked, cast(null as bigint) as bounced`;

async function tasksIn(db: Db, page: OutboxSendsQuery): Promise<readonly OutboxSendSummary[]> {
  const { accountId, before, limit, now } = page;
  const last = sql`coalesce(endtime, ${now})`;
  const place =
    before === undefined
      ? sql`1 = 1`
      : sql`(${last} < ${before.last} or (${last} = ${before.last} and id + ${SEND_KINDS.indexOf('task') * SEND_KIND_FACTOR} < ${before.order}))`;
  return db.all(sql<OutboxSendSummary>`
    select ${last} as "lastMessageTime", 'task' as kind, id, null as rule_kind, ${shown(accountId)} as "messageCount",
      emailuniqueopens as opened, emailuniqueclicks as clicked,
      coalesce(emailuniquebounces, smsuniquebounces, 0) as bounced from task
    where account_id = ${accountId} and ${started(accountId)} and ${ofChannel(page)} and ${ofTask(page)} and ${place}
    order by 1 desc, id desc limit ${limit}`);
}

async function countOfTasks(db: Db, page: OutboxSendsQuery): Promise<number> {
  return countBy(
    db,
    sql`select coalesce(sum(${shown(page.accountId)}), 0) as count from task
      where account_id = ${page.accountId} and ${started(page.accountId)} and ${ofChannel(page)} and ${ofTask(page)}`,
  );
}

async function rulesIn(db: Db, page: OutboxSendsQuery): Promise<readonly OutboxSendSummary[]> {
  return db.all(sql<OutboxSendSummary>`select max(time) as "lastMessageTime", 'rule' as kind,
      cause_id as id, rule_kind, count(*) as "messageCount", ${NOT_COUNTED} from delivery
    where account_id = ${page.accountId} and rule_kind is not null and cause_id is not null and ${ofChannel(page)}
    and id > ${lastCleared(page.accountId, sql`0`)}
    and ${page.rule === undefined ? sql`1 = 1` : sql`rule_kind = ${page.rule.kind} and cause_id = ${page.rule.id}`}
    group by rule_kind, cause_id`);
}

/** Counts the messages that neither a task nor a rule sent. `rules`: all sends of rules. */
async function countSingle(
  db: Db,
  page: OutboxSendsQuery,
  rules: readonly OutboxSendSummary[],
): Promise<number> {
  const query = sql<{ readonly count: number }>`select count(*) as count from delivery
    where account_id = ${page.accountId} and id > ${lastCleared(page.accountId, sql`0`)} and ${ofChannel(page)}`;
  return rules.reduce((left, { messageCount }) => left - messageCount, await countBy(db, query));
}

async function deliveriesIn(db: Db, page: OutboxSendsQuery): Promise<readonly OutboxSendSummary[]> {
  const { accountId, before, limit } = page;
  const place =
    before === undefined
      ? sql`1 = 1`
      : sql`(time < ${before.last} or (time = ${before.last} and id < ${before.order}))`;
  return db.all(sql<OutboxSendSummary>`
    select time as "lastMessageTime", 'delivery' as kind, id, null as rule_kind, 1 as "messageCount", ${NOT_COUNTED} from delivery
    where account_id = ${accountId} and rule_kind is null and id > ${lastCleared(accountId, sql`0`)} and ${ofChannel(page)} and ${place}
    order by time desc, id desc limit ${limit}`);
}
