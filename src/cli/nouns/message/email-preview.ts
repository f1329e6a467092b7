import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { type EmailMessageRecord, emailMessage } from '../../../service/resources/email-message.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { choiceFlag, switchFlag, wholeNumberFlag, writtenFileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { checkNewFile, writeNewFile } from '../../request/new-file.ts';
import { resolveRecord } from '../../request/references.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Changes, Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import { idPositional } from '../generic/read.ts';

const HEADERS = ['id', 'name', 'subject', 'fromname', 'fromemail', 'replyemail', 'text', 'html'] as const;

const partFlag = choiceFlag('part', ['html', 'text', 'subject'], {
  describe: 'Print only this part of the message, as it is stored',
});
const outFlag = writtenFileFlag('out', {
  writes: 'output',
  describe: 'Write one part to a new file (default: html, without scripts)',
});
const openFlag = switchFlag('open', { describe: 'Open the HTML in the browser' });
const pngFlag = writtenFileFlag('png', {
  writes: 'output',
  describe: 'Render the HTML to a PNG file with Chromium',
});
const widthFlag = wholeNumberFlag('width', {
  describe: 'Width in pixels (with --png)',
  min: 100,
  max: 4000,
  default: 800,
});
const heightFlag = wholeNumberFlag('height', {
  describe: 'Height in pixels (with --png) (default: that of the message)',
  min: 100,
  max: 16_000,
});

export const emailPreview: Verb = {
  name: 'preview',
  summary: 'Preview an e-mail as text, in the browser or as a picture',
  about:
    'Scripts in the message never run: --open, --png and --out block them. --part html prints the HTML as it is stored. --png loads nothing from the network, so the picture has no remote images',
  work: 'finds',
  methods: ['GET'],
  example: 'email preview 1 --open',
  positionals: [idPositional(emailMessage)],
  flags: [openFlag, pngFlag, widthFlag, heightFlag, partFlag, outFlag],
  companies: 'reads',
  run: async (session, input) => {
    checkTogether(session, input);
    const record = await resolveRecord(session, emailMessage, input.positionals[0] ?? '');
    const out = input.get(outFlag);
    const part = input.get(partFlag) ?? (out === undefined ? undefined : 'html');
    const png = input.get(pngFlag);
    if (input.get(openFlag)) {
      session.beforeChange('show the message in the browser');
      const { showInBrowser } = await import('./browser-preview.ts');
      await showInBrowser(session, htmlOf(record));
      return { result: { kind: 'nothing' } };
    }
    if (png !== undefined) return asPicture(session, record, png, input);
    if (part === undefined) return shown(session, record);
    const body = String(record[part] ?? '');
    if (out === undefined) return { result: { kind: 'raw', body: body.endsWith('\n') ? body : `${body}\n` } };
    await writeNew(session, out, part === 'html' ? await pageOf(body) : body);
    return { result: { kind: 'nothing' } };
  },
};

function checkTogether({ globals }: Invocation, input: Input): void {
  const ways = [openFlag, pngFlag].filter((flag) => input.has(flag)).map(({ name }) => `--${name}`);
  const parts = [partFlag, outFlag].filter((flag) => input.has(flag)).map(({ name }) => `--${name}`);
  const given = [...ways, ...parts];
  if (ways.length > 1 || (ways.length > 0 && parts.length > 0))
    throw new UsageError(`cannot combine ${given.join(' and ')}`, { hint: 'give one of them' });
  if (ways.length > 0 && globals.companies !== undefined)
    throw new UsageError(`cannot combine ${ways.join()} with --companies`);
}

async function shown(
  session: Invocation & Tell & ServiceAccess,
  record: EmailMessageRecord,
): Promise<Outcome> {
  if (!(await isResultPrintedForPeople(session))) {
    const value = Object.fromEntries(HEADERS.map((name) => [name, record[name] ?? null]));
    return { result: { kind: 'object', value, ...columnsOfResource(emailMessage) } };
  }
  const { stdout } = session.context;
  const text = await formatMessagePreview(record, stdout.isTTY ? stdout.columns : undefined);
  return { result: { kind: 'text', text } };
}

/** No script runs in the page, as with `--open`. */
async function pageOf(html: string): Promise<string> {
  const { createPreviewPage } = await import('./browser-preview.ts');
  return createPreviewPage(html, { allowsNetwork: true });
}

async function asPicture(
  session: Invocation & Tell & Changes,
  record: EmailMessageRecord,
  name: string,
  input: Input,
): Promise<Outcome> {
  session.beforeChange(`write ${name}`);
  const { takePreviewPicture } = await import('./browser-preview.ts');
  const size = { width: input.get(widthFlag), height: input.get(heightFlag) };
  await writeNew(session, name, await takePreviewPicture(session, htmlOf(record), size));
  return { result: { kind: 'nothing' } };
}

function htmlOf({ html }: EmailMessageRecord): string {
  if (typeof html === 'string' && html.trim() !== '') return html;
  throw new UsageError('the message has no HTML', { hint: 'leave out --open and --png to see its text' });
}

/** Other users may read the file. Never overwrites an existing file, and never follows a link to one. */
async function writeNew(
  session: Invocation & Tell & Changes,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  await writeNewFile(session, { ...(await checkNewFile(session, name)), mode: 0o644 }, content);
  await session.info(`wrote ${name}`);
}

/** Longer lines are hard to read on any terminal. */
const MAX_LINE_WIDTH = 100;
const WITHOUT_TERMINAL = 80;

/** Returns the headers and the HTML as text, or else the text part. Escapes control sequences. */
async function formatMessagePreview(
  record: EmailMessageRecord,
  columns: number | undefined,
): Promise<string> {
  const { html, text, subject, fromname, fromemail, replyemail } = record;
  const width = Math.min(MAX_LINE_WIDTH, columns ?? WITHOUT_TERMINAL);
  const { htmlToText } = await import('../../../kit/text/html-to-text.ts');
  const hasHtml = typeof html === 'string' && html.trim() !== '';
  const body = hasHtml ? htmlToText(html, { width }) : String(text ?? '').replaceAll('\r\n', '\n');
  const headers = [
    `Subject: ${subject ?? ''}`,
    `From: ${fromname ?? ''} <${fromemail ?? replyemail ?? ''}>`,
    `Reply-To: ${replyemail ?? ''}`,
  ].map((line) => escapeForTerminal(line));
  return `${headers.join('\n')}\n\n${escapeForTerminal(body.trimEnd(), { newlines: true })}\n`;
}
