/** Checks that a file belongs to a user whose files svc trusts. */
import type { Stats } from 'node:fs';
import { FileError } from './errors.ts';

/** User whose files are trusted. On Windows, svc skips the checks of owners and modes, because both have no meaning there. */
export interface Owner {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
}

/** Returns the user who runs this process, as the owner of trusted files. */
export const thisUser = (platform: NodeJS.Platform = process.platform): Owner => ({
  platform,
  uid: process.geteuid?.(),
});

function belongsToAnother({ uid: theirs }: Stats, { platform, uid }: Owner): boolean {
  return platform !== 'win32' && uid !== undefined && theirs !== uid;
}

/**
 * Checks that the file belongs to the owner.
 * @throws FileError `not-own`
 */
export function checkOwner(path: string, stats: Stats, owner: Owner): void {
  if (!belongsToAnother(stats, owner)) return;
  throw new FileError(
    'not-own',
    `${path} belongs to another user (uid ${stats.uid}; yours is ${owner.uid})`,
    'take it over with chown',
  );
}

/** Returns the mode in the form that `chmod` accepts. */
export function octalFileMode(stats: Stats): string {
  return `0${(stats.mode & 0o7777).toString(8)}`;
}
