/** Every resource whose records have a name accepts ids and names. */

import type { ClientError } from '../../client/requests/errors.ts';
import type { ReadOptions } from '../../client/requests/reads.ts';
import { formatRecordId, titleOf } from '../../client/requests/record-title.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import {
  parseResourceId,
  type RecordOf,
  type Resource,
  sortAttributesOf,
} from '../../kit/schema/resource.ts';
import { normaliseContactdata } from '../../kit/text/address.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Invocation, ServiceAccess, Tell } from '../session/ports.ts';
import type { findRecordsByName } from './find-by-name.ts';

export type { Id } from '../../kit/schema/integer.ts';

/** Undefined if the text may be a name. */
export function parseRecordId(resource: Resource, text: string): Id | undefined {
  // A number on Do Not Contact looks like an id. There, contactdata takes precedence.
  if (resource.calledBy === 'contactdata' && normaliseContactdata(text)) return undefined;
  return parseResourceId(resource, text);
}

/** Loaded when a name is given. */
export const findNamed = async <R extends Resource>(...search: Parameters<typeof findRecordsByName<R>>) =>
  (await import('./find-by-name.ts')).findRecordsByName(...search);

/** Sends a request only for a name. */
export async function resolveId(session: ServiceAccess, resource: Resource, idOrName: string): Promise<Id> {
  const id = parseRecordId(resource, idOrName);
  if (id !== undefined) return id;
  return readRecordId(await recordCalled(session, resource, idOrName));
}

export async function resolveRecord<R extends Resource>(
  session: ServiceAccess,
  resource: R,
  idOrName: string,
): Promise<RecordOf<R>> {
  const id = parseRecordId(resource, idOrName);
  return id === undefined ? recordCalled(session, resource, idOrName) : readRecordById(session, resource, id);
}

/**
 * For `get`: on a terminal, a part of the visible name is enough if one record alone has it. A script must give the name, because it would
 * work with another record as soon as this one is gone. Its error names the records with this part.
 */
export async function resolveRecordByPartOfName<R extends Resource>(
  session: ServiceAccess & Invocation & Tell,
  resource: R,
  idOrName: string,
): Promise<RecordOf<R>> {
  try {
    return await resolveRecord(session, resource, idOrName);
  } catch (error) {
    const isMissing = error instanceof CliError && error.kind === 'not-found';
    if (!isMissing || parseRecordId(resource, idOrName) !== undefined) throw error;
    const found = await findNamesWithPart(session, resource, idOrName);
    const [first, ...others] = found;
    if (first === undefined) throw error;
    const { stdout } = session.context;
    if (others.length > 0 || !stdout.isTTY)
      throw recordNotFoundError(
        resource,
        JSON.stringify(idOrName),
        error.cause,
        namesWithPart(resource, found),
      );
    await session.info(`${JSON.stringify(idOrName)} is in the name of ${titleOf(resource, first)} alone`);
    return first;
  }
}

/** Returns nothing for a resource without names that a campaign or a person chose, such as an address. */
export async function findNamesWithPart<R extends Resource>(
  session: ServiceAccess,
  resource: R,
  part: string,
): Promise<readonly RecordOf<R>[]> {
  if (resource.calledBy !== 'name' || !sortAttributesOf(resource).includes('id') || part.trim() === '')
    return [];
  const { findRecordsByPartOfName } = await import('./find-by-name.ts');
  return findRecordsByPartOfName(await session.client(), resource, part);
}

/** Returns `this text is in the names of task 5 (Spring sale), task 6 (Spring sale, last day)`. */
export function namesWithPart(resource: Resource, found: readonly RecordOf<Resource>[]): string {
  const titles = found.slice(0, SHOWN).map((record) => titleOf(resource, record));
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return `this text is in the ${found.length === 1 ? 'name' : 'names'} of ${titles.join(', ')}${more}`;
}

/** @throws CliError `not-found` with the response of the service as its cause */
export async function readRecordById<R extends Resource>(
  session: ServiceAccess,
  resource: R,
  id: Id,
): Promise<RecordOf<R>> {
  const client = await session.client();
  const look = createReadOptionsToCapture404Error();
  const found = await client.get(resource, id, look);
  if (found === undefined)
    throw recordNotFoundError(resource, formatRecordId(resource, id), look.notFoundError());
  return found;
}

/** The function returns the error of the read's 404, the cause for `recordNotFoundError`. */
export function createReadOptionsToCapture404Error(): ReadOptions & {
  readonly notFoundError: () => ClientError | undefined;
} {
  let last: ClientError | undefined;
  return {
    onMissing: (refusal) => {
      last = refusal;
    },
    notFoundError: () => last,
  };
}

/** `refersTo` is a resource, or `message` for those of both channels, of which `channel` selects one. */
export async function resolveReferenceId(
  session: ServiceAccess,
  refersTo: string,
  text: string,
  channel?: unknown,
): Promise<Id> {
  requireNonEmptyName(refersTo, text);
  const { referenceTargets } = await import('./find-by-name.ts');
  return readRecordId(await recordNamed(session, referenceTargets(refersTo, channel), text));
}

/** @throws CliError if the record has no valid id */
export function readRecordId({ id = null }: { readonly id?: unknown }): Id {
  if (isId(id)) return id;
  throw new CliError('not-ours', 'the service returned a record without an id, so svc stopped', {
    exit: EXIT.failed,
    hint: 'run svc doctor to check the base URL',
  });
}

/** `cause` is the response of the service. */
export function recordNotFoundError(
  resource: Resource | undefined,
  text: string,
  cause?: unknown,
  similar?: string,
): Error {
  const { noun = 'record', calledBy, single = resource === undefined } = resource ?? {};
  const hint =
    similar ??
    // The entry of its domain covers an address, too.
    (calledBy === 'contactdata' && text.includes('@')
      ? 'run svc dnc check ADDRESS to see whether an entry covers the address'
      : single
        ? `see svc ${noun} --help`
        : `run svc ${noun} list to see the ids`);
  return new CliError('not-found', `${noun} ${text} not found`, { exit: EXIT.notFound, hint, cause });
}

/** An empty name usually comes from an unset variable, and as a filter it might match all records. */
export function requireNonEmptyName(noun: string, text: string): void {
  if (text.trim() === '')
    throw new UsageError(`the name of the ${noun} is empty`, { hint: 'give an id or a name' });
}

async function recordCalled<R extends Resource>(
  session: ServiceAccess,
  resource: R,
  text: string,
): Promise<RecordOf<R>> {
  requireNonEmptyName(resource.noun, text);
  const { calledBy } = resource;
  if (calledBy === undefined) {
    const form = resource.compositeId ? 'an id such as 3_17' : 'a whole number';
    throw new UsageError(`${JSON.stringify(text)} is not an id of ${resource.noun}`, {
      hint: `give ${form}`,
    });
  }
  return recordNamed(session, [resource], text);
}

/** @throws CliError `not-found`, or UsageError if several records have the name */
async function recordNamed<R extends Resource>(
  session: ServiceAccess,
  resources: readonly R[],
  text: string,
): Promise<RecordOf<R>> {
  const client = await session.client();
  const look = createReadOptionsToCapture404Error();
  const found = await findNamed(client, resources, text, look);
  const [first, ...others] = found;
  if (!first) throw recordNotFoundError(resources[0], JSON.stringify(text), look.notFoundError());
  if (others.length === 0) return first.record;
  throw severalRecordsError(found, first.resource.calledBy, text);
}

const SHOWN = 10;

function severalRecordsError(
  found: readonly { readonly resource: Resource; readonly record: RecordOf<Resource> }[],
  attribute: string | undefined,
  text: string,
): UsageError {
  const isExact = found.every(({ resource: { calledBy = 'name' }, record }) => record[calledBy] === text);
  const shown = found.slice(0, SHOWN);
  const which = isExact
    ? `ids ${shown.map(({ record: { id } }) => String(id)).join(', ')}`
    : shown.map(({ resource, record }) => titleOf(resource, record)).join(', ');
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return new UsageError(
    `${found.length} records have the ${attribute} ${JSON.stringify(text)}: ${which}${more}`,
    { hint: 'give the id' },
  );
}
