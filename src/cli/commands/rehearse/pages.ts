/** Describes the result of a rehearsal for people, as a report: text, Markdown for a pull request, or a page in HTML. */

import { describeRepeat } from '../../../features/campaign/series.ts';
import type { RehearsedRecipients } from '../../../features/rehearse/estimates.ts';
import type {
  RehearsalResult,
  RehearsedRuleCounts,
  RehearsedSend,
  RehearsedSequence,
  RehearsedSeries,
  RehearsedStep,
} from '../../../features/rehearse/rehearsal-result.ts';
import type { Report, ReportBlock, ReportSection, TermWithText } from '../../../kit/report/report.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import {
  PLURAL_NAMES_OF_REACTIONS,
  RECIPIENT_REACTIONS,
} from '../../../service/protocol/control/audience.ts';
import { formatTaskTarget } from '../../nouns/task/task-words.ts';
import { factsOfFiles, formatAudience, previewsOf, verdictOf } from '../campaign/html-parts.ts';
import { describeSequenceStep } from '../campaign/item-words.ts';
import { reportFinding, sayWithNames } from './sentences.ts';

/** For the page in HTML, whose readers have neither svc nor the account. */
export interface RehearsalPageFacts {
  /** Campaign files and plans, each with its SHA-256. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
  /** Names of lists by id, as far as svc knows them. */
  readonly listNames: ReadonlyMap<string, string>;
}

/** @param page for HTML; adds the messages, and names rules and lists instead of showing their ids */
export function rehearsalReport(
  result: RehearsalResult,
  audience: RehearsedRecipients,
  page?: RehearsalPageFacts,
): Report {
  const { company, sends, findings, unknown, messages } = result;
  const steps = result.sequences.flatMap((sequence) => sequence.steps.map(({ rule }) => rule));
  const rules = result.rules.filter(({ rule }) => !steps.includes(rule));
  const say = sayWithNames(result, page === undefined ? 'operators' : 'others');
  const section = (title: string, ...blocks: readonly ReportBlock[]): ReportSection => ({ title, blocks });
  return {
    title: `Rehearsal of ${company.name} (company ${company.id})`,
    verdict: verdictOf(findings),
    facts: page && factsOf(result, page),
    sections: [
      section('Sends', sends.length === 0 ? { kind: 'paragraph', text: NO_SENDS } : sendTable(result, page)),
      section('Messages', ...(page === undefined ? [] : previewsOf(messages))),
      ...result.sequences.map((sequence) =>
        section(
          `Sequence ${sequence.name} (list ${sequence.list})`,
          stepTable(sequence),
          ...timelineOf(sequence),
        ),
      ),
      ...result.series.map((series) =>
        section(
          `Series ${series.name} (${formatTaskTarget({ list_id: series.list, search_id: series.search })}, ${describeRepeat(series)})`,
          seriesBlock(series, result),
        ),
      ),
      section('Rules', ...(rules.length === 0 ? [] : [ruleTable(rules)])),
      section('People', ...peopleBlocks(result), {
        kind: 'paragraph',
        text: audienceSentence(audience, page !== undefined),
      }),
      section('Findings', {
        kind: 'findings',
        findings: findings.map((finding) => reportFinding(finding, say)),
      }),
      {
        title: 'Not known',
        blocks: unknown.length === 0 ? [] : [{ kind: 'points', texts: unknown.map(say) }],
        folded: `Not known: ${formatCountWithNoun(unknown.length, 'limit')} of this rehearsal`,
      },
    ],
  };
}

export const factsOf = (
  { from, until }: RehearsalResult,
  { files }: RehearsalPageFacts,
): readonly TermWithText[] => [
  { term: 'Made', text: `${formatTime(from, 'UTC', 'table')} UTC` },
  { term: 'Rehearsed', text: `until ${formatTime(until, 'UTC', 'table')} UTC` },
  ...factsOfFiles(files),
];

const NO_SENDS = 'No message is sent in the period that svc rehearsed.';

function sendTable({ sends, estimated }: RehearsalResult, page: RehearsalPageFacts | undefined): ReportBlock {
  const most = Math.max(1, ...sends.map(({ sent }) => sent ?? 0));
  return {
    kind: 'table',
    caption: 'Times are in the time zone of the company',
    columns: [
      ...['Time', 'Task', 'To'].map((title) => ({ title })),
      ...['Sent', 'Credits', 'Left'].map((title) => ({ title, isNumber: true })),
    ],
    rows: sends.map((send) => {
      const { local, channel, name, sent, credits, balance } = send;
      return [
        local,
        `${CHANNEL_WORDS[channel]} ${name}`,
        formatAudience(send, page?.listNames),
        { lines: [sentOf(send, estimated)], bars: [(sent ?? 0) / most] },
        credits === null ? 'not known' : groupThousands(credits),
        balance === null ? '' : groupThousands(balance),
      ];
    }),
    sentences: sends.map((send) => ({ term: send.local, text: sendSentence(send, estimated) })),
  };
}

export const CHANNEL_WORDS = { email: 'E-mail', sms: 'SMS' } as const;

export function sendSentence(send: RehearsedSend, estimated: boolean): string {
  const { channel, name, task, leftOut, credits, balance } = send;
  const left = Object.entries(leftOut).map(([reason, count]) => `${groupThousands(count)} ${reason}`);
  return [
    `${CHANNEL_WORDS[channel]} "${name}" (task ${task}) to ${sentOf(send, estimated)} on ${formatAudience(send)}`,
    ...(left.length === 0 ? [] : [`left out: ${left.join(', ')}`]),
    credits === null
      ? 'credits not known'
      : `${groupThousands(credits)} credits${balance === null ? '' : `, ${groupThousands(balance)} left`}`,
  ].join('; ');
}

/** Returns `about 443 of 500`, or `about 448 (447 when scheduled)` for a list that grew after the task was scheduled. */
export function sentOf({ sent, size }: RehearsedSend, estimated: boolean): string {
  if (sent === null || size === null) return 'an unknown number';
  const reached = `${estimated ? 'about ' : ''}${groupThousands(sent)}`;
  return sent > size
    ? `${reached} (${groupThousands(size)} when scheduled)`
    : `${reached} of ${groupThousands(size)}`;
}

const stepTable = ({ steps }: RehearsedSequence): ReportBlock => ({
  kind: 'table',
  caption: 'How many people get each step',
  columns: [
    ...['Step', 'When, and what'].map((title) => ({ title })),
    ...['Sent', 'To come'].map((title) => ({ title, isNumber: true })),
  ],
  rows: steps.map((step) => [
    step.key,
    describeSequenceStep(step),
    ...[step.sent, step.queued].map(groupThousands),
  ]),
  sentences: steps.map((step) => ({
    term: `step ${step.key}`,
    text: [
      describeSequenceStep(step),
      `${groupThousands(step.sent)} sent`,
      ...(step.queued === 0 ? [] : [`${groupThousands(step.queued)} still to come`]),
    ].join('; '),
  })),
});

function seriesBlock({ sends }: RehearsedSeries, { sends: all, estimated }: RehearsalResult): ReportBlock {
  if (sends.length === 0) return { kind: 'paragraph', text: 'No time of the series is in this rehearsal.' };
  const rows = sends.flatMap(({ task }) => all.find((send) => send.task === task) ?? []);
  return {
    kind: 'table',
    caption: 'How many people get each message of the series',
    columns: [{ title: 'Time' }, { title: 'Sent', isNumber: true }],
    rows: rows.map((send) => [send.local, sentOf(send, estimated)]),
    sentences: rows.map((send) => ({ term: send.local, text: sentOf(send, estimated) })),
  };
}

/** Returns no block if no step is sent. */
function timelineOf({ steps }: RehearsedSequence): readonly ReportBlock[] {
  const days = [...new Set(steps.flatMap((step) => step.days.map(({ day }) => day)))].sort();
  if (days.length === 0) return [];
  const sentOn = (step: RehearsedStep, day: string): number =>
    step.days.find((each) => each.day === day)?.sent ?? 0;
  return [
    {
      kind: 'table',
      caption: 'Days are in the time zone of the company',
      columns: [{ title: 'Day' }, ...steps.map(({ key }) => ({ title: `Step ${key}`, isNumber: true }))],
      rows: days.map((day) => [
        day,
        ...steps.map((step) => (sentOn(step, day) === 0 ? '' : groupThousands(sentOn(step, day)))),
      ]),
      sentences: days.map((day) => ({
        term: day,
        text: steps
          .filter((step) => sentOn(step, day) > 0)
          .map((step) => `step ${step.key} to ${groupThousands(sentOn(step, day))}`)
          .join(', '),
      })),
    },
  ];
}

const ruleTable = (rules: RehearsalResult['rules']): ReportBlock => ({
  kind: 'table',
  caption: 'How often each rule acts',
  columns: [
    ...['Rule', 'Name'].map((title) => ({ title })),
    ...['Ran', 'Sent', 'Not possible', 'To come'].map((title) => ({ title, isNumber: true })),
  ],
  rows: rules.map(({ rule, name, ran, sent, skipped, queued }) => [
    ...[rule, name],
    ...[ran, sent, skipped, queued].map(groupThousands),
  ]),
  sentences: rules.map((run) => ({ term: run.rule, text: ruleSentence(run) })),
});

export function ruleSentence({ name, ran, sent, skipped, queued }: RehearsedRuleCounts): string {
  const counted = (count: number, noun: string): string =>
    formatCountWithNoun(count, noun, groupThousands(count));
  return [
    `The rule "${name}" ran ${counted(ran, 'time')} and sent ${counted(sent, 'message')}`,
    ...(skipped === 0 ? [] : [`${counted(skipped, 'action')} not possible`]),
    ...(queued === 0 ? [] : [`${counted(queued, 'action')} still to come`]),
  ].join('; ');
}

/** Empty if no person receives a message. */
const peopleBlocks = ({ people: { mostInADay, mostInAWeek } }: RehearsalResult): readonly ReportBlock[] =>
  mostInAWeek === 0
    ? []
    : [
        {
          kind: 'paragraph',
          text: `In the rehearsal, no person receives more than ${formatCountWithNoun(mostInADay, 'message')} in a day or ${mostInAWeek} in a week. svc rehearses with invented people, so the real numbers may differ.`,
        },
      ];

/** For the operator, and for people without svc. */
const SOURCES: Readonly<Record<RehearsedRecipients['source'], readonly [operator: string, others: string]>> =
  {
    account: ["from the account's own tasks", "from the account's own tasks"],
    flag: ['from --audience', 'chosen for this rehearsal'],
    none: [
      'svc cannot estimate these shares, because the account has no completed e-mail task; to set them, add --audience',
      'not known, because the account has no completed e-mail task',
    ],
  };

export function audienceSentence(
  { shares, source, seed }: RehearsedRecipients,
  isForOthers: boolean,
): string {
  const parts = RECIPIENT_REACTIONS.map(
    (reaction) => `${PLURAL_NAMES_OF_REACTIONS[reaction]} ${percentOf(shares[reaction])}`,
  );
  return `Audience: ${parts.join(', ')} (${SOURCES[source][isForOthers ? 1 : 0]}; seed ${seed}).`;
}

/** Returns the share with three digits, because more are chance. */
const percentOf = (share: number): string => `${Number((share * 100).toPrecision(3))}%`;
