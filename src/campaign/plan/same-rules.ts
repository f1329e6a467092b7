/** Finds rules that do the same as an item's rule but don't belong to the item. If both rules are active, each action happens twice. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { RULE_DEFINITIONS, type RuleKind } from '../../resources/rule-kinds.ts';
import type { Channel } from '../../resources/task.ts';
import { computeRecipientVisibleContentHash, type MessageIdentity } from '../content.ts';
import type { Step, WantedRule } from '../model.ts';
import { formatIdWithRuleKind } from './messages.ts';
import { identifyRecordsReferencedByRule, messageAttributesOfRule } from './rule-references.ts';
import { hashMessageContent } from './same-sends.ts';
import {
  messageExists,
  type PlanningSituation,
  type RecordOwnedByCampaign,
  resolveMessage,
} from './situation.ts';

/**
 * Returns why the step is blocked, if another rule has the same trigger, action and target.
 * @param earlierSteps steps of the items that come before this item
 */
export function findReasonToBlockDuplicateRule(
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  earlierSteps: readonly Step[],
): Pick<Step, 'id' | 'blockedBy' | 'reason'> | undefined {
  const { options, unnamed, unowned: foreign } = situation;
  if (options.both) return undefined;
  const { rule, values, key } = wanted;
  const twin = situation.campaign.items.find(
    (item) =>
      item.kind === 'automation' &&
      item.key !== key &&
      rule === 'sms' &&
      item.rule === 'sms' &&
      values['keyword'] != null &&
      ruleEffectText('sms', item.values) === ruleEffectText('sms', values),
  );
  if (twin)
    return {
      blockedBy: 'state',
      reason: `automation ${twin.key} in this file has the same keyword: change one of the two keywords`,
    };
  const isSame = compareEffects(situation, wanted, identities);
  // A paused rule keeps its keyword from others (wire, "unique").
  const isInTheWay = ({ paused, keyword }: JsonObject): boolean => paused !== true || keyword != null;
  const orphan = unnamed.find((own) => own.rule === rule && isInTheWay(own.record) && isSame(own.record));
  if (orphan && !options.prune)
    return {
      id: formatIdWithRuleKind(orphan),
      blockedBy: 'state',
      reason: `rule ${formatIdWithRuleKind(orphan)}, which is no longer in the file, ${SAME_EFFECT} as this item: use --prune to delete that rule first, or --both to keep both rules`,
    };
  const holder = findKeywordHolder(situation, wanted, earlierSteps);
  if (holder)
    return {
      id: formatIdWithRuleKind(holder.own),
      blockedBy: 'state',
      reason: `rule ${formatIdWithRuleKind(holder.own)} of automation ${holder.key} still has the keyword that this item needs: apply automation ${holder.key} first to free the keyword`,
    };
  const alike = foreign.filter((each) => each.rule === rule && isSame(each.record));
  const lost = alike.find(({ isMarked }) => !isMarked);
  if (lost) {
    const id = `${rule}:${String(lost.record['id'])}`;
    return {
      id,
      blockedBy: 'drift',
      reason: `rule ${id}, which belongs to no campaign, ${SAME_EFFECT} as this item: use that rule for this item (--adopt ${key}=${id}), delete it (svc automation delete ${id}), or keep both rules (--both)`,
    };
  }
  const delay = delayOf(wanted.values);
  const other = alike.find(({ record }) => isInTheWay(record) && delayOf(record) === delay);
  if (!other) return undefined;
  const id = `${rule}:${String(other.record['id'])}`;
  return {
    id,
    blockedBy: 'state',
    reason: `rule ${id} of another campaign ${SAME_EFFECT} as this item: pause that rule, or use --both to keep both rules`,
  };
}

/** Returns a function that reports whether a rule of the service has the same trigger, action and target as the wanted rule. */
function compareEffects(
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
): (record: JsonObject) => boolean {
  const { rule, values } = wanted;
  const byName = ruleEffectText(rule, { ...values, ...identities });
  // Computed at the first record that differs by name, because an unchanged rule needs no hashes of messages.
  let contents: Values | undefined;
  return (record) => {
    const found = { ...record, ...identifyRecordsReferencedByRule(rule, record, situation.identityOf) };
    if (ruleEffectText(rule, found) === byName) return true;
    contents ??= wantedContents(situation, wanted);
    const any = deletedMessages(situation, rule, record);
    return (
      ruleEffectText(rule, { ...found, ...foundContents(situation, rule, record), ...any }) ===
      ruleEffectText(rule, { ...values, ...identities, ...contents, ...any })
    );
  };
}

/** Reports whether trigger, action, target and delay stay as they are. A change of them could make the rule a duplicate. */
export const isRuleEffectUnchanged = (
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  { rule, record }: Pick<RecordOwnedByCampaign, 'rule' | 'record'>,
): boolean =>
  rule === wanted.rule &&
  delayOf(record) === delayOf(wanted.values) &&
  compareEffects(situation, wanted, identities)(record);

/** Finds an SMS rule of another item that keeps the wanted keyword in this plan. Keywords must be unique (wire, "unique"). */
function findKeywordHolder(
  situation: PlanningSituation,
  { key, rule, values }: WantedRule,
  earlier: readonly Step[],
): { readonly key: string; readonly own: RecordOwnedByCampaign } | undefined {
  if (rule !== 'sms' || values['keyword'] == null) return undefined;
  const keyword = ruleEffectText('sms', values);
  const released = new Set(
    earlier
      .filter(({ kind, action }) => kind === 'automation' && (action === 'change' || action === 'replace'))
      .map((step) => step.key),
  );
  for (const item of situation.named) {
    if (item.kind !== 'automation' || item.key === key || released.has(item.key)) continue;
    const own = situation
      .own('automation', item.key)
      .find(({ rule: kind, record }) => kind === 'sms' && ruleEffectText('sms', record) === keyword);
    if (own) return { key: item.key, own };
  }
  return undefined;
}

/** Returns hashes of the messages that a rule of the file uses, by attribute. A hash covers only what recipients see. */
const wantedContents = (situation: PlanningSituation, { rule, values, references }: WantedRule): Values =>
  mapMessageAttributes(rule, values, (attribute, channel) => {
    const reference = references[attribute];
    const found = reference && resolveMessage(situation, reference, channel);
    const content = !found || 'fault' in found ? undefined : hashMessageContent(situation, found);
    return content === undefined ? undefined : `content:${content}`;
  });

/** Returns a hash of what recipients see of each message of the rule: `{ message_id: 'content:…' }`. */
const foundContents = ({ observed }: PlanningSituation, rule: RuleKind, record: JsonObject): Values =>
  mapMessageAttributes(rule, record, (attribute, channel) => {
    const found = observed.messages[channel].find(({ id }) => String(id) === String(record[attribute]));
    return found && `content:${computeRecipientVisibleContentHash(channel, found)}`;
  });

/**
 * Returns `any` for each attribute with a deleted message, whose content the service hides. With this value in both rules of a comparison,
 * the hidden content equals any other content.
 */
const deletedMessages = ({ observed }: PlanningSituation, rule: RuleKind, record: JsonObject): Values =>
  mapMessageAttributes(rule, record, (attribute, channel) =>
    record[attribute] == null || messageExists(observed, channel, record[attribute]) ? undefined : 'any',
  );

/** Returns the values of the rule's attributes that refer to messages. Leaves out undefined values. */
function mapMessageAttributes(
  rule: RuleKind,
  values: Values,
  read: (attribute: string, channel: Channel) => string | undefined,
): Values {
  const mapped = Object.entries(messageAttributesOfRule(rule, values)).map(
    ([attribute, channel]) => [attribute, read(attribute, channel)] as const,
  );
  return Object.fromEntries(mapped.filter(([, value]) => value !== undefined));
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the trigger, action and target of a rule as one text, for comparisons (contract, "Sends and campaigns, once more"). */
export function ruleEffectText(rule: RuleKind, values: Values): string {
  // Two rules can't have the same keyword, whatever else they do.
  if (rule === 'sms' && values['keyword'] != null)
    return `keyword ${String(values['keyword']).toUpperCase()}`;
  return JSON.stringify(RULE_DEFINITIONS[rule].definedBy.map((attribute) => textOf(values[attribute])));
}

/** Returns the delay of a rule. Rules of two campaigns with different delays are no duplicates: they may form a series. */
function delayOf(values: Values): string {
  const { keyword, actiontimediff, actionhour, message_actiontimediff, message_actionhour } = values;
  if (keyword != null) return '';
  return `${actiontimediff ?? message_actiontimediff ?? 0} ${actionhour ?? message_actionhour ?? ''}`;
}

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

const SAME_EFFECT = 'has the same trigger, action and target';
