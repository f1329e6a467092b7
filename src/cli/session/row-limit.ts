/** The number of rows that a list shows if the user gives no `--limit`. */

import { createPagedRows, pagesOf, type RowSource } from '../../client/requests/paging/page.ts';
import { type Continuation, DEFAULT_ROWS_ON_TERMINAL, type Rows } from '../output/result.ts';
import { isForAgent } from '../outside/context.ts';
import type { Invocation, ServiceAccess, Tell } from './ports.ts';

export interface RowLimit {
  readonly limit: number;
  /** True if the limit is a default, so that svc says when there are more rows. */
  readonly showsNote: boolean;
  /** True if a continuation takes the place of a note. */
  readonly isForAgent?: boolean;
}

/** A table on a terminal has a default, and every list of one company for an assistant. */
export async function chooseRowLimit(
  session: Invocation & Tell & Pick<ServiceAccess, 'actsFor'>,
  given: number | undefined,
): Promise<RowLimit> {
  if (given !== undefined) return { limit: given, showsNote: false };
  const isAgent = isForAgent(session.context) && session.actsFor === undefined;
  const short = isAgent || (session.context.stdout.isTTY && (await session.format()) === 'table');
  return {
    limit: short ? DEFAULT_ROWS_ON_TERMINAL : Number.POSITIVE_INFINITY,
    showsNote: short,
    isForAgent: isAgent,
  };
}

/**
 * Shows the first rows. The next list can only begin at a value of `startsBy`, so it would repeat rows that share this value. The rows
 * therefore end before the first of them.
 */
export function limitRowsForAgent(
  rows: RowSource,
  limit: number,
  startsBy: string | undefined,
): Pick<Rows, 'rows' | 'continuation'> {
  let continuation: Continuation | undefined;
  async function* shown() {
    const read: object[] = [];
    for await (const page of pagesOf(rows)) {
      read.push(...page);
      if (read.length > limit) break;
    }
    if (read.length > limit) continuation = continuationOf(read, limit, startsBy);
    yield read.slice(0, continuation?.shown ?? read.length);
  }
  return { rows: createPagedRows(shown), continuation: () => continuation };
}

function continuationOf(read: readonly object[], limit: number, startsBy: string | undefined): Continuation {
  const values = read.map((row) =>
    startsBy === undefined ? undefined : (row as Record<string, unknown>)[startsBy],
  );
  const next = values[limit];
  // The service may order texts without regard to case.
  const isSame = (value: unknown): boolean => String(value).toLowerCase() === String(next).toLowerCase();
  let end = limit;
  while (end > 0 && isSame(values[end - 1])) end -= 1;
  const hasStart = end > 0 && next !== undefined && next !== null && next !== '';
  return hasStart ? { shown: end, flag: ['--start', String(next)] } : { shown: limit, flag: ['--all'] };
}
