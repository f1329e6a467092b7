import { pagesOf, type RowPages, type RowSource, rowsOf } from '../../client/requests/paging/page.ts';
import { similarWords } from '../../kit/text/words.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { OutputStream } from '../outside/context.ts';
import {
  type Column,
  declaredColumns,
  type OutputFormat,
  type Row,
  type Rows,
  type SingleItemResult,
} from './result.ts';

export interface ResultView {
  readonly isSingle: boolean;
  /** Names attributes that are not declared. */
  readonly first: Row | undefined;
  /** Read them once, to the end or until an error. */
  readonly rows: AsyncIterable<Row>;
  /** Read either `pages` or `rows`. */
  readonly pages: RowPages<Row>;
  /** Columns that `--fields` names. */
  readonly chosen: readonly Column[] | undefined;
  readonly columns: readonly Column[];
  readonly declared: readonly Column[];
  readonly empty: string;
}

/**
 * @param now returns the service's time for computed values
 * @throws UsageError when `fields` names an unknown attribute, CliError for a row that is nested too deeply to be written
 */
export async function openResultView(
  result: Rows | SingleItemResult,
  fields: readonly string[] | undefined,
  format: OutputFormat,
  now: () => Promise<number> = async () => 0,
): Promise<ResultView> {
  const declared = declaredColumns(result);
  const workedOut = result.columns.filter((column) => column.computed !== undefined);
  const words = format === 'table' ? [] : workedOut.filter(({ name }) => fields?.includes(name));
  const checked = withComputedColumns(
    checkedPages(result.kind === 'object' ? [result.value] : result.rows),
    words,
    now,
  );
  const { value: firstPage } = await checked.next();
  const first = firstPage?.[0];
  const pages = withFirst(firstPage ?? undefined, checked);
  try {
    return {
      isSingle: result.kind === 'object',
      first,
      rows: rowsOf(pages),
      pages,
      chosen: fields && chosenColumns(fields, declared, workedOut, format, first),
      columns: result.columns,
      declared,
      empty: result.kind === 'object' ? '' : result.empty,
    };
  } catch (error) {
    await checked.return(undefined);
    throw error;
  }
}

/** Refuses fields that no row can have. */
function chosenColumns(
  fields: readonly string[],
  declared: readonly Column[],
  workedOut: readonly Column[],
  format: OutputFormat,
  first: Row | undefined,
): readonly Column[] {
  const attributes = [...declared, ...undeclaredColumns(declared, first)];
  const words =
    format === 'table' ? workedOut : workedOut.map(({ name }) => ({ name, kind: 'text' as const }));
  const known = [...words, ...attributes];
  const unknown = fields.filter((field) => !known.some(({ name }) => name === field));
  if (unknown.length > 0 && (declared.length > 0 || first !== undefined)) {
    const names = known.map(({ name }) => name).join(', ');
    const [near] =
      unknown.length === 1
        ? similarWords(
            unknown[0] ?? '',
            known.map(({ name }) => name),
          )
        : [];
    throw new UsageError(`unknown field ${unknown.join(', ')}`, {
      suggestions: [...(near === undefined ? [] : [`did you mean ${near}?`]), `fields: ${names}`],
    });
  }
  return fields.map((field) => known.find(({ name }) => name === field) ?? { name: field });
}

export function undeclaredColumns(declared: readonly Column[], row: Row | undefined): readonly Column[] {
  const names = new Set(declared.map(({ name }) => name));
  return Object.keys(row ?? {})
    .filter((name) => !names.has(name))
    .map((name) => ({ name }));
}

/** Ignores inherited properties such as `constructor`. */
export const readNonInheritedAttribute = (row: Row, name: string): unknown =>
  Object.hasOwn(row, name) ? row[name] : undefined;

/** Omits a chosen attribute that the row lacks. */
export function pickChosenAttributes(row: Row, chosen: readonly Column[] | undefined): Row {
  if (chosen === undefined) return row;
  const names = chosen.map(({ name }) => name).filter((name) => Object.hasOwn(row, name));
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

/** Tables compute the words themselves. */
async function* withComputedColumns(
  pages: AsyncGenerator<readonly Row[], undefined>,
  computedColumns: readonly Column[],
  now: () => Promise<number>,
): AsyncGenerator<readonly Row[], undefined> {
  if (computedColumns.length === 0) {
    yield* pages;
    return;
  }
  const time = await now();
  for await (const page of pages)
    yield page.map((row) => {
      const told = computedColumns.map(({ name, computed: workedOut }) => [
        name,
        workedOut?.word(row, time).text ?? null,
      ]);
      return { ...row, ...Object.fromEntries(told) };
    });
}

async function* checkedPages(source: RowSource<object>): AsyncGenerator<readonly Row[], undefined> {
  for await (const page of pagesOf(source)) {
    const tooDeep = page.findIndex(isJsonTooDeep);
    // The rows before it are shown.
    const sound = tooDeep === -1 ? page : page.slice(0, tooDeep);
    if (sound.length > 0) yield sound as readonly Row[];
    if (tooDeep === -1) continue;
    throw new CliError('not-ours', `the response is nested more than ${MAX_JSON_DEPTH} levels deep`, {
      exit: EXIT.failed,
      hint: 'A response of the service never has that many levels. Check the address of the service.',
    });
  }
}

async function* withFirst(
  first: readonly Row[] | undefined,
  rest: AsyncGenerator<readonly Row[], undefined>,
): AsyncGenerator<readonly Row[]> {
  try {
    if (first !== undefined) yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** JSON.parse accepts more levels than JSON.stringify can write. */
export const MAX_JSON_DEPTH = 256;

export function isJsonTooDeep(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isFlat(value)) return false;
  let level: readonly object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

/** The fast path: most rows are flat, and there are many rows. */
function isFlat(value: object): boolean {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) return false;
  return true;
}

const childrenOf = (value: object): readonly object[] =>
  Object.values(value).filter((child) => typeof child === 'object' && child !== null);

/** Collects small writes, and waits for the stream. Flushes text before an error too. @throws the stream's rejection (EPIPE) */
export async function withBufferedWrites(
  out: OutputStream,
  writeAll: (write: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  let pending: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const text = pending.join('');
    pending = [];
    size = 0;
    if (text !== '') await out.write(text);
  };
  const write = async (text: string): Promise<void> => {
    pending.push(text);
    size += text.length;
    if (size >= FULL) await flush();
  };
  try {
    await writeAll(write);
  } catch (error) {
    // The first failure is the one to report; a second one from the closed stream adds nothing.
    await flush().catch(() => undefined);
    throw error;
  }
  await flush();
}

const FULL = 16 * 1024;
