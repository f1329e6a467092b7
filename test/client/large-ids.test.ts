/** Ids beyond 2^53 in the recognition of a lost POST, and in the order of pages (M1). */
import { describe, expect, it } from 'vitest';
import { createRowOrder, scalarOf } from '../../src/client/requests/paging/page.ts';
import {
  findCreated,
  highestId,
  type ListRowsFunction,
} from '../../src/client/requests/recovery/find-created.ts';
import type { Field } from '../../src/kit/schema/field.ts';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import { task } from '../../src/service/resources/task.ts';

const field = (name: string): Field => {
  const found = new Map<string, Field>(Object.entries(task.fields)).get(name);
  if (!found) throw new Error(`task has no ${name}`);
  return found;
};
const body = { name: 'T', message_id: 9007199254740993n, scheduledtime: 1_796_200_000, list_id: 1 };
const like = (id: bigint | number | string, more: JsonObject = {}): JsonObject => ({
  ...body,
  channel: 'email',
  search_id: null,
  id,
  cdate: 1_796_115_600,
  ...more,
});
const listing = (rows: readonly JsonObject[]): ListRowsFunction =>
  async function* () {
    yield* rows;
  } as unknown as ListRowsFunction;

describe('a lost POST', () => {
  it('is not mistaken for an existing record with a neighboring id', async () => {
    const before = [like(9007199254740992n)];
    const above = await highestId(listing(before), task, body);
    expect(above).toBe(9007199254740992n);
    expect(await findCreated(listing(before), task, body, () => ({ above }))).toEqual([]);
    const after = [like(9007199254740993n), ...before];
    expect(await findCreated(listing(after), task, body, () => ({ above }))).toEqual([after[0]]);
    const asText = [like('9007199254740993'), ...before];
    expect(await findCreated(listing(asText), task, body, () => ({ above }))).toEqual([asText[0]]);
  });

  it('is not recognised by a reference that differs by one', async () => {
    const other = like(9, { message_id: 9007199254740992n });
    expect(await findCreated(listing([other]), task, body, () => ({ above: 1 }))).toEqual([]);
    const asText = like(9, { message_id: '9007199254740993' });
    expect(await findCreated(listing([asText]), task, body, () => ({ above: 1 }))).toEqual([asText]);
  });
});

describe('the order of ids', () => {
  const ids = [3, 9007199254740991, 9007199254740992n, 9007199254740993n, 18446744073709551615n];
  it.each([false, true])('is exact, reverse %s', (reverse) => {
    const { compare } = createRowOrder('id', field('id'), reverse, 3);
    const sorted = [...ids].reverse().sort(compare);
    expect(sorted).toEqual(reverse ? [...ids].reverse() : ids);
  });

  it('treats text as the number that it spells', () => {
    expect(scalarOf(field('id'), '9007199254740993')).toBe(9007199254740993n);
    expect(scalarOf(field('id'), '12')).toBe(12);
    expect(scalarOf(field('name'), '9007199254740993')).toBe('9007199254740993');
  });
});
