/** Reads everything that happened to one person: received messages, reactions, SMS that they wrote, and what rules did. */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

/** The subscribers and addresses of one person. A person who unsubscribes and comes back has another subscriber with the same address. */
export interface Person {
  readonly ids: readonly number[];
  /** E-mail addresses in lower case, and phone numbers. */
  readonly addresses: readonly string[];
}

/** Returns the person with this subscriber, which may be deleted. */
export async function findPersonById(db: Db, accountId: number, id: number): Promise<Person> {
  const query = sql<{ readonly address: string | null }>`
    select email as address from subscriber where account_id = ${accountId} and id = ${id}
    union select msisdn from subscriber where account_id = ${accountId} and id = ${id}
    union select r.address from task_recipient r join task k on k.id = r.task_id
      where r.subscriber_id = ${id} and k.account_id = ${accountId}`;
  const addresses = (await db.all(query)).flatMap(({ address }) => (address === null ? [] : [address]));
  return withFormerSubscribers(db, accountId, { ids: [id], addresses });
}

/** Returns the person with this e-mail address or phone number, who needs not be a subscriber. */
export async function findPersonByAddress(db: Db, accountId: number, address: string): Promise<Person> {
  const text = address.toLowerCase();
  const query = sql<{ readonly id: number }>`
    select id from subscriber where account_id = ${accountId} and email = ${text}
    union all select id from subscriber where account_id = ${accountId} and msisdn = ${text} limit 1`;
  const id = (await db.first(query))?.id;
  return id === undefined
    ? withFormerSubscribers(db, accountId, { ids: [], addresses: [text] })
    : findPersonById(db, accountId, id);
}

async function withFormerSubscribers(db: Db, accountId: number, { ids, addresses }: Person): Promise<Person> {
  const all = new Set(ids);
  for (const address of addresses) {
    const query = sql<{ readonly id: number }>`select subscriber_id as id from former_recipient
      where account_id = ${accountId} and address = ${address}`;
    for (const { id } of await db.all(query)) all.add(id);
  }
  return { ids: [...all], addresses };
}

/** Kinds of events of a person. Events at the same second are in this order. */
const PERSON_EVENTS = [
  ...(['wrote', 'sent', 'bounced', 'opened', 'clicked', 'unsubscribed', 'complained'] as const),
  ...(['acted', 'delivered'] as const),
];

type PersonEventKind = (typeof PERSON_EVENTS)[number];

/** Position of an event: its time, the place of its kind in `PERSON_EVENTS`, and two ids. */
export interface PersonEventPosition {
  readonly time: number;
  readonly rank: number;
  readonly a: number;
  readonly b: number;
}

/** An event. For an event of a task's message, `a` is the task and `b` the subscriber. For any other event, `a` is the id of its row. */
export interface PersonEvent extends PersonEventPosition {
  readonly kind: PersonEventKind;
  /** The subscriber who got the task's message. Null for other events. */
  readonly subscriber: number | null;
  /** Link that was clicked. */
  readonly link: number | null;
  /** Name or target of the link, text of the SMS, or target of the action. */
  readonly title: string | null;
  readonly address: string | null;
  readonly rule_kind: RuleKind | null;
  readonly rule_id: number | null;
  /** Action of a rule on a list. Null if the rule skipped the action, for the reason `why`. */
  readonly action: string | null;
  readonly why: string | null;
}

interface PersonEventsPage {
  readonly before?: PersonEventPosition | undefined;
  readonly limit: number;
}

/** Returns the latest events of the person before a position, newest first. */
export async function listPersonEvents(
  db: Db,
  accountId: number,
  person: Person,
  page: PersonEventsPage,
): Promise<PersonEvent[]> {
  const found = [...(await taskEvents(db, accountId, person))];
  for (const id of person.ids) found.push(...(await actions(db, accountId, id, page)));
  for (const address of person.addresses) {
    found.push(...(await deliveries(db, accountId, address, page)));
    found.push(...(await inboundSms(db, accountId, address, page)));
  }
  const { before, limit } = page;
  return found
    .filter((event) => before === undefined || compare(event, before) < 0)
    .sort((x, y) => compare(y, x))
    .slice(0, limit);
}

const compare = (x: PersonEventPosition, y: PersonEventPosition): number =>
  x.time - y.time || x.rank - y.rank || x.a - y.a || x.b - y.b;

const withRank = (kind: PersonEventKind) => ({ kind, rank: PERSON_EVENTS.indexOf(kind) });

const NOTHING = {
  ...{ subscriber: null, link: null, title: null, address: null, rule_kind: null, rule_id: null },
  ...{ action: null, why: null },
};

const REACTIONS = ['opened', 'unsubscribed', 'complained', 'bounced'] as const;

/** Reads all rows of the person, one for each task, because a task's recipients have no index by time. */
async function taskEvents(
  db: Db,
  accountId: number,
  { ids, addresses }: Person,
): Promise<readonly PersonEvent[]> {
  if (ids.length === 0) return [];
  const own = sql`task k where k.id = r.task_id and r.subscriber_id in (${sql.join(ids)}) and k.account_id = ${accountId}`;
  const rows = await db.all(sql<Row<'task_recipient'>>`select r.* from task_recipient r cross join ${own}`);
  const clicks =
    await db.all(sql<ClickedLinkOfTask>`select c.task_id, c.subscriber_id, c.link_id, c.time, l.name, l.target
    from task_recipient r cross join task k
    cross join task_click c left join email_message_link l on l.id = c.link_id
    where k.id = r.task_id and r.subscriber_id in (${sql.join(ids)}) and k.account_id = ${accountId}
    and r.clicked is not null and c.task_id = r.task_id and c.subscriber_id = r.subscriber_id`);
  // Earlier versions of svc did not record the links of a click.
  const withLinks = new Set(clicks.map(keyOf));
  return [
    ...rows.filter(({ address }) => addresses.includes(address)).flatMap((row) => eventsIn(row, withLinks)),
    ...clicks.map(({ task_id: a, subscriber_id: subscriber, link_id: link, time, name, target }) => ({
      ...{ ...NOTHING, time, a, b: link, subscriber, link, title: name || target },
      ...withRank('clicked'),
    })),
  ];
}

type ClickedLinkOfTask = Row<'task_click'> & { readonly name: string | null; readonly target: string | null };

type OfTask = Pick<Row<'task_click'>, 'task_id' | 'subscriber_id'>;

const keyOf = ({ task_id, subscriber_id }: OfTask): string => `${task_id} ${subscriber_id}`;

function eventsIn(row: Row<'task_recipient'>, withLinks: ReadonlySet<string>): readonly PersonEvent[] {
  const { task_id: a, subscriber_id: b } = row;
  const common = { ...NOTHING, a, b, subscriber: b, address: row.address };
  const times = [
    ['sent', row.senttime],
    ['clicked', withLinks.has(keyOf(row)) ? null : row.clicked],
    ...REACTIONS.map((kind) => [kind, row[kind]] as const),
  ] as const;
  return times.flatMap(([kind, time]) => (time === null ? [] : [{ ...common, time, ...withRank(kind) }]));
}

async function deliveries(
  db: Db,
  accountId: number,
  address: string,
  { before, limit }: PersonEventsPage,
): Promise<readonly PersonEvent[]> {
  const rows = await db.all(sql<
    Pick<PersonEvent, 'time' | 'a' | 'address' | 'rule_kind' | 'rule_id'>
  >`select d.time, d.id as a, d.recipient as address, d.rule_kind,
      case when d.rule_kind is null then null else d.cause_id end as rule_id
    from delivery d where d.account_id = ${accountId} and lower(d.recipient) = ${address}
    and ${earlierThan(before, 'delivered', sql`d.time`, sql`d.id`)}
    order by d.time desc, d.id desc limit ${limit}`);
  return rows.map((row) => ({ ...NOTHING, ...row, b: 0, ...withRank('delivered') }));
}

async function actions(
  db: Db,
  accountId: number,
  subscriberId: number,
  { before, limit }: PersonEventsPage,
): Promise<readonly PersonEvent[]> {
  const rows = await db.all(sql<
    Pick<PersonEvent, 'time' | 'a' | 'rule_kind' | 'rule_id' | 'action' | 'title' | 'why'>
  >`select time, id as a, rule_kind, rule_id, action, target as title, why
    from rule_action where account_id = ${accountId} and subscriber_id = ${subscriberId}
    and ${earlierThan(before, 'acted', sql`time`, sql`id`)}
    order by time desc, id desc limit ${limit}`);
  return rows.map((row) => ({ ...NOTHING, ...row, b: 0, ...withRank('acted') }));
}

async function inboundSms(
  db: Db,
  accountId: number,
  sender: string,
  { before, limit }: PersonEventsPage,
): Promise<readonly PersonEvent[]> {
  const rows = await db.all(sql<Pick<PersonEvent, 'time' | 'a' | 'title' | 'address'>>`
    select time, id as a, text as title, destination as address
    from inbound_sms where account_id = ${accountId} and sender = ${sender}
    and ${earlierThan(before, 'wrote', sql`time`, sql`id`)}
    order by time desc, id desc limit ${limit}`);
  return rows.map((row) => ({ ...NOTHING, ...row, b: 0, ...withRank('wrote') }));
}

/** Returns the condition that events of this kind come before a position. Their `b` is 0. */
function earlierThan(before: PersonEventPosition | undefined, kind: PersonEventKind, time: Sql, a: Sql): Sql {
  if (before === undefined) return sql`1 = 1`;
  const { rank } = withRank(kind);
  if (rank < before.rank) return sql`${time} <= ${before.time}`;
  if (rank > before.rank) return sql`${time} < ${before.time}`;
  return sql`(${time}, ${a}) < (${before.time}, ${before.a})`;
}
