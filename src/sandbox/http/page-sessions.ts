/** Controls access to the pages: a link that works once, and the session that it starts (contract, "The sandbox, for people and teams"). */
import { createHash } from 'node:crypto';
import { readSandboxDataFile } from '../../kit/files/own-files.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { type DataDir, writeFileAtomically } from '../data/data-dir.ts';

interface SessionStartLink {
  /** Secret in a link that starts a session with the sandbox's pages. The secret has 256 bits, and is encoded as base64url. */
  readonly secret: string;
  /** Unix seconds at which the link expires. */
  readonly expires: number;
}

export interface PageSessions {
  /** Creates a link that starts a session and then redirects to `path`. */
  readonly createLink: (path: string) => SessionStartLink;
  /**
   * Starts a session with a one-time link. Returns `refused` if it was used, has expired or never existed, and `later` after too many invalid
   * links from the IP address `from`.
   */
  readonly redeem: (
    secret: string,
    from: string,
  ) => { readonly session: string; readonly path: string } | 'refused' | 'later';
  readonly isOpen: (session: string | undefined) => boolean;
}

interface Options {
  readonly dataDir: Pick<DataDir, 'sessions'>;
  /** Returns this machine's time in milliseconds since the epoch. */
  readonly machineNow: () => number;
  readonly random: (octets: number) => Uint8Array;
}

const TICKET_MS = 60_000;

export const SESSION_SECONDS = 7 * 86_400;

const MAX_TICKETS = 50;

const MAX_SESSIONS = 50;

/** Number of invalid links that one address may open within a minute. `redeem` answers further ones with `later`. */
const MAX_REFUSED = 10;

const MAX_ADDRESSES = 1_000;

/**
 * Creates sessions and their links. Only digests are stored: of links in memory, of sessions also in the data folder, so that open pages
 * survive a restart.
 */
export function createPageSessions({ dataDir, machineNow, random }: Options): PageSessions {
  const tickets = new Map<string, { readonly path: string; readonly until: number }>();
  const refused = new Map<string, number[]>();
  let sessions: Map<string, number> | undefined;
  const known = (): Map<string, number> => {
    sessions ??= readSessions(dataDir.sessions);
    return sessions;
  };
  const secret = (): string => Buffer.from(random(32)).toString('base64url');

  function isTooMany(from: string, now: number): boolean {
    const recent = (refused.get(from) ?? []).filter((time) => time > now - 60_000);
    refused.delete(from);
    refused.set(from, [...recent, now].slice(-MAX_REFUSED - 1));
    forgetFirst(refused, MAX_ADDRESSES);
    return recent.length >= MAX_REFUSED;
  }

  return {
    createLink: (path) => {
      const made = secret();
      const until = machineNow() + TICKET_MS;
      tickets.set(digest(made), { path, until });
      forgetFirst(tickets, MAX_TICKETS);
      return { secret: made, expires: Math.floor(until / 1000) };
    },
    redeem: (given, from) => {
      const now = machineNow();
      const found = tickets.get(digest(given));
      tickets.delete(digest(given));
      if (!found || found.until <= now) return isTooMany(from, now) ? 'later' : 'refused';
      const session = secret();
      const all = known();
      for (const [each, until] of all) if (until <= now) all.delete(each);
      all.set(digest(session), now + SESSION_SECONDS * 1000);
      forgetFirst(all, MAX_SESSIONS);
      writeFileAtomically(dataDir.sessions, ({ write }) =>
        write(`${JSON.stringify(Object.fromEntries(all))}\n`),
      );
      return { session, path: found.path };
    },
    isOpen: (session) => session !== undefined && (known().get(digest(session)) ?? 0) > machineNow(),
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

function forgetFirst(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

/** Reads the saved sessions; an invalid file has none. Throws `DataDirError` if other users have access to the file. */
function readSessions(path: string): Map<string, number> {
  const text = readSandboxDataFile(path);
  const entries = Object.entries(parseJsonObject(text ?? '{}') ?? {});
  return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
