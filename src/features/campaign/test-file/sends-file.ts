/** The sends file beside a test file: a table of what the campaign sends, which later runs compare with what it sends then. */

import { structuredPatch } from 'diff';
import { escapeMarkdown } from '../../../kit/text/markdown.ts';
import { groupThousands } from '../../../kit/text/words.ts';

/** The send of a task, or all messages of a rule on a local day. */
export interface SendLine {
  /** Local days since the start. Dates would change whenever the start does. */
  readonly day: number;
  readonly weekday: string;
  /** Local time at which a task begins. Null for a rule. */
  readonly clock: string | null;
  readonly what: string;
  readonly message: string;
  readonly channel: string;
  readonly recipients: number;
  readonly credits: number;
}

/** Returns `spring.sends.md` for `spring.test.yaml`. */
export const sendsPathOf = (testPath: string): string => testPath.replace(/\.test\.ya?ml$/, '.sends.md');

/** The first line of each sends file, by which svc knows its own. */
const MARK = '<!-- svc test --update writes this file -->';

/** Each send has a line of its own without padding, so that a changed send is one changed line. */
export const formatSends = (campaign: string, lines: readonly SendLine[]): string =>
  [
    ...[
      MARK,
      '',
      `# Sends of ${escapeMarkdown(campaign)}`,
      '',
      'Day 0 is the day on which the tests begin.',
      '',
    ],
    ...[
      '| time | send | message | channel | recipients | credits |',
      '| --- | --- | --- | --- | --- | --- |',
    ],
    ...lines.map(({ day, weekday, clock, what, message, channel, recipients, credits }) => {
      const time = `day ${day}, ${weekday}${clock === null ? '' : ` ${clock}`}`;
      const names = [what, message].map(escapeMarkdown).join(' | ');
      return `| ${time} | ${names} | ${channel} | ${groupThousands(recipients)} | ${groupThousands(credits)} |`;
    }),
    '',
  ].join('\n');

export const isSendsFile = (text: string): boolean => text.startsWith(MARK);

/** Returns the lines that `before` has and `after` lacks, with `- `, and the others with `+ `, in the order of the files. */
export function diffSends(before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map((text) => text.replaceAll('\r\n', '\n'));
  const { hunks } = structuredPatch('', '', old ?? '', now ?? '', '', '', { context: 0 });
  return hunks
    .flatMap(({ lines }) => lines.filter((line) => /^[-+]/.test(line)))
    .map((line) => `${line[0]} ${line.slice(1)}`);
}
