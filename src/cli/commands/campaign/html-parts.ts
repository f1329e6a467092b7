/** Makes the parts that the HTML pages of a plan and of a rehearsal share. Their readers have neither svc nor the account. */
import type {
  MessagePreview,
  ReportBlock,
  ReportFinding,
  TermWithText,
  Verdict,
} from '../../../kit/report/report.ts';
import { makeHtmlInert } from '../../../kit/text/html-inert.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import { removeMarks } from '../../../service/resources/campaign-mark.ts';
import type { Channel } from '../../../service/resources/task.ts';

/** @param text follows the number of errors and warnings */
export function verdictOf(findings: readonly Pick<ReportFinding, 'severity'>[], text = ''): Verdict {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = formatCountWithNoun(findings.length - errors, 'warning');
  if (findings.length === 0) return { severity: 'good', text: `No findings.${text}` };
  if (errors === 0) return { severity: 'warning', text: `No errors, ${warnings}.${text}` };
  return { severity: 'error', strong: formatCountWithNoun(errors, 'error'), text: `, ${warnings}.${text}` };
}

/** Returns where the page comes from: campaign files or plans. */
export const factsOfFiles = (
  files: readonly { readonly name: string; readonly sha256: string }[],
): readonly TermWithText[] =>
  files.map(({ name, sha256 }) => ({ term: 'From', text: `${name}, SHA-256 ${sha256}` }));

interface Audience {
  readonly list: unknown;
  readonly search: unknown;
}

/** Returns `Newsletter (list 1)`, or `list 1` if svc does not know the name. */
export function formatAudience({ list, search }: Audience, listNames?: ReadonlyMap<string, string>): string {
  if (list === null) return `search ${search ?? ''}`;
  const name = listNames?.get(String(list));
  return name === undefined ? `list ${list}` : `${name} (list ${list})`;
}

interface PreviewedMessage {
  readonly channel: Channel;
  readonly record: { readonly name: string; readonly [attribute: string]: unknown };
  /** Names of the tasks and rules that send it. */
  readonly sentBy: readonly string[];
}

/** Returns no blocks if there are no messages. */
export const previewsOf = (messages: readonly PreviewedMessage[]): readonly ReportBlock[] =>
  messages.length === 0 ? [] : [PREVIEW_NOTE, ...messages.map(previewOf)];

const PREVIEW_NOTE: ReportBlock = {
  kind: 'paragraph',
  text: 'The messages are shown without images from the web, and before the values of each person are filled in.',
};

function previewOf({ channel, record, sentBy }: PreviewedMessage): MessagePreview {
  const { subject, fromname, fromemail, html, text, message } = record;
  const header = (term: string, value: unknown): readonly TermWithText[] =>
    typeof value === 'string' && value !== '' ? [{ term, text: value }] : [];
  const source = typeof html === 'string' ? html : '';
  return {
    kind: 'message',
    title: channel === 'email' ? String(subject ?? '') : `SMS ${removeMarks(record.name)}`,
    headers: [
      ...header('From', [fromname, fromemail && `<${fromemail}>`].filter(Boolean).join(' ')),
      ...header('Sent by', sentBy.join(', ')),
    ],
    content:
      source.trim() === ''
        ? { text: String(message ?? text ?? '') }
        : { html: makeHtmlInert(source, 'light', { keepsRemoteImages: false }) },
  };
}
