/** Reads lists, which the interface does not describe, from the control plane of a sandbox on this machine. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { knownToSandbox } from '../../session/sandbox-control.ts';
import type { Session } from '../../session/session.ts';

export interface KnownList {
  readonly id: number;
  readonly name: string;
  /** Folder, or null for a list without one. */
  readonly folder: number | null;
  readonly permanent: boolean;
}

/** Returns all lists of the company, or undefined if they are unknown. Sends one request to a sandbox's control plane, none elsewhere. */
export async function knownLists(session: Session): Promise<readonly KnownList[] | undefined> {
  const rows = await knownToSandbox(session, 'list list');
  return Array.isArray(rows) ? rows.map((row) => listIn(row as JsonObject)) : undefined;
}

const listIn = ({ id, name, folder_id, permanent }: JsonObject): KnownList => ({
  id: Number(id),
  name: String(name),
  folder: typeof folder_id === 'number' ? folder_id : null,
  permanent: permanent === true,
});
