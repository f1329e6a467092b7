/** What a POST whose answer was lost has made: told by its attributes, and by not having been there before. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import { normalise } from '../../schema/formats.ts';
import { idNumber } from '../../schema/integer.ts';
import { filtersOf, type Resource, sortsOf, type Values } from '../../schema/resource.ts';
import { scalarOf } from '../paging/order.ts';
import type { ListOptions } from '../reads.ts';
import { CLOCK_SLACK } from './settle.ts';

export type ListRows = (resource: Resource, options: ListOptions) => AsyncIterable<JsonObject>;

/** How things stood before a POST. Plain numbers, so that a journal can keep it. */
export interface Baseline {
  /** Unix seconds by the service's clock; what is older was not made by this POST. */
  readonly since?: number | undefined;
  /** The highest id that matched then, 0 when none did; only of resources that are noted first. */
  readonly above?: number | bigint | undefined;
}

const ROWS_AT_ONCE = 50;

/** The highest id of what looks like the body already. One GET of one row. */
export async function highestIdBefore(
  list: ListRows,
  resource: Resource,
  body: Values,
): Promise<number | bigint> {
  const filters = lookUpFilters(resource, body);
  for await (const row of list(resource, { filters, sort: 'id', reverse: true, limit: 1 })) {
    return idNumber(row);
  }
  return 0;
}

/**
 * The rows that this POST may have made. A row that was there before is never among them, as long as ids grow; of
 * resources that are not noted first, as long as the like of it was not made within the seconds around the attempt.
 * A `send-again` resource holds one of a kind: it is the one, whoever made it.
 */
export async function findCreated(
  list: ListRows,
  resource: Resource,
  body: Values,
  baseline: () => Baseline,
): Promise<readonly JsonObject[]> {
  const made: JsonObject[] = [];
  const order = sortsOf(resource).includes('id') ? { sort: 'id', reverse: true } : {};
  const filters = lookUpFilters(resource, body);
  for await (const row of list(resource, { filters, ...order, pageSize: ROWS_AT_ONCE })) {
    // Asked for from the highest id down. The baseline is read late: the answer itself tells the service's time.
    const { above } = baseline();
    if (above !== undefined && 'sort' in order && idNumber(row) <= above) break;
    if (matchesBody(resource, body, row) && isAfterBaseline(resource, row, baseline())) made.push(row);
  }
  return made;
}

/** The identifying attributes that the service can be asked by. */
export function lookUpFilters(resource: Resource, body: Values): Values {
  const filters: Record<string, Scalar> = {};
  for (const name of resource.identifiedBy) {
    const value = body[name];
    if (value === undefined || !filtersOf(resource).includes(name)) continue;
    filters[name] = typeof value === 'string' ? normalise(resource.fields[name]?.format, value) : value;
  }
  return filters;
}

function isAfterBaseline(resource: Resource, row: JsonObject, { since, above }: Baseline): boolean {
  if (resource.inDoubt === 'send-again') return true;
  // Without the one or the other nothing tells it from what was there before.
  if (since === undefined && above === undefined) return false;
  return (
    (above === undefined || idNumber(row) > above) &&
    (since === undefined || Number(row['cdate']) >= since - CLOCK_SLACK)
  );
}

/** Whether all identifying attributes that the body gives are the row's; of what is unique, all attributes. */
function matchesBody(resource: Resource, body: Values, row: JsonObject): boolean {
  const names = resource.inDoubt === 'send-again' ? Object.keys(body) : resource.identifiedBy;
  return names.every((name) => {
    const wanted = body[name];
    const field = resource.fields[name];
    return wanted === undefined || field === undefined || isSame(field, wanted, row[name] ?? null, row);
  });
}

function isSame(field: Field, wanted: Scalar, got: Json, row: JsonObject): boolean {
  if (comparable(field, wanted) === comparable(field, got)) return true;
  // Interface, task: an earlier scheduledtime is set to now; sms: senddate null sends at once.
  if (field.format !== 'timestamp') return false;
  const made = Number(row['cdate']) + 1;
  const isAtOnce = (time: Json): boolean => time === null || Number(time) <= made;
  return isAtOnce(wanted) && isAtOnce(got);
}

/** Returns a value without differences in spelling, line ends and the JSON type of a number. */
export function comparable(field: Field, value: Json): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber && field.kind === 'string') return `"${value}"`;
  if (typeof value !== 'string') return formatJson(value);
  if (field.kind === 'int' || field.kind === 'decimal') return String(scalarOf(field, value));
  if (field.kind === 'bool') return value;
  const text = normalise(field.format, value).normalize('NFC').replaceAll('\r\n', '\n').trim();
  return `"${text}`;
}
