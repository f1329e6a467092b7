/**
 * The writes of the client. Each finds out in its own way whether the service carried it out although the response was lost
 * (docs/acceptance.md, "What is sent again").
 */
import { type Id, isId, isSameId } from '../../kit/schema/integer.ts';
import {
  type AnyRecord,
  assertNever,
  joinCompositeId,
  type Resource,
  type Values,
} from '../../kit/schema/resource.ts';
import type { BeforeAttempt } from './connection.ts';
import { ClientError } from './errors.ts';
import { cancelsTask, verifyTaskCancellation } from './recovery/cancellation.ts';
import type { LookUp } from './recovery/create-once.ts';
import {
  adviseHowToCheckWrite,
  canLookUpRecord,
  findCreated,
  hasAllValuesSent,
  highestId,
  isRecordOfPost,
  type StateBefore,
} from './recovery/find-created.ts';
import { MIN_CLOCK_SKEW_TO_TRUST_401_MS } from './recovery/settle.ts';
import { type ResourceCalls, readDeletedIds, type ServiceResponse } from './resource-calls.ts';
import type { CreateOptions, LookUps, ResourceWrite, WriteOptions, Written } from './write.ts';

export function createLookUps(lookUp: LookUp): LookUps {
  const { list, serviceClock, clock } = lookUp;
  const found = {
    async stateBeforePost(resource: Resource, body: Values): Promise<StateBefore> {
      const isNoted = resource.inDoubt === 'note-first';
      const above = isNoted ? await highestId(list, resource, body) : undefined;
      return { above, since: serviceClock.earliest(clock.now()) };
    },
    findCreated: (resource: Resource, body: Values, stateBefore: StateBefore) =>
      findCreated(list, resource, body, () => stateBefore),
  };
  return found as LookUps;
}

export async function sendWrite(
  calls: ResourceCalls,
  lookUp: LookUp,
  { method, resource, id, body, options = {} }: ResourceWrite,
): Promise<Written> {
  switch (method) {
    case 'POST':
      return create(calls, lookUp, resource, body, options);
    case 'PUT':
      return { record: await update(calls, lookUp, resource, id, body, options) };
    case 'DELETE':
      return { deleted: await remove(calls, lookUp, resource, body) };
    default:
      return assertNever(method);
  }
}

async function create(
  calls: ResourceCalls,
  lookUp: LookUp,
  resource: Resource,
  body: Values,
  { beforeAttempt, ifOutcomeUnknown = 'look', stateBefore }: CreateOptions,
): Promise<Written> {
  if (ifOutcomeUnknown === 'give-up' || !canLookUpRecord(resource))
    return { record: await post(calls, { resource, body, beforeAttempt, above: stateBefore?.above }) };
  const { retries } = calls.connection;
  // The number of retries bounds the attempts of all sends together.
  let attempts = 0;
  const counted = withCheckBefore(beforeAttempt, () => {
    attempts += 1;
  });
  const send = (above: StateBefore['above']) =>
    post(calls, { resource, body, beforeAttempt: counted, retries: retries - attempts, above });
  const maySend = (): boolean => attempts <= retries;
  let recovered = false;
  const onRecovered = (): void => {
    recovered = true;
  };
  const pending = { resource, body, send, maySend, stateBefore, onRecovered };
  const { createOnce } = await import('./recovery/create-once.ts');
  return { record: await createOnce(lookUp, pending), recovered };
}

interface Post extends WriteOptions {
  readonly resource: Resource;
  readonly body: Values;
  readonly retries?: number;
  readonly above: StateBefore['above'];
}

/** @throws ClientError `unknown` if the response is about another record, because the service may have carried out the POST */
async function post(
  { connection, pathTo, bodyOf, send, recordIn }: ResourceCalls,
  { resource, body, beforeAttempt, retries, above }: Post,
): Promise<AnyRecord> {
  const answered = await send({
    method: 'POST',
    path: pathTo(resource),
    body: bodyOf(body),
    withoutCompany: resource.methods.post?.withoutCompany,
    beforeAttempt: withCheckBefore(beforeAttempt),
    check: () => adviseHowToCheckWrite(resource, body, connection.basePath, connection.naming),
    minSkew: MIN_CLOCK_SKEW_TO_TRUST_401_MS,
    retries,
  });
  const record = recordIn(answered);
  if (isRecordOfPost(resource, body, record, above)) return record;
  const { misansweredPostError } = await import('./other-record.ts');
  throw misansweredPostError(answered, resource, record);
}

function withCheckBefore(
  callerCheck: WriteOptions['beforeAttempt'],
  next?: () => void,
): BeforeAttempt | undefined {
  if (callerCheck === undefined && next === undefined) return undefined;
  return () => {
    const asking = callerCheck?.();
    if (asking !== undefined) return asking.then(next);
    next?.();
    return undefined;
  };
}

async function update(
  { connection, pathTo, bodyOf, send, recordIn }: ResourceCalls,
  { get }: LookUp,
  resource: Resource,
  id: Id | undefined,
  body: Values,
  { beforeAttempt }: WriteOptions,
): Promise<AnyRecord> {
  const path = pathTo(resource, id);
  const request = {
    method: 'PUT',
    path,
    body: bodyOf(body),
    beforeAttempt: withCheckBefore(beforeAttempt),
    check: () =>
      id === undefined
        ? adviseHowToCheckWrite(resource, body, connection.basePath, connection.naming)
        : `GET ${path}`,
  } as const;
  const isCancellation = cancelsTask(resource, body);
  let hasUncertainAttempt = false;
  const onDoubt = (): void => {
    hasUncertainAttempt = true;
  };
  let answered: ServiceResponse;
  let record: AnyRecord;
  try {
    answered = await send(request, onDoubt);
    record = recordIn(answered);
  } catch (error) {
    const isOpen = hasUncertainAttempt || (error instanceof ClientError && error.kind === 'unknown');
    if (!isOpen || id === undefined || !isCancellation) throw error;
    return verifyTaskCancellation(error, () => get(resource, id));
  }
  const target = id ?? joinCompositeId(resource, body);
  if (target === undefined || !hasOtherId(record, target)) return record;
  const { describeMisansweredWrite, verifyUpdate } = await import('./other-record.ts');
  const write = describeMisansweredWrite(answered, resource, target, record, () => get(resource, target));
  return isCancellation
    ? verifyTaskCancellation(write.unknownBecause(), write.read)
    : verifyUpdate(write, (found) => hasAllValuesSent(resource, body, found));
}

async function remove(
  { pathTo, queryOf, send }: ResourceCalls,
  { get }: LookUp,
  resource: Resource,
  by: Values,
): Promise<readonly Id[]> {
  const attributes = requireDeleteFilterAttributes(resource, by);
  const { id } = by;
  const path = pathTo(resource, id);
  const query = id === undefined ? queryOf({ filters: by }) : '';
  const check = () => `GET ${path}${query === '' ? '' : `?${query}`}`;
  const answered = await send({ method: 'DELETE', path, query, check });
  if (answered.envelope !== undefined) {
    const deleted = readDeletedIds(answered.envelope);
    const other = deleted.find((each) => isId(id) && !isSameId(each, id));
    if (other === undefined || !isId(id)) return deleted;
    const { describeMisansweredWrite, verifyDeletion } = await import('./other-record.ts');
    const read = () => get(resource, id);
    return verifyDeletion(describeMisansweredWrite(answered, resource, id, { id: other }, read), id);
  }
  // An earlier attempt whose response was lost has deleted it.
  if (!answered.hasUncertainAttempt) throw answered.missing;
  return attributes.includes('id') && isId(id) ? [id] : [];
}

/** A response to a PUT may lack the id, because the request named the record. */
const hasOtherId = (record: AnyRecord, id: Id): boolean =>
  (record.id ?? null) !== null && !isSameId(record.id, id);

/**
 * Returns the names of the attributes that select the records.
 * @throws RangeError if no attribute selects records, if an attribute is empty or not valid for this DELETE, or if the attributes can't be
 * combined
 */
export function requireDeleteFilterAttributes(resource: Resource, target: Values): readonly string[] {
  const method = resource.methods.delete;
  if (!method) throw new RangeError(`${resource.name} has no DELETE`);
  const given = Object.keys(target);
  if (given.length === 0) throw new RangeError(`a DELETE of ${resource.name} must identify the record`);
  for (const attribute of given) {
    if (!method.by.includes(attribute))
      throw new RangeError(
        `a DELETE of ${resource.name} cannot use ${attribute}; use ${method.by.join(', ')}`,
      );
    const value = target[attribute];
    if (value === null || value === undefined || value === '')
      throw new RangeError(`${attribute} is empty: a DELETE of ${resource.name} must identify the record`);
  }
  if (given.length > 1 && (method.exclusive || given.includes('id')))
    throw new RangeError(`a DELETE of ${resource.name} takes only one of ${given.join(', ')}`);
  return given;
}
