/** Declares verbs that list rows from the sandbox's control plane, and reads the rows page by page. */

import type { Answer } from '../../../sandbox/control/all.ts';
import {
  CONTROL_OPERATIONS,
  type ControlOperationName,
  type ControlRequest,
  controlOperationNamed,
} from '../../../service/protocol/control.ts';
import type { Input, Verb } from '../../command/command.ts';
import { type FlagShape, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { DEFAULT_ROWS_ON_TERMINAL, type Rows } from '../../output/result.ts';
import type { Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { chooseRowLimit, type RowLimit } from '../../session/row-limit.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { layOutForTable, operationVerbHelp } from './control-verb.ts';
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

export const NEWEST_FIRST_FLAGS: readonly FlagShape[] = [reverseFlag, limitFlag, allFlag];

export const MAX_ROWS_PER_REQUEST = CONTROL_OPERATIONS['outbox list'].parameters.limit.max;

type ListRow<N extends ControlOperationName> = Answer<N> extends readonly (infer Row)[] ? Row : never;

interface RowsQuery<N extends ControlOperationName> {
  /**
   * Value of `after` in the request for the first page. Without it, svc shows the newest rows first; the operation must then accept
   * `before`, and must return each page oldest first.
   */
  readonly first?: string | number;
  /** Value of `after` with `--reverse`, which shows the oldest rows first. Default: 0. */
  readonly oldest?: string | number;
  readonly shownInTable?: (row: ListRow<N>) => object;
  /** Returns the value of `after` or `before` for the page next to this row. */
  readonly cursorOf: (row: ListRow<N>) => string | number;
}

/** @param finish returns the rows to show, for example with another note */
export function createListVerb<N extends ControlOperationName>(
  name: N,
  query: RowsQuery<N>,
  finish: (rows: Rows, args: ControlRequest<N>, session: Ports, input: Input) => Rows | Promise<Rows> = (
    rows,
  ) => rows,
): Verb {
  const operation = controlOperationNamed(name);
  return {
    ...operationVerbHelp(name),
    positionals: operationParameterPositionals(operation),
    flags: [
      ...operationParameterFlags(operation),
      ...(query.first === undefined ? NEWEST_FIRST_FLAGS : [limitFlag, allFlag]),
      dataFlag,
    ],
    run: async (session, input) => {
      const args = await readOperationParameters(session, input, name);
      const rows = await readRowsInPages(session, input, { operation: name, args, ...query });
      return { result: await finish(rows, args, session, input) };
    },
  };
}

/** `--limit` wins over `--all` (contract, "List verbs"). */
export async function readSandboxRowLimit(
  session: Invocation & Tell & ServiceAccess,
  input: Input,
): Promise<RowLimit> {
  const given = input.get(limitFlag);
  const all = input.get(allFlag) ? Number.POSITIVE_INFINITY : undefined;
  return chooseRowLimit(session, given ?? all);
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | number | undefined;
  readonly zone: string;
}

export async function readRowsInPages<N extends ControlOperationName>(
  session: Ports,
  input: Input,
  query: RowsQuery<N> & { readonly operation: N; readonly args: ControlRequest<N> },
): Promise<Rows> {
  const { args, shownInTable, cursorOf, oldest = 0 } = query;
  const isReversed = query.first === undefined && input.get(reverseFlag);
  const first = isReversed ? oldest : query.first;
  const { columns, empty = '' } = controlOperationNamed(query.operation);
  const isNewestFirst = first === undefined;
  const { limit, showsNote, isForAgent } = await readSandboxRowLimit(session, input);
  const page = async (cursor: string | number | undefined, left: number): Promise<Page<ListRow<N>>> => {
    const { data, zone } = await requestSandboxOperation(session, input, query.operation, {
      ...args,
      ...(cursor === undefined ? {} : { [isNewestFirst ? 'before' : 'after']: cursor }),
      limit: Math.max(1, Math.min(left, MAX_ROWS_PER_REQUEST)),
    });
    const list: unknown = data;
    if (!Array.isArray(list)) throw new Error(`the operation ${query.operation} returned no list`);
    const rows: readonly ListRow<N>[] = isNewestFirst ? list.toReversed() : list;
    const last = rows.at(-1);
    return { rows, next: last && cursorOf(last), zone };
  };
  // Requests a whole page if a note must report the number of rows.
  const opened = await page(first, showsNote ? MAX_ROWS_PER_REQUEST : limit);
  const isTable = (await session.format()) === 'table';
  const found = opened.rows.length;
  const table = layOutForTable(columns, opened.zone);
  const shown = (row: ListRow<N>): object =>
    isTable ? table.row(shownInTable?.(row) ?? Object(row)) : Object(row);
  return {
    kind: 'rows',
    columns: isTable && query.first !== undefined ? table.columns : columns,
    empty,
    rows: rowsUpToLimit(opened, page, limit, shown),
    continuation: () => (isForAgent && found > limit ? { shown: limit, flag: ['--all'] } : undefined),
    notes: () => {
      if (!showsNote || isForAgent || found <= limit) return [];
      const which = isNewestFirst ? 'newest' : 'first';
      const total = found < MAX_ROWS_PER_REQUEST ? `${found}` : `${found} or more`;
      return [`showing the ${which} ${limit} of ${total}; use --all to see all`];
    },
  };
}

async function* rowsUpToLimit<Row>(
  opened: Page<Row>,
  page: (cursor: string | number, left: number) => Promise<Page<Row>>,
  limit: number,
  shown: (row: Row) => object,
) {
  let { rows, next } = opened;
  for (let left = limit; rows.length > 0 && left > 0; ) {
    const given = rows.slice(0, left);
    yield* given.map(shown);
    left -= given.length;
    if (rows.length < MAX_ROWS_PER_REQUEST || left <= 0 || next === undefined) return;
    ({ rows, next } = await page(next, left));
  }
}
