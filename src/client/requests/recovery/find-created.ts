/** Finds the record of a POST whose response was lost. The record has the attributes of the POST, and did not exist before the POST. */

import type { Field, Format, Scalar } from '../../../kit/schema/field.ts';
import { normaliseByFormat } from '../../../kit/schema/formats.ts';
import { idNumber, isId } from '../../../kit/schema/integer.ts';
import {
  type AnyRecord,
  filtersOf,
  type Resource,
  sortAttributesOf,
  type Values,
} from '../../../kit/schema/resource.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import type { Naming } from '../../../service/protocol/naming.ts';
import { formatQuery } from '../../../service/protocol/query.ts';
import { pathOf } from '../../../service/protocol/wire.ts';
import { scalarOf } from '../paging/page.ts';
import type { ListOptions } from '../reads.ts';
import { SERVICE_CLOCK_SLACK_SECONDS } from './settle.ts';

export type ListRowsFunction = (resource: Resource, options: ListOptions) => AsyncIterable<AnyRecord>;

/**
 * State of the service before a POST, which distinguishes the created record from older ones. It consists of plain numbers, so that a
 * journal can store it.
 */
export interface StateBefore {
  /** Time before the POST: Unix seconds by the service's clock. A record with an earlier `cdate` was not created by this POST. */
  readonly since?: number | undefined;
  /**
   * Highest id among the records that matched the body of the POST before svc sent the POST, or 0 if no record matched. Only a record with
   * a higher id can be the record that the POST created. Set only for resources that are declared `note-first` (`inDoubt` of the resource),
   * for which svc notes this id before each POST.
   */
  readonly above?: number | bigint | undefined;
}

const ROWS_AT_ONCE = 50;

/**
 * Returns the highest id of the existing records that match the body. Callers use it before a POST. Sends one GET that asks for one row.
 */
export async function highestId(
  list: ListRowsFunction,
  resource: Resource,
  body: Values,
): Promise<number | bigint> {
  const filters = buildLookUpFilters(resource, body);
  for await (const row of list(resource, { filters, sort: 'id', reverse: true, limit: 1 })) {
    return idNumber(row);
  }
  return 0;
}

/**
 * Returns the rows that match the body and that this POST may have created. The property `inDoubt` of the resource decides which of the
 * matching rows qualify:
 * - `note-first`: before the POST, svc noted the highest id of the existing rows that match. Only a row with a higher id qualifies. This
 *   excludes every older row if the service gives each new record a higher id than all older records.
 * - `send-again`: every matching row qualifies, even if another client created it. The service keeps only one such record, so svc may
 *   repeat the POST.
 * - undefined: a row qualifies if its creation time is not before the POST. svc allows for small differences between clocks, so a similar
 *   row that was created seconds before the POST may qualify too.
 */
export async function findCreated(
  list: ListRowsFunction,
  resource: Resource,
  body: Values,
  stateBefore: () => StateBefore,
): Promise<readonly AnyRecord[]> {
  const made: AnyRecord[] = [];
  const order = sortAttributesOf(resource).includes('id') ? { sort: 'id', reverse: true } : {};
  const filters = buildLookUpFilters(resource, body);
  for await (const row of list(resource, { filters, ...order, pageSize: ROWS_AT_ONCE })) {
    // Rows come from the highest id down. The state before the POST is read late, because the response itself gives the service's time.
    const { above } = stateBefore();
    if (above !== undefined && idNumber(row) <= above) break;
    if (matchesBody(resource, body, row) && isAfterState(resource, row, stateBefore())) made.push(row);
  }
  return made;
}

/** The filters are the identifying attributes in the body that GET accepts. */
export function buildLookUpFilters(resource: Resource, body: Values): Values {
  const filters: Record<string, Scalar> = {};
  for (const name of resource.identifiedBy) {
    const value = body[name];
    if (value === undefined || !filtersOf(resource).includes(name)) continue;
    filters[name] =
      typeof value === 'string' ? normaliseByFormat(resource.fields[name]?.format, value) : value;
  }
  return filters;
}

function isAfterState(resource: Resource, row: AnyRecord, { since, above }: StateBefore): boolean {
  if (resource.inDoubt === 'send-again') return true;
  // Without either value, nothing distinguishes the row from earlier ones.
  if (since === undefined && above === undefined) return false;
  return (
    (above === undefined || idNumber(row) > above) &&
    (since === undefined || Number(row.cdate) >= since - SERVICE_CLOCK_SLACK_SECONDS)
  );
}

/**
 * Reports whether the record in the response to a POST can be the record that the POST created. An older id, no id, or another value of an
 * identifying attribute shows that it is another record. An attribute that the response lacks shows nothing.
 * @param above highest id before the POST, see `StateBefore`
 */
export function isRecordOfPost(
  resource: Resource,
  body: Values,
  record: AnyRecord,
  above: StateBefore['above'],
): boolean {
  if (!isId(record.id)) return false;
  // Not "greater than": an id that is not a number proves nothing.
  if (above !== undefined && idNumber(record) <= above) return false;
  const names = canLookUpRecord(resource) ? resource.identifiedBy : ['name'];
  return names.every((name) => record[name] === undefined || hasValueSent(resource, name, body, record));
}

/** Not passwords, which the service never shows, nor HTML, whose links it rewrites. */
export function findAttributesReturnedUnchanged(resource: Resource, body: Values): readonly string[] {
  return Object.keys(body).filter((name) => {
    const field = resource.fields[name];
    return name !== 'id' && field !== undefined && !field.writeOnly && field.format !== 'html';
  });
}

/** Reports whether the record has every value of the body of a PUT. False if svc can't compare one of the values. */
export function hasAllValuesSent(resource: Resource, body: Values, record: AnyRecord): boolean {
  const comparable = findAttributesReturnedUnchanged(resource, body);
  return Object.keys(body).every(
    (name) => name === 'id' || (comparable.includes(name) && hasValueSent(resource, name, body, record)),
  );
}

/**
 * Reports whether the row has the same identifying attributes as the body. If svc may repeat the POST (`inDoubt` of the resource is
 * `send-again`), compares all attributes of the body.
 */
function matchesBody(resource: Resource, body: Values, row: AnyRecord): boolean {
  const names = resource.inDoubt === 'send-again' ? Object.keys(body) : resource.identifiedBy;
  return names.every((name) => hasValueSent(resource, name, body, row));
}

/** True if the body gives none. */
function hasValueSent(resource: Resource, name: string, body: Values, record: AnyRecord): boolean {
  const wanted = body[name];
  const field = resource.fields[name];
  return wanted === undefined || field === undefined || isSame(field, wanted, record[name] ?? null, record);
}

function isSame(field: Field, wanted: Scalar, got: Json, row: AnyRecord): boolean {
  if (toComparableText(field, wanted) === toComparableText(field, got)) return true;
  // Interface, task: an earlier scheduledtime is set to now; sms: senddate null sends at once.
  if (field.format !== 'timestamp') return false;
  const made = Number(row.cdate) + 1;
  const isAtOnce = (time: Json): boolean => time === null || Number(time) <= made;
  return isAtOnce(wanted) && isAtOnce(got);
}

/**
 * Converts a value of a field to a text for comparisons. Two ways to write the same value give the same text. For example, line ends, white
 * space at both ends, the case of an e-mail address, and the JSON type of a number make no difference.
 */
export function toComparableText(field: Field, value: Json): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber && field.kind === 'string') return toComparableText(field, String(value));
  if (typeof value !== 'string') return formatJson(value);
  if (field.kind === 'int' || field.kind === 'decimal') return String(scalarOf(field, value));
  if (field.kind === 'bool') return value;
  const text = normaliseByFormat(field.format, value).normalize('NFC').replaceAll('\r\n', '\n').trim();
  return `"${field.format !== undefined && ANY_CASE.has(field.format) ? text.toLowerCase() : text}`;
}

const ANY_CASE: ReadonlySet<Format> = new Set([
  'email',
  'domain',
  'username',
  'destination-keyword',
  'sub-keyword',
]);

/**
 * The advice is a GET request that finds the record by its attributes. If the interface has no such request, the advice is to ask the
 * operator of the service.
 */
export function adviseHowToCheckWrite(
  resource: Resource,
  body: Values,
  basePath: string,
  naming: Naming,
): string {
  if (!canLookUpRecord(resource)) return NO_LOOK_UP;
  const query = formatQuery({ filters: buildLookUpFilters(resource, body) }, naming);
  return `GET ${basePath}${pathOf(resource.name)}${query === '' ? '' : `?${query}`}`;
}

/** False for `account`, for example, because a partner cannot search accounts by name. */
export const canLookUpRecord = (resource: Resource): boolean => resource.identifiedBy.length > 0;
const NO_LOOK_UP = 'with the operator of the service: the interface has no request that finds the record';
