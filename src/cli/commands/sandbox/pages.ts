/** The rows of a list that the control plane gives page by page. */
import { CONTROL_OPERATIONS, type OperationName, operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { type Flag, type Input, isOn, textOf } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Rows } from '../../output/result.ts';
import { ROWS_ON_TERMINAL } from '../../output/rows-on-terminal.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox } from './connection.ts';
import { resultOf } from './control-verb.ts';

export const PAGING_FLAGS: readonly Flag[] = [
  {
    name: 'limit',
    value: 'n',
    describe: `Maximum number of rows (default: ${ROWS_ON_TERMINAL} on a terminal, otherwise all)`,
    group: 'Options',
  },
  { name: 'all', describe: 'All of them', group: 'Options' },
];

/** Rows of one request. */
export const PAGE = CONTROL_OPERATIONS['outbox list'].parameters.limit.max;

export interface Limit {
  readonly limit: number;
  /** The person didn't name it, and is told how many rows there are beyond. */
  readonly noted: boolean;
}

/** How many rows are wanted: `--limit`, else all, but on a terminal 50 unless `--all` (contract, "List verbs"). */
export function limitIn(session: Session, input: Input): Limit {
  const text = textOf(input, 'limit');
  if (text !== undefined && !/^[0-9]{1,9}$/.test(text))
    throw new UsageError(`--limit: ${text} is not a number`);
  if (text !== undefined) return { limit: Number(text), noted: false };
  const noted = session.context.stdout.isTTY && !isOn(input, 'all');
  return { limit: noted ? ROWS_ON_TERMINAL : Number.POSITIVE_INFINITY, noted };
}

/** @param found so many rows came, of at most a page */
export function beyondNote(
  which: 'first' | 'newest',
  found: number,
  { limit, noted }: Limit,
): readonly string[] {
  if (!noted || found <= limit) return [];
  const of = found < PAGE ? `${found}` : `${found} or more`;
  return [`showing the ${which} ${limit} of ${of}; --all shows every one`];
}

/** @param first what `after` is for the first page */
export async function pagedRows(
  session: Session,
  input: Input,
  wanted: {
    readonly operation: OperationName;
    readonly args: JsonObject;
    readonly first: string | number;
    readonly limit: Limit;
    readonly shownInTable?: (row: JsonObject) => JsonObject;
  },
): Promise<Rows> {
  const { operation, args, first } = wanted;
  const { limit, noted } = wanted.limit;
  const isTable = (await session.format()) === 'table';
  const page = async (after: string | number, left: number): Promise<Rows> => {
    const asked = { ...args, after, limit: Math.max(1, Math.min(left, PAGE)) };
    const answer = await askSandbox(session, input, operation, asked);
    const result = resultOf(answer, operationOf(operation), isTable);
    if (result.kind !== 'rows') throw new Error(`${operation} gave no list`);
    return result;
  };
  // A whole page, where it is to be told how many there are.
  const opened = await page(first, noted ? PAGE : limit);
  const found = (opened.rows as readonly JsonObject[]).length;
  async function* all(): AsyncGenerator<JsonObject> {
    let rows = opened.rows as readonly JsonObject[];
    for (let left = limit; rows.length > 0 && left > 0; ) {
      const given = rows.slice(0, left);
      yield* isTable && wanted.shownInTable ? given.map(wanted.shownInTable) : given;
      left -= given.length;
      const last = rows.at(-1)?.['id'];
      const isLast =
        rows.length < PAGE || left <= 0 || (typeof last !== 'number' && typeof last !== 'string');
      rows = isLast ? [] : ((await page(last, left)).rows as readonly JsonObject[]);
    }
  }
  return { ...opened, rows: all(), notes: () => beyondNote('first', found, wanted.limit) };
}
