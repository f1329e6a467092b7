/**
 * Reads a list of records with one request for each page. A page begins where the one before it ended, so records that are created or
 * deleted meanwhile do not repeat or hide others.
 */

import { orderOf, sortAttributesOf } from '../../../kit/schema/resource.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { MAX_RECORDS_PER_PAGE } from '../../../service/protocol/wire.ts';
import { catalogue } from '../../../service/resources/catalogue.ts';
import type { Row } from '../../output/result.ts';
import {
  cursorAt,
  type IdentifiedCall,
  type NextCursor,
  type RecordPlace,
  type ResultPagePosition,
} from './cursor.ts';
import { pickFields, readFields, replaceTextsByLengths } from './record-fields.ts';
import type { ToolCommand } from './schema.ts';

type ListArguments = Readonly<Record<string, unknown>>;

/** `counter` is the attribute of the account that counts the records of the whole list. @throws UsageError if the argument `fields` is not a list of names */
export function readRecordList(
  { value: noun, verb }: ToolCommand,
  asked: ListArguments,
  position: ResultPagePosition,
) {
  const { fields: named } = asked;
  const fields = readFields(noun, named);
  const order = verb.flags.some(({ name }) => name === 'start') ? readOrder(noun, asked) : undefined;
  const { offset, maxRows } = position;
  const place = order && position.place;
  const wanted = (place ? place.ids.length : offset) + maxRows;
  // One row more tells whether a page follows, unless it would need one more request.
  const limit = wanted === MAX_RECORDS_PER_PAGE ? wanted : wanted + 1;
  const needed = order ? ['id', order.sort] : [];
  const flags = {
    limit: String(limit),
    ...(place ? { start: place.start } : {}),
    ...(fields ? { fields: [...new Set([...fields, ...needed])].join(',') } : {}),
  };
  const isWhole = position.offset === 0 && Object.keys(asked).every((name) => NEUTRAL.includes(name));
  return {
    flags,
    counter: isWhole ? COUNTERS[noun] : undefined,
    page: (printed: unknown, call: IdentifiedCall) => {
      const all = Array.isArray(printed) ? printed.filter(isObject) : [];
      const rows = place === undefined ? all.slice(offset) : withoutGiven(all, order?.sort ?? 'id', place);
      const chosen = fields ? rows.map((row) => pickFields(row, fields)) : rows;
      const shown = named === undefined ? chosen.map(replaceTextsByLengths) : chosen;
      const mayHaveMore = all.length >= limit;
      return {
        rows: shown,
        cursorAfter: (count: number): NextCursor => {
          if (count >= rows.length && !mayHaveMore) return {};
          // Without a place, svc has read all rows from the beginning of the list.
          const given = place ? rows.slice(0, count) : all.slice(0, offset + count);
          const next = order && nextPlace(given, order, place);
          return cursorAt(offset + count, call, next);
        },
      };
    },
  };
}

/** Attributes of the account that count all records of a noun, also for a user who is restricted to folders: then they are null. */
const COUNTERS: Readonly<Record<string, string>> = { dnc: 'blacklist_count' };
const NEUTRAL = ['noun', 'sort', 'reverse', 'limit', 'fields', 'cursor'];

interface Order {
  readonly sort: string;
  readonly reverse: boolean;
}

/** Undefined if svc cannot say by which attribute the service sorts the list. */
function readOrder(noun: string, { sort, reverse }: ListArguments): Order | undefined {
  const resource = catalogue.find((each) => each.noun === noun);
  if (resource === undefined) return undefined;
  const given = typeof sort === 'string' ? sort.replaceAll('-', '_') : undefined;
  const order = orderOf(resource, given, reverse === true);
  const attribute = order.sort ?? 'id';
  return sortAttributesOf(resource).includes(attribute) ? { ...order, sort: attribute } : undefined;
}

const withoutGiven = (rows: readonly Row[], sort: string, { start, ids }: RecordPlace): readonly Row[] =>
  rows.filter(({ id, [sort]: value }) => String(value) !== start || !ids.includes(String(id)));

const MAX_IDS = 100;

/** Undefined if the service cannot begin a page there; the cursor then counts rows. */
function nextPlace(
  rows: readonly Row[],
  { sort, reverse }: Order,
  before: RecordPlace | undefined,
): RecordPlace | undefined {
  const value = rows.at(-1)?.[sort];
  if (sort === 'id' && typeof value === 'number') {
    const next = reverse ? value - 1 : value + 1;
    return next < 0 ? undefined : { start: String(next), ids: [] };
  }
  if (!isStart(value)) return undefined;
  const start = String(value);
  const same = rows.filter((row) => String(row[sort]) === start).map(({ id }) => String(id));
  const ids = before?.start === start ? [...before.ids, ...same] : same;
  return ids.length <= MAX_IDS ? { start, ids } : undefined;
}

/** null has no form in a request, and a long text would make a long cursor. */
const isStart = (value: unknown): boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && /^[^\p{Cc}]{1,100}$/u.test(value));
