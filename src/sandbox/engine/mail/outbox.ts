/** The outbox: every message delivered, rendered when it is looked at. */
import { type ContentWords, NEUTRAL_WORDS } from '../../../schema/resource.ts';
import type { Lookup } from '../../../text/dynamic-content.ts';
import { accountById } from '../../store/identity.ts';
import { messageById } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { deliveredAfter, deliveredAt, profileOf } from '../../store/outbox.ts';
import type { Delivered, OutboxFilter, Position } from '../../store/outbox-entry.ts';
import { subscriberById } from '../../store/subscribers.ts';
import type { Row } from '../../store/tables.ts';
import { renderEmail, renderText, SUBINFO } from './render.ts';

export interface OutboxEntry {
  /** `t<task>-<subscriber>` or `d<delivery>`: for `showDelivery`, and in tracking links. */
  readonly id: string;
  /** Unix seconds. */
  readonly time: number;
  readonly channel: 'email' | 'sms' | 'notification';
  readonly to: string;
  readonly from: string;
  /** Null of an SMS. */
  readonly subject: string | null;
  /** Of an SMS or a notification the text; null of an e-mail, which `showDelivery` renders. */
  readonly text: string | null;
  /** `failed` and `pending` are those of a call to a URL alone. */
  readonly state: 'delivered' | 'bounced' | 'failed' | 'pending';
  readonly cause: {
    readonly kind: 'task' | 'sms' | 'rule' | 'opt-in';
    readonly id: number | null;
    /** `click`, `open`, `subscription`, `date` or `sms` of a rule. */
    readonly rule_kind: string | null;
  };
}

export interface ShownDelivery extends OutboxEntry {
  readonly reply_to: string | null;
  readonly html: string | null;
  /** Ids of what was sent, and to whom: null of a single SMS, a notice, and a subscriber who is gone. */
  readonly message: number | null;
  readonly subscriber: number | null;
}

export interface OutboxPage {
  readonly accountId: number;
  /** The id of an entry: those that follow it. Left out: the newest. Empty: from the first on. */
  readonly after?: string | undefined;
  /** Without `after`, the id of an entry: those right before it. */
  readonly before?: string | undefined;
  readonly limit: number;
  readonly filter?: OutboxFilter;
}

/** Entries of the account, newest last. An `after` or `before` that is no entry gives none. */
export async function listOutbox(db: Db, page: OutboxPage): Promise<OutboxEntry[]> {
  const { accountId, after, before, limit, filter } = page;
  const place = after ?? before;
  const from = place === undefined ? undefined : await timedPosition(db, accountId, place);
  if (place !== undefined && !from) return [];
  const side = after === undefined ? { before: from } : { after: from };
  const rows = await deliveredAfter(db, accountId, { limit, ...side, ...(filter ? { filter } : {}) });
  const entries: OutboxEntry[] = [];
  for (const row of rows) {
    const { reply_to: _, html: __, text, ...entry } = await shown(db, accountId, row);
    entries.push({ ...entry, text: row.channel === 'email' ? null : text });
  }
  return entries;
}

/** One delivery in full; undefined where there is none. */
export async function showDelivery(
  db: Db,
  accountId: number,
  id: string,
  options: { readonly trackingBase: string; readonly words?: ContentWords },
): Promise<ShownDelivery | undefined> {
  const position = readId(id);
  const row = position && (await deliveredAt(db, accountId, position));
  if (!row) return undefined;
  const { message_id: message, subscriber_id: subscriber } = row;
  return { ...(await shown(db, accountId, row, options)), message, subscriber };
}

async function shown(
  db: Db,
  accountId: number,
  row: Delivered,
  options?: { readonly trackingBase: string; readonly words?: ContentWords },
): Promise<Omit<ShownDelivery, 'message' | 'subscriber'>> {
  const entry = {
    id: idOf(row),
    time: row.time,
    channel: row.channel as OutboxEntry['channel'],
    to: row.recipient,
    state: stateOf(row),
    cause: { kind: row.cause as OutboxEntry['cause']['kind'], id: row.cause_id, rule_kind: row.rule_kind },
  };
  const message =
    row.message_id === null || row.channel === 'notification' || isKept(row)
      ? undefined
      : await messageById(db, row.channel === 'email' ? 'email' : 'sms', accountId, row.message_id);
  if (!message) {
    const { sender, subject, body } = row;
    return { ...entry, from: sender ?? '', subject, text: body ?? '', reply_to: null, html: null };
  }
  if ('message' in message) {
    const text = message.message + (message.subinfo === 1 ? SUBINFO : '');
    return { ...entry, from: message.fromname, subject: null, text, reply_to: null, html: null };
  }
  return { ...entry, ...(await email(db, row, message, options)) };
}

/** Of a call to a URL the notifier writes under the entry what came of it (src/sandbox/http/notifier.ts). */
function stateOf({ bounced, channel, body }: Delivered): OutboxEntry['state'] {
  if (bounced !== null) return 'bounced';
  const [, outcome] = (channel === 'notification' && /^GET \S+(?:\n(.*))?$/.exec(body ?? '')) || [];
  if (channel !== 'notification' || !body?.startsWith('GET http')) return 'delivered';
  if (outcome === undefined) return 'pending';
  return /^2[0-9]{2}$/.test(outcome) ? 'delivered' : 'failed';
}

/** An SMS message can be edited after a rule has sent it; what was sent stands in its own row. */
const isKept = (row: Delivered): boolean => row.channel === 'sms' && row.body !== null;

async function email(
  db: Db,
  row: Delivered,
  message: Row<'email_message'>,
  options: { readonly trackingBase: string; readonly words?: ContentWords } | undefined,
) {
  const head = {
    from: `${message.fromname} <${message.fromemail ?? message.replyemail}>`,
    reply_to: message.replyemail,
  };
  const lookup = await lookupOf(db, message.account_id, row);
  if (!options) return { ...head, subject: renderText(message.subject, lookup), text: null, html: null };
  const account = await accountById(db, message.account_id);
  const parts = renderEmail(message, {
    lookup,
    recipient: idOf(row),
    trackingBase: options.trackingBase,
    words: options.words ?? NEUTRAL_WORDS,
    friendLink: message.friendlink === 1,
    company: [account?.name, account?.address].filter((part) => part).join(', '),
  });
  return { ...head, ...parts };
}

/** What personalisation says of the recipient: the address it was sent to, the rest as it is now. */
async function lookupOf(db: Db, accountId: number, row: Delivered): Promise<Lookup> {
  const id = row.subscriber_id;
  const profile = id === null ? new Map<string, string>() : await profileOf(db, id);
  const subscriber = id === null ? undefined : await subscriberById(db, accountId, id);
  return (name) => {
    if (name === 'email') return row.channel === 'email' ? row.recipient : (subscriber?.email ?? undefined);
    if (name === 'msisdn') return subscriber?.msisdn ?? undefined;
    return profile.get(name.slice('field.'.length));
  };
}

const idOf = ({ rank, a, b }: Position): string => (rank === 0 ? `t${a}-${b}` : `d${a}`);

function readId(id: string): Position | undefined {
  const match = /^(?:t([0-9]{1,15})-([0-9]{1,15})|d([0-9]{1,15}))$/.exec(id);
  if (!match) return undefined;
  const [, task, subscriber, delivery] = match;
  return delivery === undefined
    ? { rank: 0, a: Number(task), b: Number(subscriber) }
    : { rank: 1, a: Number(delivery), b: 0 };
}

async function timedPosition(db: Db, accountId: number, id: string) {
  if (id === '') return { time: 0, rank: 0, a: 0, b: 0 } as const;
  const position = readId(id);
  const row = position && (await deliveredAt(db, accountId, position));
  return row && position ? { ...position, time: row.time } : undefined;
}
