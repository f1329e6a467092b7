/**
 * Computes hashes of the content of items. An item in the file and its record in the service have the same hash, unless a person changed
 * the file or the record (src/campaign/README.md).
 */
import type { JsonObject } from '../protocol/envelope.ts';
import { AUTOMATION_RULE_DEFAULTS } from '../resources/automation.ts';
import { EMAIL_EDITOR_NUMBERS, emailMessage } from '../resources/email-message.ts';
import { RULE_DEFINITIONS, type RuleKind } from '../resources/rule-kinds.ts';
import { smsMessage } from '../resources/sms-message.ts';
import type { Channel } from '../resources/task.ts';
import type { Resource } from '../schema/resource.ts';
import { replaceHtmlLinks, replaceTextLinks } from '../text/html-links.ts';
import { computeContentHash, computeItemKeyHash } from './marks.ts';
import type { Value, WantedMessage, WantedRule, WantedTask } from './model.ts';
import { restoreLinks } from './original-links.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Attributes of a message that the hash of its content covers, in this order. Each has the value that the service assumes if the campaign
 * file omits the attribute.
 */
const MESSAGE_DEFAULTS: Readonly<Record<Channel, Readonly<Record<string, Value>>>> = {
  email: {
    ...defaultsIn(emailMessage, 'customoptin'),
    editor: EMAIL_EDITOR_NUMBERS.html,
    ...defaultsIn(emailMessage, 'fromemail', 'fromname', 'galinkdata', 'friendlink', 'replyemail', 'subject'),
  },
  sms: defaultsIn(smsMessage, 'fromname', 'message', 'subinfo'),
};

/** Returns the declared defaults of these attributes. A text that has no default counts as an empty text. */
function defaultsIn({ fields }: Resource, ...names: readonly string[]): Readonly<Record<string, Value>> {
  const named = names.map((name) => ({ name, default: '', ...fields[name] }));
  return Object.fromEntries(named.map(({ name, default: otherwise }) => [name, otherwise as Value]));
}

/**
 * Returns the attributes that a PUT must reset on a message: the file no longer gives them, but the service still has them. The service
 * does not return `tracktextlinks`, so that attribute is always reset.
 */
export function messageAttributesToReset(
  { channel, values }: WantedMessage,
  record: JsonObject,
): Readonly<Record<string, Value>> {
  const tracking = channel === 'email' ? { tracktextlinks: false } : {};
  return { ...tracking, ...resetsOf(MESSAGE_DEFAULTS[channel], values, record) };
}

function resetsOf(
  defaults: Readonly<Record<string, Value>>,
  given: Values,
  found: JsonObject,
): Readonly<Record<string, Value>> {
  const left = Object.entries(defaults).filter(
    ([attribute, otherwise]) =>
      given[attribute] === undefined &&
      found[attribute] !== undefined &&
      (found[attribute] ?? otherwise) !== otherwise,
  );
  return Object.fromEntries(left);
}

/** Returns the hash of a message's content as the campaign file describes it. */
export function computeWantedMessageHash(wanted: WantedMessage): string {
  const { channel, name, values } = wanted;
  if (channel === 'sms') return computeContentHash([name, ...listed('sms', values)]);
  const html = maskedHtml(values['html']);
  const text = maskedText(values['text']);
  const tracked = values['tracktextlinks'] === true;
  return emailContent({ name, values, html, text, tracked });
}

/**
 * Returns the possible hashes of the content of a message in the service, the most likely hash first. There are several hashes, because svc
 * can't always determine the content exactly. The service does not say whether links of the text are tracked. The service also rewrites the
 * addresses of links. If svc can't find the original addresses, the campaign file may contain the rewritten addresses.
 * @param name name of the message without the mark, the tag that svc adds to the name
 * @param links links of the message, as emailMessageLink returns them
 */
export function computePossibleHashesOfMessage(
  channel: Channel,
  name: string,
  record: JsonObject,
  links: readonly JsonObject[],
): readonly string[] {
  if (channel === 'sms') return [computeContentHash([name, ...listed('sms', record)])];
  const htmls = maskedVariants(record['html'], links, 'html');
  const texts = maskedVariants(record['text'], links, 'text');
  // If the service lists links of a text, it tracks links in it.
  const isTracked = links.some(({ type }) => type === 'text');
  const contents = [isTracked, !isTracked].flatMap((tracked) =>
    htmls.flatMap((html) => texts.map((text) => emailContent({ name, values: record, html, text, tracked }))),
  );
  return [...new Set(contents)];
}

/**
 * Replaces each tracked web address in a message's HTML or text with the placeholder `link:`, and lists the original addresses in
 * `targets`. Returns two variants, because the original addresses are not certain:
 * - The first variant lists the addresses in the service's link records.
 * - The second variant lists the addresses in the text that `restoreLinks` returns. `svc export` writes this text to the campaign file.
 */
function maskedVariants(
  part: unknown,
  links: readonly JsonObject[],
  type: 'html' | 'text',
): readonly Masked[] {
  const masked = type === 'html' ? maskedHtml : maskedText;
  const restored = restoreLinks(withUnixLineEnds(String(part ?? '')), links, type).text;
  return [withTargets(masked(part), links, type), masked(restored)];
}

interface Masked {
  /** HTML or text of the message, with the placeholder `link:` instead of each tracked web address. */
  readonly masked: string;
  readonly targets: readonly string[];
}

function emailContent(given: {
  readonly name: string;
  readonly values: Values;
  readonly html: Masked;
  readonly text: Masked;
  readonly tracked: boolean;
}): string {
  const { name, values, html, text, tracked } = given;
  return computeContentHash([name, ...listed('email', values), html, text, tracked]);
}

function listed(channel: Channel, values: Values): readonly unknown[] {
  return Object.entries(MESSAGE_DEFAULTS[channel]).map(([attribute, otherwise]) => {
    const value = values[attribute] ?? otherwise;
    return typeof value === 'string' ? withUnixLineEnds(value) : value;
  });
}

/** Normalizes line ends, because the service may change them. */
const withUnixLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

function maskedHtml(part: unknown): Masked {
  const targets = new Set<string>();
  const masked = replaceHtmlLinks(withUnixLineEnds(String(part ?? '')), ({ href }) => {
    if (!isTracked(href)) return undefined;
    targets.add(href);
    return 'link:';
  });
  return { masked, targets: [...targets].sort() };
}

function maskedText(part: unknown): Masked {
  const targets = new Set<string>();
  const masked = replaceTextLinks(withUnixLineEnds(String(part ?? '')), ({ href }) => {
    targets.add(href);
    return 'link:';
  });
  return { masked, targets: [...targets].sort() };
}

/**
 * Returns a copy of `found`, the HTML or text of a message, with the original web addresses as `targets`. The original addresses come from
 * the service's link records. The stored message contains tracking addresses instead, because the service has replaced the original
 * addresses. Returns `found` unchanged if the service has no links of this type.
 */
function withTargets(found: Masked, links: readonly JsonObject[], type: string): Masked {
  const targets = new Set(links.filter((link) => link['type'] === type).map(({ target }) => String(target)));
  return targets.size === 0 ? found : { ...found, targets: [...targets].sort() };
}

/** Returns whether the service rewrites the address (interface, emailMessage: "links are rewritten to tracking URIs"). */
const isTracked = (href: string): boolean => /^https?:\/\//i.test(href);

/** Returns a hash of what recipients see of a message. Omits the addresses of links, because the service rewrites them. */
export function computeRecipientVisibleContentHash(channel: Channel, values: Values): string {
  const { fromname, fromemail, subject, html, text, message } = values;
  const texts =
    channel === 'sms' ? [message] : [fromemail, subject, maskedHtml(html).masked, maskedText(text).masked];
  return computeContentHash([
    channel,
    ...[fromname, ...texts].map((part) => withUnixLineEnds(String(part ?? ''))),
  ]);
}

/**
 * Identity of the message that a reference names: `key:…` with the key of a message in the file, otherwise `id:…`. The key stays the same
 * when the message gets a new version, so the items that refer to the message do not change.
 */
export type MessageIdentity = string;

/** Returns the identity of the message with this key in the campaign file. */
export const messageIdentityOfKey = (key: string): MessageIdentity =>
  `key:${computeItemKeyHash('message', key)}`;

/**
 * Returns the hash of a task's content as the campaign file describes the task.
 * @param time send time in Unix seconds; the hash contains this time instead of the text in the file
 */
export function computeWantedTaskHash(
  { name, list, search, rate }: WantedTask,
  message: MessageIdentity,
  time: number,
): string {
  return computeContentHash([name, message, list, search, rate, time]);
}

/**
 * Returns the hash of a task's content in the service.
 * @param name name of the task without the mark, the tag that svc adds to the name
 */
export function computeTaskRecordHash(name: string, record: JsonObject, message: MessageIdentity): string {
  const { list_id, search_id, rate = null, scheduledtime } = record;
  return computeContentHash([
    name,
    message,
    digits(list_id),
    digits(search_id),
    rate,
    Math.floor(Number(scheduledtime)),
  ]);
}

/**
 * Returns the hash of a rule's content as the campaign file describes the rule.
 * @param identities texts that identify the records to which the rule refers, by attribute: `{ message_id: 'id:7' }`
 */
export function computeWantedRuleHash(
  { rule, name, values }: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  paused: boolean,
): string {
  return ruleContent(rule, name, { ...values, ...identities, paused });
}

/**
 * Returns the hash of a rule's content in the service.
 * @param identities texts that identify the records to which the rule refers, by attribute: `{ message_id: 'id:7' }`
 */
export function computeRuleRecordHash(
  rule: RuleKind,
  name: string,
  record: JsonObject,
  identities: Readonly<Record<string, MessageIdentity>>,
): string {
  return ruleContent(rule, name, { ...record, ...identities });
}

/**
 * Returns the attributes that a PUT must reset on a rule: the file no longer gives them, but the service still has them.
 * @param valuesInFile attributes that the PUT sends from the file
 */
export function ruleAttributesToReset(
  rule: RuleKind,
  valuesInFile: Values,
  record: JsonObject,
): Readonly<Record<string, Value>> {
  return resetsOf(defaultsOf(rule, valuesInFile), valuesInFile, record);
}

const defaultsOf = (rule: RuleKind, values: Values): Readonly<Record<string, Value>> =>
  rule === 'sms' ? inboundDefaults(values) : { ...TIMED_DEFAULTS, ...ownDefaults(rule) };

/**
 * Returns the defaults of the attributes that only this kind of timed rule has. Each of these attributes is null if the campaign file omits
 * the attribute.
 */
const ownDefaults = (rule: RuleKind): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    RULE_DEFINITIONS[rule].definedBy
      .filter((attribute) => !Object.hasOwn(TIMED_DEFAULTS, attribute))
      .map((attribute) => [attribute, null]),
  );

function ruleContent(rule: RuleKind, name: string, values: Values): string {
  const defaults = Object.entries(defaultsOf(rule, values));
  return computeContentHash([
    rule,
    name,
    ...defaults.map(([attribute, otherwise]) => values[attribute] ?? otherwise),
  ]);
}

/**
 * Attributes that the content hash of a click, open, subscription or date rule covers. Each has the value that the service assumes if the
 * campaign file omits the attribute (interface, "Automation rules" 1).
 */
const TIMED_DEFAULTS: Readonly<Record<string, Value>> = {
  actiononweekend: AUTOMATION_RULE_DEFAULTS.actiononweekend,
  actiontarget: '',
  actionhour: AUTOMATION_RULE_DEFAULTS.actionhour,
  actiontimediff: AUTOMATION_RULE_DEFAULTS.actiontimediff,
  actiontype: '',
  link_id: null,
  list_id: null,
  message_id: null,
  paused: AUTOMATION_RULE_DEFAULTS.paused,
  summary: null,
};

/**
 * Returns the defaults of an inbound SMS rule. Without `message_id`, the attributes that depend on it are null. With `message_id`, the
 * service assumes true for the weekend attribute (interface, smsAutomation).
 */
function inboundDefaults({ message_id }: Values): Readonly<Record<string, Value>> {
  const answers = message_id != null;
  return {
    email_list_id: null,
    keyword: null,
    list_id: null,
    message_id: null,
    message_actionhour: null,
    message_actiontimediff: answers ? AUTOMATION_RULE_DEFAULTS.actiontimediff : null,
    message_actiononweekend: answers ? AUTOMATION_RULE_DEFAULTS.actiononweekend : null,
    notifyemail: null,
    notifymsisdn: null,
    notifyurl: null,
    paused: AUTOMATION_RULE_DEFAULTS.paused,
    summary: null,
  };
}

const digits = (id: unknown): string | null => (id == null ? null : String(id));
