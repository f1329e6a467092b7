/** Declares verbs that list rows from the sandbox's control plane, and reads the rows page by page. */
import {
  CONTROL_OPERATIONS,
  type ControlOperationName,
  controlOperationNamed,
} from '../../../protocol/control.ts';
import type { Json, JsonObject } from '../../../protocol/envelope.ts';
import type { Input, Verb } from '../../command/command.ts';
import { type FlagShape, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { DEFAULT_ROWS_ON_TERMINAL, type Rows } from '../../output/result.ts';
import type { Session } from '../../session/session.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { convertOperationResponse, operationVerbHelp } from './control-verb.ts';
import {
  operationParameterFlags,
  operationParameterPositionals,
  readOperationParameters,
} from './parameters.ts';

const limitFlag = wholeNumberFlag('limit', {
  describe: 'Maximum number of rows',
  defaultText: `${DEFAULT_ROWS_ON_TERMINAL} on a terminal`,
});
const allFlag = switchFlag('all', { describe: 'Show all rows' });

const reverseFlag = switchFlag('reverse', { describe: 'Show the oldest rows first' });

/** Flags of commands that list the newest rows first. */
export const NEWEST_FIRST_FLAGS: readonly FlagShape[] = [reverseFlag];

/** Flags `--limit` and `--all` of commands that list rows. */
export const ROW_LIMIT_FLAGS: readonly FlagShape[] = [limitFlag, allFlag];

/** Maximum number of rows that one request returns. */
export const MAX_ROWS_PER_REQUEST = CONTROL_OPERATIONS['outbox list'].parameters.limit.max;

/** Describes how to request the rows of an operation. */
interface RowsQuery<Row extends JsonObject = JsonObject> {
  /**
   * Value of the operation's argument `after` in the request for the first page. Without it, svc requests the newest rows and returns them
   * newest first. The operation must then accept the argument `before`, and must return each page oldest first.
   */
  readonly first?: string | number;
  /** Value of `after` with `--reverse`, which shows the oldest rows first. Default: 0. */
  readonly oldest?: string | number;
  readonly shownInTable?: (row: Row) => JsonObject;
  /** Returns the value of the argument `after` or `before` for the page next to this row. The default is the row's id. */
  readonly cursorOf?: (row: Row) => Json | undefined;
}

/**
 * Declares the verb that lists the rows of an operation.
 * @param finish returns the rows to show, for example with another note; gets the arguments that were sent to the sandbox
 */
export function createListVerb(
  name: ControlOperationName,
  query: RowsQuery,
  finish: (rows: Rows, args: JsonObject, session: Session, input: Input) => Rows | Promise<Rows> = (rows) =>
    rows,
): Verb {
  const operation = controlOperationNamed(name);
  return {
    ...operationVerbHelp(name),
    positionals: operationParameterPositionals(operation),
    flags: [
      ...operationParameterFlags(operation),
      ...(query.first === undefined ? NEWEST_FIRST_FLAGS : []),
      ...ROW_LIMIT_FLAGS,
      dataFlag,
    ],
    run: async (session, input) => {
      const args = await readOperationParameters(session, input, operation);
      const rows = await readRowsInPages(session, input, { operation: name, args, ...query });
      return { result: await finish(rows, args, session, input) };
    },
  };
}

/** Maximum number of rows that a command prints. */
interface SandboxRowLimit {
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

interface Page<Row> {
  readonly result: Rows;
  readonly rows: readonly Row[];
  /** Position of the next page. */
  readonly last: Json | undefined;
}

/** Requests the rows of an operation page by page, in the order that the query describes. */
export async function readRowsInPages<Row extends JsonObject>(
  session: Session,
  input: Input,
  query: RowsQuery<Row> & { readonly operation: ControlOperationName; readonly args: JsonObject },
): Promise<Rows> {
  const { args, shownInTable, cursorOf = ({ id }) => id, oldest = 0 } = query;
  const isReversed = query.first === undefined && input.get(reverseFlag);
  const first = isReversed ? oldest : query.first;
  const operation = controlOperationNamed(query.operation);
  const isNewestFirst = first === undefined;
  const { limit, showsNote } = await readSandboxRowLimit(session, input);
  const page = async (cursor: Json | undefined, left: number): Promise<Page<Row>> => {
    const answer = await requestSandboxOperation(session, input, query.operation, {
      ...args,
      ...(cursor === undefined ? {} : { [isNewestFirst ? 'before' : 'after']: cursor }),
      limit: Math.max(1, Math.min(left, MAX_ROWS_PER_REQUEST)),
    });
    const result = await convertOperationResponse(session, answer, operation);
    if (result.kind !== 'rows') throw new Error(`the operation ${query.operation} returned no list`);
    const rows = result.rows as readonly Row[];
    const last = Array.isArray(answer.data) ? answer.data.at(isNewestFirst ? 0 : -1) : undefined;
    return { result, rows: isNewestFirst ? rows.toReversed() : rows, last: last && cursorOf(Object(last)) };
  };
  // Requests a whole page if a note must report the number of rows.
  const opened = await page(first, showsNote ? MAX_ROWS_PER_REQUEST : limit);
  const isTable = (await session.format()) === 'table';
  const found = opened.rows.length;
  return {
    ...opened.result,
    ...(query.first === undefined ? { columns: operation.columns } : {}),
    rows: rowsUpToLimit(opened, page, limit, (isTable && shownInTable) || ((row) => row)),
    notes: () => {
      if (!showsNote || found <= limit) return [];
      const which = isNewestFirst ? 'newest' : 'first';
      const total = found < MAX_ROWS_PER_REQUEST ? `${found}` : `${found} or more`;
      return [`showing the ${which} ${limit} of ${total}; use --all to see all`];
    },
  };
}

/** Yields the rows of the first page, then requests further pages and yields their rows, up to the limit. */
async function* rowsUpToLimit<Row>(
  opened: Page<Row>,
  page: (cursor: Json, left: number) => Promise<Page<Row>>,
  limit: number,
  shown: (row: Row) => JsonObject,
) {
  let { rows, last } = opened;
  for (let left = limit; rows.length > 0 && left > 0; ) {
    const given = rows.slice(0, left);
    yield* given.map(shown);
    left -= given.length;
    const isComplete = rows.length < MAX_ROWS_PER_REQUEST || left <= 0;
    if (isComplete || (typeof last !== 'number' && typeof last !== 'string')) return;
    ({ rows, last } = await page(last, left));
  }
}
