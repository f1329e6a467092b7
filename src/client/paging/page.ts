/** One page of a collection, and what makes an answer none (wire, "Responses": `next`). */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { pathOf } from '../../protocol/wire.ts';
import type { Scalar } from '../../schema/field.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { ClientError } from '../errors.ts';

export interface PageQuery {
  readonly filters: Values;
  readonly sort?: string;
  readonly reverse?: boolean;
  readonly count?: number;
  readonly start?: Scalar;
}

export interface Page {
  readonly rows: readonly JsonObject[];
  /** What the service gives as the `start` of the next page. */
  readonly next: Json;
}

/** Brings one page; a collection in which nothing matches is an empty page. */
export type FetchPage = (query: PageQuery) => Promise<Page>;

export interface CheckedPage extends Page {
  readonly next: Scalar;
  /** How many rows were asked for in the end. */
  readonly count: number;
}

/**
 * The same, but that an answer which can't be a page is an error, and pages that are too large are asked for anew with
 * fewer rows, all later ones too.
 */
export function checkedPages(
  resource: Resource,
  fetch: FetchPage,
): (query: PageQuery) => Promise<CheckedPage> {
  let most = Number.POSITIVE_INFINITY;
  return async (query) => {
    for (;;) {
      const count = Math.min(query.count ?? Number.POSITIVE_INFINITY, most);
      const counted = Number.isFinite(count) ? { ...query, count } : query;
      try {
        return { ...checkPage(resource, await fetch(counted)), count };
      } catch (error) {
        const isTooLarge = error instanceof ClientError && error.isTooLarge;
        if (!isTooLarge || count <= 1 || !Number.isFinite(count)) throw error;
        most = Math.max(1, Math.floor(count / 4));
      }
    }
  };
}

/** Throws a `ClientError` for a `next` that is no value, and for a page without rows that says more follow. */
export function checkPage(resource: Resource, { rows, next }: Page): Page & { readonly next: Scalar } {
  if (typeof next === 'object' && next !== null)
    throw unreliable(resource, `the service gave ${shortened(next)} as the start of the next page`);
  if (rows.length === 0 && next !== null)
    throw unreliable(resource, `the service gave a page without rows, and ${shortened(next)} as the next`);
  return { rows, next };
}

/** The service pages in a way by which rows could be lost: the walk ends, and the list is not complete. */
export const unreliable = ({ name }: Resource, problem: string): ClientError =>
  incomplete(pathOf(name), problem);

/** The answer to a GET of this path lacks rows. */
export function incomplete(path: string, problem: string): ClientError {
  return new ClientError('not-ours', `GET ${path}: ${problem}; the list is not complete`, {
    method: 'GET',
    path,
    advice:
      'What was printed is a part of the list at most. Tell those who run the service; svc api GET shows its answers.',
  });
}

/** For a message. */
export function shortened(value: Json): string {
  const text = formatJson(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

const LONGEST = 60;
