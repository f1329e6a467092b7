/** Formats the result of a rehearsal for people: as text, as Markdown for a pull request, and as an HTML page. */

import type { RehearsedRecipients } from '../../../features/rehearse/estimates.ts';
import type {
  RehearsalResult,
  RehearsedRuleCounts,
  RehearsedSend,
} from '../../../features/rehearse/rehearsal-result.ts';
import {
  barChart,
  type HtmlTableColumn,
  html,
  htmlPageEnd,
  htmlPageStart,
  htmlTableEnd,
  htmlTableRow,
  htmlTableStart,
} from '../../../kit/report/html-page.ts';
import { formatTextPageLines, type PageSection } from '../../../kit/report/text-page.ts';
import { escapeMarkdown } from '../../../kit/text/markdown.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import {
  PLURAL_NAMES_OF_REACTIONS,
  RECIPIENT_REACTIONS,
} from '../../../service/protocol/control/audience.ts';

export function rehearsalText(result: RehearsalResult, audience: RehearsedRecipients, width: number): string {
  const sections: readonly PageSection[] = [
    { title: 'Sends', blocks: [sendTerms(result)] },
    { title: 'Rules', blocks: result.rules.length === 0 ? [] : [ruleTerms(result)] },
    {
      title: 'People',
      blocks: [
        { kind: 'paragraph', text: peopleSentence(result) },
        { kind: 'paragraph', text: audienceSentence(audience) },
      ],
    },
    { title: 'Findings', blocks: [{ kind: 'points', texts: findingLines(result) }] },
    {
      title: 'Not known',
      blocks: result.unknown.length === 0 ? [] : [{ kind: 'points', texts: result.unknown }],
    },
  ];
  return `${formatTextPageLines({ title: titleOf(result), sections }, width)
    .map(({ text }) => text)
    .join('\n')}\n`;
}

const titleOf = ({ company }: RehearsalResult): string =>
  `Rehearsal of ${company.name} (company ${company.id})`;

const sendTerms = ({ sends, estimated }: RehearsalResult): PageSection['blocks'][number] =>
  sends.length === 0
    ? { kind: 'paragraph', text: NO_SENDS }
    : {
        kind: 'terms',
        terms: sends.map((send) => ({ term: send.local, text: sendSentence(send, estimated) })),
      };

function sendSentence(send: RehearsedSend, estimated: boolean): string {
  const { channel, name, task, leftOut, credits, balance } = send;
  const left = Object.entries(leftOut).map(([reason, count]) => `${groupThousands(count)} ${reason}`);
  return [
    `${channel === 'email' ? 'E-mail' : 'SMS'} "${name}" (task ${task}) to ${sentOf(send, estimated)} on ${audienceOf(send)}`,
    ...(left.length === 0 ? [] : [`left out: ${left.join(', ')}`]),
    credits === null
      ? 'credits not known'
      : `${groupThousands(credits)} credits${balance === null ? '' : `, ${groupThousands(balance)} left`}`,
  ].join('; ');
}

const NO_SENDS = 'No message is sent in the period that svc rehearsed.';

const audienceOf = ({ list, search }: RehearsedSend): string =>
  list === null ? `search ${search ?? ''}` : `list ${list}`;

/** Returns `about 443 of 500`, or `about 448 (447 when scheduled)` for a list that grew after the task was scheduled. */
function sentOf({ sent, size }: RehearsedSend, estimated: boolean): string {
  if (sent === null || size === null) return 'an unknown number';
  const reached = `${estimated ? 'about ' : ''}${groupThousands(sent)}`;
  return sent > size
    ? `${reached} (${groupThousands(size)} when scheduled)`
    : `${reached} of ${groupThousands(size)}`;
}

const cellOf = (number: number | null, otherwise = 'not known'): string =>
  number === null ? otherwise : groupThousands(number);

const ruleTerms = ({ rules }: RehearsalResult): PageSection['blocks'][number] => ({
  kind: 'terms',
  terms: rules.map((run) => ({ term: run.rule, text: ruleSentence(run) })),
});

const ruleSentence = ({ name, ran, sent, skipped, queued }: RehearsedRuleCounts): string =>
  [
    `The rule "${name}" ran ${formatCountWithNoun(ran, 'time', groupThousands(ran))} and sent ${formatCountWithNoun(sent, 'message', groupThousands(sent))}`,
    ...(skipped === 0
      ? []
      : [`${formatCountWithNoun(skipped, 'action', groupThousands(skipped))} not possible`]),
    ...(queued === 0
      ? []
      : [`${formatCountWithNoun(queued, 'action', groupThousands(queued))} still to come`]),
  ].join('; ');

const peopleSentence = ({ people: { mostInADay, mostInAWeek } }: RehearsalResult): string =>
  `In the rehearsal, no person receives more than ${formatCountWithNoun(mostInADay, 'message')} in a day or ${mostInAWeek} in a week. svc rehearses with invented people, so the real numbers may differ.`;

const SOURCES: Readonly<Record<RehearsedRecipients['source'], string>> = {
  account: "from the account's own tasks",
  flag: 'from --audience',
  none: 'svc cannot estimate these shares, because the account has no completed e-mail task; to set them, add --audience',
};

function audienceSentence({ shares, source, seed }: RehearsedRecipients): string {
  const parts = RECIPIENT_REACTIONS.map(
    (reaction) => `${PLURAL_NAMES_OF_REACTIONS[reaction]} ${percentOf(shares[reaction])}`,
  );
  return `Audience: ${parts.join(', ')} (${SOURCES[source]}; seed ${seed}).`;
}

/** Returns the share with three digits, because more are chance. */
const percentOf = (share: number): string => `${Number((share * 100).toPrecision(3))}%`;

function findingLines({ findings }: RehearsalResult): readonly string[] {
  if (findings.length === 0) return ['None.'];
  return findings.map(
    ({ rule, severity, message, at }) =>
      // The message of a lint finding already ends with the name of its rule.
      `${severity}: ${at === null ? '' : `${at}: `}${message}${rule === 'lint' ? '' : ` [${rule}]`}`,
  );
}

export function rehearsalMarkdown(result: RehearsalResult, audience: RehearsedRecipients): string {
  const { sends, rules, findings, unknown } = result;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return [
    `### ${escapeMarkdown(titleOf(result))}`,
    '',
    findings.length === 0
      ? 'No findings.'
      : errors === 0
        ? `No errors, ${formatCountWithNoun(findings.length, 'warning')}.`
        : `**${formatCountWithNoun(errors, 'error')}**, ${formatCountWithNoun(findings.length - errors, 'warning')}.`,
    '',
    ...(sends.length === 0
      ? [NO_SENDS]
      : tableOf(
          ['Time', 'Task', 'To', 'Sent', 'Credits', 'Left'],
          sends.map((send) => [
            send.local,
            `${send.channel === 'email' ? 'E-mail' : 'SMS'} ${send.name}`,
            audienceOf(send),
            sentOf(send, result.estimated),
            cellOf(send.credits),
            cellOf(send.balance, ''),
          ]),
        )),
    '',
    ...(rules.length === 0
      ? []
      : [
          ...tableOf(
            RULE_COLUMNS.map(({ title }) => title),
            rules.map(ruleCells),
          ),
          '',
        ]),
    escapeMarkdown(peopleSentence(result)),
    '',
    escapeMarkdown(audienceSentence(audience)),
    ...(findings.length === 0
      ? []
      : ['', '**Findings**', '', ...findingLines(result).map((line) => `- ${escapeMarkdown(line)}`)]),
    ...(unknown.length === 0
      ? []
      : ['', '**Not known**', '', ...unknown.map((line) => `- ${escapeMarkdown(line)}`)]),
    '',
  ].join('\n');
}

const ruleCells = ({ rule, name, ran, sent, skipped, queued }: RehearsedRuleCounts): readonly string[] => [
  rule,
  name,
  ...[ran, sent, skipped, queued].map(groupThousands),
];

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [heads, heads.map(() => '---'), ...rows.map((row) => row.map(escapeMarkdown))].map(
    (row) => `| ${row.join(' | ')} |`,
  );

export function rehearsalHtml(result: RehearsalResult, audience: RehearsedRecipients): string {
  const largest = Math.max(1, ...result.sends.map(({ sent }) => sent ?? 0));
  const pieces = [
    htmlPageStart(titleOf(result)),
    ...(result.sends.length === 0
      ? [html`<p>${NO_SENDS}</p>\n`]
      : [
          barChart(
            'Recipients of each send',
            result.sends.map((send) => ({
              label: `${send.local} ${send.name}`,
              value: cellOf(send.sent),
              share: (send.sent ?? 0) / largest,
            })),
          ),
          ...tablePieces(
            'Times of the sends, in the time zone of the company',
            SEND_COLUMNS,
            result.sends.map((send) => [
              send.local,
              `${send.channel === 'email' ? 'E-mail' : 'SMS'} ${send.name} (task ${send.task})`,
              audienceOf(send),
              cellOf(send.size),
              send.sent !== null && result.estimated ? `about ${cellOf(send.sent)}` : cellOf(send.sent),
              cellOf(send.credits),
              cellOf(send.balance, '-'),
            ]),
          ),
        ]),
    ...(result.rules.length === 0 ? [] : tablePieces('Rules', RULE_COLUMNS, result.rules.map(ruleCells))),
    html`<p>${peopleSentence(result)}</p>\n<p>${audienceSentence(audience)}</p>\n`,
    listOf('Findings', findingLines(result)),
    ...(result.unknown.length === 0 ? [] : [listOf('Not known', result.unknown)]),
    htmlPageEnd,
  ];
  return pieces.map((piece) => piece.html).join('');
}

const SEND_COLUMNS: readonly HtmlTableColumn[] = [
  { title: 'Time' },
  { title: 'Task' },
  { title: 'To' },
  ...['Size', 'Sent', 'Credits', 'Left'].map((title) => ({ title, isNumber: true })),
];
const RULE_COLUMNS: readonly HtmlTableColumn[] = [
  { title: 'Rule' },
  { title: 'Name' },
  ...['Ran', 'Sent', 'Not possible', 'To come'].map((title) => ({ title, isNumber: true })),
];

const tablePieces = (
  caption: string,
  columns: readonly HtmlTableColumn[],
  rows: readonly (readonly string[])[],
) => [htmlTableStart(caption, columns), ...rows.map((row) => htmlTableRow(columns, row)), htmlTableEnd()];

const listOf = (title: string, lines: readonly string[]) =>
  html`<h2>${title}</h2>\n<ul>${lines.map((line) => html`<li>${line}</li>\n`)}</ul>\n`;
