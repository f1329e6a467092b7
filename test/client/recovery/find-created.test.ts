/** Contract, "Safety": the client recognises the record of a lost POST by its attributes, and because it did not exist before. */
import { describe, expect, it } from 'vitest';
import {
  adviseHowToCheckWrite,
  buildLookUpFilters,
  findCreated,
  highestId,
  type ListRowsFunction,
  type StateBefore,
  toComparableText,
} from '../../../src/client/requests/recovery/find-created.ts';
import type { Field, FieldKind } from '../../../src/kit/schema/field.ts';
import type { Resource, Values } from '../../../src/kit/schema/resource.ts';
import type { Json, JsonObject } from '../../../src/service/protocol/envelope.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { account } from '../../../src/service/resources/account.ts';
import { doNotContact } from '../../../src/service/resources/do-not-contact.ts';
import { folder } from '../../../src/service/resources/folder.ts';
import { sms } from '../../../src/service/resources/sms.ts';
import { subscriberProfileData } from '../../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../../src/service/resources/task.ts';
import { clickAutomation } from '../../../src/service/resources/timed-automations.ts';

const NOW = 1_796_115_600;
const TASK = { name: 'T', channel: 'email', message_id: 4, list_id: 7, search_id: null, scheduledtime: NOW };
const taskRow = (id: Json, more: JsonObject = {}): JsonObject => ({ ...TASK, id, cdate: NOW, ...more });

/** Lists the rows, and counts the rows that were read, with the options. */
function listing(rows: readonly JsonObject[]) {
  const read: JsonObject[] = [];
  const asked: unknown[] = [];
  const list = async function* (_resource: Resource, options: unknown) {
    asked.push(options);
    for (const row of rows) {
      read.push(row);
      yield row;
    }
  };
  return { list: list as ListRowsFunction, read, asked };
}

const found = (resource: Resource, body: Values, rows: readonly JsonObject[], stateBefore: StateBefore) =>
  findCreated(listing(rows).list, resource, body, () => stateBefore);

describe('the baseline before a POST', () => {
  it('is the highest id of similar records, read from one row', async () => {
    const { list, asked } = listing([taskRow(9), taskRow(8)]);
    expect(await highestId(list, task, TASK)).toBe(9);
    const filters = { name: 'T', channel: 'email', message_id: 4, list_id: 7 };
    expect(asked).toEqual([{ filters, sort: 'id', reverse: true, limit: 1 }]);
  });

  it('is 0 if there are none', async () => {
    expect(await highestId(listing([]).list, task, TASK)).toBe(0);
  });
});

describe('the look-up', () => {
  it('requests pages of 50 from the highest id down, by the attributes marked F', async () => {
    const { list, asked } = listing([]);
    await findCreated(list, folder, { name: 'News' }, () => ({}));
    expect(asked).toEqual([{ filters: { name: 'News' }, sort: 'id', reverse: true, pageSize: 50 }]);
  });

  it('requests the default order if id is not marked S', async () => {
    const { list, asked } = listing([]);
    await findCreated(list, subscriberProfileData, { subscriber_id: 1 }, () => ({}));
    expect(asked).toEqual([{ filters: { subscriber_id: 1 }, pageSize: 50 }]);
  });

  it('reads no row after the first one that existed before', async () => {
    const { list, read } = listing([taskRow(31), taskRow(30), taskRow(29)]);
    expect(await findCreated(list, task, TASK, () => ({ above: 30 }))).toEqual([taskRow(31)]);
    expect(read).toHaveLength(2);
  });

  it.each<readonly [string, Values, Values]>([
    ['numbers as the service stores them', { msisdn: '+447700900123' }, { msisdn: '447700900123' }],
    ['no attribute without F', { message: 'Hi', fromaddress: 'Shop' }, { fromaddress: 'Shop' }],
    ['nothing without a value', {}, {}],
  ])('filters by %s', (_name, body, filters) => {
    expect(buildLookUpFilters(sms, body)).toStrictEqual(filters);
  });

  it('filters by unchanged numbers', () => {
    expect(buildLookUpFilters(task, TASK)).toStrictEqual({
      name: 'T',
      channel: 'email',
      message_id: 4,
      list_id: 7,
    });
  });
});

// Interface, "cdate": when the record was created. The clocks of the service's machines may differ by 2 seconds.
describe('a row can come from the POST', () => {
  it.each<readonly [string, StateBefore, JsonObject, boolean]>([
    ['without a baseline', {}, taskRow(31), false],
    ['an id above', { above: 30 }, taskRow(31), true],
    ['an id above, as text', { above: 30 }, taskRow('31'), true],
    ['an id that is not a number', { above: 30 }, taskRow('x'), false],
    ['the time of the attempt', { since: NOW }, taskRow(31), true],
    ['2 seconds before it', { since: NOW + 2 }, taskRow(31), true],
    ['3 seconds before it', { since: NOW + 3 }, taskRow(31), false],
    ['an id above, and too old', { above: 30, since: NOW + 3 }, taskRow(31), false],
    ['an id above, and young enough', { above: 30, since: NOW }, taskRow(31), true],
  ])('%s', async (_name, stateBefore, row, expected) => {
    expect(await found(task, TASK, [row], stateBefore)).toEqual(expected ? [row] : []);
  });

  it('whatever its age, if only one of its kind can exist', async () => {
    const row = { contactdata: 'a@example.com', id: 3, cdate: 5 };
    expect(await found(doNotContact, { contactdata: 'a@example.com' }, [row], {})).toEqual([row]);
  });
});

// Interface, task: "An earlier scheduledtime is set to now"; sms: senddate null sends at once.
describe('the attributes of a row', () => {
  it.each<readonly [string, Values, JsonObject, boolean]>([
    ['are compared only if they identify the record', {}, { summary: 'other' }, true],
    ['differ in a reference', {}, { list_id: 8 }, false],
    ['lack an attribute of the body', {}, { list_id: undefined as unknown as Json }, false],
    ['have a time up to a second after cdate', { scheduledtime: NOW - 60 }, { scheduledtime: NOW + 1 }, true],
    ['have a later time', { scheduledtime: NOW - 60 }, { scheduledtime: NOW + 2 }, false],
    ['have no time, like the body', { scheduledtime: null }, { scheduledtime: null, cdate: -5 }, true],
    [
      'have no time, and the body has a time that is past',
      { scheduledtime: NOW - 60 },
      { scheduledtime: null },
      true,
    ],
    ['have a past time, and the body has no time', { scheduledtime: null }, { scheduledtime: NOW }, true],
    ['have a time, and the body has a later one', { scheduledtime: NOW + 60 }, { scheduledtime: NOW }, false],
  ])('%s', async (_name, body, row, expected) => {
    const rows = [taskRow(31, row)];
    expect(await found(task, { ...TASK, ...body }, rows, { above: 30 })).toEqual(expected ? rows : []);
  });

  it('are not compared if the body lacks them', async () => {
    const rows = [taskRow(31, { list_id: 8 })];
    const { list_id: _none, ...body } = TASK;
    expect(await found(task, body, rows, { above: 30 })).toEqual(rows);
  });

  it('match null, which means at once, if they have a time before 1970', async () => {
    const rows = [taskRow(31, { scheduledtime: null, cdate: -5 })];
    const at = { ...TASK, scheduledtime: -60 };
    expect(await found(task, at, rows, { above: 30 })).toEqual(rows);
  });

  it('are all compared if only one of its kind can exist, except those that the interface does not name', async () => {
    const row = { subscriber_id: 1, subscriberprofilefield_id: 2, value: 'XL', id: '2_1' };
    const body = { subscriber_id: 1, subscriberprofilefield_id: 2, value: 'XL' };
    expect(await found(subscriberProfileData, { ...body, other: 1 }, [row], {})).toEqual([row]);
    expect(await found(subscriberProfileData, { ...body, value: 'L' }, [row], {})).toEqual([]);
  });
});

describe('two values are compared as their types require', () => {
  const field = (kind: FieldKind, format?: Field['format']) => ({ kind, format }) as Field;
  it.each<readonly [string, Field, Json, Json, boolean]>([
    ['a number as text', field('int'), 12, '12', true],
    ['another number as text', field('int'), 12, '13', false],
    ['a decimal as text', field('decimal'), 1.5, '1.5', true],
    ['a large number as text', field('int'), 9007199254740993n, '9007199254740993', true],
    ['zeros in front of a number', field('int'), 12, '012', true],
    ['zeros in front of a text', field('string'), '12', '012', false],
    ['a text as a number', field('string'), '2026', 2026, true],
    ['a text as a large number', field('string'), '9007199254740993', 9007199254740993n, true],
    ['a text as another number', field('string'), '2026', 2027, false],
    ['a boolean as text', field('bool'), true, 'true', true],
    ['the other boolean as text', field('bool'), true, 'false', false],
    ['null and null', field('string'), null, null, true],
    ['null and empty text', field('string'), null, '', false],
    ['null and the text "null"', field('string'), null, 'null', false],
    ['blanks around', field('string'), ' a ', 'a', true],
    ['blanks inside', field('string'), 'a b', 'ab', false],
    ['another line end', field('string'), 'a\r\nb', 'a\nb', true],
    ['composed characters', field('string'), 'e\u0301', '\u00e9', true],
    ['another case', field('string'), 'A', 'a', false],
    [
      'an address of the list in another case',
      field('string', 'contactdata'),
      'A@Example.com',
      'a@example.com',
      true,
    ],
    ['a number with a plus', field('string', 'msisdn'), '+447700900123', '447700900123', true],
  ])('%s', (_name, kind, a, b, expected) => {
    expect(toComparableText(kind, a) === toComparableText(kind, b)).toBe(expected);
  });
});

// Contract, "Safety": exits 10 and says what to check.
describe('what to check', () => {
  it.each<readonly [string, Resource, Values, string]>([
    [
      'the attributes marked F',
      task,
      { name: 'T', channel: 'email', message_id: 4, list_id: 7, search_id: 3 },
      'GET /base/v1/task?name=T&channel=email&message_id=4&list_id=7',
    ],
    [
      'a number as the service stores it',
      sms,
      { msisdn: '+447700900123' },
      'GET /base/v1/sms?msisdn=447700900123',
    ],
    [
      'all records without such an attribute',
      clickAutomation,
      { link_id: 1 },
      'GET /base/v1/clickAutomation',
    ],
    [
      'nothing, because the interface has no request that finds the record',
      account,
      { name: 'x' },
      'with the operator of the service: the interface has no request that finds the record',
    ],
  ])('%s', (_name, resource, body, expected) => {
    expect(adviseHowToCheckWrite(resource, body, '/base', DEFAULT_WIRE_NAMING)).toBe(expected);
  });
});
