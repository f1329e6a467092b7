/**
 * Announces a newer version of svc: at most once a day, on a terminal, never in CI, and only from an address that the user configured. The
 * check runs in the background, and svc shows its result at the next start. The check sends nothing about this machine or its user.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAtomicFile } from '../../files/atomic-file.ts';
import { stateDirOf } from '../../files/directories.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { inspectTarget } from '../../files/target.ts';
import { parseJsonObject } from '../../text/json-object.ts';
import type { Context } from './context.ts';
import { VERSION } from './version.ts';

const DAY_MS = 86_400_000;
const VERSION_NUMBER = /^([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})$/;

interface UpdateState {
  /** Time of the last check for a newer version, in milliseconds since 1970. */
  readonly asked?: number;
  /** Time at which svc last printed the notice, in milliseconds since 1970. */
  readonly told?: number;
  readonly latest?: string;
}

/** Prints the notice about a newer version, and starts the next check. Never rejects and never delays the command. */
export async function announceUpdate(context: Context): Promise<void> {
  const { env, clock, stderr, homeDir, platform, startInBackground } = context;
  if (!isWanted(context) || startInBackground === undefined) return;
  try {
    const folder = stateDirOf(env, homeDir, platform);
    if (folder === '') return;
    const path = join(folder, 'update.json');
    const noted = notedIn(path);
    const now = clock.now();
    const isOld = (time = 0): boolean => !(now - time >= 0 && now - time < DAY_MS);
    const isNews = noted.latest !== undefined && isNewerVersion(noted.latest, VERSION) && isOld(noted.told);
    const isDue = isOld(noted.asked);
    if (!isNews && !isDue) return;
    // Saved before the notice is printed. Otherwise, if saving failed, svc would print the notice at every start.
    makeFolders(folder);
    note(path, { ...noted, ...(isNews ? { told: now } : {}), ...(isDue ? { asked: now } : {}) });
    if (isNews)
      await stderr.write(
        `svc ${noted.latest} is available (you have ${VERSION}). To turn this notice off, set SVC_NO_UPDATE_NOTICE=1.\n`,
      );
    if (isDue) startInBackground(['__update', path]);
  } catch {
    // A failed notice is ignored.
  }
}

function isWanted({ env, stderr }: Context): boolean {
  const isSet = (name: string): boolean =>
    !['', '0', 'false'].includes((env[name] ?? '').trim().toLowerCase());
  return Boolean(env['SVC_UPDATE_URL']) && stderr.isTTY && !isSet('CI') && !isSet('SVC_NO_UPDATE_NOTICE');
}

function notedIn(path: string): UpdateState {
  try {
    if (inspectTarget(path).kind !== 'file') return {};
    const { asked, told, latest } = parseJsonObject(readFileSync(path, 'utf8')) ?? {};
    return {
      ...(typeof asked === 'number' ? { asked } : {}),
      ...(typeof told === 'number' ? { told } : {}),
      ...(typeof latest === 'string' ? { latest } : {}),
    };
  } catch {
    return {};
  }
}

function note(path: string, noted: UpdateState): void {
  const file = createAtomicFile(path);
  file.write(JSON.stringify(noted));
  file.commit();
}

/** Reports whether a version is newer than another one. Returns false for a text that is not a release version, such as a prerelease. */
export function isNewerVersion(version: string, otherVersion: string): boolean {
  const [a, b] = [version, otherVersion].map((text) => VERSION_NUMBER.exec(text)?.slice(1).map(Number));
  if (!a || !b) return false;
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}
