/** Finds a folder for compiled code and cached lists that only the current user can write to. */
const { existsSync, lstatSync, mkdirSync, realpathSync } = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');

/**
 * Returns a folder that only this user can write to. Anyone who can write to it can run code as this user, because V8 checks only a length
 * and a checksum, and Node checks neither owner nor mode. Node's default is unsafe: it has a known name in the shared temporary folder.
 * `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` still apply, by Node itself or by `load` in svc.js.
 * @returns undefined if no folder is safe. svc then starts without a cache, only more slowly
 */
function cacheFolder({ env, platform, home, uid }) {
  try {
    const parent = parentFolder(env, platform, home);
    if (parent === undefined) return undefined;
    if (platform !== 'win32' && !isSafePath(parent, uid)) return undefined;
    makeFolders(join(parent, 'svc'));
    const folder = join(realpathSync(parent), 'svc');
    // Windows reports no useful modes and owners. The access rights of the user's profile folder keep other users out.
    if (platform === 'win32') return folder;
    return isOwn(lstatSync(folder), uid) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function parentFolder(env, platform, home) {
  const local = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  if (local && isAbsolute(local)) return local;
  return platform !== 'win32' && home && isAbsolute(home) ? join(home, '.cache') : undefined;
}

/** Reports whether no other user can replace a folder on the path. Call it before any missing folder is created. */
function isSafePath(path, uid) {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  for (let each = realpathSync(existing); ; each = dirname(each)) {
    const { mode, uid: owner } = lstatSync(each);
    // In a sticky folder such as /tmp, other users can add entries, but cannot replace existing ones.
    if ((owner !== 0 && owner !== uid) || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0)) return false;
    if (each === dirname(each)) return true;
  }
}

/**
 * Creates the folder and its missing parent folders. Node's recursive option never returns where the system reports that an existing parent
 * does not exist, as in /proc.
 */
function makeFolders(path) {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created the folder just now.
    if (error.code !== 'EEXIST') throw error;
  }
}

const isOwn = (stats, uid) => stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;

module.exports = { cacheFolder };
