/** Reads the outbox by send: one row for everything that a task or a rule has delivered, and one for each other message. */
import { RULE_KINDS, type RuleKind } from '../../resources/rule-kinds.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';

/** A send in the outbox: all messages that one task or one rule has delivered, or one single message. */
export interface OutboxSendSummary {
  /** Time of the send's latest message, in Unix seconds. */
  readonly lastMessageTime: number;
  readonly kind: OutboxSendKind;
  /** Id of the task, the rule or the delivery. */
  readonly id: number;
  readonly rule_kind: RuleKind | null;
  readonly messageCount: number;
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
  readonly before?: OutboxSendPosition | undefined;
  readonly limit: number;
  /** Current time in Unix seconds. For a task that is still being sent, this counts as the time of the latest message. */
  readonly now: number;
}

interface OutboxSendsPage {
  /** The sends that the page shows, newest first. One send is all messages of a task, all messages of a rule, or one other message. */
  readonly sends: readonly OutboxSendSummary[];
  /** Number of messages in the whole outbox. */
  readonly total: number;
}

export async function listOutboxSends(db: Db, page: OutboxSendsQuery): Promise<OutboxSendsPage> {
  const { limit, before } = page;
  const rules = await rulesIn(db, page);
  const single = await countSingle(db, page, rules);
  const found = [
    ...(await tasksIn(db, page)),
    ...rules.filter((send) => before === undefined || compare(send, before) < 0),
    ...(single === 0 ? [] : await deliveriesIn(db, page)),
  ];
  const ofRules = rules.reduce((sum, { messageCount }) => sum + messageCount, 0);
  return {
    sends: found.sort((a, b) => compare(b, positionOfOutboxSend(a))).slice(0, limit),
    total: (await countOfTasks(db, page)) + ofRules + single,
  };
}

/** Factor for the kind of a send in the result of `orderOf`. Ids are below 10 to the power of 13, so its parts do not overlap. */
const SEND_KIND_FACTOR = 10 ** 14;

const RULE_KIND_FACTOR = 10 ** 13;

export const positionOfOutboxSend = (send: OutboxSendSummary): OutboxSendPosition => ({
  last: send.lastMessageTime,
  order: orderOf(send),
});

const orderOf = ({
  kind,
  rule_kind,
  id,
}: Omit<OutboxSendSummary, 'lastMessageTime' | 'messageCount'>): number =>
  SEND_KINDS.indexOf(kind) * SEND_KIND_FACTOR +
  (rule_kind === null ? 0 : RULE_KINDS.indexOf(rule_kind)) * RULE_KIND_FACTOR +
  id;

const compare = (send: OutboxSendSummary, place: OutboxSendPosition): number =>
  send.lastMessageTime - place.last || orderOf(send) - place.order;

const ofChannel = ({ channel }: OutboxSendsQuery) =>
  channel === undefined ? sql`1 = 1` : sql`channel = ${channel}`;

const STARTED = sql`started = 1 and sent > 0`;

async function tasksIn(db: Db, page: OutboxSendsQuery): Promise<readonly OutboxSendSummary[]> {
  const { accountId, before, limit, now } = page;
  const last = sql`coalesce(endtime, ${now})`;
  const place =
    before === undefined
      ? sql`1 = 1`
      : sql`(${last} < ${before.last} or (${last} = ${before.last} and id + ${SEND_KINDS.indexOf('task') * SEND_KIND_FACTOR} < ${before.order}))`;
  const rows = await db.all(sql<{ readonly last: number; readonly id: number; readonly sent: number }>`
    select ${last} as last, id, sent from task
    where account_id = ${accountId} and ${STARTED} and ${ofChannel(page)} and ${place}
    order by 1 desc, id desc limit ${limit}`);
  return rows.map(({ last, id, sent }) => ({
    lastMessageTime: last,
    kind: 'task',
    id,
    rule_kind: null,
    messageCount: sent,
  }));
}

async function countOfTasks(db: Db, page: OutboxSendsQuery): Promise<number> {
  const found = await db.first(sql<{ readonly sent: number }>`select coalesce(sum(sent), 0) as sent from task
    where account_id = ${page.accountId} and ${STARTED} and ${ofChannel(page)}`);
  return Number(found?.sent ?? 0);
}

async function rulesIn(db: Db, page: OutboxSendsQuery): Promise<readonly OutboxSendSummary[]> {
  const rows = await db.all(sql<{
    readonly rule_kind: RuleKind;
    readonly id: number;
    readonly messages: number;
    readonly last: number;
  }>`select rule_kind, cause_id as id, count(*) as messages, max(time) as last from delivery
    where account_id = ${page.accountId} and rule_kind is not null and cause_id is not null and ${ofChannel(page)}
    group by rule_kind, cause_id`);
  return rows.map(({ last, id, rule_kind, messages }) => ({
    lastMessageTime: last,
    kind: 'rule',
    id,
    rule_kind,
    messageCount: Number(messages),
  }));
}

/** Counts the messages that neither a task nor a rule sent. `rules`: all sends of rules. */
async function countSingle(
  db: Db,
  page: OutboxSendsQuery,
  rules: readonly OutboxSendSummary[],
): Promise<number> {
  const all = await db.first(sql<{ readonly count: number }>`select count(*) as count from delivery
    where account_id = ${page.accountId} and ${ofChannel(page)}`);
  return rules.reduce((left, { messageCount }) => left - messageCount, Number(all?.count ?? 0));
}

async function deliveriesIn(db: Db, page: OutboxSendsQuery): Promise<readonly OutboxSendSummary[]> {
  const { accountId, before, limit } = page;
  const place =
    before === undefined
      ? sql`1 = 1`
      : sql`(time < ${before.last} or (time = ${before.last} and id < ${before.order}))`;
  const rows = await db.all(sql<{ readonly last: number; readonly id: number }>`
    select time as last, id from delivery
    where account_id = ${accountId} and rule_kind is null and ${ofChannel(page)} and ${place}
    order by time desc, id desc limit ${limit}`);
  return rows.map(({ last, id }) => ({
    lastMessageTime: last,
    kind: 'delivery',
    id,
    rule_kind: null,
    messageCount: 1,
  }));
}
