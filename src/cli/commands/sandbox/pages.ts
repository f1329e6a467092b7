/** Reads the rows of a list from the sandbox's control plane, page by page. */
import {
  CONTROL_OPERATIONS,
  type ControlOperationName,
  controlOperationNamed,
} from '../../../protocol/control.ts';
import type { Json, JsonObject } from '../../../protocol/envelope.ts';
import type { Input } from '../../command/command.ts';
import { type FlagShape, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { DEFAULT_ROWS_ON_TERMINAL, type Rows } from '../../output/result.ts';
import type { Session } from '../../session/session.ts';
import { requestSandboxOperation } from './connection.ts';
import { convertOperationResponse } from './control-verb.ts';

const limitFlag = wholeNumberFlag('limit', {
  describe: 'Maximum number of rows',
  defaultText: `${DEFAULT_ROWS_ON_TERMINAL} on a terminal`,
});
const allFlag = switchFlag('all', { describe: 'Show all rows' });

/** Flags `--limit` and `--all` of commands that list rows. */
export const ROW_LIMIT_FLAGS: readonly FlagShape[] = [limitFlag, allFlag];

/** Maximum number of rows that one request returns. */
export const MAX_ROWS_PER_REQUEST = CONTROL_OPERATIONS['outbox list'].parameters.limit.max;

/** Maximum number of rows that a command prints. */
export interface SandboxRowLimit {
  readonly limit: number;
  /** True if the limit is the default for a terminal. svc then prints a note if more rows exist. */
  readonly showsNote: boolean;
}

/**
 * Returns the maximum number of rows, from `--limit`. Without `--limit`, the maximum is 50 for a table on a terminal. With `--all`, and for
 * other output, all rows are shown (contract, "List verbs").
 */
export async function readSandboxRowLimit(session: Session, input: Input): Promise<SandboxRowLimit> {
  const given = input.get(limitFlag);
  if (given !== undefined) return { limit: given, showsNote: false };
  const isScreen = session.context.stdout.isTTY && (await session.format()) === 'table';
  const showsNote = isScreen && !input.get(allFlag);
  return { limit: showsNote ? DEFAULT_ROWS_ON_TERMINAL : Number.POSITIVE_INFINITY, showsNote };
}

/**
 * Returns a note that says that more rows exist than are shown. Returns an empty list if all rows are shown, or if `showsNote` is false.
 * @param found the number of received rows, at most one page
 */
function moreRowsNote(
  which: 'first' | 'newest',
  found: number,
  { limit, showsNote }: SandboxRowLimit,
): readonly string[] {
  if (!showsNote || found <= limit) return [];
  const of = found < MAX_ROWS_PER_REQUEST ? `${found}` : `${found} or more`;
  return [`showing the ${which} ${limit} of ${of}; use --all to see all`];
}

interface RowsQuery {
  readonly operation: ControlOperationName;
  readonly args: JsonObject;
  /** Value of the operation's argument `after` in the request for the first page. */
  readonly first: string | number;
  readonly limit: SandboxRowLimit;
  readonly shownInTable?: (row: JsonObject) => JsonObject;
  /** Returns the value of the argument `after` for the page that starts after this row. The default is the row's id. */
  readonly cursorOf?: (row: JsonObject) => Json | undefined;
}

/**
 * Requests the newest rows of an operation and returns them newest first. The operation must accept the argument `before`, and must return
 * each page oldest first.
 */
export async function readNewestRows(
  session: Session,
  input: Input,
  rowsQuery: Omit<RowsQuery, 'first' | 'cursorOf'>,
): Promise<Rows> {
  const { operation, args } = rowsQuery;
  const { limit, showsNote } = rowsQuery.limit;
  const isTable = (await session.format()) === 'table';
  const page = async (before: Json | undefined, left: number): Promise<Page> => {
    const asked = {
      ...args,
      limit: Math.max(1, Math.min(left, MAX_ROWS_PER_REQUEST)),
      ...(before === undefined ? {} : { before }),
    };
    const answer = await requestSandboxOperation(session, input, operation, asked);
    const result = convertOperationResponse(answer, controlOperationNamed(operation), isTable);
    if (result.kind !== 'rows') throw new Error(`the operation ${operation} returned no list`);
    const oldest = Array.isArray(answer.data) ? answer.data[0] : undefined;
    const rows = (result.rows as readonly JsonObject[]).toReversed();
    return { result, rows, last: oldest && Object(oldest)['id'] };
  };
  const opened = await page(undefined, showsNote ? MAX_ROWS_PER_REQUEST : limit);
  const notes = (): readonly string[] => moreRowsNote('newest', opened.rows.length, rowsQuery.limit);
  const { columns } = controlOperationNamed(operation);
  return { ...opened.result, columns, rows: rowsUpToLimit(opened, page, rowsQuery, isTable), notes };
}

/** Yields the rows of the first page, then requests further pages and yields their rows, up to the limit. */
async function* rowsUpToLimit(
  opened: Page,
  page: (cursor: Json, left: number) => Promise<Page>,
  { limit: { limit }, shownInTable }: Pick<RowsQuery, 'limit' | 'shownInTable'>,
  isTable: boolean,
): AsyncGenerator<JsonObject> {
  let { rows, last } = opened;
  for (let left = limit; rows.length > 0 && left > 0; ) {
    const given = rows.slice(0, left);
    yield* isTable && shownInTable ? given.map(shownInTable) : given;
    left -= given.length;
    if (
      rows.length < MAX_ROWS_PER_REQUEST ||
      left <= 0 ||
      (typeof last !== 'number' && typeof last !== 'string')
    )
      return;
    ({ rows, last } = await page(last, left));
  }
}

interface Page {
  readonly result: Rows;
  readonly rows: readonly JsonObject[];
  readonly last: Json | undefined;
}

/** Requests the rows of an operation page by page, and returns them in the operation's order. */
export async function readRowsInPages(session: Session, input: Input, rowsQuery: RowsQuery): Promise<Rows> {
  const { operation, args, first, cursorOf = ({ id }) => id } = rowsQuery;
  const { limit, showsNote } = rowsQuery.limit;
  const isTable = (await session.format()) === 'table';
  const page = async (after: Json, left: number): Promise<Page> => {
    const asked = { ...args, after, limit: Math.max(1, Math.min(left, MAX_ROWS_PER_REQUEST)) };
    const answer = await requestSandboxOperation(session, input, operation, asked);
    const result = convertOperationResponse(answer, controlOperationNamed(operation), isTable);
    if (result.kind !== 'rows') throw new Error(`the operation ${operation} returned no list`);
    const last = Array.isArray(answer.data) ? answer.data.at(-1) : undefined;
    return { result, rows: result.rows as readonly JsonObject[], last: last && cursorOf(Object(last)) };
  };
  // Requests a whole page if a note must report the number of rows.
  const opened = await page(first, showsNote ? MAX_ROWS_PER_REQUEST : limit);
  const found = opened.rows.length;
  return {
    ...opened.result,
    rows: rowsUpToLimit(opened, page, rowsQuery, isTable),
    notes: () => moreRowsNote('first', found, rowsQuery.limit),
  };
}
