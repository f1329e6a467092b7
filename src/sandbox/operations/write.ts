/** Runs POST, PUT and DELETE of any resource, and POST /account, with which a partner creates a company. */

import type { Scalar } from '../../kit/schema/field.ts';
import type { Id } from '../../kit/schema/integer.ts';
import { type Finding, joinCompositeId, type Resource, type Values } from '../../kit/schema/resource.ts';
import { atMostOne } from '../../kit/schema/rules.ts';
import { checkPayload, checkValidationRules, checkValue } from '../../kit/schema/validator.ts';
import { NO_COUNTRY } from '../../kit/text/country-codes.ts';
import { okResponseBody } from '../../service/protocol/envelope.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import { parseQuery } from '../../service/protocol/query.ts';
import {
  createInvalidRequestError,
  createMalformedRequestError,
  refuseFindings,
} from '../../service/protocol/service-errors.ts';
import { account } from '../../service/resources/account.ts';
import type { ArrayAttributeValues, ResourceBehaviour } from '../behaviours/behaviour.ts';
import type { Body } from '../request/body.ts';
import type { Call } from '../request/call.ts';
import {
  findTooLargeValues,
  rowToAttributeValues,
  toSqlRow,
  toWireAttributeNames,
} from '../request/present.ts';
import { readId } from '../request/route.ts';
import { partnerById } from '../store/accounts.ts';
import type { Db } from '../store/open.ts';
import { insertRow, selectRows } from '../store/rows.ts';
import { rowsQuery } from '../store/sources.ts';
import { findRows, idIn, missingFilterFinding, recordNotFound, rowToResponseRecord } from './read.ts';

/** Creates a record; returns the whole object (wire, "Responses"). */
export async function createRecordFromRequest(
  call: Call,
  behaviour: ResourceBehaviour,
  queryText: string,
  sent: Body,
): Promise<string> {
  const given = idInQuery(call, queryText);
  const body = (await behaviour.restore?.(call, sent)) ?? sent;
  const { single, several, faults } = splitBody(call.resource, body);
  const named = given === undefined ? single : { id: given, ...single };
  const { values, findings } = checkPayload(call.resource, 'POST', call.caller.as, named, call.naming);
  refuseFindings([...faults, ...findings, ...findTooLargeValues(call.resource, values)]);
  if (behaviour.perform) return okResponseBody(await behaviour.perform(call, values));
  if (!behaviour.create) throw new Error(`${call.resource.name} has no create`);
  const id = await behaviour.create(call, values, several);
  return okResponseBody(await shownAgain(call, behaviour, id));
}

/** Changes a record; returns an array with the changed record (wire, "Responses", `data`). */
export async function updateRecordFromRequest(
  call: Call,
  behaviour: ResourceBehaviour,
  pathId: Id | undefined,
  queryText: string,
  received: Body,
): Promise<string> {
  const body = (await behaviour.restore?.(call, received)) ?? received;
  const named = pathId === undefined ? body : { id: pathId, ...body };
  const { values, findings } = checkPayload(call.resource, 'PUT', call.caller.as, named, call.naming);
  refuseFindings([...findings, ...findTooLargeValues(call.resource, values)]);
  const { id: bodyId, ...sent } = values;
  const queried = idInQuery(call, queryText);
  const given = oneId([pathId, queried, bodyId]);
  const id = given ?? joinCompositeId(call.resource, sent);
  if (id === undefined) throw createInvalidRequestError([{ attribute: 'id', reason: { kind: 'required' } }]);
  const row = (await findRows(call, { id }, 1))[0];
  if (!row && given === undefined && behaviour.upserts && behaviour.create) {
    const made = await behaviour.create(call, sent, {});
    return okResponseBody([await shownAgain(call, behaviour, made)]);
  }
  if (!row) throw behaviour.absent?.(call) ?? recordNotFound(call, { id });
  const current = rowToAttributeValues(call.resource, row);
  const adjusted = behaviour.adjust?.(current, sent) ?? sent;
  refuseFindings(checkValidationRules(call.resource, { ...current, ...adjusted }, call.naming));
  if (!behaviour.update) throw new Error(`${call.resource.name} has no update`);
  await behaviour.update(call, row, adjusted);
  return okResponseBody([await shownAgain(call, behaviour, id)]);
}

/** Deletes the records that path, query or body name; returns their ids. */
export async function deleteRecordFromRequest(
  call: Call,
  behaviour: ResourceBehaviour,
  pathId: Id | undefined,
  queryText: string,
  body: Body,
): Promise<string> {
  const { by, exclusive } = call.resource.methods.delete ?? { by: [] };
  const named = namedToDelete(call, by, pathId, queryText, body);
  if (Object.keys(named).length === 0) throw createInvalidRequestError([missingFilterFinding(by)]);
  if (exclusive && Object.keys(named).length > 1) throw createInvalidRequestError([atMostOne(...by)]);
  const rows = await findRows(call, named);
  if (rows.length === 0) throw recordNotFound(call, named);
  if (!behaviour.remove) throw new Error(`${call.resource.name} has no remove`);
  const removed: { readonly id: Scalar }[] = [];
  for (const row of rows) {
    await behaviour.remove(call, row);
    removed.push({ id: idIn(row) ?? null });
  }
  const [only] = removed;
  return okResponseBody(only && idIn(named) !== undefined ? only : removed);
}

/** Returns every attribute (`single`), with the first value of an array, and all values of arrays (`several`). */
function splitBody(
  { fields }: Resource,
  body: Body,
): { readonly single: Body; readonly several: ArrayAttributeValues; readonly faults: readonly Finding[] } {
  const single: Record<string, unknown> = { ...body };
  const several: Record<string, readonly Scalar[]> = {};
  const faults: Finding[] = [];
  for (const [attribute, values] of Object.entries(body)) {
    const field = Object.hasOwn(fields, attribute) ? fields[attribute] : undefined;
    if (!field?.several || !Array.isArray(values)) continue;
    const { nullable: _, ...one } = field;
    const checked = values.map((value) => checkValue(attribute, one, value));
    const [fault] = checked.flatMap((each) => ('finding' in each ? [each.finding] : []));
    if (fault) faults.push(fault);
    const good = checked.flatMap((each) => ('value' in each ? [each.value] : []));
    several[attribute] = [...new Set(good)];
    single[attribute] = good[0] ?? null;
  }
  return { single, several, faults };
}

async function shownAgain(call: Call, behaviour: ResourceBehaviour, id: Scalar) {
  const row = (await findRows(call, { id }, 1))[0];
  if (!row)
    throw new Error(
      `${call.resource.name} ${id} was deleted before this request could read the record again`,
    );
  return rowToResponseRecord(call, behaviour, row);
}

function idInQuery(call: Call, queryText: string): Scalar | undefined {
  const { query, findings } = parseQuery(call.resource, queryText, call.naming, ['id']);
  refuseFindings(findings);
  return idIn(query.filters);
}

/** Returns the id of the item. Path, query and body may all name the item, but they must agree. */
function oneId(ids: readonly (Scalar | undefined)[]): Id | undefined {
  const given = ids.filter((id) => id !== undefined && id !== null);
  if (new Set(given).size > 1)
    throw createMalformedRequestError(`id is given with different values: ${given.join(' and ')}`);
  const [id] = given;
  return typeof id === 'boolean' ? undefined : (id ?? undefined);
}

function namedToDelete(
  call: Call,
  by: readonly string[],
  pathId: Id | undefined,
  queryText: string,
  body: Body,
): Values {
  const { query, findings } = parseQuery(call.resource, queryText, call.naming, by);
  const fromBody: Record<string, Scalar> = {};
  const faults = [...findings];
  for (const [attribute, value] of Object.entries(body)) {
    const field = by.includes(attribute) ? call.resource.fields[attribute] : undefined;
    const checked = field ? checkValue(attribute, field, value) : undefined;
    if (!checked) faults.push({ attribute, reason: `does not name a ${call.resource.name} to delete` });
    else if ('finding' in checked) faults.push(checked.finding);
    else fromBody[attribute] = checked.value;
  }
  refuseFindings(faults);
  const id = oneId([pathId, idIn(query.filters), idIn(fromBody)]);
  const named: Record<string, Scalar> = { ...query.filters, ...fromBody };
  for (const [attribute, value] of Object.entries(query.filters))
    if (named[attribute] !== value)
      throw createMalformedRequestError(`${attribute} is given twice, with different values`);
  if (id === undefined) return named;
  return { ...named, id: typeof id === 'string' ? readId(call.resource, id) : id };
}

/** Creates a company for a partner (interface, "account"; wire, "Authentication, where open"). Returns the body of the response. */
export async function createAccount(
  service: {
    readonly db: Db;
    readonly now: number;
    readonly naming: Naming;
    readonly random: (octets: number) => Uint8Array;
  },
  partnerId: number,
  body: Body,
): Promise<string> {
  const { db, now, naming, random } = service;
  const { values, findings } = checkPayload(account, 'POST', 'partner', body, naming);
  refuseFindings([...findings, ...findTooLargeValues(account, values)]);
  const partner = await partnerById(db, partnerId);
  const id = await insertRow(db, 'account', {
    timezone: partner?.timezone ?? 'UTC',
    country: NO_COUNTRY,
    ...toSqlRow(values),
    partner_id: partnerId,
    api_key: Buffer.from(random(16)).toString('hex'),
    cdate: now,
    mdate: now,
  });
  return okResponseBody(await shown(db, id, naming));
}

async function shown(db: Db, accountId: number, naming: Naming): Promise<Values> {
  const viewer = { accountId, userId: null, isAdmin: true, restricted: false };
  const [row] = await selectRows(db, rowsQuery('account', viewer));
  if (!row)
    throw new Error(`account ${accountId} was deleted before this request could read the account again`);
  return toWireAttributeNames(rowToAttributeValues(account, row), naming);
}
