import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientError } from '../../../src/client/requests/errors.ts';
import type { FetchPage } from '../../../src/client/requests/paging/page.ts';
import { type CollectionWalk, readCollectionRows } from '../../../src/client/requests/paging/walk.ts';
import type { Field, Scalar } from '../../../src/kit/schema/field.ts';
import { type Resource, sortAttributesOf } from '../../../src/kit/schema/resource.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { doNotContact } from '../../../src/service/resources/do-not-contact.ts';
import { folder } from '../../../src/service/resources/folder.ts';
import { smsDestination } from '../../../src/service/resources/sms-destination.ts';
import { subscriberProfileData } from '../../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../../src/service/resources/task.ts';
import { clickAutomation } from '../../../src/service/resources/timed-automations.ts';
import { depth } from '../../support/depth.ts';
import { type Model, modelService } from '../model-service.ts';

const WALKS = depth('SVC_WALKS', { few: 60, full: 150 });

const PLAIN: Model = { nullsFirst: true, ties: 'stored' };

async function collect(
  fetch: FetchPage,
  walk: Partial<CollectionWalk> & Pick<CollectionWalk, 'resource'>,
): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const row of readCollectionRows(fetch, { filters: {}, reverse: false, pageSize: 200, ...walk }))
    rows.push(row);
  return rows;
}

const numbered = (count: number, more: (n: number) => Readonly<Record<string, Scalar>>): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ id: n + 1, ...more(n) }));

const idsOf = (rows: readonly JsonObject[]): number[] => rows.map((row) => Number(row['id']));
const ascending = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);

/** Generates few different values, so that many rows tie. */
const someValue = (field: Field): fc.Arbitrary<Scalar> => {
  const plain: fc.Arbitrary<Scalar> =
    field.kind === 'bool'
      ? fc.boolean()
      : field.kind === 'string'
        ? fc.constantFrom('a', 'b', 'A', 'ab', 'ä', '😀', '10:00:00', '')
        : fc.constantFrom(1, 2, 3, 10, 1_796_000_000, 1_796_000_000.5, -60);
  return field.nullable ? fc.oneof(plain, plain, fc.constant(null)) : plain;
};

// Wire, "Requests": a client that returns a whole collection must return every row exactly once, whatever ties there are.
describe('returns every row exactly once, in the requested order', () => {
  const sorts = [
    ...new Map(
      catalogue
        .filter((resource) => !resource.single && resource !== subscriberProfileData)
        .flatMap((resource) => sortAttributesOf(resource).map((sort) => [sort, [resource, sort] as const])),
    ).values(),
  ];

  it('with every sort key of the interface', () => {
    expect(sorts.map(([, sort]) => sort).sort()).toEqual([
      'actionhour',
      'actiontimediff',
      'cdate',
      'contactdata',
      'endtime',
      'id',
      'isshortcode',
      'name',
      'scheduledtime',
    ]);
  });

  it.each(sorts.map(([resource, sort]) => [sort, resource] as const))(
    'with %s of %o',
    async (sort, resource) => {
      const field = resource.fields[sort];
      if (!field) throw new Error('no such field');
      const values = sort === 'id' ? fc.constant(0) : someValue(field);
      await fc.assert(
        fc.asyncProperty(
          fc.array(values, { maxLength: 40 }),
          fc.record({
            pageSize: fc.integer({ min: 1, max: 12 }),
            reverse: fc.boolean(),
            windowOctets: fc.constantFrom(1, 120, 1_000_000),
          }),
          fc.record({
            nullsFirst: fc.boolean(),
            ties: fc.constantFrom('stored' as const, 'backwards' as const, 'shuffled' as const),
          }),
          async (values, walk, model) => {
            const stored = values.map((value, n) => ({
              id: ((n * 7) % 41) + 1,
              ...(sort === 'id' ? {} : { [sort]: value }),
            }));
            const { fetch } = modelService(stored, model);
            const rows = await collect(fetch, { resource, sort, ...walk });
            expect(ascending(idsOf(rows))).toEqual(ascending(idsOf(stored)));
            const inOrder = (
              await modelService(stored, model).fetch({ filters: {}, sort, reverse: walk.reverse })
            ).rows;
            expect(rows.map((row) => row[sort])).toEqual(inOrder.map((row) => row[sort]));
          },
        ),
        { numRuns: WALKS },
      );
    },
  );

  it.each([200, 199, 7, 1])(
    'with 1,000 rows created in the same second, and %i per page',
    async (pageSize) => {
      const stored = numbered(1000, (n) => ({ cdate: n < 10 ? 5 : n < 900 ? 6 : 7, contactdata: `c${n}` }));
      for (const reverse of [false, true]) {
        for (const ties of ['stored', 'backwards', 'shuffled'] as const) {
          const { fetch } = modelService(stored, { ...PLAIN, ties });
          const rows = await collect(fetch, { resource: doNotContact, sort: 'cdate', reverse, pageSize });
          expect(rows).toHaveLength(1000);
          expect(new Set(idsOf(rows)).size).toBe(1000);
          const dates = rows.map((row) => Number(row['cdate']));
          expect(dates).toEqual([...dates].sort((a, b) => (reverse ? b - a : a - b)));
        }
      }
    },
  );

  // Wire, "Requests": start is "the value of the active sort attribute of the first resource of the page (inclusive)".
  it.each([1, 3, 200])(
    'from a value on, inclusive, and requests nothing before it: %i per page',
    async (pageSize) => {
      const stored = numbered(100, (n) => ({ scheduledtime: Math.floor(n / 10) * 5 }));
      for (const [from, reverse] of [
        [20, false],
        [21, false],
        [20, true],
        [500, false],
        [0, false],
      ] as const) {
        const { fetch, requests } = modelService(stored, PLAIN);
        const rows = await collect(fetch, { resource: task, sort: 'scheduledtime', from, reverse, pageSize });
        const wanted = stored.filter((row) =>
          reverse ? Number(row['scheduledtime']) <= from : Number(row['scheduledtime']) >= from,
        );
        expect(ascending(idsOf(rows))).toEqual(ascending(idsOf(wanted)));
        expect(requests.queries[0]?.start).toBe(from);
      }
    },
  );

  it.each([true, false])('with 300 tasks that have not ended, nulls first: %s', async (nullsFirst) => {
    const stored = numbered(700, (n) => ({ endtime: n % 7 < 3 ? null : n }));
    for (const reverse of [false, true]) {
      const { fetch } = modelService(stored, { nullsFirst, ties: 'shuffled' });
      const rows = await collect(fetch, { resource: task, sort: 'endtime', reverse });
      expect(ascending(idsOf(rows))).toEqual(ascending(idsOf(stored)));
    }
  });

  it('with names that a database considers equal despite their case, if a page holds them', async () => {
    const stored = numbered(100, (n) => ({ name: n % 3 === 0 ? 'News' : n % 3 === 1 ? 'news' : `n${n}` }));
    const { fetch } = modelService(stored, { nullsFirst: true, ties: 'stored', ignoresCase: true });
    const rows = await collect(fetch, { resource: folder, sort: 'name', pageSize: 80 });
    expect(ascending(idsOf(rows))).toEqual(ascending(idsOf(stored)));
  });

  it('or stops with a reason instead of losing a row, if a page does not hold them', async () => {
    const mixed = numbered(100, (n) => ({ name: n % 2 === 0 ? 'News' : n % 3 === 0 ? 'news' : 'NEWS' }));
    // By code points, Zed comes before the names that tie. For this service, it comes after them.
    const around = numbered(40, (n) => ({ name: n < 3 ? 'apple' : n < 30 ? 'news' : 'Zed' }));
    for (const stored of [mixed, around]) {
      for (const ties of ['stored', 'backwards', 'shuffled'] as const) {
        for (const pageSize of [5, 10, 20]) {
          const { fetch } = modelService(stored, { nullsFirst: true, ties, ignoresCase: true });
          const given: JsonObject[] = [];
          const walk = async () => {
            const rows = readCollectionRows(fetch, {
              resource: folder,
              filters: {},
              sort: 'name',
              reverse: false,
              pageSize,
            });
            for await (const row of rows) given.push(row);
          };
          await expect(walk()).rejects.toMatchObject({
            name: 'ClientError',
            message: expect.stringContaining('sort by id instead'),
          });
          expect(new Set(idsOf(given)).size).toBe(given.length);
        }
      }
    }
  });
});

describe('the requests', () => {
  it('fetch a page for every 200 rows, each row once', async () => {
    const { fetch, requests } = modelService(
      numbered(1000, () => ({})),
      PLAIN,
    );
    await collect(fetch, { resource: folder });
    expect([requests.count, requests.rows]).toEqual([5, 1000]);
  });

  it.each([
    [1, [1]],
    [200, [200]],
    [250, [200, 50]],
    [5000, [200, 200, 200, 200, 200]],
    [0, []],
  ])('end at the limit %i', async (limit, counts) => {
    const { fetch, requests } = modelService(
      numbered(1000, () => ({})),
      PLAIN,
    );
    expect(await collect(fetch, { resource: folder, limit })).toHaveLength(Math.min(1000, limit));
    expect(requests.queries.map(({ count }) => count)).toEqual(counts);
  });

  it('request nothing before the first row is read, and no page in advance', async () => {
    const { fetch, requests } = modelService(
      numbered(1000, () => ({})),
      PLAIN,
    );
    const rows = readCollectionRows(fetch, { resource: folder, filters: {}, reverse: false, pageSize: 200 });
    expect(requests.count).toBe(0);
    for await (const row of rows) if (row['id'] === 200) break;
    expect(requests.count).toBe(1);
  });

  it('walk by id if a filter on the sort attribute makes all values equal', async () => {
    const stored = numbered(900, (n) => ({ isshortcode: n % 2 === 0 }));
    const { fetch, requests } = modelService(stored, PLAIN);
    const filters = { isshortcode: true };
    const rows = await collect(fetch, { resource: smsDestination, filters, sort: 'isshortcode' });
    expect([rows.length, requests.count]).toEqual([450, 3]);
  });

  it('walk by id once for five pages of equal values', async () => {
    const stored = numbered(1200, (n) => ({ actiontimediff: n < 100 ? n : n < 1100 ? 3600 : 4000 + n }));
    const { fetch, requests } = modelService(stored, PLAIN);
    const rows = await collect(fetch, { resource: clickAutomation, sort: 'actiontimediff' });
    expect(rows).toHaveLength(1200);
    expect(requests.count).toBeLessThanOrEqual(2 + 6);
  });

  it('walk more often in a window of few rows, with the same result', async () => {
    const stored = numbered(1000, (n) => ({ cdate: Math.floor(n / 250) }));
    const { fetch } = modelService(stored, { ...PLAIN, ties: 'shuffled' });
    const rows = await collect(fetch, { resource: doNotContact, sort: 'cdate', windowOctets: 500 });
    expect(new Set(idsOf(rows)).size).toBe(1000);
    expect(rows.map((row) => row['cdate'])).toEqual(stored.map((row) => row['cdate']));
  });
});

// Wire: subscriberProfileData is ordered by field, then subscriber; sort=id is 400 (no S).
describe('subscriberProfileData', () => {
  const stored = Array.from({ length: 900 }, (_, n) => {
    const [field, subscriber] = [(n % 3) + 1, Math.floor(n / 3) + 1];
    return {
      id: `${field}_${subscriber}`,
      subscriberprofilefield_id: field,
      subscriber_id: subscriber,
      value: 'x',
    };
  });
  const resource: Resource = subscriberProfileData;

  it.each([
    ['one field', { subscriberprofilefield_id: 2 }, undefined, 'subscriber_id', 300],
    [
      'one field, sorted by it',
      { subscriberprofilefield_id: 2 },
      'subscriberprofilefield_id',
      'subscriber_id',
      300,
    ],
    ['one subscriber', { subscriber_id: 9 }, undefined, 'subscriberprofilefield_id', 3],
    ['one subscriber, sorted by it', { subscriber_id: 9 }, 'subscriber_id', 'subscriberprofilefield_id', 3],
    ['both', { subscriber_id: 9, subscriberprofilefield_id: 2 }, undefined, 'subscriber_id', 1],
  ])('%s', async (_name, filters, sort, asked, expected) => {
    const { fetch, requests } = modelService(stored, PLAIN);
    const rows = await collect(fetch, { resource, filters, sort });
    expect(new Set(rows.map((row) => row['id'])).size).toBe(expected);
    expect(new Set(requests.queries.map((query) => query.sort))).toEqual(new Set([asked]));
  });
});

describe('a faulty service', () => {
  const fixed =
    (rows: readonly JsonObject[], next: Scalar): FetchPage =>
    async () => ({ rows, next });

  // M3: an error instead of part of the rows, repeated rows, or endless requests.
  const two = numbered(2, () => ({}));
  it.each<readonly [string, FetchPage, string]>([
    [
      'the same page again and again',
      fixed(
        numbered(3, () => ({})),
        9,
      ),
      'an earlier row, with id 1',
    ],
    ['one id for all rows', fixed([{ id: 4 }, { id: 4 }], 4), 'all rows of a page have the same id, 4'],
    ['a next that points back', fixed(two, 1), 'but this page already has a later row, with id 2'],
    [
      'a next that is an object',
      fixed(two, { page: 2 } as unknown as Scalar),
      'returned {"page":2} as the start',
    ],
    ['a next that is an array', fixed(two, [3] as unknown as Scalar), 'returned [3] as the start'],
    [
      'a page without rows and with a next',
      fixed([], 5),
      'an empty page, although it says that the next page starts at 5',
    ],
  ])('%s', async (_name, fetch, problem) => {
    await expect(collect(fetch, { resource: folder })).rejects.toMatchObject({
      name: 'ClientError',
      kind: 'not-ours',
      message: expect.stringContaining(problem),
    });
  });

  it.each<readonly [string, FetchPage]>([
    ['a page without rows and with a next', fixed([], 5)],
    ['a next that is an object', fixed([{ id: 7 }], {} as unknown as Scalar)],
  ])('returns %s, requested by id', async (_name, fetch) => {
    await expect(collect(fetch, { resource: folder, filters: { id: 7 } })).rejects.toMatchObject({
      kind: 'not-ours',
    });
  });

  /** Returns pages in a custom order: the `start` of a request selects one. */
  const scripted = (pages: Readonly<Record<string, readonly [readonly JsonObject[], Scalar]>>) => {
    let requests = 0;
    const fetch: FetchPage = async ({ start = 'first' }) => {
      requests += 1;
      if (requests > 50) throw new Error('requests without end');
      const [rows, next] = pages[String(start)] ?? [[], null];
      return { rows, next };
    };
    return { fetch, requests: () => requests };
  };
  const rowsFrom = (...ids: readonly (number | bigint)[]): JsonObject[] =>
    ids.map((id) => ({ id, name: `n${id}`, cdate: id }));

  it('alternates between two pages: the walk ends at the first step back, with each row once', async () => {
    const { fetch, requests } = scripted({
      first: [rowsFrom(1, 2), 5],
      5: [rowsFrom(5, 6), 1],
      1: [rowsFrom(1, 2), 5],
    });
    for (const sort of [undefined, 'cdate']) {
      const given: JsonObject[] = [];
      const walk = async () => {
        const options = { resource: folder, filters: {}, reverse: false, pageSize: 200, sort };
        for await (const row of readCollectionRows(fetch, options)) given.push(row);
      };
      await expect(walk()).rejects.toMatchObject({ kind: 'not-ours' });
      expect(idsOf(given)).toEqual([1, 2, 5, 6]);
    }
    expect(requests()).toBe(4);
  });

  it('is sorted by a text: the walk returns each row once and ends', async () => {
    const { fetch } = scripted({
      first: [rowsFrom(1, 2), 'n5'],
      n5: [rowsFrom(5, 6), 'n1'],
      n1: [rowsFrom(1, 2), 'n5'],
    });
    const given: JsonObject[] = [];
    const walk = async () => {
      const options = { resource: folder, filters: {}, reverse: false, pageSize: 200, sort: 'name' };
      for await (const row of readCollectionRows(fetch, options)) given.push(row);
    };
    await expect(walk()).rejects.toMatchObject({
      kind: 'not-ours',
      message: expect.stringContaining('only rows that svc has read before'),
    });
    expect(idsOf(given)).toEqual([1, 2, 5, 6]);
  });

  it('is sorted by a text: the walk repeats no row after a step back', async () => {
    const { fetch } = scripted({
      first: [rowsFrom(1, 2), 'n3'],
      n3: [rowsFrom(3, 4), 'n2'],
      n2: [rowsFrom(2, 3, 4, 5), 'n6'],
      n6: [rowsFrom(6), null],
    });
    expect(idsOf(await collect(fetch, { resource: folder, sort: 'name' }))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('pages beyond 2^53: the walk goes in steps of one, forwards and backwards', async () => {
    const [a, b, c] = [9007199254740992n, 9007199254740993n, 9007199254740994n];
    const forward = scripted({ first: [rowsFrom(a), b], [String(b)]: [rowsFrom(b, c), null] });
    expect(await collect(forward.fetch, { resource: folder })).toEqual(rowsFrom(a, b, c));
    const back = scripted({ first: [rowsFrom(b), a] });
    await expect(collect(back.fetch, { resource: folder })).rejects.toMatchObject({ kind: 'not-ours' });
  });

  it('returns rows before the start: the walk ends with an error in both directions', async () => {
    const up = scripted({ first: [rowsFrom(1, 2), 5], 5: [rowsFrom(4, 5, 6), null] });
    await expect(collect(up.fetch, { resource: folder })).rejects.toMatchObject({ kind: 'not-ours' });
    const down = scripted({ first: [rowsFrom(9, 8), 5], 5: [rowsFrom(6, 5), null] });
    await expect(collect(down.fetch, { resource: folder, reverse: true })).rejects.toMatchObject({
      kind: 'not-ours',
    });
  });

  it('begins a page with null: the walk sends it as empty text, and passes more nulls than a page holds', async () => {
    const stored = numbered(60, (n) => ({ endtime: n < 30 ? n + 1 : null }));
    for (const reverse of [false, true]) {
      const { fetch } = modelService(stored, PLAIN);
      const asText: FetchPage = async (query) => {
        const page = await fetch(query);
        const ids = new Set(page.rows.map(({ id }) => id));
        const isEnd =
          page.rows.length < (query.count ?? 200) || (page.next === null && ids.has(reverse ? 60 : 0));
        return isEnd ? { ...page, next: null } : { ...page, next: page.next ?? '' };
      };
      const rows = await collect(asText, { resource: task, sort: 'endtime', reverse, pageSize: 7 });
      expect(ascending(idsOf(rows))).toEqual(ascending(idsOf(stored)));
    }
  });

  it('sends pages that are too large: the walk requests fewer rows, down to one', async () => {
    const { fetch, requests } = modelService(
      numbered(30, () => ({})),
      PLAIN,
    );
    const bounded =
      (most: number): FetchPage =>
      async (query) => {
        if ((query.count ?? 200) > most)
          throw new ClientError('failed', 'too large', { method: 'GET', path: '/', isTooLarge: true });
        return fetch(query);
      };
    expect(await collect(bounded(20), { resource: folder })).toHaveLength(30);
    expect(requests.queries.map(({ count }) => count)).toEqual([12, 12, 12]);
    expect(await collect(bounded(1), { resource: folder })).toHaveLength(30);
    await expect(collect(bounded(0), { resource: folder })).rejects.toMatchObject({ isTooLarge: true });
  });

  it('sends numbers as text: the walk reads them as numbers', async () => {
    const stored = numbered(50, (n) => ({ cdate: Math.floor(n / 20) + 9 }));
    const { fetch } = modelService(stored, PLAIN);
    const asText: FetchPage = async (query) => {
      const page = await fetch(query);
      const rows = page.rows.map((row) => ({ ...row, cdate: String(row['cdate']) }));
      return { rows, next: page.next === null ? null : String(page.next) };
    };
    expect(await collect(asText, { resource: doNotContact, sort: 'cdate', pageSize: 7 })).toHaveLength(50);
  });
});

it('rejects a sort without S before it sends anything', async () => {
  const { fetch, requests } = modelService([], PLAIN);
  await expect(collect(fetch, { resource: folder, sort: 'list_count' })).rejects.toThrow(RangeError);
  expect(requests.count).toBe(0);
});
