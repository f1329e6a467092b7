/** Reads from the journal which records this machine has created, so that lists of the service that lag behind cannot hide them. */

import type { CreatesWanted, RecordMadeHere } from '../../client/journal/made.ts';
import { settleTime } from '../../client/requests/recovery/settle.ts';
import type { KeyLook } from '../../client/sends/keys.ts';
import type { Invocation, Profiles, ServiceAccess, Tell } from './ports.ts';

/** The journal of this machine is asked first, unless `--no-journal` is given. */
export const createKeyLook = async (
  session: Invocation & Tell & ServiceAccess & Profiles,
): Promise<KeyLook> => ({
  client: await session.client(),
  madeHere: async ({ name }, names) => {
    const wanted = { resources: [name], isWanted: (each: string) => names.includes(each) };
    return (await listRecordsMadeHere(session, wanted)).map(({ id }) => id);
  },
});

/**
 * Waits for requests of this machine that are in flight. Returns none with `--no-journal`.
 * @throws JournalError
 */
export async function listRecordsMadeHere(
  session: Invocation & Tell & Profiles,
  wanted: Omit<CreatesWanted, 'origin' | 'company'>,
): Promise<readonly RecordMadeHere[]> {
  const { context, globals } = session;
  if (!globals.journal) return [];
  // Loaded only here, because every noun's verbs are loaded at once.
  const [{ findRecordsMadeHere }, { journalFolder }, { credentials, origin }] = await Promise.all([
    import('../../client/journal/made.ts'),
    import('../../client/journal/file.ts'),
    session.resolved(),
  ]);
  const folder = journalFolder(context);
  if (folder === undefined) return [];
  const { clock, signal, platform } = context;
  const settleMs = settleTime(globals);
  const company = credentials.companyId ?? null;
  return session.waiting('for another svc on this machine to create a record', () =>
    findRecordsMadeHere({ folder, platform }, { ...wanted, origin, company }, { clock, signal, settleMs }),
  );
}
