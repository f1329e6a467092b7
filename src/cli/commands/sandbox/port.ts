/** Chooses the port of a sandbox. Tries the port of its last start, then the default port, then any free port. */
import { DEFAULT_SANDBOX_PORT, isSandboxProfile } from '../../session/sandbox-start.ts';
import type { Session } from '../../session/session.ts';

/** Ports for the start of a sandbox. */
export interface SandboxPortChoices {
  /** Port of the last sandbox that used this data folder. */
  readonly lastPort: number | undefined;
  /** Ports on which the sandbox tries to listen, in order. */
  readonly portsToTry: readonly [number, ...number[]];
}

/** Returns the ports to try. @param portFlag the port that the command line names */
export async function chooseSandboxPorts(
  session: Session,
  folder: string,
  portFlag: number | undefined,
): Promise<SandboxPortChoices> {
  const lastPort = await findLastPort(session, folder);
  if (portFlag !== undefined) return { lastPort, portsToTry: [portFlag] };
  return {
    lastPort,
    portsToTry: lastPort === undefined ? [DEFAULT_SANDBOX_PORT, 0] : [lastPort, DEFAULT_SANDBOX_PORT, 0],
  };
}

/** Returns the port that the folder stores, or else the port in the profile of the folder's sandbox. */
async function findLastPort(session: Session, folder: string): Promise<number | undefined> {
  const [{ dataDirAt }, { readStoredPort }] = await Promise.all([
    import('../../../sandbox/data/data-dir.ts'),
    import('../../../sandbox/data/stored-settings.ts'),
  ]);
  const kept = readStoredPort(dataDirAt(folder));
  if (kept !== undefined) return kept;
  const { profiles } = await (await session.store()).list();
  const known = profiles.filter(isSandboxProfile).find(({ sandbox }) => sandbox.dataDir === folder);
  return (known && Number(new URL(known.baseUrl).port)) || undefined;
}

/**
 * Returns a note if the sandbox uses another port than expected, or undefined for the expected port.
 * @param baseUrl the address of the running sandbox
 */
export function describeUnexpectedPort(
  { lastPort, portsToTry }: SandboxPortChoices,
  baseUrl: string,
): string | undefined {
  const port = Number(new URL(baseUrl).port);
  // Behind a proxy the address has no port.
  if (port === 0) return undefined;
  if (lastPort !== undefined && lastPort !== port)
    return `The port of this sandbox was ${lastPort} and is now ${port}. Links in earlier messages still lead to port ${lastPort}.`;
  const [first] = portsToTry;
  return first !== 0 && first !== port ? `Port ${first} is taken, so the sandbox uses ${port}.` : undefined;
}
