/** Reads a real account, so that a sandbox can copy it (contract, "Rehearse"). It sends only GET and HEAD. */

import type { Client } from '../../client/requests/client.ts';
import { ClientError } from '../../client/requests/errors.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { RecordOf, Resource } from '../../kit/schema/resource.ts';
import { readTimezone } from '../../kit/text/timezone.ts';
import type { AccountCopy } from '../../sandbox/seed/copied-account.ts';
import { account } from '../../service/resources/account.ts';
import { accountFeatures } from '../../service/resources/account-features.ts';
import { type EmailMessageRecord, emailMessage } from '../../service/resources/email-message.ts';
import { type EmailMessageLinkRecord, emailMessageLink } from '../../service/resources/email-message-link.ts';
import { folder } from '../../service/resources/folder.ts';
import { type AnyRule, RULE_DEFINITIONS, type RuleRecord } from '../../service/resources/rule-kinds.ts';
import { smsDestination } from '../../service/resources/sms-destination.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import { task } from '../../service/resources/task.ts';
import { type UserRecord, user } from '../../service/resources/user.ts';
import { restoreLinks } from '../campaign/original-links.ts';
import type { CampaignAudiences } from './campaign-audiences.ts';
import { type AudienceSize, estimateAudiences, type ListSizesById } from './estimates.ts';
import type { Sentence, SentencePart } from './rehearsal-result.ts';

/** An interrupted copy of an account continues with the records that were already read. */
export interface AccountCopyCheckpointStore {
  readonly readPart: (part: string) => Promise<readonly object[] | undefined>;
  readonly writePart: (part: string, records: readonly object[]) => Promise<void>;
}

export interface AccountReadOptions {
  readonly listSizes?: ListSizesById;
  /** If omitted, the copy is for any send, on any channel. */
  readonly campaigns?: CampaignAudiences;
  /** `svc rehearse` finds duplicate rules by addresses and URLs of notifications. Default: they are left out. */
  readonly keepsNotificationTargets?: boolean;
  readonly unfinishedCopy?: AccountCopyCheckpointStore;
  /** @param what name of the kind of record, such as `folders` */
  readonly onPart?: (what: string) => void | Promise<void>;
}

export interface AccountReadResult {
  readonly copy: AccountCopy;
  readonly lists: readonly AudienceSize[];
  /** Their size on a channel is that of the other channel; as `audienceKey` writes them. */
  readonly guessedSizes: ReadonlySet<string>;
  /** No task was sent to them; as `audienceKey` writes them. */
  readonly unknownSizes: ReadonlySet<string>;
  /** Some facts about people are unknown. */
  readonly estimated: boolean;
  readonly unknown: readonly Sentence[];
}

/** @throws ClientError if the service can't be reached, or refuses the account itself; RangeError for an id beyond 2^53 */
export async function readAccountCopy(
  client: Client,
  options: AccountReadOptions = {},
): Promise<AccountReadResult> {
  const unknown: string[] = [];
  const part = async <T extends object>(
    name: string,
    read: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> => {
    const kept = await options.unfinishedCopy?.readPart(name);
    if (kept) return kept as readonly T[];
    await options.onPart?.(name);
    const records = await read();
    await options.unfinishedCopy?.writePart(name, records);
    return records;
  };
  /** Empty if the user may not read the records. */
  const find = <R extends Resource>(resource: R): Promise<readonly RecordOf<R>[]> =>
    ifAllowed(() => client.find(resource, {}), resource.plural, unknown);
  const all = <R extends Resource>(resource: R) => part(resource.plural, () => find(resource));

  const [company = {}] = await part('the account', async () => [
    withoutContact(await client.single(account)),
  ]);
  const users = await part(user.plural, async () => (await find(user)).map(withoutPerson));
  const [features = null] = await part('features', () =>
    ifAllowed(
      async () => [withoutContact(await client.single(accountFeatures))],
      'the account features',
      unknown,
    ),
  );
  const folders = await all(folder);
  const destinations = await all(smsDestination);
  const emails = await all(emailMessage);
  const links = await all(emailMessageLink);
  const smsMessages = await all(smsMessage);
  const tasks = await all(task);
  const rulesOf = async <R extends Resource>(resource: R) => {
    const clean = (rule: RecordOf<R>) =>
      options.keepsNotificationTargets ? rule : withoutNotificationTargets(rule);
    return part(resource.plural, async () => (await find(resource)).map(clean));
  };
  const { click, open, subscription, date, sms } = RULE_DEFINITIONS;
  const rules = {
    click: await rulesOf(click.resource),
    open: await rulesOf(open.resource),
    subscription: await rulesOf(subscription.resource),
    date: await rulesOf(date.resource),
    sms: await rulesOf(sms.resource),
  };
  const [clock] = (await options.unfinishedCopy?.readPart('clock')) ?? [{ at: client.serviceTime() ?? 0 }];
  await options.unfinishedCopy?.writePart('clock', [Object(clock)]);
  const at = Number(Object(clock).at);
  const audiences = estimateAudiences(
    { tasks, rules },
    { given: options.listSizes ?? new Map(), campaigns: options.campaigns },
  );
  unknown.push(...audiences.unknown);
  const copy: AccountCopy = {
    at,
    userId: userOf(users),
    account: company,
    features,
    ...{ users, folders, destinations, links, smsMessages, tasks, rules },
    emails: withOriginalLinks(emails, links, unknown),
    lists: audiences.lists,
    searches: audiences.searches,
  };
  const more = listUnreadableAccountFacts(copy);
  return {
    copy,
    lists: audiences.sizes,
    guessedSizes: audiences.guessed,
    unknownSizes: audiences.unknownSizes,
    estimated:
      audiences.guessed.size > 0 ||
      more.some(({ makesRecipientCountsEstimates }) => makesRecipientCountsEstimates),
    unknown: [...unknown.map((each) => [each]), ...more.map(({ sentence }) => sentence)],
  };
}

/** Rules and clock changes depend on the zone. Users get it if svc does not know their own. */
export const withKnownZone = (copy: AccountCopy, zone: string): AccountCopy => ({
  ...copy,
  account: { ...copy.account, timezone: zone },
  users: copy.users.map((each) => ({ ...each, timezone: readTimezone(each.timezone) ?? zone })),
});

/** Empty if the user may not read the records. */
async function ifAllowed<T>(
  read: () => Promise<readonly T[]>,
  what: string,
  unknown: string[],
): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    const isRefusal = error instanceof ClientError && error.kind === 'refused';
    if (!isRefusal || ![401, 403, 404].includes(error.status ?? 0)) throw error;
    unknown.push(`${what}: this user has no permission to read these records`);
    return [];
  }
}

function withAttributes<T extends object>(record: T, isKept: (name: string) => boolean): Partial<T> {
  const kept: Partial<T> = { ...record };
  for (const name in kept) if (!isKept(name)) delete kept[name];
  return kept;
}

const withoutContact = <T extends object>(record: T): Partial<T> =>
  withAttributes(record, (name) => name !== 'contactemail' && name !== 'telephone');

const withoutPerson = (record: UserRecord): Partial<UserRecord> =>
  withAttributes(record, (name) => IMPERSONAL.includes(name));

const IMPERSONAL = ['id', 'active', 'currentuser', 'isadmin', 'locked', 'timezone', 'cdate', 'mdate'];

/** A URL can contain a secret, and the address and the number may belong to people. The summary often repeats them. */
function withoutNotificationTargets<T extends AnyRule>(rule: T): T {
  const address = `notify-${String(rule.id)}@example.com`;
  return {
    ...rule,
    ...(typeof rule.summary === 'string' ? { summary: withoutContacts(rule.summary, address) } : {}),
    ...(rule.actiontype === 'notify' ? { actiontarget: address } : {}),
    ...(typeof rule.notifyemail === 'string' ? { notifyemail: address } : {}),
    ...(typeof rule.notifymsisdn === 'string' ? { notifymsisdn: INVENTED_NUMBER } : {}),
    ...(typeof rule.notifyurl === 'string' ? { notifyurl: null } : {}),
  };
}

const INVENTED_NUMBER = '440000000000';

/** Numbers of fewer than six digits, such as ids, stay. */
const withoutContacts = (text: string, address: string): string =>
  text
    .replace(DIGITS, (digits) => (digits.replace(/[^0-9]/g, '').length < 6 ? digits : INVENTED_NUMBER))
    .replace(WORD, (word) => {
      if (word.includes('://')) return 'https://example.com/';
      return word.includes('@') ? address : word;
    });

const WORD = /[^\s<>()[\]"',;]+/g;
const DIGITS = /\+?[0-9][0-9 ()./-]*[0-9]/g;

/** The current user, else an admin, else the first user. */
function userOf(users: readonly Partial<UserRecord>[]): number {
  const found =
    users.find(({ currentuser }) => currentuser) ?? users.find(({ isadmin }) => isadmin) ?? users[0];
  return Number(found?.id ?? 1);
}

/** The sandbox tracks the links itself. */
function withOriginalLinks(
  emails: readonly EmailMessageRecord[],
  links: readonly EmailMessageLinkRecord[],
  unknown: string[],
): readonly EmailMessageRecord[] {
  const byMessage = new Map<unknown, EmailMessageLinkRecord[]>();
  for (const link of links) {
    const own = byMessage.get(link.message_id);
    if (own) own.push(link);
    else byMessage.set(link.message_id, [link]);
  }
  return emails.map((email) => {
    const own = byMessage.get(email.id);
    if (!own) return email;
    const html = restoreLinks(String(email.html), own, 'html');
    const text = restoreLinks(String(email.text), own, 'text');
    if (!html.isComplete || !text.isComplete)
      unknown.push(`message ${email.id}: svc cannot find the original addresses of some links`);
    return { ...email, html: html.text, text: text.text };
  });
}

interface UnreadableAccountFact {
  readonly makesRecipientCountsEstimates: boolean;
  readonly sentence: Sentence;
}

const listUnreadableAccountFacts = (copy: AccountCopy): readonly UnreadableAccountFact[] => [
  ...ofPeople(copy),
  ...ofTasks(copy),
  ...ofRules(copy),
];

function ofPeople({ account, lists, searches }: AccountCopy): readonly UnreadableAccountFact[] {
  const found: UnreadableAccountFact[] = [];
  const estimate = (sentence: string): void =>
    void found.push({ makesRecipientCountsEstimates: true, sentence: [sentence] });
  const filled = [...lists, ...searches].filter(({ email, sms }) => Math.max(email, sms) > 0);
  if (filled.length > 1)
    estimate(
      'which subscribers are on several lists or searches: the rehearsal has different subscribers on each',
    );
  const left = [
    `Do Not Contact (${countOf(account.blacklist_count)})`,
    `suspended for e-mail (${countOf(account.emailsuspended_count)})`,
    `suspended for SMS (${countOf(account.smssuspended_count)})`,
  ].filter((each) => !each.endsWith('(0)'));
  if (left.length > 0)
    estimate(`which subscribers are left out: ${left.join(', ')}; the rehearsal leaves out no one`);
  const mixed = lists.filter(({ email, sms }) => email > 0 && sms > 0 && email !== sms);
  if (mixed.length > 0)
    estimate(
      `list ${mixed.map(({ id }) => id).join(', ')}: the service does not show which subscribers have both an e-mail address and a phone number; the rehearsal assumes that as many as possible have both`,
    );
  if (found.length > 0)
    estimate('which recipients react, and when: the rehearsal chooses them at random, based on the seed');
  return found;
}

const countOf = (count: unknown): string => String(count ?? 'unknown');

/** The interface does not show which recipients tasks in progress have reached. */
const ofTasks = ({ tasks, at }: AccountCopy): readonly UnreadableAccountFact[] =>
  tasks
    .filter((task) => !task.cancelled && !task.completed)
    .filter(({ scheduledtime }) => scheduledtime <= at)
    .map(({ id }) => ({
      makesRecipientCountsEstimates: true,
      sentence: [
        `task ${id} is being sent: the service does not show how many recipients the task has reached, so the rehearsal sends the message to all recipients`,
      ],
    }));

function ofRules({ rules, tasks, links }: AccountCopy): readonly UnreadableAccountFact[] {
  const isActive = ({ paused }: RuleRecord): boolean => !paused;
  const sent = new Set<Id | null>(
    tasks.flatMap(({ channel, completed, cancelled, message_id }) =>
      channel === 'email' && completed && !cancelled ? [message_id] : [],
    ),
  );
  const messageOf = new Map<Id | null, Id | null>(links.map(({ id, message_id }) => [id, message_id]));
  const nameOf =
    (kind: string) =>
    ({ id }: RuleRecord): string =>
      `${kind}:${id}`;
  const dates = rules.date.filter(isActive).map(nameOf('date'));
  const started = [
    ...rules.click
      .filter((rule) => isActive(rule) && sent.has(rule.message_id ?? messageOf.get(rule.link_id) ?? null))
      .map(nameOf('click')),
    ...rules.open.filter((rule) => isActive(rule) && sent.has(rule.message_id)).map(nameOf('open')),
    ...rules.subscription
      .filter((rule) => isActive(rule) && rule.actiontimediff > 0)
      .map(nameOf('subscription')),
  ];
  const incoming = rules.sms.filter(isActive).map(nameOf('sms'));
  const facts: readonly (readonly [readonly string[], string])[] = [
    [
      dates,
      'the service does not show the dates that trigger date rules, so these rules do not run in the rehearsal',
    ],
    [started, 'queued actions from earlier events are not known, so the rehearsal does not run them'],
    [incoming, 'future inbound SMS are not known, so these rules do not run in the rehearsal'],
  ];
  return facts
    .filter(([names]) => names.length > 0)
    .map(([names, fact]) => ({
      makesRecipientCountsEstimates: false,
      sentence: [
        ...names.flatMap((rule, at): readonly SentencePart[] => (at === 0 ? [{ rule }] : [', ', { rule }])),
        `: ${fact}`,
      ],
    }));
}
