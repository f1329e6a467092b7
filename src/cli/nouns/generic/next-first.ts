/** Lists records in an order for people: upcoming ones first, soonest first, and then those that are over. */
import type { Client } from '../../../client/client.ts';
import { type PagedRows, pagedRows } from '../../../client/paging/paged-rows.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource, Values } from '../../../schema/resource.ts';

/**
 * Returns the open records by ascending `by` (started, then upcoming), and then the others, latest first. The service has no such sort, so
 * there are two walks; the second runs only if the first finds too few.
 * @param most the maximum number of rows needed
 */
export function nextFirst(
  client: Client,
  resource: Resource,
  { open, by }: NonNullable<Resource['nextFirst']>,
  { filters, most }: { readonly filters: Values; readonly most: number },
): PagedRows {
  const limit = Number.isFinite(most) ? { limit: most } : {};
  const isAsked = (name: string): boolean => Object.hasOwn(filters, name);
  const mayBeOpen = Object.entries(open).every(([name, value]) => !isAsked(name) || filters[name] === value);
  const areAllOpen = mayBeOpen && Object.keys(open).every(isAsked);
  return pagedRows(async function* () {
    const seen = new Set<string>();
    if (mayBeOpen) {
      const wanted = { ...filters, ...open } as Values;
      for await (const page of client.list(resource, { filters: wanted, sort: by, ...limit }).pages()) {
        for (const { id } of page) seen.add(String(id));
        yield page;
      }
    }
    if (areAllOpen || seen.size >= most) return;
    const latest = { filters, sort: by, reverse: true, ...limit };
    for await (const page of client.list(resource, latest).pages())
      yield page.filter((row: JsonObject) => !seen.has(String(row['id'])));
  });
}
