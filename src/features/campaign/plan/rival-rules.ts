import {
  type ComparableRule,
  DELETED_MESSAGE,
  hasSameEffect,
  ruleDelay,
  ruleEffect,
} from '../../../client/sends/same-rule.ts';
import { visibleContentHash } from '../../../client/sends/visible-content.ts';
import { compareNumbers } from '../../../kit/schema/integer.ts';
import { isMarkedAsSetAside, parseCampaignMark } from '../../../service/resources/campaign-mark.ts';
import { messageAttributesOfRule, type RuleKind } from '../../../service/resources/rule-kinds.ts';
import { isMessageOfFile, type MessageIdentity } from '../content.ts';
import type { RuleRecord, Step, WantedRule } from '../model.ts';
import { createDoubleSayer } from './allowed-doubles.ts';
import { describeNewKey, formatIdWithRuleKind } from './messages.ts';
import { givesWay, hashMessageContent } from './rival-sends.ts';
import { identifyRecordsReferencedByRule } from './rule-references.ts';
import {
  messageExists,
  type PlanningSituation,
  type RecordOwnedByCampaign,
  resolveMessage,
} from './situation.ts';

/** A rule that acts once its plan is applied. */
export interface PlannedCampaignRule {
  readonly campaign: string;
  readonly key: string;
  readonly rule: RuleKind;
  readonly comparable: ComparableRule;
}

/** Steps and rules that are applied before an item. */
export interface EarlierRules {
  readonly steps: readonly Step[];
  /** Includes rules of other files that are planned together with this one. */
  readonly rules: readonly PlannedCampaignRule[];
  /** Rules that the file wants active, of all its items. */
  readonly wanted: readonly PlannedCampaignRule[];
}

/** @param current rule that this plan replaces; rules that already do the same as that one are not new duplicates */
export function findReasonToBlockDuplicateRule(
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  earlier: EarlierRules,
  current?: RuleRecord,
): Pick<Step, 'id' | 'blockedBy' | 'reason'> | undefined {
  const { options, unnamed, unowned } = situation;
  if (options.both) return undefined;
  const sayDouble = createDoubleSayer(situation);
  const { rule, values, key } = wanted;
  const twin = situation.campaign.items.find(
    (item) =>
      item.kind === 'automation' &&
      item.key !== key &&
      rule === 'sms' &&
      item.rule === 'sms' &&
      values.keyword != null &&
      ruleEffect('sms', item.values) === ruleEffect('sms', values),
  );
  if (twin)
    return {
      blockedBy: 'state',
      reason: `automation ${twin.key} in this file has the same keyword: change one of the two keywords`,
    };
  const isSame = compareEffects(situation, wanted, identities, current);
  // A paused rule keeps its keyword from others (wire, "unique").
  const isInTheWay = ({ paused, keyword, ...record }: RuleRecord): boolean =>
    paused !== true || keyword != null || mayBeResumedSoon(record, situation.observed.now);
  const isNew = situation.own('automation', key).length === 0;
  const hasSameTrigger = compareTriggers(situation, wanted, identities);
  const orphan = unnamed.find(
    (own): own is RecordOwnedByCampaign<'automation'> =>
      own.kind === 'automation' &&
      own.rule === rule &&
      isInTheWay(own.record) &&
      (isSame(own.record) || (isNew && hasSameTrigger(own.record))),
  );
  if (orphan && !options.prune) {
    const id = formatIdWithRuleKind(orphan);
    const same = isSame(orphan.record) ? SAME_EFFECT : 'has the same trigger and delay';
    return {
      id,
      blockedBy: 'state',
      reason: sayDouble(
        `rule ${id}, which the file no longer names, ${describeAge(orphan.record)}${same} as this item`,
        `${describeNewKey(key, id)}; --prune deletes rule ${id} with the actions that it has queued, and creates this one; --both lets both act for the same people`,
        describePeople(orphan.record),
      ),
    };
  }
  const others = listRulesOfOtherItems(situation, wanted, earlier.steps);
  // Keywords must be unique (wire, "unique").
  const effect = rule === 'sms' && values.keyword != null ? ruleEffect('sms', values) : undefined;
  const holder = others.find(({ own }) => effect !== undefined && ruleEffect('sms', own.record) === effect);
  if (holder)
    return {
      id: formatIdWithRuleKind(holder.own),
      blockedBy: 'state',
      reason: `rule ${formatIdWithRuleKind(holder.own)} of automation ${holder.key} still has the keyword that this item needs: apply automation ${holder.key} first to free the keyword`,
    };
  const { identityAfterRename: identityOf } = situation;
  const hasSameEffectAfterRename = compareEffects({ ...situation, identityOf }, wanted, identities, current);
  const alike = (unowned.rules[rule] ?? []).filter(({ record }) => hasSameEffectAfterRename(record));
  const lost = alike.find(({ isMarked }) => !isMarked);
  if (lost) {
    const id = `${rule}:${lost.record.id}`;
    return {
      id,
      blockedBy: 'drift',
      reason: sayDouble(
        `rule ${id}, which belongs to no campaign, ${SAME_EFFECT} as this item`,
        `use that rule for this item (--adopt ${key}=${id}), delete it (svc automation delete ${id}), or keep both rules (--both)`,
        describePeople(lost.record),
      ),
    };
  }
  const delay = ruleDelay(wanted.values);
  // After a rename of the campaign, an earlier file finds its rules with another mark, but they still send its messages.
  const sendsOwnMessage = (record: RuleRecord): boolean =>
    Object.values(identifyRecordsReferencedByRule(rule, record, identityOf)).some(isMessageOfFile);
  const other = alike.find(
    ({ record }) => isInTheWay(record) && (ruleDelay(record) === delay || (isNew && sendsOwnMessage(record))),
  );
  if (other) {
    const id = `${rule}:${other.record.id}`;
    return {
      id,
      blockedBy: 'state',
      reason: sayDouble(
        `rule ${id} of another campaign ${describeAge(other.record)}${SAME_EFFECT} as this item`,
        `${isJustMade(other.record) ? 'try again 15 minutes later' : 'pause that rule'}, or use --both to keep both rules`,
        describePeople(other.record),
      ),
    };
  }
  if (wanted.paused) return undefined;
  const isSameItem = compareComparables(situation, wanted, identities, current);
  const planned = earlier.rules.find(
    (each) =>
      each.rule === rule && ruleDelay(each.comparable.values) === delay && isSameItem(each.comparable),
  );
  if (planned)
    return {
      blockedBy: 'state',
      reason: sayDouble(
        `automation ${planned.key}${planned.campaign === situation.campaign.campaign ? '' : ` of campaign ${planned.campaign}`} ${SAME_EFFECT}, and the same delay`,
        'remove one of them, or use --both to keep both rules',
        describePeople(),
      ),
    };
  const alikeInFile = others.filter(({ own: { record } }) => ruleDelay(record) === delay && isSame(record));
  // Otherwise both would act in between, and a run may be killed at that moment.
  const before = alikeInFile.find(({ own: { record } }) => record.paused !== true);
  // A person has paused it, and may resume it.
  const paused = alikeInFile.find(
    (other) =>
      !other.own.isSetAside &&
      earlier.wanted.some(
        (each) =>
          each.key === other.key &&
          each.rule === rule &&
          ruleDelay(each.comparable.values) === delay &&
          isSameItem(each.comparable),
      ),
  );
  const found = before ?? paused;
  if (found === undefined) return undefined;
  const id = formatIdWithRuleKind(found.own);
  return {
    id,
    blockedBy: 'state',
    reason: before
      ? sayDouble(
          `rule ${id} of automation ${found.key} still ${SAME_EFFECT}, and the same delay`,
          `apply automation ${found.key} first, or use --both to keep both rules`,
          describePeople(found.own.record),
        )
      : sayDouble(
          `rule ${id} of automation ${found.key} is paused, but not in the file, and ${SAME_EFFECT}, and the same delay`,
          'remove one of the two automations, or use --both to keep both rules',
          describePeople(found.own.record),
        ),
  };
}

const SECONDS_TO_RESUME = 15 * 60;

/** Another run creates a rule paused, and resumes it after its looks and waits. This run would not see that. */
const mayBeResumedSoon = ({ name, cdate }: Pick<RuleRecord, 'name' | 'cdate'>, now: number): boolean =>
  now - cdate < SECONDS_TO_RESUME && parseCampaignMark(name) !== undefined && !isMarkedAsSetAside(name);

const isJustMade = ({ paused, keyword }: RuleRecord): boolean => paused === true && keyword == null;

/** Says why a paused rule is in the way: `mayBeResumedSoon`. */
const describeAge = (record: RuleRecord): string =>
  isJustMade(record) ? 'was made less than 15 minutes ago, may be resumed, and ' : '';

interface ExistingRival {
  readonly record: RuleRecord;
  readonly isOfOtherCampaign: boolean;
}

/** Returns undefined if the user allows both (`--both`). */
export function findRivalOfOwnRule(
  situation: PlanningSituation,
  rule: RuleKind,
  own: RuleRecord,
): ExistingRival | undefined {
  const { options, unnamed, unowned } = situation;
  if (options.both || own.paused === true) return undefined;
  const orphans = unnamed
    .filter((each) => each.kind === 'automation')
    .filter((each) => each.rule === rule && !options.prune)
    .map(({ record }) => ({ record, isMarked: false }));
  const kept = readComparableRecord(situation, rule, own);
  return [...orphans, ...(unowned.rules[rule] ?? [])]
    .filter(({ record }) => record.paused !== true)
    .filter(({ record }) => ruleDelay(record) === ruleDelay(own))
    .filter(({ record }) => hasSameEffect(rule, readComparableRecord(situation, rule, record), kept))
    .map(({ record, isMarked }) => ({ record, isOfOtherCampaign: isMarked }))
    .sort((a, b) => compareNumbers(a.record.id, b.record.id))[0];
}

export const describeSameRules = (one: string, other: string): string =>
  `rule ${one} and rule ${other} have the same trigger, action and target, and the same delay`;

/** The step then pauses the item's rule if that has to give way, and is blocked otherwise. */
export function blockExistingSameRule(
  situation: PlanningSituation,
  step: Omit<Step, 'action'>,
  { rule, record: own }: RecordOwnedByCampaign<'automation'>,
): Step {
  const rival = rule && findRivalOfOwnRule(situation, rule, own);
  if (!rival) return { ...step, action: 'keep' };
  const other = `${rule}:${rival.record.id}`;
  const whose = rival.isOfOtherCampaign ? ' of another campaign' : '';
  const same = describeSameRules(`${other}${whose}`, String(step.id));
  const say = (ways: string): string =>
    createDoubleSayer(situation)(same, ways, describePeople(rival.record));
  if (givesWay(own, rival))
    return {
      ...step,
      action: 'change',
      reason: say(`svc pauses rule ${step.id}, and rule ${other} stays`),
    };
  const ways = `pause one of them (svc automation pause ${other}), or use --both to keep both`;
  return { ...step, action: 'blocked', blockedBy: 'state', reason: say(ways) };
}

/** Names the people for whom both rules act. */
const describePeople = (record?: RuleRecord): string => {
  const acts = record?.paused === true ? 'once that rule is resumed, both act' : 'both act';
  const people =
    record?.['list_id'] == null ? 'the same people' : `the subscribers of list ${record['list_id']}`;
  return `${acts} for ${people}`;
};

function compareEffects(
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  current?: RuleRecord,
): (record: RuleRecord) => boolean {
  const isSame = compareComparables(situation, wanted, identities, current);
  return (record) => isSame(readComparableRecord(situation, wanted.rule, record));
}

function compareComparables(
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  current?: RuleRecord,
): (other: ComparableRule) => boolean {
  const { rule } = wanted;
  const inFile = readComparableItem(situation, wanted, identities);
  // A deleted message may equal any, and then every rule would count as one that does the same already.
  const isShown = current && !hasDeletedMessage(situation, rule, current);
  const before = isShown ? readComparableRecord(situation, rule, current) : undefined;
  return (other) =>
    hasSameEffect(rule, other, inFile) && !(before !== undefined && hasSameEffect(rule, other, before));
}

const hasDeletedMessage = ({ observed }: PlanningSituation, rule: RuleKind, record: RuleRecord): boolean =>
  Object.entries(messageAttributesOfRule(rule, record)).some(
    ([attribute, channel]) =>
      record[attribute] != null && !messageExists(observed, channel, record[attribute]),
  );

export const readComparableItem = (
  situation: PlanningSituation,
  { values, references }: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
): ComparableRule => ({
  values: { ...values, ...identities },
  contentOf: (attribute, channel) => {
    const reference = references[attribute];
    const found = reference && resolveMessage(situation, reference, channel);
    return !found || 'fault' in found ? undefined : hashMessageContent(situation, found);
  },
});

/** The target of the action may differ: somebody may have changed it together with the key. */
function compareTriggers(
  situation: PlanningSituation,
  { rule, values }: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
): (record: RuleRecord) => boolean {
  const triggerOf = (all: Readonly<Record<string, unknown>>): string =>
    `${ruleEffect(rule, { ...all, actiontarget: null })} ${ruleDelay(all)}`;
  const trigger = triggerOf({ ...values, ...identities });
  return (record) => triggerOf(readComparableRecord(situation, rule, record).values) === trigger;
}

function readComparableRecord(
  { identityOf, observed }: PlanningSituation,
  rule: RuleKind,
  record: RuleRecord,
): ComparableRule {
  return {
    values: { ...record, ...identifyRecordsReferencedByRule(rule, record, identityOf) },
    contentOf: (attribute, channel) => {
      if (record[attribute] == null) return undefined;
      const found = observed.messages[channel].find(({ id }) => String(id) === String(record[attribute]));
      return found ? visibleContentHash(channel, found) : DELETED_MESSAGE;
    },
  };
}

/** Reports whether two records of an item do the same after the same delay. */
export const isSameRuleRecord: typeof hasSameEffectAsRecord = (situation, a, b) =>
  ruleDelay(a.record) === ruleDelay(b.record) && hasSameEffectAsRecord(situation, a, b);

/** Reports whether two records of an item do the same, perhaps after different delays. */
export const hasSameEffectAsRecord = (
  situation: PlanningSituation,
  a: RecordOwnedByCampaign<'automation'>,
  b: RecordOwnedByCampaign<'automation'>,
): boolean =>
  a.rule !== undefined &&
  a.rule === b.rule &&
  hasSameEffect(
    a.rule,
    readComparableRecord(situation, a.rule, a.record),
    readComparableRecord(situation, a.rule, b.record),
  );

/** A change of them could make the rule a duplicate. */
export const isRuleEffectUnchanged = (
  situation: PlanningSituation,
  wanted: WantedRule,
  identities: Readonly<Record<string, MessageIdentity>>,
  { rule, record }: Pick<RecordOwnedByCampaign<'automation'>, 'rule' | 'record'>,
): boolean =>
  rule === wanted.rule &&
  ruleDelay(record) === ruleDelay(wanted.values) &&
  compareEffects(situation, wanted, identities)(record);

/** Returns the rules of other items of the file as they are when apply comes to this item. */
function listRulesOfOtherItems(
  situation: PlanningSituation,
  { key, rule }: WantedRule,
  earlier: readonly Step[],
): readonly { readonly key: string; readonly own: RecordOwnedByCampaign<'automation'> }[] {
  const written = new Set(
    earlier
      .filter(({ kind, action }) => kind === 'automation' && (action === 'change' || action === 'replace'))
      .map((step) => step.key),
  );
  return situation.named.flatMap((item) =>
    item.kind !== 'automation' || item.key === key || written.has(item.key)
      ? []
      : situation
          .own('automation', item.key)
          .filter((own) => own.rule === rule)
          .map((own) => ({ key: item.key, own })),
  );
}

const SAME_EFFECT = 'has the same trigger, action and target';
