/** Runs GET and HEAD of any resource. */

import type { Scalar } from '../../kit/schema/field.ts';
import type { Id } from '../../kit/schema/integer.ts';
import {
  defaultSortAttributesOf,
  type Finding,
  type Resource,
  type Values,
} from '../../kit/schema/resource.ts';
import { atLeastOne } from '../../kit/schema/rules.ts';
import { okPageResponseBody, okResponseBody } from '../../service/protocol/envelope.ts';
import { toWireName } from '../../service/protocol/naming.ts';
import { type ListQuery, parseQuery } from '../../service/protocol/query.ts';
import {
  createNoRecordError,
  refuseFindings,
  type ServiceError,
} from '../../service/protocol/service-errors.ts';
import type { ResourceBehaviour } from '../behaviours/behaviour.ts';
import type { Call } from '../request/call.ts';
import {
  buildRowToJsonSql,
  rowToAttributeValues,
  toSqlRow,
  toSqlValue,
  toWireAttributeNames,
} from '../request/present.ts';
import { type RowSelectionOptions, type SqlRow, selectRows, selectRowsAsJson } from '../store/rows.ts';
import { rowsQuery } from '../store/sources.ts';

/** Returns the rows that match `filters` and that the caller may see. */
export async function findRows(call: Call, filters: Values, limit?: number): Promise<readonly SqlRow[]> {
  const source = rowsQuery(call.resource.name, call.caller);
  return selectRows(call.db, source, { filters: toSqlRow(filters), limit });
}

export function rowToResponseRecord(call: Call, behaviour: ResourceBehaviour, row: SqlRow): Values {
  const values = rowToAttributeValues(call.resource, row);
  return toWireAttributeNames(behaviour.present?.(call, values) ?? values, call.naming);
}

/** Returns one item if path or query name an `id`, otherwise a page (wire, "Responses"). */
export async function readRecordsForRequest(
  call: Call,
  behaviour: ResourceBehaviour,
  pathId: Id | undefined,
  queryText: string,
): Promise<string> {
  const { query, findings } = parseQuery(call.resource, queryText, call.naming, namesOf(call.resource));
  const { filters, id } = withPathId(query.filters, pathId, findings, call.resource.methods.get?.oneOf);
  if (id !== undefined) {
    const row = (await findRows(call, filters, 1))[0];
    if (!row) throw recordNotFound(call, { id });
    return okResponseBody(rowToResponseRecord(call, behaviour, row));
  }
  const selection: RowSelectionOptions = {
    filters: toSqlRow(filters),
    sort: query.sort,
    nullable: call.resource.fields[query.sort]?.nullable === true,
    ties: defaultSortAttributesOf(call.resource),
    reverse: query.reverse,
    limit: query.count + 1,
    start: query.start === undefined ? undefined : toSqlValue(query.start),
  };
  const source = rowsQuery(call.resource.name, call.caller);
  const texts = behaviour.present
    ? undefined
    : selectRowsAsJson(call.db, source, selection, buildRowToJsonSql(call.resource, call.naming));
  if (texts) return pageOfTexts(call, texts, filters, query);
  const rows = await selectRows(call.db, source, selection);
  if (rows.length === 0) throw recordNotFound(call, filters);
  const following = rows[query.count];
  const data = rows.slice(0, query.count).map((row) => rowToResponseRecord(call, behaviour, row));
  return okResponseBody(
    data,
    following ? startAt(rowToAttributeValues(call.resource, following)[query.sort]) : null,
  );
}

/** Returns a page whose records are JSON texts from the store. Used for resources whose behaviour does not change these records. */
function pageOfTexts(
  call: Call,
  texts: readonly string[],
  filters: Values,
  { count, sort }: ListQuery,
): string {
  if (texts.length === 0) throw recordNotFound(call, filters);
  const following = texts[count];
  const next = following === undefined ? null : startAt(JSON.parse(following)[toWireName(call.naming, sort)]);
  return okPageResponseBody(texts.slice(0, count), next);
}

export const recordNotFound = (call: Call, keys: Values): ServiceError =>
  createNoRecordError(call.resource.name, toWireAttributeNames(keys, call.naming));

/** Reports whether any record matches. A response to HEAD never has a body. */
export async function hasRecordForRequest(
  call: Call,
  pathId: Id | undefined,
  queryText: string,
): Promise<boolean> {
  const declared = call.resource.methods.head;
  const names = ['id', ...(declared?.attributes ?? []).filter((name) => name !== 'id')];
  const { query, findings } = parseQuery(call.resource, queryText, call.naming, names);
  const { filters } = withPathId(query.filters, pathId, findings, declared?.oneOf);
  return (await findRows(call, filters, 1)).length > 0;
}

/** Returns the filters of a query. They include `id`, even for account, where the interface does not list it. */
const namesOf = (resource: Resource): readonly string[] => [
  'id',
  ...Object.keys(resource.fields).filter((name) => name !== 'id' && resource.fields[name]?.filter),
];

function withPathId(
  given: Values,
  pathId: Id | undefined,
  parsed: readonly Finding[],
  oneOf: readonly string[] | undefined,
): { readonly filters: Values; readonly id: Scalar | undefined } {
  const findings = [...parsed];
  const queried = idIn(given);
  if (pathId !== undefined && queried !== undefined && queried !== pathId)
    findings.push({ attribute: 'id', reason: `is ${pathId} in the path and ${queried} in the query` });
  const id = pathId ?? queried;
  const filters = id === undefined ? given : { ...given, id };
  if (oneOf && !oneOf.some((name) => filters[name] !== undefined)) findings.push(missingFilterFinding(oneOf));
  refuseFindings(findings);
  return { filters, id };
}

export const idIn = ({ id }: { readonly id?: Scalar }): Scalar | undefined => id;

/** Returns the finding for a request that gives none of `names`, although one of them is required. */
export const missingFilterFinding = (names: readonly string[]): Finding =>
  names.length > 1 ? atLeastOne(...names) : { attribute: names[0] ?? 'id', reason: { kind: 'required' } };

/** Returns the `start` of the next page. A null sort value becomes an empty text, since a null `next` ends the list. */
const startAt = (value: Scalar | undefined): Scalar => value ?? '';
