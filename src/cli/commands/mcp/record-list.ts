/**
 * Reads a list of records page by page. Each page is one request that begins where the page before it ended, so records that are created
 * or deleted meanwhile do not repeat or hide others.
 */
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { MAX_RECORDS_PER_PAGE } from '../../../protocol/wire.ts';
import { catalogue } from '../../../resources/catalogue.ts';
import { sortAttributesOf } from '../../../schema/resource.ts';
import { isObject } from '../../../text/json-object.ts';
import { orderOf } from '../../nouns/generic/list.ts';
import { cursorAt, type RecordPlace, type ResultPagePosition } from './cursor.ts';
import { pickFields, readFields, replaceTextsByLengths } from './record-fields.ts';
import type { ToolCommand } from './schema.ts';

/** Arguments of a call of `list_records`, not yet checked. */
type ListArguments = Readonly<Record<string, unknown>>;

/** List of records that a call requests. */
export interface RecordList {
  /** Flags that select the page. */
  readonly flags: readonly string[];
  /** Attribute of the account that counts the records of the whole list, if it has one. */
  readonly counter: string | undefined;
  /** Returns the rows of the page, with the requested attributes, and the function that returns the cursor of the next page. */
  readonly page: (printed: Json, call: JsonObject) => RecordPage;
}

interface RecordPage {
  readonly rows: Json;
  readonly cursorAfter?: (rows: number) => JsonObject;
}

/** Returns the list that the call requests. @throws UsageError if the argument `fields` is not a list of names */
export function readRecordList(
  { value: noun, verb }: ToolCommand,
  asked: ListArguments,
  position: ResultPagePosition,
): RecordList {
  const fields = readFields(noun, asked['fields']);
  const order = verb.flags.some(({ name }) => name === 'start') ? readOrder(noun, asked) : undefined;
  const { offset, maxRows } = position;
  const place = order && position.place;
  const wanted = (place ? place.ids.length : offset) + maxRows;
  // One row more tells whether a page follows, unless it would need one more request.
  const limit = wanted === MAX_RECORDS_PER_PAGE ? wanted : wanted + 1;
  const needed = order ? ['id', order.sort] : [];
  const flags = [
    `--limit=${limit}`,
    ...(place ? [`--start=${place.start}`] : []),
    ...(fields ? [`--fields=${[...new Set([...fields, ...needed])].join(',')}`] : []),
  ];
  const isWhole = position.offset === 0 && Object.keys(asked).every((name) => NEUTRAL.includes(name));
  return {
    flags,
    counter: isWhole ? COUNTERS[noun] : undefined,
    page: (printed, call) => {
      const all = Array.isArray(printed) ? printed.filter(isObject<Json>) : [];
      const rows = place === undefined ? all.slice(offset) : withoutGiven(all, order?.sort ?? 'id', place);
      const chosen = fields ? rows.map((row) => pickFields(row, fields)) : rows;
      const shown = asked['fields'] === undefined ? chosen.map(replaceTextsByLengths) : chosen;
      const mayHaveMore = all.length >= limit;
      return {
        rows: shown,
        cursorAfter: (count) => {
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
/** Arguments that do not change which records a list has. */
const NEUTRAL = ['noun', 'sort', 'reverse', 'limit', 'fields', 'cursor'];

interface Order {
  readonly sort: string;
  readonly reverse: boolean;
}

/** Returns the order of the list, or undefined if svc cannot say by which attribute the service sorts it. */
function readOrder(noun: string, { sort, reverse }: ListArguments): Order | undefined {
  const resource = catalogue.find((each) => each.noun === noun);
  if (resource === undefined) return undefined;
  const given = typeof sort === 'string' ? sort.replaceAll('-', '_') : undefined;
  const order = orderOf(resource, given, reverse === true);
  const attribute = order.sort ?? 'id';
  return sortAttributesOf(resource).includes(attribute) ? { ...order, sort: attribute } : undefined;
}

const isGiven = (row: JsonObject, sort: string, { start, ids }: RecordPlace): boolean =>
  String(row[sort]) === start && ids.includes(String(row['id']));

const withoutGiven = (rows: readonly JsonObject[], sort: string, place: RecordPlace): readonly JsonObject[] =>
  rows.filter((row) => !isGiven(row, sort, place));

/** Maximum number of ids in a cursor. */
const MAX_IDS = 100;

/**
 * Returns the place after these rows. Returns undefined if the service cannot begin a page there; the cursor then counts rows.
 */
function nextPlace(
  rows: readonly JsonObject[],
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

/** Reports whether a page can begin at this value: null has no form in a request, and a long text would make a long cursor. */
const isStart = (value: Json | undefined): boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && /^[^\p{Cc}]{1,100}$/u.test(value));
