/** Reads lists, which the interface does not describe, from the control plane of a sandbox on this machine. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { isLoopback } from '../../../protocol/origin.ts';
import type { Session } from '../../session/session.ts';
import { ask, endpointOf } from '../sandbox/connection.ts';

export interface KnownList {
  readonly id: number;
  readonly name: string;
  /** Folder, or null for a list without one. */
  readonly folder: number | null;
  readonly permanent: boolean;
}

/** Returns all lists of the company, or undefined if they are unknown. Sends one request to a sandbox's control plane, none elsewhere. */
export async function knownLists(session: Session): Promise<readonly KnownList[] | undefined> {
  const { origin, credentials } = await session.resolved();
  const { hostname, port } = new URL(origin);
  const folder = isLoopback(hostname) ? (await session.asked())?.sandbox?.dataDir : undefined;
  if (folder === undefined) return undefined;
  try {
    const endpoint = await endpointOf(folder);
    // Another sandbox may have this port by now.
    if (endpoint === undefined || String(endpoint.port) !== port) return undefined;
    const { companyId } = credentials;
    const answer = await ask(endpoint, 'list list', companyId === undefined ? {} : { company: companyId }, {
      signal: session.context.signal,
    });
    return Array.isArray(answer?.data) ? answer.data.map((row) => listIn(row as JsonObject)) : undefined;
  } catch {
    return undefined;
  }
}

const listIn = ({ id, name, folder_id, permanent }: JsonObject): KnownList => ({
  id: Number(id),
  name: String(name),
  folder: typeof folder_id === 'number' ? folder_id : null,
  permanent: permanent === true,
});
