/** Prints the result of a verb, once. stdout gets only the data (contract, "Output"). */

import { formatRecordId } from '../../client/requests/record-title.ts';
import { isId } from '../../kit/schema/integer.ts';
import { assertNever } from '../../kit/schema/resource.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import { formatJson, parseJson } from '../../service/protocol/json.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { OutputStream } from '../outside/context.ts';
import { escapeJobCommands, withoutJobCommands } from './job-log.ts';
import { escapeUnsafeCharactersInJson, formatJsonText, writeJson, writeNdjson } from './json.ts';
import { wrapNoteText } from './note-lines.ts';
import {
  declaredColumns,
  type JqProgram,
  type Result,
  type ResultOptions,
  type Row,
  type Rows,
  type SingleItemResult,
} from './result.ts';
import {
  isJsonTooDeep,
  openResultView,
  type ResultView,
  readNonInheritedAttribute,
  withBufferedWrites,
} from './view.ts';

interface Streams {
  readonly out: OutputStream;
  readonly err: OutputStream;
}

/**
 * Streams lists in constant memory, except for `query` and `jq`, which need all rows. Rethrows errors of the rows and the output.
 * @throws UsageError if the rows have none of the chosen fields, or if the query does not fit; CliError for data that can't be shown
 */
export async function render(
  result: Result,
  rendering: ResultOptions,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  const ofCompanies = rendering.ofCompanies || (result.kind === 'rows' && result.ofCompanies === true);
  const withIds = withRuleIds(result, rendering.jq === undefined ? rendering.format : 'json');
  await write(withIds, { ...rendering, ofCompanies }, { out, err });
  const cut = result.kind === 'rows' ? result.continuation?.() : undefined;
  if (cut !== undefined) {
    const next = rendering.commandWith?.(cut.flag);
    await err.write(
      `${escapeUnsafeCharactersInJson(formatJson({ truncated: true, shown: cut.shown, next }))}\n`,
    );
  }
  const notes = result.kind === 'rows' ? (result.notes?.() ?? []) : [];
  if (notes.length === 0 || rendering.quiet) return;
  await err.write(await wrapNoteText(err, notes.map((note) => `${escapeForTerminal(note)}\n`).join('')));
}

async function write(result: Result, rendering: ResultOptions, to: Streams): Promise<void> {
  const { out } = to;
  switch (result.kind) {
    case 'nothing':
      return;
    case 'text':
      return out.write(rendering.isJobLog && !result.isExact ? escapeJobCommands(result.text) : result.text);
    case 'raw':
      if (rendering.jq !== undefined)
        return rendering.jq.print(formatJson(parseResponse(await wholeText(result.body))), out, to.err);
      return writeRaw(result.body, rendering, to);
    case 'rows':
    case 'object':
      if (rendering.jq !== undefined) return writeJq(result, rendering.jq, rendering, to);
      if (rendering.query !== undefined) return writeQueried(result, rendering.query, rendering, to);
      return writeView(
        await openResultView(result, rendering.fields, rendering.format, rendering.now),
        rendering,
        to,
      );
    default:
      return assertNever(result);
  }
}

async function writeView(view: ResultView, rendering: ResultOptions, { out, err }: Streams): Promise<void> {
  const { format } = rendering;
  switch (format) {
    case 'json':
      return writeJson(view, out);
    case 'ndjson':
      return writeNdjson(view, out);
    case 'csv':
    case 'tsv':
      return (await import('./delimited.ts')).writeDelimited(view, { ...rendering, format }, out);
    case 'yaml':
      return (await import('./yaml.ts')).writeYaml(view, out);
    case 'id':
      return writeIds(view, rendering, out);
    case 'table':
      return (await import('./table.ts')).writeTable(
        view,
        rendering,
        rendering.isJobLog ? withoutJobCommands(out) : out,
        err,
      );
    default:
      return assertNever(format);
  }
}

async function writeIds(
  view: ResultView,
  { ofCompanies }: Pick<ResultOptions, 'ofCompanies'>,
  out: OutputStream,
): Promise<void> {
  await withBufferedWrites(out, async (write) => {
    for await (const row of view.rows) {
      const id = readNonInheritedAttribute(row, 'id');
      if (!isId(id)) {
        throw new UsageError('there are no ids to print', { hint: 'choose another format: -o json' });
      }
      // Each company has its own ids, so an id alone would be ambiguous.
      const company = ofCompanies ? readNonInheritedAttribute(row, 'company_id') : undefined;
      const idWithCompany = isId(company) ? `${company}:${id}` : String(id);
      await write(`${escapeForTerminal(idWithCompany)}\n`);
    }
  });
}

/** The program gets the whole list as one array, as with `-o json`. */
async function writeJq(
  result: Rows | SingleItemResult,
  jq: JqProgram,
  { fields, now }: Pick<ResultOptions, 'fields' | 'now'>,
  { out, err }: Streams,
): Promise<void> {
  const view = await openResultView(result, fields, 'json', now);
  const names = view.chosen?.map(({ name }) => name);
  const rows: string[] = [];
  let length = 0;
  for await (const row of view.rows) {
    const text = formatJson(
      names
        ? Object.fromEntries(names.map((name) => [name, readNonInheritedAttribute(row, name) ?? null]))
        : row,
    );
    rows.push(text);
    length += text.length;
    if (length > MAX_WHOLE_LENGTH) throw tooLargeForQuery();
  }
  return jq.print(view.isSingle ? (rows[0] ?? 'null') : `[${rows.join(',')}]`, out, err);
}

async function writeLines(lines: readonly string[], out: OutputStream): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join('');
  await out.write(out.isTTY ? escapeForTerminal(text, { newlines: true }) : text);
}

async function writeQueried(
  result: Rows | SingleItemResult,
  query: string,
  rendering: ResultOptions,
  to: Streams,
): Promise<void> {
  const { applyJmespathQuery, checkJmespathQuery, convertQueryOutcomeToResult } = await import('./query.ts');
  checkJmespathQuery(query);
  const view = await openResultView(result, undefined, rendering.format);
  const rows: Row[] = [];
  for await (const row of view.rows) rows.push(row);
  const outcome = applyJmespathQuery(query, view.isSingle ? (rows[0] ?? null) : rows);
  const empty = rows.length === 0 && !view.isSingle ? view.empty : 'Nothing matches the query.';
  const selected = convertQueryOutcomeToResult(outcome, declaredColumns(result), empty);
  if (selected === undefined) return writeValue(outcome, rendering, to);
  const { query: _, ...rest } = rendering;
  if (rendering.format !== 'table' || rendering.fields !== undefined)
    return render(selected, rest, to.out, to.err);
  // The user wants every column that a query names, so none is omitted on a narrow terminal.
  const fields = 'columns' in selected ? selected.columns.map(({ name }) => name) : [];
  return render(selected, { ...rest, fields }, to.out, to.err);
}

/** JSON and YAML keep the value. Otherwise each item gets a line, texts are unquoted, and a list of lists becomes rows without a header. */
async function writeValue(value: Json, rendering: ResultOptions, { out, err }: Streams): Promise<void> {
  const { format } = rendering;
  if (format === 'json' || format === 'ndjson') return out.write(formatJsonText(value, format, out));
  if (format === 'yaml') return out.write((await import('./yaml.ts')).formatYamlText(value));
  if (format !== 'id' && Array.isArray(value) && value.every(Array.isArray)) {
    const { query: _, fields: __, ...rest } = rendering;
    return render(gridOf(value), { ...rest, header: false }, out, err);
  }
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  const lines = items.map((item) =>
    typeof item === 'string' ? item : item === null ? '' : formatJson(item),
  );
  await writeLines(lines, out);
}

function gridOf(lists: readonly (readonly Json[])[]): Rows {
  const rows = lists.map((list) => Object.fromEntries(list.map((item, index) => [String(index), item])));
  const widest = Math.max(0, ...lists.map((list) => list.length));
  const columns = Array.from({ length: widest }, (_, index) => ({ name: String(index) }));
  return { kind: 'rows', rows, columns, empty: 'Nothing matches the query.' };
}

/** On a terminal, escapes control characters, and CR LF becomes LF. */
async function writeRaw(
  body: string | AsyncIterable<string>,
  rendering: ResultOptions,
  to: Streams,
): Promise<void> {
  const { out } = to;
  if (rendering.query !== undefined) {
    const { applyJmespathQuery } = await import('./query.ts');
    const response = parseResponse(await wholeText(body));
    return writeValue(applyJmespathQuery(rendering.query, response), rendering, to);
  }
  const shown = (text: string): string =>
    out.isTTY ? escapeForTerminal(text.replaceAll('\r\n', '\n'), { newlines: true }) : text;
  if (typeof body === 'string') {
    const isOpen = out.isTTY && !body.endsWith('\n');
    return out.write(`${shown(body)}${isOpen ? '\n' : ''}`);
  }
  for await (const part of body) await out.write(shown(part));
}

const MAX_WHOLE_LENGTH = 128 * 1024 * 1024;

/** @throws CliError if the response is too long to keep in memory */
export async function wholeText(body: string | AsyncIterable<string>): Promise<string> {
  if (typeof body === 'string') return body;
  const parts: string[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > MAX_WHOLE_LENGTH) throw tooLargeForQuery();
  }
  return parts.join('');
}

const tooLargeForQuery = (): CliError =>
  new CliError('too-large', 'the response is too large for a query', {
    exit: EXIT.failed,
    hint: 'print it as it is, or use a list command of svc',
  });

function parseResponse(body: string): unknown {
  try {
    const value = parseJson(body);
    if (!isJsonTooDeep(value)) return value;
  } catch {
    // The error below also covers JSON that is nested too deeply.
  }
  throw new CliError('not-ours', 'the response is not JSON, so a query cannot be applied', {
    exit: EXIT.failed,
  });
}

/** All other formats show `click:12`. */
const FORMATS_WITH_PLAIN_IDS = ['json', 'ndjson', 'yaml'];

function withRuleIds(result: Result, format: string): Result {
  if (
    (result.kind !== 'rows' && result.kind !== 'object') ||
    !result.ofRules ||
    FORMATS_WITH_PLAIN_IDS.includes(format)
  )
    return result;
  if (result.kind === 'object') return { ...result, value: withKindInId(result.value) };
  const { rows } = result;
  async function* all() {
    for await (const row of rows) yield withKindInId(row);
  }
  return { ...result, rows: all() };
}

/** An invalid id stays unchanged, so that `-o id` refuses it. */
const withKindInId = (row: { readonly id?: unknown; readonly kind?: unknown }): object =>
  isId(row.id) ? { ...row, id: formatRecordId({ variant: String(row.kind) }, row.id) } : row;
