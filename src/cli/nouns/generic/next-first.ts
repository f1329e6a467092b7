/** A list in the order in which a person looks at it: what is still to come, soonest first, and then what is over. */
import type { Client } from '../../../client/client.ts';
import { type PagedRows, pagedRows } from '../../../client/paging/paged-rows.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource, Values } from '../../../schema/resource.ts';

/**
 * What is open by ascending `by`: what has begun, then what comes next; after that the rest, latest first. No sort of the
 * service gives that, so it is two walks, the second one only where the first hasn't enough.
 * @param most so many rows are needed at most
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
