/** Requests each record once. If a request fails, the table shows the id alone. */
import type { Client } from '../../client/requests/client.ts';
import { type StartTimer, startMachineTimer } from '../../client/requests/ports.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import { type Resource, sortAttributesOf } from '../../kit/schema/resource.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import type { NameLookup, Reference } from '../output/result.ts';

/** For more records, svc requests one page with the newest. */
const MAX_SINGLE_REQUESTS = 10;
const PAGE = 200;
/** Pages of messages are small, because each message includes its HTML. */
const HEAVY_PAGE = 50;
/** After this time, the table shows only ids. */
const MAX_WAIT_MS = 3000;

/** @param client a client that is used only for reads */
export function createRecordNameLookup(dependencies: {
  readonly client: () => Promise<Client>;
  readonly timer?: StartTimer | undefined;
}): NameLookup {
  const known = new Map<string, string>();
  const asked = new Set<string>();
  const note = (resource: Resource, record: { readonly [attribute: string]: unknown } | undefined): void => {
    const name = record?.[resource.calledBy ?? 'name'];
    const { id } = record ?? {};
    if (!isId(id) || typeof name !== 'string' || name.trim() === '') return;
    known.set(keyOf({ resource: resource.name, id }), name);
  };
  const ask = async (name: string, ids: readonly Id[]): Promise<void> => {
    const resource = resourceNamed(name);
    // Each kind gets one round of requests. Rows after the first thousand show the names known by then.
    if (resource === undefined || asked.has(name)) return;
    asked.add(name);
    const client = await dependencies.client();
    if (ids.length <= MAX_SINGLE_REQUESTS) {
      await Promise.all(
        ids.map(async (id) => note(resource, await client.get(resource, id).catch(() => undefined))),
      );
      return;
    }
    const limit = Object.hasOwn(resource.fields, 'html') ? HEAVY_PAGE : PAGE;
    const newest = sortAttributesOf(resource).includes('id') ? { sort: 'id', reverse: true } : {};
    for await (const record of client.list(resource, { ...newest, limit, pageSize: limit }))
      note(resource, record);
  };
  return async (references) => {
    const wanted = new Map<string, Map<string, Id>>();
    for (const reference of references) {
      const ids = wanted.get(reference.resource) ?? new Map<string, Id>();
      wanted.set(reference.resource, ids.set(String(reference.id), reference.id));
    }
    const work = [...wanted].map(([name, ids]) => ask(name, [...ids.values()]).catch(() => undefined));
    await withinTime(Promise.all(work), dependencies.timer ?? startMachineTimer);
    return (reference) => known.get(keyOf(reference));
  };
}

const keyOf = ({ resource, id }: Reference): string => `${resource} ${String(id)}`;

async function withinTime(work: Promise<unknown>, timer: StartTimer): Promise<void> {
  let stop = (): void => {};
  const late = new Promise<void>((resolve) => {
    stop = timer(MAX_WAIT_MS, resolve);
  });
  await Promise.race([work, late]);
  stop();
}
