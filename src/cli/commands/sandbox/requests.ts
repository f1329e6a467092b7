/** Declares `svc sandbox requests`, which shows the requests that a sandbox received, and why it refused a signature. */

import type { Report, ReportBlock, ReportSection, TermWithText } from '../../../kit/report/report.ts';
import { displayWidth } from '../../../kit/text/display-width.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import type { Answer } from '../../../sandbox/control/all.ts';
import type { AuthHeaderCheck } from '../../../service/auth/verify.ts';
import { type ControlRequest, controlOperationNamed } from '../../../service/protocol/control.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { type FlagShape, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Column } from '../../output/result.ts';
import { createTextPageOutcome } from '../../request/page.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Invocation, Ports, Tell } from '../../session/ports.ts';
import { formatOpensslSignCommand, formatSignedTextLines } from '../../session/signature-lines.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { operationVerbHelp } from './control-verb.ts';
import { MAX_ROWS_PER_REQUEST, NEWEST_FIRST_FLAGS, readRowsInPages, readSandboxRowLimit } from './pages.ts';
import { operationParameterFlags, readOperationParameters } from './parameters.ts';

const OPERATION = controlOperationNamed('requests');
const followFlag = switchFlag('follow', {
  describe: 'Show the newest 10 requests (--limit changes the number), then each new request until Ctrl-C',
});

const NOT_WITH_EXPLAIN: readonly FlagShape[] = [
  followFlag,
  ...operationParameterFlags(OPERATION).filter(({ name }) => name !== 'explain'),
  ...NEWEST_FIRST_FLAGS,
];

export const sandboxRequests: Verb = {
  ...operationVerbHelp('requests'),
  work: 'finds in sandbox',
  section: 'Authentication',
  live: true,
  flags: [followFlag, ...operationParameterFlags(OPERATION), ...NEWEST_FIRST_FLAGS, dataFlag],
  run: async (session, input) => {
    const filter = await readOperationParameters(session, input, 'requests');
    if (filter.explain !== undefined) return explainOne(session, input, filter);
    if (input.get(followFlag)) return follow(session, input, filter);
    const empty =
      Object.keys(filter).length > 0
        ? 'None of the last 10,000 requests matches the filters.'
        : (OPERATION.empty ?? '');
    const isTable = await isResultPrintedForPeople(session);
    /** Refused requests among the rows. Notes below the table explain the newest of them. */
    const refused: RequestRow[] = [];
    const rows = await readRowsInPages(session, input, {
      operation: 'requests',
      args: filter,
      cursorOf: ({ id }) => id,
      shownInTable: (row) => {
        if (row.why !== null) refused.push(row);
        return { ...row, time: shortTime(row.time) };
      },
    });
    if (!isTable) return { result: { ...rows, empty } };
    const notes = (): readonly string[] => [...(rows.notes?.() ?? []), ...explained(refused)];
    return { result: { ...rows, empty, columns: TABLE_COLUMNS, attributes: OPERATION.columns, notes } };
  },
};

type RequestRow = Answer<'requests'>[number];
type Filter = ControlRequest<'requests'>;

async function explainOne(session: Ports, input: Input, filter: Filter): Promise<Outcome> {
  const others = NOT_WITH_EXPLAIN.filter((flag) => input.has(flag)).map(({ name }) => `--${name}`);
  if (others.length > 0)
    throw new UsageError(`cannot combine --explain with ${others.join(' or ')}`, {
      hint: `write svc sandbox requests --explain ${filter.explain}`,
    });
  const { data } = await requestSandboxOperation(session, input, 'requests', filter);
  const [row] = data;
  if (row !== undefined && (await isResultPrintedForPeople(session)))
    return createTextPageOutcome(session, createRequestExplanationPage(row));
  return { result: { kind: 'object', value: Object(row), columns: OPERATION.columns } };
}

const TABLE_COLUMNS: readonly Column[] = [
  { name: 'id', kind: 'number' },
  { name: 'time', kind: 'text', title: 'TIME (UTC)', role: 'state' },
  { name: 'who', kind: 'text' },
  { name: 'method', kind: 'text', role: 'state' },
  { name: 'path', kind: 'text', role: 'name' },
  { name: 'status', kind: 'number' },
  { name: 'milliseconds', kind: 'number', title: 'MS' },
];

const MAX_EXPLAINED = 3;

function explained(refused: readonly RequestRow[]): readonly string[] {
  const shown = refused.slice(0, MAX_EXPLAINED);
  const left = refused.length - shown.length;
  const more = left > 0 ? [`to see ${left} more, run svc sandbox requests --status 401 -o json`] : [];
  return [...shown.flatMap((row) => ['', ...explainRefusedRequest(row)]), ...more];
}

function explainRefusedRequest(row: RequestRow): readonly string[] {
  const { id, method, path, why, signed, signature, expected } = row;
  const head = `Request ${id}, ${method} ${path}: ${why}.`;
  if (signed === null) return [head];
  const canonical = formatSignedTextLines({ canonical: signed });
  if (expected === null) return [head, 'The string to sign for this request:', ...canonical];
  if (signature === expected)
    return [head, 'The signature is correct. It is the SHA-1 of these lines:', ...canonical];
  return [
    head,
    'The service computed the signature from these lines. \\r\\n is CR LF, and no line end follows the key:',
    ...canonical,
    `The SHA-1 of these lines begins with ${expected}, but the signature of the request begins with ${signature}.`,
  ];
}

/** Shows seconds, and no year: `12-01 09:00:05`. */
const shortTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(5, 19).replace('T', ' ');

const FOLLOWED_BEFORE = 10;
const POLL_MS = 500;

async function follow(session: Ports, input: Input, filter: Filter): Promise<Outcome> {
  const coming = batches(session, input, filter);
  if (await isResultPrintedForPeople(session)) {
    for await (const batch of coming) await print(session, batch);
    return { result: { kind: 'nothing' } };
  }
  const format = await session.format();
  if (format === 'json' || format === 'yaml')
    throw new UsageError(`--follow cannot print ${format}`, { hint: 'use -o ndjson' });
  async function* rows() {
    for await (const batch of coming) yield* batch;
  }
  const { columns, empty = '' } = OPERATION;
  return { result: { kind: 'rows', rows: rows(), columns, empty } };
}

/** Yields the newest known requests in one batch, then polls for new requests and yields them until Ctrl-C. */
async function* batches(session: Ports, input: Input, filter: Filter) {
  const { clock, signal } = session.context;
  const ask = async (more: Filter) =>
    (await requestSandboxOperation(session, input, 'requests', { ...filter, ...more })).data;
  const { limit, showsNote } = await readSandboxRowLimit(session, input);
  const before = showsNote || limit === Number.POSITIVE_INFINITY ? FOLLOWED_BEFORE : limit;
  const opened = await ask({ limit: Math.max(1, Math.min(before, MAX_ROWS_PER_REQUEST)) });
  let last = opened.at(-1)?.id ?? 0;
  if (before > 0 && opened.length > 0) yield opened;
  for (;;) {
    const batch = await ask({ after: last, limit: MAX_ROWS_PER_REQUEST });
    if (batch.length > 0) yield batch;
    last = batch.at(-1)?.id ?? last;
    if (batch.length < MAX_ROWS_PER_REQUEST) await clock.sleep(POLL_MS, signal);
  }
}

async function print(session: Invocation & Tell, batch: readonly RequestRow[]): Promise<void> {
  for (const row of batch) {
    const { time, who, method, path, status, milliseconds } = row;
    const cells = [shortTime(time), who, method, path, status, milliseconds];
    const texts = cells.map((cell) => escapeForTerminal(String(cell ?? '-')));
    const line = texts
      .map((text, at) => text + ' '.repeat(Math.max(0, (WIDTHS[at] ?? 0) - displayWidth(text))))
      .join('  ');
    await session.context.stdout.write(`${line.trimEnd()} ms\n`);
    if (row.why !== null) for (const each of explainRefusedRequest(row)) await session.info(`  ${each}`);
  }
}

/** Widths of the columns with `--follow`. They are fixed, because later requests are not known yet. */
const WIDTHS: readonly number[] = [14, 16, 6, 24, 3, 0];

function createRequestExplanationPage(row: RequestRow): Report {
  const { id, method, path } = row;
  const fields: readonly AuthHeaderCheck[] = 'fields' in row ? row.fields : [];
  const wrong = fields.filter(({ problem }) => problem !== null);
  const right = fields.filter(({ problem }) => problem === null);
  return {
    title: `Request ${id}: ${method} ${path}`,
    sections: [
      { title: 'Response', blocks: [{ kind: 'paragraph', text: answerWords(row) }] },
      termSection('Wrong', wrong.map(wrongTerm)),
      termSection(
        'Right',
        right.flatMap(({ field, sent }) => (sent === null ? [] : [{ term: field, text: sent }])),
      ),
      { title: 'String to sign', blocks: signedBlocks(row) },
    ],
  };
}

const termSection = (title: string, terms: readonly TermWithText[]): ReportSection => ({
  title,
  blocks: terms.length === 0 ? [] : [{ kind: 'terms', terms }],
});

const wrongTerm = ({ field, sent, problem }: AuthHeaderCheck): TermWithText => ({
  term: field,
  text: `${problem}.${sent === null ? '' : ` Sent: ${sent}`}`,
});

function answerWords(row: RequestRow): string {
  const { status, who, milliseconds, why, check } = row;
  const from = who ?? 'a client without ids';
  const head = status === null ? `${from} got no response` : `${status} to ${from}, after ${milliseconds} ms`;
  // A 401 has the same text for every cause. The headers of the request show more.
  const said = 'message' in row ? row.message : null;
  const injected = check === null ? why : null;
  const told = injected ?? said;
  if (told) return `${head}: ${told}.`;
  return `${head}. ${Number(status) < 400 ? 'The request has no problem.' : 'The response gave no reason.'}`;
}

function signedBlocks({ signed, signature, expected, check }: RequestRow): readonly ReportBlock[] {
  if (signed === null) return [];
  const canonical = signed
    .split('\r\n')
    .map((line) => escapeForTerminal(line))
    .join('\r\n');
  const lines: ReportBlock = {
    kind: 'verbatim',
    lines: formatSignedTextLines({ canonical }).map((line) => line.trimStart()),
  };
  const legend = '\\r\\n is CR LF, and the API key ends the text.';
  if (check === 'headers')
    return [{ kind: 'paragraph', text: `Words in angle brackets replace missing values. ${legend}` }, lines];
  const compared =
    expected === null
      ? undefined
      : signature === expected
        ? 'The signature is correct.'
        : `The SHA-1 of these lines begins with ${expected}, but the signature of the request begins with ${signature}.`;
  return [
    { kind: 'paragraph', text: legend },
    lines,
    ...(compared === undefined ? [] : [{ kind: 'paragraph', text: compared } as const]),
    {
      kind: 'paragraph',
      text: 'To compute the signature, set the variable in this command to your key, then run the command:',
    },
    { kind: 'command', line: formatOpensslSignCommand({ canonical }) },
  ];
}
