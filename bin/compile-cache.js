/** Where Node (22.1 and later) may keep our compiled code: a folder into which nobody but this user can put any. */
const { existsSync, lstatSync, mkdirSync, realpathSync } = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');

/**
 * Whoever can write into the cache runs code as us: V8 checks a length and a sum, and Node neither owner nor mode. So the
 * default, a folder of a known name in the shared temporary one, will not do. `NODE_COMPILE_CACHE` is the user's own wish,
 * and Node has followed it before our first line; `NODE_DISABLE_COMPILE_CACHE` is heard too.
 * @returns a folder of this user's, or undefined: then svc starts without, only slower
 */
function cacheFolder({ env, platform, home, uid }) {
  try {
    const above = folderAbove(env, platform, home);
    if (above === undefined) return undefined;
    if (platform !== 'win32' && !isSafeAbove(above, uid)) return undefined;
    mkdirSync(join(above, 'svc'), { recursive: true, mode: 0o700 });
    const folder = join(realpathSync(above), 'svc');
    // On Windows modes and owners say nothing; the folder of the user's own profile has rights that keep others out.
    if (platform === 'win32') return folder;
    return isOwn(lstatSync(folder), uid) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function folderAbove(env, platform, home) {
  const local = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  if (local && isAbsolute(local)) return local;
  return platform !== 'win32' && home && isAbsolute(home) ? join(home, '.cache') : undefined;
}

/** Whether no other user can put a folder of his own in the place of one on the way; looked at before any is made. */
function isSafeAbove(path, uid) {
  let there = path;
  while (!existsSync(there)) there = dirname(there);
  for (let each = realpathSync(there); ; each = dirname(each)) {
    const { mode, uid: owner } = lstatSync(each);
    // In a sticky folder, such as /tmp, others can only add.
    if ((owner !== 0 && owner !== uid) || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0)) return false;
    if (each === dirname(each)) return true;
  }
}

const isOwn = (stats, uid) => stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;

module.exports = { cacheFolder };
