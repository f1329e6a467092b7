/** Plans each automation rule, depending on the state of its record (interface, "States and transitions"). */
import { messageAttributesOfRule } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { computeWantedRuleHash, type MessageIdentity, toValue } from '../content.ts';
import type { AttributeChange, RuleRecord, Step, Value, WantedRule } from '../model.ts';
import { blockedStep, formatIdWithRuleKind, isVersionInUse, type PlannedMessage } from './messages.ts';
import { blockRulesOfTwoKeys } from './renames.ts';
import {
  blockExistingSameRule,
  type EarlierRules,
  findReasonToBlockDuplicateRule,
  isRuleEffectUnchanged,
  type PlannedCampaignRule,
  readComparableItem,
} from './rival-rules.ts';
import { hashRuleRecord } from './rule-references.ts';
import {
  findIdentityOfResolvedMessage,
  messageExists,
  type PlanningSituation,
  type RecordOwnedByCampaign,
  resolveMessage,
} from './situation.ts';

type OwnRule = RecordOwnedByCampaign<'automation'>;

export interface ResolvedRuleReferences {
  readonly identities: Readonly<Record<string, MessageIdentity>>;
  /** Undefined for a version of a message that the plan creates. */
  readonly ids: Readonly<Record<string, string | undefined>>;
  readonly planned: Readonly<Record<string, PlannedMessage>>;
  readonly fault: string | undefined;
}

export function planRule(
  situation: PlanningSituation,
  wanted: WantedRule,
  messages: ReadonlyMap<string, PlannedMessage>,
  earlier: EarlierRules,
): Step {
  const { key, name, rule } = wanted;
  const step = { kind: 'automation', key, name } as const;
  const references = resolveRuleReferences(situation, wanted, messages);
  if (references.fault !== undefined) return blockedStep(step, 'reference', references.fault);
  const all = situation.own('automation', key);
  const live = all.filter(({ isSetAside }) => !isSetAside);
  const content = computeWantedRuleHash(wanted, references.identities, wanted.paused);
  const half = computeHashOfNewRuleWhilePaused(wanted, references);
  const hasReferencedIds = ({ record }: OwnRule): boolean =>
    Object.entries(idsToKeep(references, record)).every(
      ([attribute, id]) => id !== undefined && String(record[attribute]) === id,
    );
  const isThis = (content: string | undefined) => (own: OwnRule) =>
    own.mark.contentHashOrReason === content && own.isAsWritten && own.rule === rule && hasReferencedIds(own);
  // A new rule is paused until it is known to be the only one, so a paused one may still have to be resumed.
  const found = live.find(isThis(content)) ?? live.find(isThis(half)) ?? live[0];
  const others = all.filter((each) => each !== found && mustPauseReplacedRule(each));
  // A run may have been killed after it made the new rule, which never acted, and before it paused the one that it replaces.
  const isBegun =
    found?.record.paused === true &&
    !found.hasEarlierMark &&
    [content, half].some((each) => isThis(each)(found));
  const apart = isBegun ? undefined : blockRulesOfTwoKeys(situation, step, found, others);
  if (apart) return apart;
  const byHand = others.filter(({ isAsWritten }) => !isAsWritten);
  const [first] = byHand;
  if (first !== undefined && !situation.options.overwrite) {
    const reason = `${byHand.map((each) => describeChangeByHand(each, situation)).join(', ')}; this plan would pause the rule`;
    const id = formatIdWithRuleKind(first);
    return blockedStep({ ...step, id }, 'drift', reason);
  }
  const waiting = Object.values(references.planned).find((each) => each.step.action === 'blocked');
  const isWaiting = (own: Omit<Step, 'action'> = step): Step =>
    blockedStep(
      own,
      'reference',
      `svc cannot create or change the message of the rule: ${waiting?.step.reason}`,
    );
  // If the rule is already active and keeps its effect, a duplicate exists already and does not come from this plan.
  const acts =
    found !== undefined &&
    (wanted.paused ||
      (found.record.paused !== true &&
        isRuleEffectUnchanged(situation, wanted, references.identities, found)));
  const namesNothing = wanted.adopted !== undefined && all.length === 0;
  const same =
    acts || namesNothing
      ? undefined
      : findReasonToBlockDuplicateRule(situation, wanted, references.identities, earlier);
  if (same) return { ...step, action: 'blocked', ...same };
  if (!found) return waiting ? isWaiting() : { ...step, action: 'create' };
  const shown = { ...step, id: formatIdWithRuleKind(found) };
  const isHalf = isThis(half)(found);
  if (isThis(content)(found) || isHalf) {
    if (others.length > 0)
      return {
        ...shown,
        action: 'change',
        reason: `svc pauses ${others.map(formatIdWithRuleKind).join(', ')}, which this rule replaces`,
      };
    if (!isHalf) return waiting ? isWaiting(shown) : blockExistingSameRule(situation, shown, found);
    return { ...shown, action: 'change', changes: [{ attribute: 'paused', from: true, to: false }] };
  }
  if (!found.isAsWritten && !situation.options.overwrite)
    return blockedStep(shown, 'drift', describeChangeByHand(found, situation));
  if (!hasReferencedIds(found) && waiting) return isWaiting();
  const changes = changesOf(wanted, references, found);
  const isActive = found.record.paused !== true;
  const replace = (reason: string): Step => ({
    ...{ ...shown, action: 'replace', changes },
    reason: isActive ? `${reason}; actions that rule ${shown.id} has queued still run` : reason,
  });
  if (found.rule !== rule) return replace(`the existing record is a rule of kind ${found.rule}`);
  if (needsNewRule(wanted, changes)) {
    const alone = acts && !wanted.paused ? blockExistingSameRule(situation, shown, found) : undefined;
    if (alone && alone.action !== 'keep') return alone;
    // The message may get the text of another one, so that both rules would send the same.
    const doubled =
      alone &&
      findReasonToBlockDuplicateRule(situation, wanted, references.identities, earlier, found.record);
    if (doubled) return { ...step, action: 'blocked', ...doubled };
    return replace('the message of an autoresponder rule cannot be changed');
  }
  const reason =
    wanted.paused && isActive
      ? 'actions that the rule has queued still run'
      : describeMoveFromSentMessage(situation, rule, changes);
  return { ...shown, action: 'change', ...(reason === undefined ? {} : { reason }), changes };
}

/** Returns nothing for a rule that the file pauses, or whose references have a fault. */
export function activeRuleInFile(
  situation: PlanningSituation,
  wanted: WantedRule,
  messages: ReadonlyMap<string, PlannedMessage>,
): readonly PlannedCampaignRule[] {
  const { identities, fault } = resolveRuleReferences(situation, wanted, messages);
  if (wanted.paused || fault !== undefined) return [];
  const { key, rule } = wanted;
  const { campaign } = situation.campaign;
  return [{ campaign, key, rule, comparable: readComparableItem(situation, wanted, identities) }];
}

function describeMoveFromSentMessage(
  { observed: { tasks, now } }: PlanningSituation,
  rule: WantedRule['rule'],
  changes: readonly AttributeChange[],
): string | undefined {
  const from = changes.find(({ attribute }) => attribute === 'message_id')?.from;
  const { message_id: channel }: { readonly message_id?: Channel } = messageAttributesOfRule(rule, {});
  if (from === undefined || from === null || channel !== 'email') return undefined;
  const sent = tasks.filter(
    (task) =>
      task.channel === 'email' &&
      String(task.message_id) === String(from) &&
      !task.cancelled &&
      (task.completed || task.scheduledtime <= now),
  );
  if (sent.length === 0) return undefined;
  const by = sent.map(({ id, size }) => `task ${id}${typeof size === 'number' ? ` to ${size}` : ''}`);
  return `careful: message ${String(from)} was sent by ${by.join(', ')}; those recipients no longer trigger the rule`;
}

/** A person may have resumed the rule after svc paused it. */
export const mustPauseReplacedRule = ({
  isSetAside,
  record,
}: Pick<OwnRule, 'isSetAside' | 'record'>): boolean => !isSetAside || record.paused !== true;

/** Undefined if the file pauses the rule. */
export function computeHashOfNewRuleWhilePaused(
  wanted: WantedRule,
  { identities }: ResolvedRuleReferences,
): string | undefined {
  if (wanted.paused) return undefined;
  return computeWantedRuleHash(wanted, identities, true);
}

export function resolveRuleReferences(
  situation: PlanningSituation,
  { rule, values, references }: WantedRule,
  messages: ReadonlyMap<string, PlannedMessage>,
): ResolvedRuleReferences {
  const channels = messageAttributesOfRule(rule, values);
  const identities: Record<string, MessageIdentity> = {};
  const ids: Record<string, string | undefined> = {};
  const planned: Record<string, PlannedMessage> = {};
  for (const [attribute, reference] of Object.entries(references)) {
    const channel: Channel | undefined = channels[attribute];
    if (channel === undefined) {
      if (!('id' in reference)) return { identities, ids, planned, fault: `${attribute} must be an id` };
      identities[attribute] = `id:${reference.id}`;
      ids[attribute] = reference.id;
      continue;
    }
    const found = resolveMessage(situation, reference, channel);
    if ('fault' in found) return { identities, ids, planned, fault: `${attribute}: ${found.fault}` };
    const own = 'key' in found ? messages.get(found.key) : undefined;
    if (own) planned[attribute] = own;
    identities[attribute] = findIdentityOfResolvedMessage(situation, found);
    ids[attribute] = 'key' in found ? textOf(own?.current?.record.id) : found.id;
  }
  return { identities, ids, planned, fault: undefined };
}

/** Keeps the id of another record of the version in use. */
const idsToKeep = (
  { ids, planned }: ResolvedRuleReferences,
  record: RuleRecord,
): ResolvedRuleReferences['ids'] =>
  Object.fromEntries(
    Object.entries(ids).map(([attribute, id]) => [
      attribute,
      isVersionInUse(planned[attribute], record[attribute]) ? String(record[attribute]) : id,
    ]),
  );

const textOf = (id: unknown): string | undefined => (id === undefined ? undefined : String(id));

/** Reports a pause separately, because the service also pauses rules when a list is deleted. */
function describeChangeByHand(
  { name, record, rule, mark, isSetAside }: OwnRule,
  { identityOf, observed }: PlanningSituation,
): string {
  const called = `rule ${rule}:${record.id}`;
  if (isSetAside) return `${called} was replaced by another rule, but then resumed by hand`;
  const gone = Object.entries(rule === undefined ? {} : messageAttributesOfRule(rule, record)).find(
    ([attribute, channel]) =>
      record[attribute] != null && !messageExists(observed, channel, record[attribute]),
  );
  if (gone)
    return `the ${gone[1]} message of ${called}, ${String(record[gone[0]])}, was deleted by hand, or the rule was changed`;
  if (rule === undefined || record.paused !== true) return `${called} was changed by hand`;
  const going = { ...record, paused: false };
  const asGoing = hashRuleRecord(rule, name, going, identityOf);
  if (asGoing !== mark.contentHashOrReason) return `${called} was changed by hand`;
  return `${called} was paused by hand, or by the service because a list that the rule uses was deleted`;
}

/** A PUT can't change `actiontype` or `actiontarget` of an autoresponder (interface, "Automation rules" 8). */
function needsNewRule({ values }: WantedRule, changes: readonly AttributeChange[]): boolean {
  const type = changes.find(({ attribute }) => attribute === 'actiontype');
  if (type) return [type.from, type.to].some((each) => String(each).endsWith('_autoresponder'));
  const answers = String(values.actiontype).endsWith('_autoresponder');
  return answers && changes.some(({ attribute }) => attribute === 'actiontarget');
}

export const PLACEHOLDER_ID_OF_PLANNED_MESSAGE = '(new version)';

function changesOf(
  wanted: WantedRule,
  references: ResolvedRuleReferences,
  { record, name }: OwnRule,
): readonly AttributeChange[] {
  const attributes: [string, Value | undefined][] = [
    ['name', wanted.name],
    ...Object.entries(wanted.values),
    ...Object.entries(idsToKeep(references, record)),
    ['paused', wanted.paused],
  ];
  return attributes.flatMap(([attribute, to = PLACEHOLDER_ID_OF_PLANNED_MESSAGE]) => {
    const from = attribute === 'name' ? name : idLike(record[attribute], to);
    return from === to ? [] : [{ attribute, from, to }];
  });
}

/** Makes the ids 7 and `7` equal. */
function idLike(value: unknown, beside: Value): Value {
  if (value === undefined || value === null) return null;
  return typeof beside === 'string' ? String(value) : toValue(value);
}
