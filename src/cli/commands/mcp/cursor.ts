/** Reads and writes the cursors with which an assistant reads a result page by page. */
import { createHash } from 'node:crypto';
import { parseJsonObject } from '../../../kit/text/json-object.ts';
import { UsageError } from '../../errors/errors.ts';

const PAGE_ROWS = 50;

/** Without the arguments that select a page. A cursor has a digest of them. */
export interface IdentifiedCall {
  readonly tool: string;
  readonly given: object;
}

export interface ResultPagePosition {
  /** Number of rows or characters before the page. */
  readonly offset: number;
  readonly maxRows: number;
  /** Undefined for the first page, and for results that the service does not page. */
  readonly place?: RecordPlace | undefined;
}

/** Stays valid when records before it are created or deleted. */
export interface RecordPlace {
  /** Inclusive, as the flag `--start` takes it. */
  readonly start: string;
  /** Earlier pages had these records with the value. */
  readonly ids: readonly string[];
}

/** @param call must be the same as in the call that returned the cursor @throws UsageError for the cursor of another call */
export function readResultPosition(
  {
    cursor,
    limit = PAGE_ROWS,
  }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  call: IdentifiedCall,
): ResultPagePosition {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 200)
    throw new UsageError('the value of the argument "limit" must be a whole number from 1 to 200');
  if (cursor === undefined) return { offset: 0, maxRows: limit };
  const [, at, text, digest] = /^([0-9]{1,9})-(?:([\w-]{1,4000})-)?([0-9a-f]{16})$/.exec(cursor) ?? [];
  const place = text === undefined ? undefined : readPlace(text);
  if (at === undefined || digest !== digestOf(call) || (text !== undefined && place === undefined))
    throw new UsageError('the argument "cursor" is invalid, or comes from a call with other arguments', {
      suggestions: ['leave out the argument "cursor" to start at the first page'],
    });
  return { offset: Number(at), maxRows: limit, place };
}

export type NextCursor = { readonly next_cursor?: string };

export function cursorAt(offset: number, call: IdentifiedCall, place?: RecordPlace): NextCursor {
  const text = place === undefined ? '' : `${Buffer.from(JSON.stringify(place)).toString('base64url')}-`;
  return { next_cursor: `${offset}-${text}${digestOf(call)}` };
}

const digestOf = (call: IdentifiedCall): string =>
  createHash('sha256').update(JSON.stringify(call)).digest('hex').slice(0, 16);

/** Returns undefined for a text that svc did not write. */
function readPlace(text: string): RecordPlace | undefined {
  const { start, ids } = parseJsonObject(Buffer.from(text, 'base64url').toString('utf8')) ?? {};
  const isRight =
    typeof start === 'string' && Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  return isRight ? { start, ids } : undefined;
}
