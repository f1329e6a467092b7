/** Finds rules that form a sequence, by the names that svc gives to the rules of steps, and writes them as steps. */

import { AUTOMATION_RULE_DEFAULTS } from '../../../service/resources/automation.ts';
import { parseStepName, SEQUENCE_RULE_KIND } from '../../../service/resources/step-names.ts';
import { ITEM_KEY_PATTERN } from '../file/parts.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { ItemKind, RuleRecord } from '../model.ts';
import { readNameWithoutCampaignMark } from '../plan/adoption.ts';
import { formatStepItemKey } from '../sequences.ts';
import { type Attribute, adoptionAttributes, type ExportedItemDraft, numberOf, spanOf } from './drafts.ts';

export interface RuleWithDraft {
  readonly record: RuleRecord;
  readonly draft: ExportedItemDraft;
}

interface Step extends RuleWithDraft {
  readonly sequence: string;
  readonly step: string;
}

/**
 * Returns the drafts of the rules. Those of a sequence stand together, in the order in which people get their messages.
 * @param newKey returns a key for a name
 * @param isTaken returns whether the mark of a record already contains the hash of a key
 */
export function withSequences(
  rules: readonly RuleWithDraft[],
  newKey: (name: string, id: string) => string,
  isTaken: (kind: ItemKind, hash: string) => boolean,
): readonly ExportedItemDraft[] {
  const groups = new Map<string, Step[]>();
  for (const { record, draft } of rules) {
    const named = parseStepName(readNameWithoutCampaignMark(record));
    if (named === undefined || !canBeStep(record, draft)) continue;
    const { list_id, paused } = record;
    const group = JSON.stringify([named.sequence, list_id, paused]);
    groups.set(group, [...(groups.get(group) ?? []), { record, draft, ...named }]);
  }
  const drafts = new Map(rules.map(({ draft }) => [draft, draft]));
  const sequences: ExportedItemDraft[] = [];
  for (const unordered of groups.values()) {
    const steps = unordered.toSorted((a, b) => compareTimes(a.record, b.record));
    const [first] = steps;
    if (!first || steps.length < 2 || !haveStepKeys(steps)) continue;
    const isTakenBy = ({ step }: Step, key: string): boolean =>
      isTaken('automation', computeItemKeyHash('automation', formatStepItemKey(key, step)));
    let key = newKey(first.sequence, first.draft.id);
    while (steps.some((each) => isTakenBy(each, key))) key = newKey(first.sequence, first.draft.id);
    for (const each of steps) {
      drafts.delete(each.draft);
      sequences.push(stepDraft(each, key));
    }
  }
  return [...drafts.values(), ...sequences];
}

/** Returns the drafts without the sequences that the file cannot express, whose rules are then automations. Undefined if all fit. */
export function withoutUnfitSequences(
  drafts: readonly ExportedItemDraft[],
  unfit: ReadonlyMap<string, string>,
): readonly ExportedItemDraft[] | undefined {
  const keys = new Set(
    drafts.flatMap(({ kind, key, step }) =>
      step !== undefined && (unfit.has(`${kind} ${key}`) || unfit.has(`sequence ${step.sequence.key}`))
        ? [step.sequence.key]
        : [],
    ),
  );
  if (keys.size === 0) return undefined;
  const isUnfit = ({ step }: ExportedItemDraft): boolean => step !== undefined && keys.has(step.sequence.key);
  return [
    ...drafts.filter((draft) => !isUnfit(draft)),
    ...drafts.flatMap((draft) => (isUnfit(draft) && draft.step ? [draft.step.alone] : [])),
  ];
}

/** A file gives steps no description, and their keys are numbers or keys. */
const canBeStep = (
  { actiontype, summary, actiontimediff }: RuleRecord,
  { channelOrRuleKind }: ExportedItemDraft,
): boolean =>
  channelOrRuleKind === SEQUENCE_RULE_KIND &&
  String(actiontype).endsWith('_autoresponder') &&
  (summary ?? null) === null &&
  durationOf(actiontimediff) !== undefined;

const haveStepKeys = (steps: readonly Step[]): boolean =>
  new Set(steps.map(({ step }) => step)).size === steps.length &&
  steps.every(({ step }, index) => step === String(index + 1) || ITEM_KEY_PATTERN.test(step));

function compareTimes(a: RuleRecord, b: RuleRecord): number {
  const [before, after] = [timeOf(a), timeOf(b)];
  if (before.minutes !== after.minutes) return before.minutes - after.minutes;
  return before.hour < after.hour ? -1 : before.hour > after.hour ? 1 : 0;
}

const timeOf = ({ actiontimediff, actionhour }: RuleRecord) => ({
  minutes: Number(actiontimediff ?? 0),
  hour: String(actionhour ?? ''),
});

function durationOf(minutes: unknown): string | undefined {
  const count = Number(minutes ?? 0);
  return count === 0 ? '0m' : spanOf(count, 60);
}

function stepDraft({ record, draft, sequence, step }: Step, key: string): ExportedItemDraft {
  const { list_id, paused, actiontype, actiontarget, actiontimediff, actionhour, actiononweekend } = record;
  const channel = actiontype === 'sms_autoresponder' ? 'sms' : 'email';
  return {
    ...draft,
    key: formatStepItemKey(key, step),
    attributes: (keyOf) => {
      const known = keyOf(channel, String(actiontarget));
      const isOnWeekend = actiononweekend ?? AUTOMATION_RULE_DEFAULTS.actiononweekend;
      return [
        ...(ITEM_KEY_PATTERN.test(step) ? [['key', step] as const] : []),
        ...adoptionAttributes('automation', SEQUENCE_RULE_KIND, record, []),
        ['message', known ?? numberOf(String(actiontarget))],
        ...(known === undefined && channel === 'sms' ? [['channel', channel] as const] : []),
        ['after', durationOf(actiontimediff) ?? ''],
        ...(typeof actionhour === 'string' ? [['at-hour', actionhour] as const] : []),
        ...(isOnWeekend ? [] : [['weekends', false] as const]),
      ] satisfies readonly Attribute[];
    },
    step: {
      sequence: {
        key,
        attributes: [
          ['name', sequence],
          ['list', numberOf(String(list_id))],
          ...(paused === true ? [['paused', true] as const] : []),
        ],
      },
      alone: draft,
    },
  };
}
