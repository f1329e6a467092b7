/** Describes a plan as a report for the page of `svc plan --html` (contract, "Campaigns as files"). */
import type {
  ObservedCompanyRecords,
  Step,
  WantedItem,
  WantedMessage,
  WantedTask,
} from '../../../features/campaign/model.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import { timingOfStep } from '../../../features/campaign/sequences.ts';
import { htmlPage } from '../../../kit/report/html-page.ts';
import type {
  Report,
  ReportBlock,
  ReportCell,
  ReportFinding,
  ReportSection,
  TermWithText,
} from '../../../kit/report/report.ts';
import { formatTime, haveSameLocalTime } from '../../../kit/text/timezone.ts';
import { capitalizeFirstLetter, formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import { readListNames } from '../../request/list-names.ts';
import { type NewFile, writeNewFile } from '../../request/new-file.ts';
import type { Invocation, Profiles, Tell } from '../../session/ports.ts';
import { factsOfFiles, formatAudience, previewsOf, verdictOf } from './html-parts.ts';
import {
  describeCampaignItem,
  describeSequenceStep,
  findItemOfStep,
  formatStepCounts,
  groupSteps,
  STEP_ACTION_WORDS,
  type StepGroup,
} from './item-words.ts';
import { creditLines, diffBlocks, type PlanSummaryInput, stepTable } from './page.ts';
import { collectCompanyAndMessagesForPlan, type ServiceFactsForPlan } from './plan-page.ts';

/** @param summary of the same plan */
export async function writePlanHtml(
  session: Invocation & Tell & Profiles,
  file: NewFile,
  summary: PlanSummaryInput,
  plan: Plan,
  observed: ObservedCompanyRecords,
): Promise<void> {
  const { messages } = collectCompanyAndMessagesForPlan(plan, observed);
  const report = planReport(summary, plan, { messages, listNames: await readListNames(session) });
  await writeNewFile(session, file, htmlPage(report));
  await session.info(`wrote ${file.name}`);
}

interface PlanReportFacts {
  /** Messages that the campaign refers to but did not create. */
  readonly messages: ServiceFactsForPlan['messages'];
  readonly listNames: ReadonlyMap<string, string>;
}

function planReport(summary: PlanSummaryInput, plan: Plan, facts: PlanReportFacts): Report {
  const { steps, diffs } = summary;
  const { items } = plan.inputs.wanted;
  const findings = findingsOf(summary);
  const counts = formatStepCounts(steps);
  return {
    title: `Plan of the campaign ${plan.campaign}`,
    verdict: verdictOf(findings, ` ${capitalizeFirstLetter(counts)}.`),
    facts: factsOf(summary, plan),
    sections: [
      { title: 'Findings', blocks: [{ kind: 'findings', findings }] },
      { title: 'Sends', blocks: sendBlocks(summary, items, facts) },
      { title: 'Messages', blocks: previewsOf(messagesOf(items, facts)) },
      ...ruleSections(groupSteps(steps, items), items),
      removedSection(steps),
      { title: 'Changed texts', blocks: diffBlocks(diffs) },
      { title: 'All items', blocks: [allItems(summary)], folded: `All items: ${counts}` },
    ],
  };
}

/** An item that is blocked is an error, because svc apply does not do it. */
function findingsOf({ steps, findings, placeOf }: PlanSummaryInput): readonly ReportFinding[] {
  const at = (place: string | undefined, text: string): string =>
    place === undefined || place === '' ? text : `${place}: ${text}`;
  return [
    ...steps
      .filter(({ action }) => action === 'blocked')
      .map((step) => ({
        severity: 'error' as const,
        text: at(placeOf?.(step), `${step.kind} ${step.key ?? step.id}: ${step.reason}`),
      })),
    ...findings.map(({ severity, message, rule, file, line, column }) => ({
      severity: severity === 'error' ? severity : ('warning' as const),
      text: at([file, line, column].filter((part) => part !== null).join(':'), `${message} [${rule}]`),
    })),
  ];
}

const utc = (time: number): string => `${formatTime(time, 'UTC', 'table')} UTC`;

/** The digest of the plan covers the content files, too. */
const factsOf = (
  { company, savedPlan }: PlanSummaryInput,
  { origin, made, inputs }: Plan,
): readonly TermWithText[] => [
  { term: 'For', text: `${company}, at ${origin}` },
  { term: 'Made', text: utc(made) },
  ...(savedPlan === undefined ? [] : [{ term: 'Valid until', text: utc(savedPlan.validUntil) }]),
  ...factsOfFiles(inputs.files.slice(0, 1).map(({ file, sha256 }) => ({ name: file, sha256 }))),
  ...(savedPlan === undefined ? [] : [{ term: 'Plan', text: `SHA-256 ${savedPlan.sha256}` }]),
];

function sendBlocks(
  summary: PlanSummaryInput,
  items: readonly WantedItem[],
  { listNames }: PlanReportFacts,
): readonly ReportBlock[] {
  const { steps, zone } = summary;
  const sends = steps.flatMap((step) => {
    const item = findItemOfStep(items, step, zone);
    // A kept task without a time was sent before.
    return step.time === undefined || item?.kind !== 'task' ? [] : [{ step, item, time: step.time }];
  });
  if (sends.length === 0) return [{ kind: 'paragraph', text: 'The plan schedules no message.' }];
  return [
    {
      kind: 'table',
      caption: `Times are in ${zone}`,
      columns: [
        ...['Time', 'Task', 'To'].map((title) => ({ title })),
        ...['Recipients', 'Credits'].map((title) => ({ title, isNumber: true })),
        { title: 'State' },
      ],
      rows: [...sends]
        .sort((one, two) => one.time - two.time)
        .map(({ step, item, time }) => [
          {
            lines: [
              formatTime(time, zone, 'table'),
              ...(haveSameLocalTime(time, zone, 'UTC') ? [] : [utc(time)]),
            ],
          },
          item.name,
          formatAudience(item, listNames),
          { lines: [countOf(step.size), ...limitsOf(item)] },
          countOf(step.credits),
          STEP_ACTION_WORDS[step.action],
        ]),
    },
    ...creditLines(summary).map((text) => ({ kind: 'paragraph', text }) as const),
  ];
}

const countOf = (count: Step['size']): string =>
  typeof count === 'number' ? groupThousands(count) : 'not known yet';

const limitsOf = ({ expectSize, maxCredits, rate }: WantedTask): readonly string[] => [
  ...(expectSize === null
    ? []
    : [`${groupThousands(expectSize.from)} to ${groupThousands(expectSize.to)} allowed`]),
  ...(maxCredits === null
    ? []
    : [`at most ${formatCountWithNoun(maxCredits, 'credit', groupThousands(maxCredits))}`]),
  ...(rate === null ? [] : [`${groupThousands(rate)} an hour`]),
];

type Previews = Parameters<typeof previewsOf>[0];

/** Messages of the file come first, then those of the service that a task or rule sends. */
function messagesOf(items: readonly WantedItem[], { messages }: PlanReportFacts): Previews {
  const own = items.filter((item): item is WantedMessage => item.kind === 'message');
  const uses = items.flatMap((item) => {
    if (item.kind !== 'task' && item.kind !== 'automation') return [];
    const { message, actiontarget } = item.kind === 'task' ? { message: item.message } : item.references;
    const reference = message ?? actiontarget;
    const at = `${item.kind} ${item.key} ${message === undefined ? 'actiontarget' : 'message'}`;
    return reference === undefined ? [] : [{ by: item.name, reference, found: messages.get(at) }];
  });
  const sentBy = (isSent: (use: (typeof uses)[number]) => boolean): readonly string[] => [
    ...new Set(uses.filter(isSent).map(({ by }) => by)),
  ];
  const others = new Map(
    uses.flatMap(({ found }) =>
      found === undefined ? [] : [[`${found.channel} ${found.record.id}`, found] as const],
    ),
  );
  return [
    ...own.map(({ channel, key, name, values }) => ({
      channel,
      record: { ...values, name },
      sentBy: sentBy(({ reference }) => 'key' in reference && reference.key === key),
    })),
    ...[...others.values()].map(({ channel, record }) => ({
      channel,
      record,
      sentBy: sentBy(({ found }) => found?.channel === channel && found.record.id === record.id),
    })),
  ];
}

/** A sequence has a table of its own, in which each row is a step. */
function ruleSections(groups: readonly StepGroup[], items: readonly WantedItem[]): readonly ReportSection[] {
  const rules = groups.flatMap(({ sequence, steps }) =>
    sequence === undefined ? steps.filter(({ kind }) => kind === 'automation') : [],
  );
  const ruleRows = rules.flatMap((step) => {
    const item = items.find(({ kind, key }) => kind === 'automation' && key === step.key);
    return item === undefined ? [] : [rowOf(step, describeCampaignItem(item))];
  });
  return [
    ...groups.flatMap(({ sequence, steps }) =>
      sequence === undefined
        ? []
        : [
            tableSection(
              `Sequence ${sequence.name} (list ${sequence.list})`,
              ['Step', 'When, and what', 'State'],
              steps.flatMap((step) => {
                const own = sequence.steps.find(({ rule }) => rule.key === step.key);
                return own === undefined
                  ? []
                  : [rowOf({ ...step, name: own.key }, [describeSequenceStep(timingOfStep(own.rule))])];
              }),
            ),
          ],
    ),
    tableSection('Rules', ['Rule', 'What it does', 'State'], ruleRows),
  ];
}

const removedSection = (steps: readonly Step[]): ReportSection =>
  tableSection(
    'No longer in the file',
    ['Name', 'What it is', 'State'],
    steps
      .filter(({ action }) => action === 'cancel' || action === 'orphaned')
      .map((step) => rowOf(step, [`${step.kind} ${step.id ?? ''}`])),
  );

const allItems = (summary: PlanSummaryInput): ReportBlock => ({
  ...stepTable(summary),
  columns: ['Action', 'Kind', 'Key', 'Name', 'Details'].map((title) => ({ title })),
});

const rowOf = ({ name, action }: Step, lines: readonly string[]): readonly ReportCell[] => [
  name,
  { lines },
  STEP_ACTION_WORDS[action],
];

const tableSection = (
  title: string,
  columns: readonly string[],
  rows: readonly (readonly ReportCell[])[],
): ReportSection => ({
  title,
  blocks:
    rows.length === 0
      ? []
      : [{ kind: 'table', caption: '', columns: columns.map((each) => ({ title: each })), rows }],
});
