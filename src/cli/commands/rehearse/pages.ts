/** Describes the result of a rehearsal for people, as a report: text, Markdown for a pull request, or a page in HTML. */

import { readNameWithoutCampaignMark } from '../../../features/campaign/plan/adoption.ts';
import { describeRepeat } from '../../../features/campaign/series.ts';
import type { RehearsedRecipients } from '../../../features/rehearse/estimates.ts';
import type {
  RehearsalResult,
  RehearsedMessage,
  RehearsedRuleCounts,
  RehearsedSend,
  RehearsedSequence,
  RehearsedSeries,
  RehearsedStep,
} from '../../../features/rehearse/rehearsal-result.ts';
import type {
  MessagePreview,
  Report,
  ReportBlock,
  ReportSection,
  TermWithText,
  Verdict,
} from '../../../kit/report/report.ts';
import { makeHtmlInert } from '../../../kit/text/html-inert.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import {
  PLURAL_NAMES_OF_REACTIONS,
  RECIPIENT_REACTIONS,
} from '../../../service/protocol/control/audience.ts';
import { formatTaskTarget } from '../../nouns/task/task-words.ts';
import { describeSequenceStep } from '../campaign/item-words.ts';

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
  const named = (text: string): string =>
    page === undefined
      ? text
      : text.replace(/\b[a-z]+:[0-9]+\b/g, (ref) => {
          const name = result.ruleNames.get(ref);
          return name === undefined ? ref : `“${name}”`;
        });
  const section = (title: string, ...blocks: readonly ReportBlock[]): ReportSection => ({ title, blocks });
  return {
    title: `Rehearsal of ${company.name} (company ${company.id})`,
    verdict: verdictOf(result),
    facts: page && factsOf(result, page),
    sections: [
      section('Sends', sends.length === 0 ? { kind: 'paragraph', text: NO_SENDS } : sendTable(result, page)),
      section(
        'Messages',
        ...(page === undefined || messages.length === 0 ? [] : [PREVIEW_NOTE, ...messages.map(previewOf)]),
      ),
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
        findings: findings.map(({ rule, severity, message, at }) => ({
          severity,
          // The message of a lint finding already ends with the name of its rule.
          text: named(`${at === null ? '' : `${at}: `}${message}${rule === 'lint' ? '' : ` [${rule}]`}`),
        })),
      }),
      {
        title: 'Not known',
        blocks: unknown.length === 0 ? [] : [{ kind: 'points', texts: unknown.map(named) }],
        folded: `Not known: ${formatCountWithNoun(unknown.length, 'limit')} of this rehearsal`,
      },
    ],
  };
}

function verdictOf({ findings }: RehearsalResult): Verdict {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = formatCountWithNoun(findings.length - errors, 'warning');
  if (findings.length === 0) return { severity: 'good', text: 'No findings.' };
  if (errors === 0) return { severity: 'warning', text: `No errors, ${warnings}.` };
  return { severity: 'error', strong: formatCountWithNoun(errors, 'error'), text: `, ${warnings}.` };
}

const factsOf = (
  { from, until }: RehearsalResult,
  { files }: RehearsalPageFacts,
): readonly TermWithText[] => [
  { term: 'Made', text: `${formatTime(from, 'UTC', 'table')} UTC` },
  { term: 'Rehearsed', text: `until ${formatTime(until, 'UTC', 'table')} UTC` },
  ...files.map(({ name, sha256 }) => ({ term: 'From', text: `${name}, SHA-256 ${sha256}` })),
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
        audienceOf(send, page?.listNames),
        { lines: [sentOf(send, estimated)], bars: [(sent ?? 0) / most] },
        credits === null ? 'not known' : groupThousands(credits),
        balance === null ? '' : groupThousands(balance),
      ];
    }),
    sentences: sends.map((send) => ({ term: send.local, text: sendSentence(send, estimated) })),
  };
}

const CHANNEL_WORDS = { email: 'E-mail', sms: 'SMS' } as const;

function sendSentence(send: RehearsedSend, estimated: boolean): string {
  const { channel, name, task, leftOut, credits, balance } = send;
  const left = Object.entries(leftOut).map(([reason, count]) => `${groupThousands(count)} ${reason}`);
  return [
    `${CHANNEL_WORDS[channel]} "${name}" (task ${task}) to ${sentOf(send, estimated)} on ${audienceOf(send)}`,
    ...(left.length === 0 ? [] : [`left out: ${left.join(', ')}`]),
    credits === null
      ? 'credits not known'
      : `${groupThousands(credits)} credits${balance === null ? '' : `, ${groupThousands(balance)} left`}`,
  ].join('; ');
}

function audienceOf({ list, search }: RehearsedSend, listNames?: ReadonlyMap<string, string>): string {
  if (list === null) return `search ${search ?? ''}`;
  const name = listNames?.get(String(list));
  return name === undefined ? `list ${list}` : `${name} (list ${list})`;
}

/** Returns `about 443 of 500`, or `about 448 (447 when scheduled)` for a list that grew after the task was scheduled. */
function sentOf({ sent, size }: RehearsedSend, estimated: boolean): string {
  if (sent === null || size === null) return 'an unknown number';
  const reached = `${estimated ? 'about ' : ''}${groupThousands(sent)}`;
  return sent > size
    ? `${reached} (${groupThousands(size)} when scheduled)`
    : `${reached} of ${groupThousands(size)}`;
}

const PREVIEW_NOTE: ReportBlock = {
  kind: 'paragraph',
  text: 'The messages are shown without images from the web, and before the values of each person are filled in.',
};

function previewOf({ channel, record, sentBy }: RehearsedMessage): MessagePreview {
  const { subject, fromname, fromemail, html, text, message }: Readonly<Record<string, unknown>> = record;
  const header = (term: string, value: unknown): readonly TermWithText[] =>
    typeof value === 'string' && value !== '' ? [{ term, text: value }] : [];
  const source = typeof html === 'string' ? html : '';
  return {
    kind: 'message',
    title: channel === 'email' ? String(subject ?? '') : `SMS ${readNameWithoutCampaignMark(record)}`,
    headers: [
      ...header('From', [fromname, fromemail && `<${fromemail}>`].filter(Boolean).join(' ')),
      { term: 'Sent by', text: sentBy.join(', ') },
    ],
    content:
      source.trim() === ''
        ? { text: String(message ?? text ?? '') }
        : { html: makeHtmlInert(source, 'light', { keepsRemoteImages: false }) },
  };
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

function ruleSentence({ name, ran, sent, skipped, queued }: RehearsedRuleCounts): string {
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

function audienceSentence({ shares, source, seed }: RehearsedRecipients, isForOthers: boolean): string {
  const parts = RECIPIENT_REACTIONS.map(
    (reaction) => `${PLURAL_NAMES_OF_REACTIONS[reaction]} ${percentOf(shares[reaction])}`,
  );
  return `Audience: ${parts.join(', ')} (${SOURCES[source][isForOthers ? 1 : 0]}; seed ${seed}).`;
}

/** Returns the share with three digits, because more are chance. */
const percentOf = (share: number): string => `${Number((share * 100).toPrecision(3))}%`;
