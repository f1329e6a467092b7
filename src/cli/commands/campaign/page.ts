/** A plan for people: on a terminal, and as Markdown for the comment of a pull request. */
import type { ContentDiff } from '../../../campaign/diff.ts';
import type { Action, Step } from '../../../campaign/model.ts';
import type { LintFinding } from '../../../lint/finding.ts';
import { formatDuration } from '../../../text/duration.ts';
import { formatTime } from '../../../text/timezone.ts';

export interface Shown {
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
}

const SIGNS: Readonly<Record<Action, string>> = {
  create: '+',
  change: '~',
  replace: '±',
  keep: ' ',
  blocked: '!',
  cancel: '-',
  orphaned: '?',
};

/** How many of each, those that do something first: `2 to create, 1 to change, 4 kept`. */
export function summaryOf(steps: readonly Step[]): string {
  const words: Readonly<Record<Action, string>> = {
    create: 'to create',
    change: 'to change',
    replace: 'to replace',
    cancel: 'to take away',
    blocked: 'blocked',
    orphaned: 'no longer named',
    keep: 'as the file says',
  };
  const counts = (Object.keys(words) as Action[]).flatMap((action) => {
    const { length } = steps.filter((step) => step.action === action);
    return length === 0 ? [] : [`${length} ${words[action]}`];
  });
  return counts.length === 0 ? 'the file names nothing' : counts.join(', ');
}

export function pageOf(shown: Shown): string {
  const { campaign, company, steps, diffs, findings } = shown;
  const width = (pick: (step: Step) => string): number =>
    Math.max(0, ...steps.map((step) => pick(step).length));
  const [actions, kinds, keys] = [width(({ action }) => action), width(({ kind }) => kind), width(keyOf)];
  const lines = steps.flatMap((step) => [
    `${SIGNS[step.action]} ${step.action.padEnd(actions)}  ${step.kind.padEnd(kinds)}  ${keyOf(step).padEnd(keys)}  ${step.name}`,
    ...detailsOf(step, shown).map((line) => `    ${line}`),
  ]);
  return `${[
    `Campaign ${campaign}, ${company}`,
    '',
    ...lines,
    ...diffs.flatMap(({ key, attribute, unified }) => [
      '',
      `message ${key}, ${attribute}:`,
      ...diffLines(unified),
    ]),
    ...(findings.length === 0 ? [] : ['', 'Findings:', ...findings.map(findingLine)]),
    '',
    ...creditLines(shown),
    `${sentence(summaryOf(steps))}. ${shown.requests} requests.`,
  ].join('\n')}\n`;
}

export function markdownOf(shown: Shown): string {
  const { campaign, company, steps, diffs, findings } = shown;
  const rows = steps.map((step) => {
    const details = detailsOf(step, shown).map(cell).join('<br>');
    return `| ${step.action} | ${step.kind} | ${cell(keyOf(step))} | ${cell(step.name)} | ${details} |`;
  });
  return `${[
    `### Campaign ${inline(campaign)}, ${inline(company)}`,
    '',
    `${sentence(summaryOf(steps))}.`,
    '',
    '| | kind | key | name | |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...diffs.flatMap(({ key, attribute, unified }) => [
      '',
      `**${inline(key)}**, ${attribute}:`,
      '',
      ...fenced(unified),
    ]),
    ...(findings.length === 0
      ? []
      : ['', '**Findings**', '', ...findings.map((each) => `- ${inline(findingLine(each))}`)]),
    '',
    ...creditLines(shown).map(inline),
  ].join('\n')}\n`;
}

const keyOf = ({ key, id }: Step): string => key ?? id ?? '';

function detailsOf(step: Step, { zone, now }: Shown): readonly string[] {
  const { reason, changes = [], time, size, credits, action, until } = step;
  const isScheduled = action === 'create' || action === 'change' || action === 'replace';
  return [
    ...(reason === undefined
      ? []
      : [`${reason}${until === undefined ? '' : ` until ${formatTime(until, zone, 'long')}`}`]),
    ...changes.map(({ attribute, from, to }) => `${attribute}: ${worded(from)} → ${worded(to)}`),
    ...(time === undefined || !(isScheduled || action === 'keep') ? [] : timeLines(time, zone, now)),
    ...(typeof size === 'number'
      ? [`${size} subscriptions${typeof credits === 'number' ? `, ${credits} credits` : ''}`]
      : []),
  ];
}

/** The truth of a time: UTC, the company's, and how far off. */
function timeLines(time: number, zone: string, now: number): readonly string[] {
  const ahead = Math.round(time - now);
  const distance = ahead > 0 ? `in ${formatDuration(ahead)}` : `${formatDuration(Math.max(1, -ahead))} ago`;
  const local = formatTime(time, zone, 'long');
  const utc = formatTime(time, 'UTC', 'long');
  return local === utc ? [`${utc}, ${distance}`] : [`${local}, the company, ${distance}`, utc];
}

function creditLines({ steps, balance }: Shown): readonly string[] {
  const known = steps.filter(
    ({ kind, action }) => kind === 'task' && action !== 'cancel' && action !== 'orphaned',
  );
  const unknown = known.filter(
    ({ size, action }) => typeof size !== 'number' && action !== 'keep' && action !== 'blocked',
  );
  const sum = known.reduce((total, { credits }) => total + (typeof credits === 'number' ? credits : 0), 0);
  if (known.length === 0) return [];
  const also = unknown.length === 0 ? '' : `; of ${unknown.length} the size is known once they are made`;
  return [
    `Credits: ${sum} for the tasks whose size is known${also}. Balance: ${balance.email ?? '?'} e-mail, ${balance.sms ?? '?'} SMS.`,
  ];
}

const worded = (value: Step['name'] | number | boolean | null): string =>
  value === null ? 'null' : typeof value === 'string' ? JSON.stringify(value) : String(value);

const findingLine = ({ file, line, column, severity, rule, message }: LintFinding): string =>
  `${[file, line, column].filter((part) => part !== null).join(':')}${file === null ? '' : ': '}${severity} ${rule}: ${message}`;

const diffLines = (unified: string): readonly string[] => unified.trimEnd().split('\n');

/** More backticks than any line has. */
function fenced(unified: string): readonly string[] {
  const longest = Math.max(2, ...[...unified.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}diff`, ...diffLines(unified), fence];
}

/** Text of others in Markdown: nothing in it is markup. */
const inline = (text: string): string => text.replace(/[\\`*_[\]<>#|~@]/g, '\\$&').replace(/\s+/g, ' ');
const cell = (text: string): string => inline(text);

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
