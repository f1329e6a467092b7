/** Finds programs `svc-NAME` on PATH, which run as `svc NAME`. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Environment } from './context.ts';

interface Plugin {
  readonly name: string;
  readonly path: string;
}

const PREFIX = 'svc-';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Returns the first program `svc-NAME` on PATH, or undefined if none exists, or if the name is invalid. */
export function findPlugin(name: string, env: Environment, platform: NodeJS.Platform): Plugin | undefined {
  if (!NAME.test(name)) return undefined;
  const { join } = platform === 'win32' ? win32 : posix;
  for (const folder of foldersOf(env, platform))
    for (const ending of endingsOf(env, platform)) {
      const path = join(folder, `${PREFIX}${name}${ending}`);
      if (isProgram(path, platform)) return { name, path };
    }
  return undefined;
}

/** Returns all plug-ins in the order of PATH. If several have the same name, svc runs the first one. */
export function listPlugins(env: Environment, platform: NodeJS.Platform): readonly Plugin[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const endings = endingsOf(env, platform);
  return foldersOf(env, platform).flatMap((folder) =>
    filesIn(folder).flatMap((file) => {
      const ending = endings.find((each) => file.toLowerCase().endsWith(each.toLowerCase()));
      if (!file.startsWith(PREFIX) || ending === undefined) return [];
      const name = file.slice(PREFIX.length, file.length - ending.length);
      const path = join(folder, file);
      return NAME.test(name) && isProgram(path, platform) ? [{ name, path }] : [];
    }),
  );
}

/** Returns the absolute folders of PATH. Files in the working folder (`.` or an empty entry) are never run. */
function foldersOf(env: Environment, platform: NodeJS.Platform): readonly string[] {
  const { delimiter, isAbsolute } = platform === 'win32' ? win32 : posix;
  const name = Object.keys(env).find(
    (each) => each === 'PATH' || (platform === 'win32' && /^path$/i.test(each)),
  );
  const folders = (env[name ?? 'PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set(folders)];
}

function endingsOf(env: Environment, platform: NodeJS.Platform): readonly string[] {
  return platform === 'win32' ? (env['PATHEXT'] || '.COM;.EXE;.BAT;.CMD').split(';') : [''];
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Reports whether the file can be run. Windows decides by the ending of its name. */
export function isProgram(path: string, platform: NodeJS.Platform): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    if (platform !== 'win32') accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
