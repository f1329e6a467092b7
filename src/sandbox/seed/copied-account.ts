/** A copy of a real account without personal data (contract, "Rehearse"), and the sandbox made from it. Every record keeps its id. */

import type { RecordOf } from '../../kit/schema/resource.ts';
import type { AccountRecord } from '../../service/resources/account.ts';
import type { AccountFeaturesRecord } from '../../service/resources/account-features.ts';
import type { EmailMessageRecord } from '../../service/resources/email-message.ts';
import type { EmailMessageLinkRecord } from '../../service/resources/email-message-link.ts';
import type { FolderRecord } from '../../service/resources/folder.ts';
import { RULE_KINDS, type RuleKind, type RuleRecord } from '../../service/resources/rule-kinds.ts';
import type { smsDestination } from '../../service/resources/sms-destination.ts';
import type { smsMessage } from '../../service/resources/sms-message.ts';
import type { Channel, TaskRecord } from '../../service/resources/task.ts';
import type { UserRecord } from '../../service/resources/user.ts';
import { trackLinks } from '../engine/mail/links.ts';
import { linksOf } from '../store/messages.ts';
import type { Db } from '../store/open.ts';
import { insertRow, insertRows, type SqlRow, type SqlValue, updateRow } from '../store/rows.ts';
import type { TableColumn } from '../store/schema/table.ts';
import { type Tables, tables } from '../store/schema/tables.ts';

/** A list or a saved search, with the numbers of people that the sandbox creates for it. */
export interface CopiedAudienceSize {
  readonly id: number;
  /** People with an e-mail address. */
  readonly email: number;
  /** People with a mobile number. The first people of both have an address and a number. */
  readonly sms: number;
}

/** Copy of an account. Its records have the interface's attributes. Personal data are invented or omitted. */
export interface AccountCopy {
  /** The service's time when the account was read, in Unix seconds. */
  readonly at: number;
  /** Id of the user who read the account. Requests to the copy are made as this user. */
  readonly userId: number;
  readonly account: Partial<AccountRecord>;
  /** Null if the user may not read them. */
  readonly features: Partial<AccountFeaturesRecord> | null;
  readonly users: readonly Partial<UserRecord>[];
  readonly folders: readonly FolderRecord[];
  readonly destinations: readonly RecordOf<typeof smsDestination>[];
  readonly emails: readonly EmailMessageRecord[];
  readonly links: readonly EmailMessageLinkRecord[];
  readonly smsMessages: readonly RecordOf<typeof smsMessage>[];
  readonly tasks: readonly TaskRecord[];
  readonly rules: { readonly [K in RuleKind]: readonly RuleRecord<K>[] };
  readonly lists: readonly CopiedAudienceSize[];
  readonly searches: readonly CopiedAudienceSize[];
}

type Table = keyof Tables;

interface AccountCopySeedingOptions {
  readonly db: Db;
  readonly random: (octets: number) => Uint8Array;
}

/** Creates the company, its records, and invented subscribers. Throws `RangeError` if an id is too large for the sandbox. */
export async function seedAccountCopy(options: AccountCopySeedingOptions, copy: AccountCopy): Promise<void> {
  await seedCompany(options, copy);
  const { db } = options;
  const account_id = idOf(copy.account);
  const insert = async <R extends object>(
    table: Table,
    records: readonly R[],
    more: (record: R) => SqlRow = () => ({}),
  ): Promise<void> =>
    insertRows(
      db,
      table,
      records.map((record) => ({ ...rowOf(table, record), account_id, ...more(record) })),
    );
  await insert('folder', copy.folders);
  await insert('sms_destination', copy.destinations);
  await seedAudiences(db, account_id, copy);
  const author = () => ({ user_id: copy.userId });
  await insert('sms_message', copy.smsMessages, author);
  await insert('sms_message', missingMessages(copy, 'sms'), author);
  await insert('email_message', copy.emails, author);
  await insert('email_message', missingMessages(copy, 'email'), author);
  await seedLinks(db, account_id, copy);
  const senders = new Set(copy.emails.flatMap(({ fromemail }) => fromemail ?? []));
  await insert(
    'sender_address',
    [...senders].map((email) => ({ email })),
  );
  await insert('task', copy.tasks, (record) => ({ ...author(), ...progressOf(record) }));
  for (const kind of RULE_KINDS) await insert<object>(`${kind}_automation`, copy.rules[kind]);
}

async function seedCompany({ db, random }: AccountCopySeedingOptions, copy: AccountCopy): Promise<void> {
  const key = (octets: number): string => Buffer.from(random(octets)).toString('hex');
  const { timezone, id } = copy.account;
  const partner_id = await insertRow(db, 'partner', {
    name: 'Partner',
    api_key: key(20),
    timezone: String(timezone),
  });
  await insertRow(db, 'account', {
    enablecustommaildomain: copy.account.custommaildomain ? 1 : 0,
    ...rowOf('account', copy.features ?? {}),
    ...rowOf('account', copy.account),
    ...{ partner_id, api_key: key(16), contactemail: `office@company-${String(id)}.example` },
  });
  const known = new Set(copy.users.map(idOf));
  const rules = Object.values(copy.rules).flat();
  const named = new Set([copy.userId, ...rules.map(({ user_id }) => Number(user_id))]);
  const unknown = [...named].filter((each) => !known.has(each));
  const hasAdmin = copy.users.some(({ isadmin }) => isadmin);
  const { at: cdate, userId } = copy;
  const users: AccountCopy['users'] = [
    ...copy.users,
    ...unknown.map((each) => ({
      id: each,
      isadmin: !hasAdmin && each === userId,
      timezone: timezone ?? 'UTC',
      cdate,
      mdate: cdate,
    })),
  ];
  for (const each of users) await insertRow(db, 'user', { ...rowOf('user', each), ...personOf(each, id) });
}

const personOf = ({ id }: Partial<UserRecord>, account: unknown) => ({
  account_id: Number(account),
  username: `user-${String(id)}`,
  firstname: 'User',
  lastname: String(id),
  email: `user-${String(id)}@example.com`,
});

function progressOf({ cancelled, completed, scheduledtime, size }: TaskRecord): SqlRow {
  if (cancelled) return { due: null, started: 0, sent: 0 };
  if (completed) return { due: null, started: 1, sent: size };
  return { due: scheduledtime, started: 0, sent: 0 };
}

/** Returns placeholders for deleted messages that tasks or rules use, and that the service no longer lists. */
function missingMessages(copy: AccountCopy, channel: Channel): readonly object[] {
  const known = new Set((channel === 'email' ? copy.emails : copy.smsMessages).map(idOf));
  return [...missingIds(copy, channel, known)].map((id) => {
    const shared = {
      id,
      name: `Deleted message ${id}`,
      fromname: 'Deleted',
      used: true,
      editable: 0,
      deleted: 1,
    };
    const times = { cdate: copy.at, mdate: copy.at };
    if (channel === 'sms') return { ...shared, ...times, message: 'Deleted message', subinfo: false };
    const texts = { subject: 'Deleted message', text: 'Deleted message', html: '<p>Deleted message</p>' };
    return { ...shared, ...times, ...texts, replyemail: 'deleted@example.com', editor: 1 };
  });
}

function missingIds(copy: AccountCopy, channel: Channel, known: ReadonlySet<number>): Set<number> {
  const timed = [...copy.rules.click, ...copy.rules.open, ...copy.rules.subscription, ...copy.rules.date];
  const answers = timed.flatMap(({ actiontype, actiontarget }) =>
    actiontype === `${channel}_autoresponder` ? [Number(actiontarget)] : [],
  );
  const own =
    channel === 'sms'
      ? copy.rules.sms.map((rule) => rule.message_id)
      : [...copy.links, ...copy.rules.click, ...copy.rules.open].map((each) => each.message_id);
  const sent = copy.tasks.flatMap((each) => (each.channel === channel ? [each.message_id] : []));
  const used = [...answers, ...own, ...sent].flatMap((id) => (typeof id === 'number' ? [id] : []));
  return new Set(used.filter((id) => !known.has(id)));
}

/** Creates the links with their original ids, and replaces their addresses in the copied messages with tracking URIs. */
async function seedLinks(db: Db, account_id: number, copy: AccountCopy): Promise<void> {
  const rowFor = (link: EmailMessageLinkRecord) => ({ ...rowOf('email_message_link', link), account_id });
  await insertRows(db, 'email_message_link', copy.links.map(rowFor));
  const byMessage = new Map<number, EmailMessageLinkRecord[]>();
  for (const link of copy.links) {
    const id = idOf({ id: link.message_id });
    const own = byMessage.get(id);
    if (own) own.push(link);
    else byMessage.set(id, [link]);
  }
  for (const email of copy.emails) {
    const messageId = idOf(email);
    const own = byMessage.get(messageId) ?? [];
    if (own.length === 0) continue;
    const options = { accountId: account_id, messageId, now: copy.at, trackingBaseUrl: '' };
    const trackText = own.some(({ type }) => type === 'text');
    await updateRow(db, 'email_message', messageId, {
      ...(await trackLinks(db, options, email, { trackText })),
    });
    // A rule may still watch a link that the text no longer has.
    const kept = new Set((await linksOf(db, messageId)).map(({ id }) => id));
    await insertRows(db, 'email_message_link', own.filter((link) => !kept.has(idOf(link))).map(rowFor));
  }
}

/** Returns the highest id of the invented subscribers of each audience (a list or a search), ascending. */
export function lastSubscriberIdPerAudience({ lists, searches }: AccountCopy): readonly number[] {
  let last = 0;
  return [...lists, ...searches].map(({ email, sms }) => {
    last += Math.max(email, sms);
    return last;
  });
}

/** Number of people that are created at once, so that a large list needs little memory. */
const PEOPLE_AT_ONCE = 20_000;

/** Creates the lists, the searches and their people, each in exactly one of them. */
async function seedAudiences(
  db: Db,
  account_id: number,
  { at: cdate, lists, searches }: AccountCopy,
): Promise<void> {
  let made = 0;
  const people = async (
    domain: string,
    { email, sms }: CopiedAudienceSize,
    more: (subscribers: readonly number[]) => Promise<void>,
  ): Promise<void> => {
    const size = Math.max(email, sms);
    for (let from = 0; from < size; from += PEOPLE_AT_ONCE) {
      const indexes = Array.from(
        { length: Math.min(PEOPLE_AT_ONCE, size - from) },
        (_, index) => from + index,
      );
      const rows = indexes.map((index) => {
        made += 1;
        return {
          ...{ id: made, account_id, cdate },
          email: index < email ? `person-${made}@${domain}` : null,
          email_domain: index < email ? domain : null,
          msisdn: index < sms ? numberOf(made) : null,
        };
      });
      await insertRows(db, 'subscriber', rows);
      await more(rows.map((row) => row.id));
    }
  };
  for (const list of lists) {
    await insertRow(db, 'list', { id: list.id, account_id, name: `List ${list.id}`, cdate });
    await people(`list-${list.id}.example`, list, (subscribers) =>
      insertRows(
        db,
        'subscription',
        subscribers.map((subscriber_id) => ({ list_id: list.id, subscriber_id, cdate })),
      ),
    );
  }
  if (searches.length === 0) return;
  const field_id = await insertRow(db, 'profile_field', { account_id, name: 'Saved search' });
  for (const search of searches) {
    const equals = String(search.id);
    await insertRow(db, 'search', {
      id: search.id,
      account_id,
      name: `Search ${search.id}`,
      field_id,
      equals,
      cdate,
    });
    await people(`search-${search.id}.example`, search, (subscribers) =>
      insertRows(
        db,
        'profile_data',
        subscribers.map((subscriber_id) => ({ field_id, subscriber_id, account_id, value: equals })),
      ),
    );
  }
}

/** Returns a phone number that can't be dialled, because its part after the country code begins with 0. */
const numberOf = (index: number): string => `440${String(index).padStart(9, '0')}`;

const idOf = ({ id }: { readonly id?: number | bigint }): number => Number(value(id ?? null));

/** Returns the columns of a record. A null that its column can't contain is left out, so that the column gets its default. */
function rowOf(table: Table, record: object): SqlRow {
  const columns: Readonly<Record<string, TableColumn>> = tables[table].columns;
  const values: Readonly<Record<string, unknown>> = { ...record };
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, { facts }]) => {
      const json = values[name];
      return json === undefined || (json === null && !facts.isNull) ? [] : [[name, value(json)]];
    }),
  );
}

function value(json: unknown): SqlValue {
  if (typeof json === 'boolean') return json ? 1 : 0;
  if (typeof json === 'string' || typeof json === 'number' || json === null) return json;
  throw new RangeError(`${String(json)} is too large for the sandbox`);
}
