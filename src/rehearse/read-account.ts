/** Reads a real account, so that a sandbox can copy it (contract, "Rehearse"). It sends only GET and HEAD. */
import type { LinkRecord } from '../campaign/model.ts';
import { restoreLinks } from '../campaign/original-links.ts';
import type { Client } from '../client/client.ts';
import { ClientError } from '../client/errors.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { account } from '../resources/account.ts';
import { accountFeatures } from '../resources/account-features.ts';
import { type EmailMessageRecord, emailMessage } from '../resources/email-message.ts';
import { type EmailMessageLinkRecord, emailMessageLink } from '../resources/email-message-link.ts';
import { folder } from '../resources/folder.ts';
import { type AnyRule, RULE_KINDS, type RuleRecord, ruleResource } from '../resources/rule-kinds.ts';
import { smsDestination } from '../resources/sms-destination.ts';
import { smsMessage } from '../resources/sms-message.ts';
import { task } from '../resources/task.ts';
import { user } from '../resources/user.ts';
import type { AccountCopy } from '../sandbox/seed/copied-account.ts';
import type { Id } from '../schema/integer.ts';
import type { RecordOf, Resource } from '../schema/resource.ts';
import { readTimezone } from '../text/timezone.ts';
import type { CampaignAudiences } from './campaign-audiences.ts';
import { type AudienceSize, estimateAudiences, type ListSizesById } from './estimates.ts';

/** Functions that store and return the records that were already read, so that an interrupted copy of an account can continue. */
export interface AccountCopyCheckpointStore {
  readonly readPart: (part: string) => Promise<readonly JsonObject[] | undefined>;
  readonly writePart: (part: string, records: readonly JsonObject[]) => Promise<void>;
}

export interface AccountReadOptions {
  /** Sizes that the user gives for lists, by the ids of the lists. */
  readonly listSizes?: ListSizesById;
  /** Lists and searches of the campaigns to rehearse. If omitted, the copy is for any send, on any channel. */
  readonly campaigns?: CampaignAudiences;
  /** True to keep addresses and URLs of notifications, by which `svc rehearse` finds duplicate rules. Default: they are left out. */
  readonly keepsNotificationTargets?: boolean;
  readonly unfinishedCopy?: AccountCopyCheckpointStore;
  /**
   * Called before each kind of record is read.
   * @param what name of the kind of record, such as `folders`
   */
  readonly onPart?: (what: string) => void | Promise<void>;
}

export interface AccountReadResult {
  readonly copy: AccountCopy;
  readonly lists: readonly AudienceSize[];
  /** Audiences whose size on a channel is that of the other channel, as `audienceKey` writes them. */
  readonly guessedSizes: ReadonlySet<string>;
  /** Audiences to which no task was sent, as `audienceKey` writes them. */
  readonly unknownSizes: ReadonlySet<string>;
  /** True if numbers of recipients are estimates, because some facts about people are unknown. */
  readonly estimated: boolean;
  /** Sentences about records that could not be read, and about facts that are unknown. */
  readonly unknown: readonly string[];
}

/**
 * Reads the account.
 * @throws ClientError if the service can't be reached, or refuses to show the account itself
 * @throws RangeError for an id beyond 2^53
 */
export async function readAccountCopy(
  client: Client,
  options: AccountReadOptions = {},
): Promise<AccountReadResult> {
  const unknown: string[] = [];
  const part = async (
    name: string,
    read: () => Promise<readonly JsonObject[]>,
    clean: (record: JsonObject) => JsonObject = (record) => record,
  ): Promise<readonly JsonObject[]> => {
    const kept = await options.unfinishedCopy?.readPart(name);
    if (kept) return kept;
    await options.onPart?.(name);
    const records = (await read()).map(clean);
    await options.unfinishedCopy?.writePart(name, records);
    return records;
  };
  /** Reads all records of a resource. Returns no records if the user may not read them. */
  const all = async <R extends Resource>(resource: R, clean?: (record: JsonObject) => JsonObject) => {
    const { plural } = resource;
    const read = () => ifAllowed(() => client.find<Resource>(resource, {}), plural, unknown);
    return (await part(plural, read, clean)) as readonly RecordOf<R>[];
  };

  const [company = {}] = await part(
    'the account',
    async () => [await client.single(account)],
    withoutContact,
  );
  const users = await all(user, withoutPerson);
  const [features = null] = await part(
    'features',
    () => ifAllowed(async () => [await client.single(accountFeatures)], 'the account features', unknown),
    withoutContact,
  );
  const folders = await all(folder);
  const destinations = await all(smsDestination);
  const emails = await all(emailMessage);
  const links = await all(emailMessageLink);
  const smsMessages = await all(smsMessage);
  const tasks = await all(task);
  const cleanRule = options.keepsNotificationTargets ? undefined : withoutNotificationTargets;
  const found: Record<string, readonly JsonObject[]> = {};
  for (const kind of RULE_KINDS) found[kind] = await all(ruleResource(kind), cleanRule);
  const rules = found as AccountCopy['rules'];
  const [clock = {}] = (await options.unfinishedCopy?.readPart('clock')) ?? [
    { at: client.serviceTime() ?? 0 },
  ];
  await options.unfinishedCopy?.writePart('clock', [clock]);
  const at = Number(clock['at']);
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
    emails: withOriginalLinks(emails, links as readonly LinkRecord[], unknown),
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
    unknown: [...unknown, ...more.map(({ sentence }) => sentence)],
  };
}

/** Returns the copy in this time zone, on which its rules and clock changes depend. Its users get it if svc does not know their own. */
export const withKnownZone = (copy: AccountCopy, zone: string): AccountCopy => ({
  ...copy,
  account: { ...copy.account, timezone: zone },
  users: copy.users.map((each) => ({ ...each, timezone: readTimezone(each.timezone) ?? zone })),
});

/** Returns the records that `read` returns, or no records if the user may not read them. Throws every other error. */
async function ifAllowed(
  read: () => Promise<readonly JsonObject[]>,
  what: string,
  unknown: string[],
): Promise<readonly JsonObject[]> {
  try {
    return await read();
  } catch (error) {
    const isRefusal = error instanceof ClientError && error.kind === 'refused';
    if (!isRefusal || ![401, 403, 404].includes(error.status ?? 0)) throw error;
    unknown.push(`${what}: this user has no permission to read these records`);
    return [];
  }
}

const without = (record: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

const withoutContact = (record: JsonObject): JsonObject => without(record, 'contactemail', 'telephone');

function withoutPerson(record: JsonObject): JsonObject {
  const kept = ['id', 'active', 'currentuser', 'isadmin', 'locked', 'timezone', 'cdate', 'mdate'];
  return Object.fromEntries(Object.entries(record).filter(([name]) => kept.includes(name)));
}

/**
 * Removes the URL, which can contain a secret, and replaces the address and the number, which may belong to people. The summary often
 * repeats them.
 */
function withoutNotificationTargets(rule: AnyRule): JsonObject {
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

/** Returns the text with other addresses, URLs and phone numbers. Numbers of fewer than six digits, such as ids, stay. */
const withoutContacts = (text: string, address: string): string =>
  text
    .replace(DIGITS, (digits) => (digits.replace(/[^0-9]/g, '').length < 6 ? digits : INVENTED_NUMBER))
    .replace(WORD, (word) => {
      if (word.includes('://')) return 'https://example.com/';
      return word.includes('@') ? address : word;
    });

const WORD = /[^\s<>()[\]"',;]+/g;
const DIGITS = /\+?[0-9][0-9 ()./-]*[0-9]/g;

/** Returns the id of the user whose credentials read the account: the current user, else an admin, else the first user. */
function userOf(users: readonly JsonObject[]): number {
  const found =
    users.find(({ currentuser }) => currentuser === true) ??
    users.find(({ isadmin }) => isadmin === true) ??
    users[0];
  return Number(found?.['id'] ?? 1);
}

/** Restores the original addresses of links, so that the sandbox can track the links itself. */
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

/** Fact about an account that svc can't read from the service. */
interface UnreadableAccountFact {
  /** True if numbers of recipients are only estimates because of this unknown fact. */
  readonly makesRecipientCountsEstimates: boolean;
  readonly sentence: string;
}

const listUnreadableAccountFacts = (copy: AccountCopy): readonly UnreadableAccountFact[] => [
  ...ofPeople(copy),
  ...ofTasks(copy),
  ...ofRules(copy),
];

function ofPeople({ account, lists, searches }: AccountCopy): readonly UnreadableAccountFact[] {
  const found: UnreadableAccountFact[] = [];
  const estimate = (sentence: string): void =>
    void found.push({ makesRecipientCountsEstimates: true, sentence });
  const filled = [...lists, ...searches].filter(({ email, sms }) => Math.max(email, sms) > 0);
  if (filled.length > 1)
    estimate(
      'which subscribers are on several lists or searches: the rehearsal has different subscribers on each',
    );
  const left = [
    `Do Not Contact (${countOf(account, 'blacklist_count')})`,
    `suspended for e-mail (${countOf(account, 'emailsuspended_count')})`,
    `suspended for SMS (${countOf(account, 'smssuspended_count')})`,
  ].filter((each) => !each.endsWith('(0)'));
  if (left.length > 0)
    estimate(`which subscribers are left out: ${left.join(', ')}; the rehearsal leaves out no one`);
  const mixed = lists.filter(({ email, sms }) => email > 0 && sms > 0 && email !== sms);
  if (mixed.length > 0)
    estimate(
      `list ${mixed.map(({ id }) => id).join(', ')}: the service does not show which subscribers have both an e-mail address and a phone number; the rehearsal assumes that as many as possible have both`,
    );
  if (found.length > 0)
    estimate(
      'which recipients react, and when: the rehearsal chooses them at random, based on --seed and the size of the send',
    );
  return found;
}

const countOf = (account: JsonObject, attribute: string): string =>
  account[attribute] === null || account[attribute] === undefined ? 'unknown' : String(account[attribute]);

/** Returns what is unknown about tasks in progress. The interface does not show which recipients they have reached. */
const ofTasks = ({ tasks, at }: AccountCopy): readonly UnreadableAccountFact[] =>
  tasks
    .filter((task) => !task.cancelled && !task.completed)
    .filter(({ scheduledtime }) => scheduledtime <= at)
    .map(({ id }) => ({
      makesRecipientCountsEstimates: true,
      sentence: `task ${id} is being sent: the service does not show how many recipients the task has reached, so the rehearsal sends the message to all recipients`,
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
      sentence: `${names.join(', ')}: ${fact}`,
    }));
}
