/** Reads the rows of a list from the control plane page by page. */
import { CONTROL_OPERATIONS, type OperationName, operationOf } from '../../../protocol/control.ts';
import type { Json, JsonObject } from '../../../protocol/envelope.ts';
import type { Input } from '../../command/command.ts';
import { countFlag, type FlagShape, switchFlag } from '../../command/flag.ts';
import type { Rows } from '../../output/result.ts';
import { ROWS_ON_TERMINAL } from '../../output/rows-on-terminal.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox } from './connection.ts';
import { resultOf } from './control-verb.ts';

const limitFlag = countFlag('limit', {
  describe: 'Maximum number of rows',
  otherwise: `${ROWS_ON_TERMINAL} on a terminal`,
});
const allFlag = switchFlag('all', { describe: 'Show all rows' });

export const PAGING_FLAGS: readonly FlagShape[] = [limitFlag, allFlag];

/** Rows per request. */
export const PAGE = CONTROL_OPERATIONS['outbox list'].parameters.limit.max;

export interface Limit {
  readonly limit: number;
  /** Set if the limit is only the default, so that a note reports further rows. */
  readonly noted: boolean;
}

/** Returns the number of rows: `--limit`, else all, but on a terminal 50 unless `--all` (contract, "List verbs"). */
export function limitIn(session: Session, input: Input): Limit {
  const given = input.get(limitFlag);
  if (given !== undefined) return { limit: given, noted: false };
  const noted = session.context.stdout.isTTY && !input.get(allFlag);
  return { limit: noted ? ROWS_ON_TERMINAL : Number.POSITIVE_INFINITY, noted };
}

/** Returns the note about further rows. @param found the number of rows received, at most a page */
function beyondNote(which: 'first' | 'newest', found: number, { limit, noted }: Limit): readonly string[] {
  if (!noted || found <= limit) return [];
  const of = found < PAGE ? `${found}` : `${found} or more`;
  return [`showing the ${which} ${limit} of ${of}; use --all to see all`];
}

interface Wanted {
  readonly operation: OperationName;
  readonly args: JsonObject;
  /** Value of `after` for the first page. */
  readonly first: string | number;
  readonly limit: Limit;
  readonly shownInTable?: (row: JsonObject) => JsonObject;
  /** Returns the value of `after` for the page after this row. Defaults to the row's id. */
  readonly cursorOf?: (row: JsonObject) => Json | undefined;
}

/** Returns a list that is shown newest last: the newest rows if a number is wanted, otherwise from the first. */
export async function newestRows(session: Session, input: Input, wanted: Wanted): Promise<Rows> {
  const { limit, noted } = wanted.limit;
  if (limit > PAGE) return pagedRows(session, input, wanted);
  const asked = { ...wanted.args, limit: noted ? PAGE : Math.max(1, limit) };
  const answer = await askSandbox(session, input, wanted.operation, asked);
  const isTable = (await session.format()) === 'table';
  const operation = operationOf(wanted.operation);
  const result = resultOf(answer, operation, isTable);
  if (result.kind !== 'rows') throw new Error(`${wanted.operation} gave no list`);
  const found = result.rows as readonly JsonObject[];
  const shown = limit === 0 ? [] : found.slice(-limit);
  const rows = isTable && wanted.shownInTable ? shown.map(wanted.shownInTable) : shown;
  const notes = (): readonly string[] => beyondNote('newest', found.length, wanted.limit);
  return { ...result, columns: operation.columns, rows, notes };
}

interface Page {
  readonly result: Rows;
  readonly rows: readonly JsonObject[];
  readonly last: Json | undefined;
}

/** Returns the rows from the first on. */
export async function pagedRows(session: Session, input: Input, wanted: Wanted): Promise<Rows> {
  const { operation, args, first, cursorOf = ({ id }) => id } = wanted;
  const { limit, noted } = wanted.limit;
  const isTable = (await session.format()) === 'table';
  const page = async (after: string | number, left: number): Promise<Page> => {
    const asked = { ...args, after, limit: Math.max(1, Math.min(left, PAGE)) };
    const answer = await askSandbox(session, input, operation, asked);
    const result = resultOf(answer, operationOf(operation), isTable);
    if (result.kind !== 'rows') throw new Error(`${operation} gave no list`);
    const last = Array.isArray(answer.data) ? answer.data.at(-1) : undefined;
    return { result, rows: result.rows as readonly JsonObject[], last: last && cursorOf(Object(last)) };
  };
  // A whole page, if a note is to report the number of rows.
  const opened = await page(first, noted ? PAGE : limit);
  const found = opened.rows.length;
  async function* all(): AsyncGenerator<JsonObject> {
    let { rows, last } = opened;
    for (let left = limit; rows.length > 0 && left > 0; ) {
      const given = rows.slice(0, left);
      yield* isTable && wanted.shownInTable ? given.map(wanted.shownInTable) : given;
      left -= given.length;
      if (rows.length < PAGE || left <= 0 || (typeof last !== 'number' && typeof last !== 'string')) return;
      ({ rows, last } = await page(last, left));
    }
  }
  return { ...opened.result, rows: all(), notes: () => beyondNote('first', found, wanted.limit) };
}
