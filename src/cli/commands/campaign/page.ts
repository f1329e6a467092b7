/** Formats a plan, and the result of applying it: on a terminal, and as Markdown for a comment in a pull request. */

import type { PerformedStep } from '../../../features/campaign/apply/apply.ts';
import type { ContentDiff } from '../../../features/campaign/diff.ts';
import type {
  Campaign,
  RenamedFrom,
  Step,
  StepAction,
  WantedItem,
  WantedTask,
} from '../../../features/campaign/model.ts';
import type { SeriesState } from '../../../features/campaign/plan/series.ts';
import { parseStepItemKey, timingOfStep } from '../../../features/campaign/sequences.ts';
import { describeRepeat, parseOccurrenceKey, type SeriesTask } from '../../../features/campaign/series.ts';
import { formatMarkdownPage } from '../../../kit/report/markdown-page.ts';
import type { ReportBlock, ReportTable } from '../../../kit/report/report.ts';
import type { Id } from '../../../kit/schema/integer.ts';
import { alignColumns, wrapLinesKeepingWords } from '../../../kit/text/display-width.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { capitalizeFirstLetter, formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import type { LintFinding } from '../../../service/lint/finding.ts';
import type { Outcome } from '../../command/command.ts';
import { formatTaskTarget } from '../../nouns/task/task-words.ts';
import { createTextLinesOutcome } from '../../request/write-outcome.ts';
import type { Clocks, Invocation } from '../../session/ports.ts';
import {
  actionOfGroup,
  DONE_STEP_WORDS,
  describeAttributeChange,
  describeCampaignItem,
  describeRename,
  describeSequenceStep,
  findItemOfStep,
  formatStepCounts,
  formatTimeInZoneAndUtc,
  groupSteps,
  STEP_ACTION_WORDS,
  STEP_ACTIONS,
  type StepGroup,
} from './item-words.ts';
import { describeSeriesState } from './series-words.ts';

export interface PlanSummaryInput {
  readonly campaign: string;
  readonly company: string;
  readonly zone: string;
  /** Unix seconds by the service's clock. */
  readonly now: number;
  readonly steps: readonly Step[];
  readonly diffs: readonly ContentDiff[];
  readonly findings: readonly LintFinding[];
  readonly balance: { readonly email: number | null; readonly sms: number | null };
  readonly requests: number;
  readonly items?: readonly WantedItem[];
  readonly states?: readonly SeriesState[];
  /** Returns `spring.yaml:12:3`. */
  readonly placeOf?: (step: Step) => string | undefined;
  /** Set if `--out` saved the plan. `validUntil` is in Unix seconds. */
  readonly savedPlan?: { readonly sha256: string; readonly validUntil: number };
}

const SIGNS: Readonly<Record<StepAction, string>> = {
  create: '+',
  change: '~',
  replace: '±',
  rename: '»',
  keep: ' ',
  blocked: '!',
  cancel: '-',
  orphaned: '?',
};

/** The caller must escape control characters. */
export function formatPlan(plan: PlanSummaryInput, columns = WITHOUT_TERMINAL): string {
  const { campaign, company, steps, diffs, findings } = plan;
  const groups = groupSteps(steps, plan.items ?? []);
  const heads = alignColumns(
    groups.map((group) => {
      const { action, kind, key, name } = headOf(group);
      return [`${SIGNS[action]} ${action}`, kind, key, oneLine(name)];
    }),
  );
  const lines = groups.flatMap((group, at) => [
    heads[at] ?? '',
    ...linesOf(group, plan).flatMap(({ text, depth }) => hanging(text, columns, DETAIL.repeat(depth))),
  ]);
  return `${[
    escapeForTerminal(`Campaign ${campaign}, ${company}`),
    '',
    ...lines,
    ...diffs.flatMap(({ key, attribute, unified }) => [
      '',
      `message ${key}, ${attribute}:`,
      ...diffLines(unified),
    ]),
    ...(findings.length === 0
      ? []
      : ['', 'Findings:', ...formatLintFindings(findings).flatMap((line) => hanging(line, columns, '  '))]),
    '',
    ...[
      ...creditLines(plan),
      ...planLines(plan),
      `${capitalizeFirstLetter(formatStepCounts(steps))}. ${formatCountWithNoun(plan.requests, 'request')}.`,
    ].flatMap((line) => hanging(line, columns, '')),
  ].join('\n')}\n`;
}

export function formatPlanMarkdown(plan: PlanSummaryInput): string {
  const { campaign, company, steps, diffs, findings } = plan;
  return formatMarkdownPage({
    title: `Campaign ${campaign}, ${company}`,
    verdict: { text: `${capitalizeFirstLetter(formatStepCounts(steps))}.` },
    sections: [
      { title: 'Steps', blocks: [stepTable(plan), ...diffBlocks(diffs)] },
      {
        title: 'Findings',
        blocks: findings.length === 0 ? [] : [{ kind: 'points', texts: formatLintFindings(findings) }],
      },
      {
        title: 'Credits',
        blocks: [...creditLines(plan), ...planLines(plan)].map(
          (text) => ({ kind: 'paragraph', text }) as const,
        ),
      },
    ],
  });
}

export const stepTable = (plan: PlanSummaryInput): ReportTable =>
  tableOf(
    ['', 'kind', 'key', 'name', ''],
    groupSteps(plan.steps, plan.items ?? []).map((group) => {
      const { action, kind, key, name } = headOf(group);
      return [action, kind, key, name, { lines: linesOf(group, plan).map(({ text }) => text) }];
    }),
  );

export const diffBlocks = (diffs: readonly ContentDiff[]): readonly ReportBlock[] =>
  diffs.map(({ key, attribute, unified }) => ({ kind: 'diff', of: key, part: attribute, unified }));

const tableOf = (titles: readonly string[], rows: ReportTable['rows']): ReportTable => ({
  ...{ kind: 'table', caption: 'Steps', rows },
  columns: titles.map((title) => ({ title })),
});

/** Row of the result of `svc apply`. `rule` is the kind of a rule whose id is a number. */
export interface AppliedRow extends Pick<Step, 'action' | 'kind' | 'name'> {
  readonly key: string | null;
  readonly id: Id | null;
  readonly rule?: string | null;
  readonly done: boolean;
  readonly size: number | null;
  readonly reason: string | null;
  readonly renamedFrom: RenamedFrom | null;
}

export function formatAppliedPlanMarkdown(
  campaign: string,
  rows: readonly AppliedRow[],
  approvedBy: readonly string[],
): string {
  const done = rows.filter((row) => row.done).length;
  const blocked = rows.filter(({ action }) => action === 'blocked').length;
  const applied = done === 0 ? 'Nothing was changed' : `${formatCountWithNoun(done, 'step')} done`;
  return formatMarkdownPage({
    title: `Campaign ${campaign}`,
    verdict: { text: `${applied}${blocked === 0 ? '' : `, ${blocked} blocked`}.` },
    sections: [
      {
        title: 'Steps',
        blocks: [
          ...(approvedBy.length === 0
            ? []
            : [{ kind: 'paragraph', text: `Approved by ${approvedBy.join('; ')}.` } as const]),
          tableOf(
            ['', 'kind', 'key', 'id', 'name', 'done', 'size', 'reason'],
            rows.map(({ action, kind, key, id, name, done: isDone, size, reason, renamedFrom }) =>
              [
                ...[action, kind, key, id, name, isDone ? 'yes' : 'no', size],
                [...describeRename(renamedFrom), ...(reason === null ? [] : [reason])].join('; '),
              ].map((cell) => String(cell ?? '')),
            ),
          ),
        ],
      },
    ],
  });
}

const WITHOUT_TERMINAL = 100;
const DETAIL = '    ';

const keyOf = ({ key, id }: Step): string => key ?? id ?? '';

/** A sequence or series is one item of the page, with a line for each step or time. */
function headOf({ sequence, series, steps }: StepGroup) {
  const [step] = steps;
  if (series !== undefined) {
    const { key, name, repeat } = series;
    const to = formatTaskTarget({ list_id: series.list, search_id: series.search });
    return {
      action: actionOfGroup(steps),
      kind: 'series',
      key,
      name: `${name} (${to}, ${describeRepeat(repeat)})`,
    };
  }
  if (sequence === undefined && step !== undefined)
    return { action: step.action, kind: step.kind, key: keyOf(step), name: step.name };
  const { key = '', name = '', list = '' } = sequence ?? {};
  return { action: actionOfGroup(steps), kind: 'sequence', key, name: `${name} (list ${list})` };
}

function linesOf(
  { sequence, series, steps }: StepGroup,
  plan: PlanSummaryInput,
): readonly { readonly text: string; readonly depth: number }[] {
  if (series !== undefined) return seriesLines(series, steps, plan);
  if (sequence === undefined)
    return steps.flatMap((step) => detailsOf(step, plan)).map((text) => ({ text, depth: 1 }));
  return steps.flatMap((step) => {
    const own = sequence.steps.find(({ rule }) => rule.key === step.key);
    return [
      ...(own === undefined
        ? []
        : [
            {
              text: `${step.action} step ${own.key}, ${describeSequenceStep(timingOfStep(own.rule))}${own.rule.paused ? ', paused' : ''}`,
              depth: 1,
            },
          ]),
      ...detailsOf(step, plan).map((text) => ({ text, depth: 2 })),
    ];
  });
}

/** Each time is a line. What all times share stands above them, once. */
function seriesLines(
  series: SeriesTask,
  steps: readonly Step[],
  plan: PlanSummaryInput,
): readonly { readonly text: string; readonly depth: number }[] {
  const { zone, now, states = [] } = plan;
  const state = states.find(({ task }) => task.key === series.key);
  const isMade = steps.some(({ action }) => action === 'create' || action === 'replace');
  return [
    ...(isMade ? describeCampaignItem(series) : []),
    ...(state === undefined ? [] : describeSeriesState(state)),
  ]
    .map((text) => ({ text, depth: 1 }))
    .concat(
      steps.flatMap((step) => {
        const when = step.time === undefined ? '' : `, ${timeLines(step.time, zone, now).join('; ')}`;
        return [
          { text: `${step.action} ${parseOccurrenceKey(step.key)?.day}${when}`, depth: 1 },
          ...detailsOf(withoutTime(step), plan).map((text) => ({ text, depth: 2 })),
        ];
      }),
    );
}

const withoutTime = ({ time: _, ...step }: Step): Step => step;

function detailsOf(step: Step, { zone, now, items, placeOf }: PlanSummaryInput): readonly string[] {
  const { reason, changes = [], time, size, credits, action, until } = step;
  const isMade = action === 'create' || action === 'replace';
  const isScheduled = isMade || action === 'change';
  const item = items && findItemOfStep(items, step, zone);
  const place = action === 'blocked' ? placeOf?.(step) : undefined;
  return [
    ...describeRename(step.renamedFrom),
    ...(reason === undefined
      ? []
      : [
          `${place === undefined ? '' : `${place}: `}${reason}${until === undefined ? '' : ` until ${formatTime(until, zone, 'long')}`}`,
        ]),
    ...(item !== undefined &&
    isMade &&
    parseStepItemKey(item.key) === undefined &&
    parseOccurrenceKey(item.key) === undefined
      ? describeCampaignItem(item)
      : []),
    ...changes.map((change) => describeAttributeChange(change, zone, item)),
    ...(time === undefined || !(isScheduled || action === 'keep' || action === 'rename')
      ? []
      : timeLines(time, zone, now)),
    ...(size === null && isScheduled ? ['recipients and credits: known only after the task is created'] : []),
    ...(typeof size === 'number'
      ? [
          `${formatCountWithNoun(size, 'subscription')}${typeof credits === 'number' ? `, ${formatCountWithNoun(credits, 'credit')}` : ''}`,
        ]
      : []),
  ];
}

/** Returns lines with the time, and with how far the time is from now: `in 2 days`. */
function timeLines(time: number, zone: string, now: number): readonly string[] {
  const ahead = Math.round(time - now);
  const distance = ahead > 0 ? `in ${formatDuration(ahead)}` : `${formatDuration(Math.max(1, -ahead))} ago`;
  return formatTimeInZoneAndUtc(time, zone, `, ${distance}`);
}

export function creditLines({ steps, balance }: PlanSummaryInput): readonly string[] {
  // A kept task without a time was sent before, and takes no more credits.
  const tasks = steps.filter(
    ({ kind, action, time }) =>
      kind === 'task' &&
      action !== 'cancel' &&
      action !== 'orphaned' &&
      (action !== 'keep' || time !== undefined),
  );
  if (tasks.length === 0) return [];
  const sized = tasks.filter(({ credits }) => typeof credits === 'number');
  const unsized = tasks.filter(
    ({ size, action }) => typeof size !== 'number' && action !== 'keep' && action !== 'blocked',
  );
  const sum = sized.reduce((total, { credits }) => total + (credits ?? 0), 0);
  const later = `unknown until ${formatCountWithNoun(unsized.length, 'task')} ${unsized.length === 1 ? 'exists' : 'exist'}`;
  const known = `${sum} for ${formatCountWithNoun(sized.length, 'task')}`;
  const words = [...(sized.length > 0 ? [known] : []), ...(unsized.length > 0 ? [later] : [])];
  return [
    `Credits: ${words.length === 0 ? 'not known' : words.join('; ')}. Balance: ${balance.email ?? '?'} e-mail, ${balance.sms ?? '?'} SMS.`,
  ];
}

const planLines = ({ savedPlan, zone }: PlanSummaryInput): readonly string[] =>
  savedPlan === undefined
    ? []
    : [`Plan: sha256 ${savedPlan.sha256}`, `Valid until ${formatTime(savedPlan.validUntil, zone, 'long')}.`];

/** Findings with the same rule and message share one line, which lists their positions. */
export function formatLintFindings(findings: readonly LintFinding[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { file, line, column, severity, rule, message } of findings) {
    const words = `${severity}: ${message} [${rule}]`;
    const place = [file, line, column].filter((part) => part !== null).join(':');
    places.set(words, [...(places.get(words) ?? []), ...(place === '' ? [] : [place])]);
  }
  return [...places].map(([words, at]) => (at.length === 0 ? words : `${at.join(', ')}: ${words}`));
}

/** A note escapes tabs, so they are spaces here. */
const diffLines = (unified: string): readonly string[] =>
  unified.trimEnd().replaceAll('\t', '    ').split('\n');

const hanging = (text: string, columns: number, indent: string): readonly string[] =>
  wrapLinesKeepingWords(escapeForTerminal(text), Math.max(NARROWEST, columns - indent.length - 2)).map(
    (line, index) => `${indent}${index === 0 ? '' : '  '}${line}`,
  );

/** Replaces line breaks in a name, so that the name can't imitate a line of the page. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

const NARROWEST = 20;

const LISTED_SENDS = 5;

/** It is short because the user has seen the plan before. */
export async function summarizeApply(
  session: Invocation & Clocks,
  campaign: Campaign,
  applied: readonly PerformedStep[],
): Promise<Outcome> {
  const done = applied.filter((each) => each.result !== undefined);
  if (done.length === 0) {
    const counts = formatStepCounts(applied.map(({ step }) => step));
    return createTextLinesOutcome(session, `Nothing was changed: ${counts}.`);
  }
  const sends = done.filter(
    ({ step, result: done }) => step.kind === 'task' && SENDING.includes(step.action) && done?.id,
  );
  const zone = await session.tableZone();
  const lines = sends.slice(0, LISTED_SENDS).map((each) => sendWords(each, campaign, zone));
  const more = sends.length > LISTED_SENDS ? [`and ${sends.length - LISTED_SENDS} more sends`] : [];
  const [first] = sends;
  return createTextLinesOutcome(
    session,
    `Applied "${campaign.campaign}": ${doneWords(applied)}.`,
    first === undefined ? undefined : `svc task watch ${first.result?.id}`,
    [...lines, ...more],
  );
}

const SENDING: readonly StepAction[] = ['create', 'change', 'replace'];

/** Returns `3 created, 1 deleted, 1 blocked`. */
function doneWords(applied: readonly PerformedStep[]): string {
  return STEP_ACTIONS.flatMap((action) => {
    const { length } = applied.filter(({ step }) => step.action === action);
    const words = DONE_STEP_WORDS[action] ?? (action === 'blocked' ? STEP_ACTION_WORDS[action] : undefined);
    return length === 0 || words === undefined ? [] : [`${length} ${words}`];
  }).join(', ');
}

/** Returns `task 5 "Spring": to 447 on list 1, Mon 2026-12-07 09:00 Europe/London`. */
function sendWords({ step, result: done }: PerformedStep, campaign: Campaign, zone: string): string {
  const item = campaign.items.find(
    (each): each is WantedTask => each.kind === 'task' && each.key === step.key,
  );
  const size = done?.size ?? step.size;
  const target = item === undefined ? [] : [formatTaskTarget({ list_id: item.list, search_id: item.search })];
  const who =
    typeof size === 'number' ? [`to ${groupThousands(size)}`, ...target].join(' on ') : `to ${target.join()}`;
  const when = step.time === undefined ? '' : `, ${formatTime(step.time, zone, 'weekday')}`;
  return `task ${done?.id} "${step.name}": ${who}${when}`;
}
