/** Describes what differs between two rehearsals, as a report: text, Markdown for a pull request, or a page in HTML. */

import type {
  Both,
  Change,
  ChangedPeople,
  RehearsalDifference,
  Renamed,
} from '../../../features/rehearse/compare.ts';
import type { RehearsedRecipients } from '../../../features/rehearse/estimates.ts';
import type {
  RehearsalResult,
  RehearsedRuleCounts,
  RehearsedSend,
} from '../../../features/rehearse/rehearsal-result.ts';
import type { Report, ReportBlock, ReportCell, ReportSection, Verdict } from '../../../kit/report/report.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import {
  capitalizeFirstLetter,
  formatCountWithNoun,
  groupThousands,
  joinAnd,
} from '../../../kit/text/words.ts';
import { formatAudience } from '../campaign/html-parts.ts';
import type { OtherVersion } from './against.ts';
import {
  audienceSentence,
  CHANNEL_WORDS,
  factsOf,
  type RehearsalPageFacts,
  ruleSentence,
  sendSentence,
  sentOf,
} from './pages.ts';
import { reportFinding, sayWithNames } from './sentences.ts';

export interface ComparedRehearsals {
  readonly before: RehearsalResult;
  readonly after: RehearsalResult;
  readonly difference: RehearsalDifference;
  readonly isSame: boolean;
  readonly other: OtherVersion;
}

/** @param page for HTML, as for `rehearsalReport` */
export function differenceReport(
  { before, after, difference, isSame, other }: ComparedRehearsals,
  audience: RehearsedRecipients,
  page?: RehearsalPageFacts,
): Report {
  const readers = page === undefined ? 'operators' : 'others';
  const [sayNew, sayOld] = [sayWithNames(after, readers), sayWithNames(before, readers)];
  const { sends, rules, findings, unknown } = difference;
  const isEstimated = { before: before.estimated, after: after.estimated };
  const points = [
    ...noteOfMissing(other),
    ...difference.renamed.map((each) => renameSentence(each, nameOf(other))),
    ...sentencesAbout(difference, after.estimated),
  ];
  const section = (title: string, ...blocks: readonly ReportBlock[]): ReportSection => ({ title, blocks });
  return {
    title: `Rehearsal of ${after.company.name} (company ${after.company.id}) against ${nameOf(other)}`,
    verdict: verdictOf(difference, isSame),
    facts: page && [
      ...factsOf(after, page),
      { term: 'Against', text: joinAnd([nameOf(other), ...other.missing.map((file) => `without ${file}`)]) },
      ...other.files.map(({ name, sha256 }) => ({ term: 'Against', text: `${name}, SHA-256 ${sha256}` })),
    ],
    sections: [
      section(
        'Difference',
        ...(points.length === 0 ? [] : [{ kind: 'points', texts: points } as const]),
        ...(isSame
          ? [{ kind: 'paragraph', text: page === undefined ? NOTHING_FOR_OPERATORS : NOTHING } as const]
          : []),
      ),
      section('Sends', ...(sends.length === 0 ? [] : [sendTable(sends, isEstimated, page)])),
      section('Rules', ...(rules.length === 0 ? [] : [ruleTable(rules)])),
      section(
        'New findings',
        ...(findings.added.length === 0
          ? []
          : [
              {
                kind: 'findings',
                findings: findings.added.map((each) => reportFinding(each, sayNew)),
              } as const,
            ]),
      ),
      section(
        'Findings that are gone',
        ...(findings.removed.length === 0
          ? []
          : [
              {
                kind: 'points',
                texts: findings.removed.map((each) => {
                  const { severity, text } = reportFinding(each, sayOld);
                  return `${severity}: ${text}`;
                }),
              } as const,
            ]),
      ),
      section(
        'Not known',
        ...(unknown.added.length === 0
          ? []
          : [{ kind: 'points', texts: unknown.added.map(sayNew) } as const]),
      ),
      section('People', {
        kind: 'paragraph',
        text: `${SAME_PEOPLE} ${audienceSentence(audience, page !== undefined)}`,
      }),
    ],
  };
}

/** @param other name of the version that has the other key, which may be the newer one */
const renameSentence = ({ kind, before, after }: Renamed, other: string): string => {
  const word = kind === 'automation' ? 'rule' : kind;
  return `The ${word} ${after} is renamed: ${other} has it as ${before}.`;
};

const NOTHING =
  'Nothing differs: both have the same sends, recipients, messages per person, rules, credits and findings.';
const NOTHING_FOR_OPERATORS = `${NOTHING} To see changes of texts, run svc plan.`;
const SAME_PEOPLE = 'Both rehearsals have the same invented people, so the real numbers may differ.';

function nameOf({ kind, name, commit }: OtherVersion): string {
  if (kind === 'none') return 'no campaign';
  if (commit === null) return name;
  const short = `commit ${commit.slice(0, 10)}`;
  return commit.startsWith(name) ? short : `${name} (${short})`;
}

const noteOfMissing = ({ name, missing }: OtherVersion): readonly string[] =>
  missing.map((file) => `${name} does not have the file ${file}, so everything in it is new.`);

function verdictOf({ findings: { added } }: RehearsalDifference, isSame: boolean): Verdict {
  if (isSame) return { severity: 'good', text: 'Nothing differs.' };
  const errors = added.filter(({ severity }) => severity === 'error').length;
  const warnings = formatCountWithNoun(added.length - errors, 'new warning');
  if (added.length === 0) return { severity: 'good', text: 'No new findings.' };
  if (errors === 0) return { severity: 'warning', text: `No new errors, ${warnings}.` };
  return { severity: 'error', strong: formatCountWithNoun(errors, 'new error'), text: `, ${warnings}.` };
}

/** Returns sentences such as `37 people get a third message.` and `96 e-mail credits more: 539 instead of 443.` */
function sentencesAbout(
  { people, credits }: Pick<RehearsalDifference, 'people' | 'credits'>,
  isEstimated: boolean,
): readonly string[] {
  const about = isEstimated ? 'about ' : '';
  const most = ({ before, after }: Both<number>, span: string): readonly string[] =>
    before === after
      ? []
      : [
          `No person receives more than ${formatCountWithNoun(after, 'message')} in a ${span}, instead of ${before}.`,
        ];
  const spent = ({ before, after }: Both<number>, noun: string): readonly string[] => {
    if (before === after) return [];
    const change = Math.abs(after - before);
    const amount = formatCountWithNoun(change, noun, groupThousands(change));
    return [
      `${about}${amount} ${after > before ? 'more' : 'fewer'}: ${groupThousands(after)} instead of ${groupThousands(before)}.`,
    ];
  };
  return [
    ...people.messages.flatMap((each) => sentencesAboutPeople(each, about)),
    ...most(people.mostInADay, 'day'),
    ...most(people.mostInAWeek, 'week'),
    ...spent(credits.email, 'e-mail credit'),
    ...spent(credits.sms, 'SMS credit'),
  ].map(capitalizeFirstLetter);
}

/** More messages show in the most of a day and a week. */
const ORDINALS = [
  '',
  '',
  'a second',
  'a third',
  'a fourth',
  'a fifth',
  'a sixth',
  'a seventh',
  'an eighth',
  'a ninth',
  'a tenth',
];

function sentencesAboutPeople({ messages, more, fewer }: ChangedPeople, about: string): readonly string[] {
  const ordinal = ORDINALS[messages];
  if (ordinal === undefined) return [];
  const counted = (count: number, other = ''): string =>
    `${about}${groupThousands(count)} ${other}${count === 1 ? 'person' : 'people'}`;
  const get = (count: number): string => (count === 1 ? 'gets' : 'get');
  const isFirst = messages === 1;
  const message = isFirst ? 'a message' : `${ordinal} message`;
  return [
    ...(more === 0 ? [] : [`${counted(more, isFirst ? 'more ' : '')} ${get(more)} ${message}.`]),
    ...(fewer === 0 ? [] : [`${counted(fewer)} no longer ${get(fewer)} ${message}.`]),
  ];
}

const CHANGE_WORDS = { added: 'new', removed: 'gone', changed: 'changed' } as const;

/** Returns the text of the version that has the record. If both have it and differ, both texts. */
function cellOf<T>(
  { before, after }: Change<T>,
  say: (version: T, at: 'before' | 'after') => string,
): ReportCell {
  const [old, now] = [before && say(before, 'before'), after && say(after, 'after')];
  if (old === null || now === null || old === now) return now ?? old ?? '';
  return { lines: [now, `was ${old}`] };
}

/** Returns `539 credits instead of 443`, or nothing if both texts are the same. */
const insteadOf = (now: string, old: string, say = (text: string): string => text): readonly string[] =>
  now === old ? [] : [`${say(now)} instead of ${old}`];

function sendTable(
  sends: readonly Change<RehearsedSend>[],
  isEstimated: Both<boolean>,
  page: RehearsalPageFacts | undefined,
): ReportBlock {
  return {
    kind: 'table',
    caption: 'Sends that differ. Times are in the time zone of the company',
    columns: [
      ...['Change', 'Time', 'Task', 'To'].map((title) => ({ title })),
      ...['Sent', 'Credits'].map((title) => ({ title, isNumber: true })),
    ],
    rows: sends.map((change) => [
      CHANGE_WORDS[change.change],
      cellOf(change, timeOf),
      cellOf(change, taskOf),
      cellOf(change, (send) => formatAudience(send, page?.listNames)),
      cellOf(change, (send, at) => sentOf(send, isEstimated[at])),
      cellOf(change, creditsOf),
    ]),
    sentences: sends.map(({ change, before, after }) => ({
      term: CHANGE_WORDS[change],
      text:
        before === null || after === null
          ? sentenceOf(after ?? before, isEstimated[after === null ? 'before' : 'after'])
          : changeSentence(before, after, isEstimated),
    })),
  };
}

function changeSentence(before: RehearsedSend, after: RehearsedSend, isEstimated: Both<boolean>): string {
  const when = timeOf(before) === timeOf(after) ? ` at ${after.local}` : '';
  const changes = [
    ...insteadOf(timeOf(after), timeOf(before)),
    ...insteadOf(taskOf(after), taskOf(before)),
    ...insteadOf(formatAudience(after), formatAudience(before)),
    ...insteadOf(sentOf(after, isEstimated.after), sentOf(before, isEstimated.before), (to) => `to ${to}`),
    ...insteadOf(leftOutOf(after), leftOutOf(before), (people) => `left out: ${people}`),
    ...insteadOf(creditsOf(after), creditsOf(before), (credits) => `credits: ${credits}`),
  ];
  return `${taskOf(after)}${when}: ${changes.join('; ')}`;
}

const sentenceOf = (send: RehearsedSend | null, isEstimated: boolean): string =>
  send === null ? '' : `${send.local}: ${sendSentence({ ...send, balance: null }, isEstimated)}`;

/** Only a send with a rate takes longer than its first minute. */
const timeOf = ({ local, time, until }: RehearsedSend): string =>
  until === null || until - time < 60 ? local : `${local} for ${formatDuration(until - time)}`;

const taskOf = ({ channel, name }: RehearsedSend): string => `${CHANNEL_WORDS[channel]} ${name}`;

const creditsOf = ({ credits }: RehearsedSend): string =>
  credits === null ? 'not known' : groupThousands(credits);

function leftOutOf({ leftOut }: RehearsedSend): string {
  const reasons = Object.entries(leftOut).map(([reason, count]) => `${groupThousands(count)} ${reason}`);
  return reasons.length === 0 ? 'nobody' : reasons.sort().join(', ');
}

const ruleTable = (rules: readonly Change<RehearsedRuleCounts>[]): ReportBlock => ({
  kind: 'table',
  caption: 'Rules that differ, and how often each acts',
  columns: [
    ...['Change', 'Rule', 'Name'].map((title) => ({ title })),
    ...['Ran', 'Sent', 'Not possible', 'To come'].map((title) => ({ title, isNumber: true })),
  ],
  rows: rules.map((change) => [
    CHANGE_WORDS[change.change],
    (change.after ?? change.before)?.rule ?? '',
    cellOf(change, ({ name }) => name),
    ...(['ran', 'sent', 'skipped', 'queued'] as const).map((member) =>
      cellOf(change, (counts) => groupThousands(counts[member])),
    ),
  ]),
  sentences: rules.map(({ change, before, after }) => ({
    term: CHANGE_WORDS[change],
    text: before && after ? ruleChangeSentence(before, after) : ruleSentenceOf(after ?? before),
  })),
});

const ruleSentenceOf = (rule: RehearsedRuleCounts | null): string =>
  rule === null ? '' : `${rule.rule}: ${ruleSentence(rule)}`;

function ruleChangeSentence(before: RehearsedRuleCounts, after: RehearsedRuleCounts): string {
  const counts = (member: 'ran' | 'sent' | 'skipped' | 'queued', label: string): readonly string[] =>
    insteadOf(groupThousands(after[member]), groupThousands(before[member]), (text) => `${label} ${text}`);
  return `${after.rule} (${after.name}): ${[
    ...insteadOf(after.name, before.name),
    ...counts('ran', 'ran'),
    ...counts('sent', 'messages sent'),
    ...counts('skipped', 'not possible'),
    ...counts('queued', 'still to come'),
  ].join('; ')}`;
}
