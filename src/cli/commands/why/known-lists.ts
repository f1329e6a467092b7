/** Finds subscriber lists, which only the control plane of a sandbox on this machine shows. */

import type { KnownSubscriberList } from '../../../features/insight/why-deletion.ts';
import { type Id, readIdText } from '../../../kit/schema/integer.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { requireNonEmptyName } from '../../request/references.ts';
import type { Invocation, Profiles, Tell } from '../../session/ports.ts';
import { readFromSandbox } from '../../session/sandbox-control.ts';

/** Returns undefined for any service that is not a sandbox on this machine, without a request. */
export async function readSandboxLists(
  session: Invocation & Tell & Profiles,
): Promise<readonly KnownSubscriberList[] | undefined> {
  const rows = await readFromSandbox(session, 'list list');
  return rows?.map(({ id, name, folder_id: folder, permanent }) => ({ id, name, folder, permanent }));
}

/**
 * If svc cannot read the lists, `idOrName` must be an id, and `list` in the result is undefined.
 * @throws UsageError for an empty text, for a name where an id is needed, or for a name that several lists have; CliError `not-found`
 */
export async function findListByIdOrName(
  session: Invocation & Tell & Profiles,
  idOrName: string,
): Promise<{ readonly id: Id; readonly list: KnownSubscriberList | undefined }> {
  requireNonEmptyName('list', idOrName);
  const known = await readSandboxLists(session);
  const list = known && listIn(known, idOrName);
  const id = list?.id ?? readIdText(idOrName);
  if (id === undefined)
    throw new UsageError(`${JSON.stringify(idOrName)} is not the id of a list`, {
      suggestions: ['give the id of the list; the service has no request that finds a list by name'],
    });
  return { id, list };
}

/** Returns the list with this id, or else the list with this exact name. */
function listIn(known: readonly KnownSubscriberList[], text: string): KnownSubscriberList {
  const id = readIdText(text);
  const [found, ...others] = known.filter((list) =>
    id === undefined ? list.name === text : String(list.id) === String(id),
  );
  if (found === undefined)
    throw new CliError('not-found', `list ${id === undefined ? JSON.stringify(text) : id} not found`, {
      exit: EXIT.notFound,
      hint: 'svc sandbox list list shows the ids you can use',
    });
  if (others.length > 0)
    throw new UsageError(`${JSON.stringify(text)} is the name of ${others.length + 1} lists`, {
      hint: `use one of the ids ${[found, ...others].map((list) => list.id).join(', ')}`,
    });
  return found;
}
