/** Computes hashes of content. An item and its record have the same hash, unless a person changed one of them (src/features/campaign/README.md). */

import { type MaskedText, maskLinks, withUnixLineEnds } from '../../client/sends/visible-content.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { AUTOMATION_RULE_DEFAULTS } from '../../service/resources/automation.ts';
import { EMAIL_EDITOR_NUMBERS, emailMessage } from '../../service/resources/email-message.ts';
import { RULE_DEFINITIONS, type RuleKind } from '../../service/resources/rule-kinds.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import type { Channel } from '../../service/resources/task.ts';
import { computeContentHash, computeItemKeyHash } from './marks.ts';
import type { LinkRecord, TaskRecord, Value, WantedMessage, WantedRule, WantedTask } from './model.ts';
import { type HtmlAndText, restoreLinks } from './original-links.ts';

interface Values {
  readonly html?: unknown;
  readonly text?: unknown;
  readonly tracktextlinks?: unknown;
  readonly message_id?: unknown;
  readonly [attribute: string]: unknown;
}

/** Attributes in the order of the hash, with the values that the service assumes for omitted ones. */
const MESSAGE_DEFAULTS: Readonly<Record<Channel, Readonly<Record<string, Value>>>> = {
  email: {
    ...defaultsIn(emailMessage, 'customoptin'),
    editor: EMAIL_EDITOR_NUMBERS.html,
    ...defaultsIn(emailMessage, 'fromemail', 'fromname', 'galinkdata', 'friendlink', 'replyemail', 'subject'),
  },
  sms: defaultsIn(smsMessage, 'fromname', 'message', 'subinfo'),
};

/** A text that has no default counts as an empty text. A default of null stays null, because the hash in each mark depends on it. */
function defaultsIn({ fields }: Resource, ...names: readonly string[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    names.map((name) => {
      const { default: otherwise = '' } = fields[name] ?? {};
      return [name, otherwise];
    }),
  );
}

/** Always resets `tracktextlinks`, which the service never returns. */
export function messageAttributesToReset(
  { channel, values }: WantedMessage,
  record: Values,
): Readonly<Record<string, Value>> {
  const tracking = channel === 'email' ? { tracktextlinks: false } : {};
  return { ...tracking, ...resetsOf(MESSAGE_DEFAULTS[channel], values, record) };
}

function resetsOf(
  defaults: Readonly<Record<string, Value>>,
  given: Values,
  found: Values,
): Readonly<Record<string, Value>> {
  const left = Object.entries(defaults).filter(
    ([attribute, otherwise]) =>
      given[attribute] === undefined &&
      found[attribute] !== undefined &&
      (found[attribute] ?? otherwise) !== otherwise,
  );
  return Object.fromEntries(left);
}

export function computeWantedMessageHash(wanted: WantedMessage): string {
  const { channel, name, values } = wanted;
  if (channel === 'sms') return computeContentHash([name, ...listed('sms', values)]);
  const { html, text, tracktextlinks } = values;
  return emailContent(name, values, {
    html: maskLinks(html, 'html'),
    text: maskLinks(text, 'text'),
    tracked: tracktextlinks === true,
  });
}

/**
 * The service does not say whether links of the text are tracked, and it rewrites the addresses of links, whose originals svc may not find.
 * @param name name of the message without the mark
 */
export function computePossibleHashesOfMessage(
  channel: Channel,
  name: string,
  record: Values,
  links: readonly LinkRecord[],
): readonly string[] {
  if (channel === 'sms') return [computeContentHash([name, ...listed('sms', record)])];
  const htmls = maskedVariants(record.html, links, 'html');
  const texts = maskedVariants(record.text, links, 'text');
  // If the service lists links of a text, it tracks links in it.
  const isTracked = links.some(({ type }) => type === 'text');
  const contents = [isTracked, !isTracked].flatMap((tracked) =>
    htmls.flatMap((html) => texts.map((text) => emailContent(name, record, { html, text, tracked }))),
  );
  return [...new Set(contents)];
}

/**
 * The originals are not certain, so there are two variants: the addresses in the service's link records, and those in the text of
 * `restoreLinks`, which `svc export` writes to the campaign file.
 */
function maskedVariants(
  part: unknown,
  links: readonly LinkRecord[],
  type: 'html' | 'text',
): readonly MaskedText[] {
  const restored = restoreLinks(withUnixLineEnds(String(part ?? '')), links, type).text;
  return [withTargets(maskLinks(part, type), links, type), maskLinks(restored, type)];
}

function emailContent(
  name: string,
  values: Values,
  {
    html,
    text,
    tracked,
  }: { readonly html: MaskedText; readonly text: MaskedText; readonly tracked: boolean },
): string {
  return computeContentHash([name, ...listed('email', values), html, text, tracked]);
}

function listed(channel: Channel, values: Values): readonly unknown[] {
  return Object.entries(MESSAGE_DEFAULTS[channel]).map(([attribute, otherwise]) => {
    const value = values[attribute] ?? otherwise;
    return typeof value === 'string' ? withUnixLineEnds(value) : value;
  });
}

function withTargets(found: MaskedText, links: readonly LinkRecord[], type: string): MaskedText {
  const targets = new Set(links.filter((link) => link.type === type).map(({ target }) => target));
  return targets.size === 0 ? found : { ...found, targets: [...targets].sort() };
}

/** `key:…` with the hashed key of a message in the file, otherwise `id:…`. */
export type MessageIdentity = string;

/** @param message an identity, alone or after the channel of a send */
export const isMessageOfFile = (message: MessageIdentity): boolean => /(?:^| )key:/.test(message);

export const messageIdentityOfKey = (key: string): MessageIdentity =>
  `key:${computeItemKeyHash('message', key)}`;

/** @param time Unix seconds, hashed instead of the text in the file */
export function computeWantedTaskHash(
  { name, list, search, rate }: WantedTask,
  message: MessageIdentity,
  time: number,
): string {
  return computeContentHash([name, message, list, search, rate, time]);
}

/** @param name name of the task without the mark */
export function computeTaskRecordHash(name: string, record: TaskRecord, message: MessageIdentity): string {
  const { list_id, search_id, rate = null, scheduledtime } = record;
  return computeContentHash([
    name,
    message,
    digits(list_id),
    digits(search_id),
    rate,
    Math.floor(scheduledtime),
  ]);
}

export function computeWantedRuleHash(
  { rule, name, values }: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  paused: boolean,
): string {
  return ruleContent(rule, name, { ...values, ...identities, paused });
}

export function computeRuleRecordHash(
  rule: RuleKind,
  name: string,
  record: Values,
  identities: Readonly<Record<string, MessageIdentity>>,
): string {
  return ruleContent(rule, name, { ...record, ...identities });
}

export function ruleAttributesToReset(
  rule: RuleKind,
  valuesInFile: Values,
  record: Values,
): Readonly<Record<string, Value>> {
  return resetsOf(defaultsOf(rule, valuesInFile), valuesInFile, record);
}

const defaultsOf = (rule: RuleKind, values: Values): Readonly<Record<string, Value>> =>
  rule === 'sms' ? inboundDefaults(values) : { ...TIMED_DEFAULTS, ...ownDefaults(rule) };

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

/** Returns an attribute of a record as a value of a plan. An omitted attribute counts as null. */
export const toValue = (value: unknown): Value => (value ?? null) as Value;

export const digits = (id: unknown): string | null => (id == null ? null : String(id));

export const computePossibleHashesOfEmailBody = (
  record: Values,
  links: readonly LinkRecord[],
): readonly string[] =>
  computePossibleHashesOfMessage('email', '', { html: record.html ?? '', text: record.text ?? '' }, links);

/** @param tracked true if the service tracks links of the text */
export const computeHashOfWantedEmailBody = ({ html, text }: HtmlAndText, tracked: boolean): string =>
  computeWantedMessageHash({
    kind: 'message',
    key: '',
    channel: 'email',
    name: '',
    values: { html, text, tracktextlinks: tracked },
    files: {},
  });
