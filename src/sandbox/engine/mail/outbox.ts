/** The outbox: every delivered message, rendered when it is viewed. */

import { type ContentMarkupNames, DEFAULT_CONTENT_MARKUP_NAMES } from '../../../kit/schema/resource.ts';
import type { ContentValueLookup } from '../../../kit/text/dynamic-content.ts';
import { visibleText } from '../../../kit/text/html-tokens.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { accountById } from '../../store/accounts.ts';
import { messageById } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { findDelivery, listDeliveries } from '../../store/outbox.ts';
import type {
  DeliveryState,
  OutboxDelivery,
  OutboxEntryKey,
  OutboxFilter,
  OutboxPosition,
} from '../../store/outbox-entry.ts';
import { readProfileValues } from '../../store/profile-data.ts';
import { findTaskRecipient, listClickedLinks, type ReactionKind } from '../../store/recipients.ts';
import { findRowOfAccount } from '../../store/rows.ts';
import type { Row } from '../../store/schema/tables.ts';
import { renderEmail, renderText, SMS_UNSUBSCRIBE_TEXT } from './render.ts';

export interface OutboxEntry {
  /** The id of the entry: `t<task>-<subscriber>` or `d<delivery>`. Tracking links contain it, and `showDelivery` accepts it. */
  readonly id: string;
  /** Time of the delivery in Unix seconds. */
  readonly time: number;
  readonly channel: Channel | 'notification';
  readonly to: string;
  readonly from: string;
  /** Subject of an e-mail. Null for an SMS. */
  readonly subject: string | null;
  /** The text of an SMS or a notification. For an e-mail, the beginning of its text if snippets are wanted, and otherwise null. */
  readonly text: string | null;
  readonly state: DeliveryState;
  readonly cause: {
    readonly kind: 'task' | 'sms' | 'rule' | 'opt-in';
    readonly id: number | null;
    /** The kind of the rule: `click`, `open`, `subscription`, `date` or `sms`. Null if no rule sent the message. */
    readonly rule_kind: string | null;
  };
}

export interface DeliveryDetails extends OutboxEntry {
  readonly reply_to: string | null;
  readonly html: string | null;
  /** Null without a stored message: a single SMS, a notice of a rule, or the sandbox's own opt-in text. */
  readonly message: number | null;
  /** Id of the subscriber who got the message. Null for a single SMS, and for a notice of a rule. */
  readonly subscriber: number | null;
  readonly events: readonly DeliveryEvent[];
}

/** Sending of a message, or a reaction of its recipient. The sandbox records reactions for messages of tasks only. */
export interface DeliveryEvent {
  /** Unix seconds: the first time of this event. */
  readonly time: number;
  readonly event: 'sent' | ReactionKind;
  /** Link that was clicked. Null for other events, and for a click that an earlier version of svc recorded. */
  readonly link: number | null;
  /** Name of the link, or else its target. */
  readonly title: string | null;
}

interface OutboxQuery {
  readonly accountId: number;
  /** Id of an entry after which the result begins; empty for the oldest. Without `after` and `before`, the result ends with the newest. */
  readonly after?: string | undefined;
  /** Id of an entry. The result has the entries right before this entry. Ignored if `after` is given. */
  readonly before?: string | undefined;
  readonly limit: number;
  readonly filter?: OutboxFilter;
  /** True if the entries of e-mails include the beginning of the e-mail's text. */
  readonly snippets?: boolean;
}

const BEGINNING: OutboxPosition = { time: 0, rank: 0, source_id: 0, recipient_id: 0 };

/** Returns entries of the account, newest last. Returns none if `after` or `before` is not the id of an entry. */
export async function listOutbox(db: Db, page: OutboxQuery): Promise<OutboxEntry[]> {
  const { accountId, after, before, limit, filter, snippets = false } = page;
  const place = after ?? before;
  const from = place ? await findDelivery(db, accountId, place) : place === '' ? BEGINNING : undefined;
  if (place !== undefined && !from) return [];
  const side = after === undefined ? { before: from } : { after: from };
  const rows = await listDeliveries(db, accountId, { limit, ...side, ...(filter ? { filter } : {}) });
  const entries: OutboxEntry[] = [];
  for (const row of rows) {
    entries.push(await entryOf(db, accountId, row, snippets));
  }
  return entries;
}

export async function findOutboxEntry(
  db: Db,
  accountId: number,
  id: string,
): Promise<OutboxEntry | undefined> {
  const row = await findDelivery(db, accountId, id);
  return row && entryOf(db, accountId, row, true);
}

async function entryOf(
  db: Db,
  accountId: number,
  row: OutboxDelivery,
  snippets: boolean,
): Promise<OutboxEntry> {
  const {
    reply_to: _,
    html: __,
    text,
    ...entry
  } = await shown(db, accountId, row, snippets ? 'snippet' : undefined);
  return { ...entry, text: row.channel === 'email' && !snippets ? null : text };
}

export async function showDelivery(
  db: Db,
  accountId: number,
  id: string,
  options: { readonly trackingBaseUrl: string; readonly words?: ContentMarkupNames },
): Promise<DeliveryDetails | undefined> {
  const row = await findDelivery(db, accountId, id);
  if (!row) return undefined;
  const { message_id: message, subscriber_id: subscriber } = row;
  const events = await eventsOf(db, row);
  return { ...(await shown(db, accountId, row, options)), message, subscriber, events };
}

const REACTIONS: readonly ReactionKind[] = ['opened', 'clicked', 'unsubscribed', 'complained', 'bounced'];

async function eventsOf(db: Db, { rank, time, source_id, recipient_id }: OutboxDelivery) {
  const nothing = { link: null, title: null };
  const sent: DeliveryEvent = { time, event: 'sent', ...nothing };
  const recipient = rank === 0 ? await findTaskRecipient(db, source_id, recipient_id) : undefined;
  if (recipient === undefined) return [sent];
  const clicks = (await listClickedLinks(db, source_id, recipient_id)).map(
    ({ time, link, name, target }): DeliveryEvent => ({
      ...{ time, event: 'clicked', link, title: name || target },
    }),
  );
  const reactions = REACTIONS.flatMap((event): readonly DeliveryEvent[] => {
    const time = recipient[event];
    if (event === 'clicked' && clicks.length > 0) return clicks;
    return time === null ? [] : [{ time, event, ...nothing }];
  });
  return [sent, ...reactions.sort((a, b) => a.time - b.time)];
}

/** A message of the company as one subscriber would get it, or somebody without data. */
export interface MessageForReader
  extends Pick<DeliveryDetails, 'from' | 'to' | 'reply_to' | 'subject' | 'html' | 'text'> {
  readonly id: number;
}

/** Returns the message, sent or not. Undefined if it does not exist. Its links lead nowhere, because it was not delivered. */
export async function showMessage(
  db: Db,
  accountId: number,
  {
    channel,
    id,
    subscriber,
  }: { readonly channel: Channel; readonly id: number; readonly subscriber?: number | undefined },
  options: { readonly trackingBaseUrl: string; readonly words?: ContentMarkupNames },
): Promise<MessageForReader | undefined> {
  const message = await messageById(db, channel, accountId, id);
  if (message === undefined || message.deleted === 1) return undefined;
  const reader =
    subscriber === undefined ? undefined : await findRowOfAccount(db, 'subscriber', accountId, subscriber);
  const to = (channel === 'email' ? reader?.email : reader?.msisdn) ?? '';
  if ('message' in message) return { id, to, reply_to: null, html: null, ...smsParts(message) };
  const delivery: RenderedDelivery = {
    ...{ rank: 1, source_id: 0, recipient_id: 0, channel, recipient: to },
    subscriber_id: reader?.id ?? null,
  };
  return { id, to, ...(await email(db, delivery, message, options)) };
}

const smsParts = ({ message, subinfo, fromname }: Row<'sms_message'>) => ({
  from: fromname,
  subject: null,
  text: message + (subinfo === 1 ? SMS_UNSUBSCRIBE_TEXT : ''),
});

/** Columns of a delivery that decide what a message contains. */
type RenderedDelivery = OutboxEntryKey & Pick<OutboxDelivery, 'channel' | 'recipient' | 'subscriber_id'>;

type Rendering = 'snippet' | { readonly trackingBaseUrl: string; readonly words?: ContentMarkupNames };

async function shown(
  db: Db,
  accountId: number,
  row: OutboxDelivery,
  options?: Rendering,
): Promise<Omit<DeliveryDetails, 'message' | 'subscriber' | 'events'>> {
  const entry = {
    id: idOf(row),
    time: row.time,
    channel: row.channel,
    to: row.recipient,
    state: stateOf(row),
    cause: { kind: row.cause, id: row.cause_id, rule_kind: row.rule_kind },
  };
  const message =
    row.message_id === null || row.channel === 'notification' || isKept(row)
      ? undefined
      : await messageById(db, row.channel === 'email' ? 'email' : 'sms', accountId, row.message_id);
  if (!message) {
    const { sender, subject, body } = row;
    return { ...entry, from: sender ?? '', subject, text: body ?? '', reply_to: null, html: null };
  }
  if ('message' in message) return { ...entry, ...smsParts(message), reply_to: null, html: null };
  return { ...entry, ...(await email(db, row, message, options)) };
}

/** Returns the state of a delivery. For a call to a URL, the notifier (src/sandbox/http/notifier.ts) appends the outcome to `body`. */
function stateOf({ bounced, channel, body }: OutboxDelivery): OutboxEntry['state'] {
  if (bounced !== null) return 'bounced';
  const [, outcome] = (channel === 'notification' && /^GET \S+(?:\n(.*))?$/.exec(body ?? '')) || [];
  if (channel !== 'notification' || !body?.startsWith('GET http')) return 'delivered';
  if (outcome === undefined) return 'pending';
  return /^2[0-9]{2}$/.test(outcome) ? 'delivered' : 'failed';
}

/** Reports whether the row stores the sent text. An SMS message can be edited after a rule has sent it, so its row stores the text. */
const isKept = (row: OutboxDelivery): boolean => row.channel === 'sms' && row.body !== null;

async function email(
  db: Db,
  row: RenderedDelivery,
  message: Row<'email_message'>,
  options: Rendering | undefined,
) {
  const head = {
    from: `${message.fromname} <${message.fromemail ?? message.replyemail}>`,
    reply_to: message.replyemail,
  };
  const lookup = await lookupOf(db, message.account_id, row);
  if (options === undefined || options === 'snippet') {
    const text = options === undefined ? null : snippetOf(message, lookup);
    return { ...head, subject: renderText(message.subject, lookup), text, html: null };
  }
  const account = await accountById(db, message.account_id);
  const parts = renderEmail(message, {
    lookup,
    recipient: idOf(row),
    trackingBaseUrl: options.trackingBaseUrl,
    words: options.words ?? DEFAULT_CONTENT_MARKUP_NAMES,
    friendLink: message.friendlink === 1,
    company: { name: account?.name ?? '', address: account?.address ?? '' },
  });
  return { ...head, ...parts };
}

const SNIPPET = 140;

/** Returns the beginning of the text on one line. If the text begins with the subject, the subject is left out. */
function snippetOf({ subject, text, html }: Row<'email_message'>, lookup: ContentValueLookup): string {
  const body = renderText(text.trim() === '' ? visibleText(html) : text, lookup);
  const line = body.replaceAll(/[\s=_*-]{3,}|\s+/g, ' ').trim();
  const own = line.startsWith(subject) ? line.slice(subject.length).trim() : line;
  return [...own].slice(0, SNIPPET).join('');
}

/** Returns a look-up of personalised values. In an e-mail, `email` is the address to which it was sent. All other values are current. */
async function lookupOf(db: Db, accountId: number, row: RenderedDelivery): Promise<ContentValueLookup> {
  const id = row.subscriber_id;
  const profile = id === null ? new Map<string, string>() : await readProfileValues(db, id);
  const subscriber = id === null ? undefined : await findRowOfAccount(db, 'subscriber', accountId, id);
  return (name) => {
    if (name === 'email') return row.channel === 'email' ? row.recipient : (subscriber?.email ?? undefined);
    if (name === 'msisdn') return subscriber?.msisdn ?? undefined;
    return profile.get(name.slice('field.'.length));
  };
}

const idOf = ({ rank, source_id, recipient_id }: OutboxEntryKey): string =>
  rank === 0 ? `t${source_id}-${recipient_id}` : `d${source_id}`;
