/** Describes the items of a campaign and the steps of its plan. */

import type {
  AttributeChange,
  MessageReference,
  RenamedFrom,
  Step,
  StepAction,
  Value,
  WantedItem,
  WantedMessage,
  WantedRule,
  WantedTask,
} from '../../../features/campaign/model.ts';
import { PLACEHOLDER_ID_OF_PLANNED_MESSAGE } from '../../../features/campaign/plan/rules.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import {
  type CampaignSequence,
  listSequences,
  parseStepItemKey,
  type SequenceStepTiming,
} from '../../../features/campaign/sequences.ts';
import {
  expandSeries,
  isSeries,
  parseOccurrenceKey,
  type SeriesTask,
} from '../../../features/campaign/series.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { keysOf } from '../../../kit/text/json-object.ts';
import { formatTime, haveSameLocalTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun, groupThousands, truncateText } from '../../../kit/text/words.ts';
import { describeAction } from '../../../service/automations/rule-words.ts';
import { ruleResource } from '../../../service/resources/rule-kinds.ts';
import { SEQUENCE_RULE_KIND } from '../../../service/resources/step-names.ts';
import { quoteOnOneLine, quoteUnlessSingleWord } from './quoting.ts';

export function describeCampaignItem(item: WantedItem): readonly string[] {
  switch (item.kind) {
    case 'folder':
      return [];
    case 'message':
      return [messageWords(item)];
    case 'task':
      return taskWords(item);
    case 'automation':
      return ruleWords(item);
    default:
      return item satisfies never;
  }
}

const MAX_TASKS_IN_QUESTION = 5;

/** For a question: `2 tasks: list 1 (448), Tue 2026-12-01 09:00 …` and `1 rule`. */
export function formatSends({ steps, inputs }: Pick<Plan, 'inputs' | 'steps'>): readonly string[] {
  const { wanted, options } = inputs;
  const made = steps.filter(({ action }) => ['create', 'change', 'replace'].includes(action));
  const tasks = made.filter(({ kind }) => kind === 'task');
  const rules = made.filter(({ kind }) => kind === 'automation');
  const each = tasks.slice(0, MAX_TASKS_IN_QUESTION).map((step) => {
    const { name, size, time } = step;
    const item = findItemOfStep(wanted.items, step, options.zone);
    const to = item?.kind === 'task' ? recipientsOf(item) : quoteOnOneLine(name);
    const count = typeof size === 'number' ? ` (${size})` : '';
    return `${to}${count}${time === undefined ? '' : `, ${formatTime(time, options.zone, 'long')}`}`;
  });
  const more = tasks.length > each.length ? [`${tasks.length - each.length} more`] : [];
  if (tasks.length + rules.length === 0) return ['no sends'];
  return [
    ...(tasks.length === 0
      ? []
      : [`${formatCountWithNoun(tasks.length, 'task')}: ${[...each, ...more].join('; ')}`]),
    ...(rules.length === 0 ? [] : [formatCountWithNoun(rules.length, 'rule')]),
  ];
}

const recipientsOf = ({ list, search }: WantedTask): string =>
  list === null ? `search ${search}` : `list ${list}`;

const MAX_SUBJECT_LENGTH = 60;

function messageWords({ channel, values }: WantedMessage): string {
  const { subject, fromname, fromemail } = values;
  if (channel === 'sms') return `SMS from ${fromname}`;
  return `e-mail ${quoteOnOneLine(truncateText(String(subject ?? ''), MAX_SUBJECT_LENGTH))} from ${fromname} <${fromemail}>`;
}

/** If the task exceeds one of its limits, svc cancels it (contract, "Campaigns as files"). */
function taskWords(task: WantedTask): readonly string[] {
  const { message, rate, expectSize, maxCredits, hold } = task;
  const bounds = [
    ...(expectSize === null ? [] : [`has ${expectSize.from} to ${expectSize.to} subscriptions`]),
    ...(maxCredits === null ? [] : [`takes at most ${maxCredits} credits`]),
    ...(hold === null ? [] : [`is at least ${formatDuration(hold)} ahead`]),
  ];
  return [
    `sends message ${wordOf(message)} to ${recipientsOf(task)}${rate === null ? '' : `, ${rate} an hour`}`,
    ...(bounds.length === 0 ? [] : [`only if it ${bounds.join(', ')}`]),
  ];
}

function ruleWords({ rule, values, references, paused }: WantedRule): readonly string[] {
  const { actiontype, actiontarget, actiontimediff, summary: _, ...others } = values;
  const { actiontarget: target, ...triggers } = references;
  const on = Object.entries(triggers).map(
    ([name, of]) => `, ${name.replace(/_id$/, ' ').replace('_', ' ')}${wordOf(of)}`,
  );
  const to = target ? wordOf(target) : quoteUnlessSingleWord(String(actiontarget ?? ''));
  const does = describeAction(String(actiontype), to);
  const more = Object.entries(others).filter(([, value]) => value !== null);
  return [
    `${rule}${on.join('')}: ${does}${delayWords(rule, actiontimediff)}${paused ? '; paused' : ''}`,
    ...(more.length === 0 ? [] : [more.map(([name, value]) => attributeWords(name, value)).join(', ')]),
  ];
}

function attributeWords(name: string, value: Value): string {
  if (name === 'actiononweekend') return value === true ? 'acts at weekends' : 'does not act at weekends';
  return `${name === 'actionhour' ? 'acts at' : name} ${quoteOnOneLine(value)}`;
}

const delayWords = (rule: WantedRule['rule'], span: Value | undefined): string =>
  typeof span !== 'number' || span === 0 ? '' : `, ${delayText(rule, span)}`;

/** Returns `2 days later`, or `1 hour before` for an event that is still ahead. */
function delayText(rule: WantedRule['rule'], span: number): string {
  if (span === 0) return 'at once';
  const { unit } = ruleResource(rule).fields['actiontimediff'] ?? {};
  const length = formatDuration(Math.abs(span) * (unit === 'minutes' ? 60 : 1));
  return span < 0 ? `${length} before` : `${length} later`;
}

/** Returns `3 days later at 09:00: e-mail message tips, not at weekends`, or `at once: SMS message hello`. */
export function describeSequenceStep({
  channel,
  message,
  minutes,
  hour,
  weekends,
}: SequenceStepTiming): string {
  const later = minutes === 0 && hour !== null ? 'next time' : delayText(SEQUENCE_RULE_KIND, minutes);
  return [
    `${later}${hour === null ? '' : ` at ${hour.slice(0, 5)}`}: ${channel === 'sms' ? 'SMS' : 'e-mail'} message ${wordOf(message)}`,
    ...(weekends ? [] : ['not at weekends']),
  ].join(', ');
}

/** Steps of a plan that stand together, with their sequence or series. A step that belongs to none stands alone. */
export interface StepGroup {
  readonly sequence: CampaignSequence | undefined;
  readonly series: SeriesTask | undefined;
  readonly steps: readonly Step[];
}

/** @param items items of the file */
export function groupSteps(steps: readonly Step[], items: readonly WantedItem[]): readonly StepGroup[] {
  const sequences = listSequences(items);
  const allSeries = items.filter(isSeries);
  const groups: (StepGroup & { readonly steps: Step[] })[] = [];
  for (const step of steps) {
    const key = step.kind === 'automation' ? parseStepItemKey(step.key)?.sequence : undefined;
    const sequence = key === undefined ? undefined : sequences.find((each) => each.key === key);
    const parsed = step.kind === 'task' ? parseOccurrenceKey(step.key) : undefined;
    const series = parsed && allSeries.find((each) => each.key === parsed.series);
    const last = groups.at(-1);
    const isOfLast = last?.sequence === sequence && last?.series === series;
    if (last !== undefined && isOfLast && (sequence !== undefined || series !== undefined))
      last.steps.push(step);
    else groups.push({ sequence, series, steps: [step] });
  }
  return groups;
}

/** Returns the item of the file that the step is of. For a time of a series, it is the task of that time. */
export function findItemOfStep(
  items: readonly WantedItem[],
  step: Pick<Step, 'kind' | 'key'>,
  zone: string,
): WantedItem | undefined {
  const found = items.find(({ kind, key }) => kind === step.kind && key === step.key);
  const parsed = step.kind === 'task' ? parseOccurrenceKey(step.key) : undefined;
  if (found !== undefined || parsed === undefined) return found;
  const series = items.filter((each) => isSeries(each) && each.key === parsed.series);
  return expandSeries(series, zone, ({ key }) => key === step.key)[0];
}

/** Returns the action of a sequence or series as a whole: its steps may differ. */
export function actionOfGroup(steps: readonly Step[]): StepAction {
  const [first = 'keep', ...others] = new Set(steps.map(({ action }) => action));
  if (others.length === 0) return first;
  return [first, ...others].includes('blocked') ? 'blocked' : 'change';
}

const wordOf = (reference: MessageReference): string => {
  if ('key' in reference) return reference.key;
  return 'id' in reference ? reference.id : quoteOnOneLine(reference.name);
};

/** Returns the earlier key and the earlier campaign of the record as lines: `renamed from key old`. */
export const describeRename = (from: RenamedFrom | null | undefined): readonly string[] => [
  ...(from?.key === undefined ? [] : [`renamed from key ${quoteUnlessSingleWord(from.key)}`]),
  ...(from?.campaign === undefined ? [] : [`renamed from campaign ${quoteOnOneLine(from.campaign)}`]),
];

/** @param item item of the step, which gives the unit of a delay */
export function describeAttributeChange(
  { attribute, from, to }: AttributeChange,
  zone: string,
  item: WantedItem | undefined,
): string {
  const rule = item?.kind === 'automation' ? item.rule : undefined;
  const shown = (value: Value): string => {
    if (attribute === 'scheduledtime' && typeof value === 'number') return formatTime(value, zone, 'long');
    if (rule === undefined) return quoteOnOneLine(value);
    if (attribute === 'actiontimediff' && typeof value === 'number') return delayText(rule, value);
    if (attribute === 'actiononweekend' && typeof value === 'boolean')
      return attributeWords(attribute, value);
    if (value === PLACEHOLDER_ID_OF_PLANNED_MESSAGE) return 'its new version';
    // An id needs no quotes.
    return to === PLACEHOLDER_ID_OF_PLANNED_MESSAGE
      ? quoteUnlessSingleWord(String(value))
      : quoteOnOneLine(value);
  };
  return `${quoteUnlessSingleWord(LABELS[attribute] ?? attribute)}: ${shown(from)} → ${shown(to)}`;
}

const LABELS: Readonly<Record<string, string>> = {
  actiontimediff: 'delay',
  actiononweekend: 'weekends',
  actionhour: 'hour',
  message_id: 'message',
};

/** If the zone differs from UTC, a second line has the time in UTC. @param time Unix seconds */
export function formatTimeInZoneAndUtc(time: number, zone: string, ending = ''): readonly string[] {
  const local = `at ${formatTime(time, zone, 'long')}${ending}`;
  return haveSameLocalTime(time, zone, 'UTC')
    ? [local]
    : [local, `that is ${formatTime(time, 'UTC', 'long')}`];
}

/** Texts after a number, in display order: `2 to create`. */
export const STEP_ACTION_WORDS: Readonly<Record<StepAction, string>> = {
  create: 'to create',
  change: 'to change',
  replace: 'to replace',
  rename: 'to rename',
  cancel: 'to delete',
  blocked: 'blocked',
  keep: 'up to date',
  orphaned: 'orphaned and kept',
};
export const DONE_STEP_WORDS: Readonly<Partial<Record<StepAction, string>>> = {
  create: 'created',
  change: 'changed',
  replace: 'replaced',
  rename: 'renamed',
  cancel: 'deleted',
};
export const STEP_ACTIONS = keysOf(STEP_ACTION_WORDS);

/** Returns `2 to create, 1 blocked`. */
export const formatStepCounts = (steps: readonly Step[]): string =>
  formatActionCounts((asked) => steps.filter(({ action }) => action === asked).length);

export function formatActionCounts(countOf: (action: StepAction) => number): string {
  const counts = STEP_ACTIONS.flatMap((action) => {
    const count = countOf(action);
    return count === 0 ? [] : [`${groupThousands(count)} ${STEP_ACTION_WORDS[action]}`];
  });
  return counts.length === 0 ? 'the file has no items' : counts.join(', ');
}
