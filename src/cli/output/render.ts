/** Prints what a verb returned, once. stdout gets the data and nothing else (contract, "Output"). */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson, parseJson } from '../../protocol/json.ts';
import { isId } from '../../schema/integer.ts';
import { assertNever } from '../../schema/resource.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { OutputStream } from '../outside/context.ts';
import { buffered } from './buffered.ts';
import type { Format } from './format.ts';
import { jsonText, writeJson, writeNdjson } from './json.ts';
import { isTooDeep } from './json-text.ts';
import type { NamesOf } from './names.ts';
import { declaredColumns, type One, type Result, type Rows } from './result.ts';
import { withRuleIds } from './rule-ids.ts';
import { openView, type View, valueIn } from './view.ts';

export interface Rendering {
  readonly format: Format;
  readonly fields?: readonly string[] | undefined;
  /** JMESPath; `fields` then choose from its outcome. */
  readonly query?: string | undefined;
  /** A path of jq, in its place. */
  readonly jq?: string | undefined;
  readonly header: boolean;
  readonly colour: boolean;
  readonly csvRaw: boolean;
  /** No notes on stderr. */
  readonly quiet?: boolean;
  /** The company's timezone; asked for only where a table has a time to show. UTC stands in for an unknown one. */
  readonly zone: () => Promise<string>;
  /** Unix seconds by the service's clock; asked for only where a state depends on it. */
  readonly now?: () => Promise<number>;
  /** Names of what ids stand for; left out where nobody looks. */
  readonly names?: NamesOf | undefined;
  /** Times say how far off they are; left out where nobody looks. */
  readonly distances?: boolean | undefined;
  /** Columns where stdout is a terminal; undefined: nothing is ever cut, wrapped or left out. */
  readonly width: number | undefined;
  /** The rows are of several companies, so that ids name theirs: `12:41`. */
  readonly ofCompanies?: boolean;
  /** Tables as `name: value` lines, for who has them read aloud. */
  readonly plain?: boolean;
}

/**
 * Streams lists in constant memory, but for `query`, which needs all of them.
 * @throws UsageError for a field or query that doesn't apply
 * @throws CliError for data that can't be shown, and whatever the rows and the streams throw
 */
export async function render(
  result: Result,
  rendering: Rendering,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  const ofCompanies = rendering.ofCompanies || (result.kind === 'rows' && result.ofCompanies === true);
  await write(
    withRuleIds(result, rendering.jq === undefined ? rendering.format : 'json'),
    { ...rendering, ofCompanies },
    out,
    err,
  );
  const notes = result.kind === 'rows' ? (result.notes?.() ?? []) : [];
  if (notes.length === 0 || rendering.quiet) return;
  const { escapeForTerminal } = await import('../../text/terminal.ts');
  await err.write(notes.map((note) => `${escapeForTerminal(note)}\n`).join(''));
}

async function write(
  result: Result,
  rendering: Rendering,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  switch (result.kind) {
    case 'nothing':
      return;
    case 'text':
      return out.write(result.text);
    case 'raw':
      if (rendering.jq !== undefined) return writeFollowed(rendering.jq, parsed(result.body), out);
      return writeRaw(result.body, rendering, out, err);
    case 'rows':
    case 'object':
      if (rendering.jq !== undefined) return writeJq(result, rendering.jq, rendering.fields, out);
      if (rendering.query !== undefined) return writeQueried(result, rendering.query, rendering, out, err);
      return writeView(await openView(result, rendering.fields, rendering.format), rendering, out, err);
    default:
      return assertNever(result);
  }
}

async function writeView(
  view: View,
  rendering: Rendering,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
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
      return (await import('./table.ts')).writeTable(view, rendering, out, err);
    default:
      return assertNever(format);
  }
}

async function writeIds(
  view: View,
  { ofCompanies }: Pick<Rendering, 'ofCompanies'>,
  out: OutputStream,
): Promise<void> {
  const { escapeForTerminal } = await import('../../text/terminal.ts');
  await buffered(out, async (write) => {
    for await (const row of view.rows) {
      const id = valueIn(row, 'id');
      if (!isId(id)) {
        throw new UsageError('there is no id here to print', { hint: 'choose another format: -o json' });
      }
      // Companies count their records apart: an id alone would name several.
      const company = ofCompanies ? valueIn(row, 'company_id') : undefined;
      const named = isId(company) ? `${company}:${id}` : String(id);
      await write(`${escapeForTerminal(named)}\n`);
    }
  });
}

/** As gh's --jq: each value on a line of its own, texts bare. */
async function writeJq(
  result: Rows | One,
  path: string,
  fields: readonly string[] | undefined,
  out: OutputStream,
): Promise<void> {
  const view = await openView(result, fields, 'json');
  const names = view.chosen?.map(({ name }) => name);
  const rows: JsonObject[] = [];
  for await (const row of view.rows)
    rows.push(names ? Object.fromEntries(names.map((name) => [name, valueIn(row, name) ?? null])) : row);
  return writeFollowed(path, view.one ? (rows[0] ?? null) : rows, out);
}

async function writeFollowed(path: string, value: Json, out: OutputStream): Promise<void> {
  const { followJqPath, jqLine, readJqPath } = await import('./jq-path.ts');
  const lines = asUsage(() => followJqPath(readJqPath(path) ?? [], value)).map(jqLine);
  const text = lines.map((line) => `${line}\n`).join('');
  const { escapeForTerminal } = await import('../../text/terminal.ts');
  await out.write(out.isTTY ? escapeForTerminal(text, { newlines: true }) : text);
}

async function writeQueried(
  result: Rows | One,
  query: string,
  rendering: Rendering,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  const { applyQuery, checkQuery, resultOf } = await import('./query.ts');
  checkQuery(query);
  const view = await openView(result, undefined, rendering.format);
  const rows: JsonObject[] = [];
  for await (const row of view.rows) rows.push(row);
  const outcome = applyQuery(query, view.one ? (rows[0] ?? null) : rows);
  const empty = rows.length === 0 && !view.one ? view.empty : 'Nothing matches the query.';
  const selected = resultOf(outcome, declaredColumns(result), empty);
  if (selected === undefined) return writeValue(outcome, rendering, out, err);
  const { query: _, ...rest } = rendering;
  if (rendering.format !== 'table' || rendering.fields !== undefined) return render(selected, rest, out, err);
  // What a query names is wanted: on a narrow terminal no column of it is left out.
  const fields = 'columns' in selected ? selected.columns.map(({ name }) => name) : [];
  return render(selected, { ...rest, fields }, out, err);
}

/** A scalar, or a list of other things than objects: bare, an item a line, where the format isn't JSON or YAML. */
async function writeValue(
  value: Json,
  rendering: Rendering,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  const { format } = rendering;
  if (format === 'json' || format === 'ndjson') return out.write(jsonText(value, format, out));
  if (format === 'yaml') return out.write((await import('./yaml.ts')).yamlText(value));
  if (format !== 'id' && Array.isArray(value) && value.every(Array.isArray)) {
    const { query: _, fields: __, ...rest } = rendering;
    return render(gridOf(value), { ...rest, header: false }, out, err);
  }
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  const { escapeForTerminal } = await import('../../text/terminal.ts');
  const lines = items.map((item) =>
    typeof item === 'string' ? item : item === null ? '' : formatJson(item),
  );
  const text = lines.map((line) => `${line}\n`).join('');
  await out.write(out.isTTY ? escapeForTerminal(text, { newlines: true }) : text);
}

/** Lists of lists: rows whose columns have no names. */
function gridOf(lists: readonly (readonly Json[])[]): Rows {
  const rows = lists.map((list) => Object.fromEntries(list.map((item, index) => [String(index), item])));
  const widest = Math.max(0, ...lists.map((list) => list.length));
  const columns = Array.from({ length: widest }, (_, index) => ({ name: String(index) }));
  return { kind: 'rows', rows, columns, empty: 'Nothing matches the query.' };
}

/** Exactly as it came where no terminal would obey it; on one a line may end in CR LF, as those of e-mails do. */
async function writeRaw(
  body: string,
  rendering: Rendering,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  if (rendering.query !== undefined) {
    const { applyQuery } = await import('./query.ts');
    return writeValue(applyQuery(rendering.query, parsed(body)), rendering, out, err);
  }
  if (!out.isTTY) return out.write(body);
  const { escapeForTerminal } = await import('../../text/terminal.ts');
  const text = escapeForTerminal(body.replaceAll('\r\n', '\n'), { newlines: true });
  await out.write(text.endsWith('\n') ? text : `${text}\n`);
}

function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`--jq: ${error.message}`, { hint: '--jq . shows what there is' });
  }
}

function parsed(body: string): Json {
  try {
    const value = parseJson(body) as Json;
    if (!isTooDeep(value)) return value;
  } catch {
    // Said below, together with JSON that is nested too deep.
  }
  throw new CliError('not-ours', 'the answer is not JSON that a query can be applied to', {
    exit: EXIT.failed,
  });
}
