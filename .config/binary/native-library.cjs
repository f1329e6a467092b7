const { createHash } = require('node:crypto');
const {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
} = require('node:fs');
const { renameSync, rmSync, writeSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/**
 * Loads the native library of the sandbox's database. Unpacks it first, because no system loads a library from inside an executable.
 * Compares the unpacked file with its hash every time, because anyone who can change it can run code as this user. Several processes may do
 * this at the same time.
 * @param octets the bytes of the library
 * @param hash their SHA-256, in hexadecimal
 * @param folder a folder that only this user can write to (`cacheFolder`). Without one, this unpacks the library for this process only
 * @param dlopen loads the file at a path
 * @param isRunning reports whether a process with an id exists
 */
function loadNativeLibrary({ octets, hash, folder, uid, dlopen, isRunning = isProcessRunning }) {
  if (folder === undefined) return loadTemporaryCopy(octets, dlopen);
  const name = `libsql-${hash.slice(0, 32)}.node`;
  const path = join(folder, name);
  if (!isWhole(path, hash, uid)) {
    removeOthers(folder, name, isRunning);
    const temporary = `${path}.${process.pid}`;
    write(temporary, octets);
    // A folder with this name would make the rename fail.
    if (isFolder(path)) rmSync(path, { recursive: true, force: true });
    renameSync(temporary, path);
    if (!isWhole(path, hash, uid)) throw new Error(`${path} has changed since svc wrote it`);
  }
  return dlopen(path);
}

/**
 * Removes the libraries of other versions, and incomplete files of processes that have ended. Keeps the incomplete file of a running
 * process, which is about to rename it. Keeps the complete file too, because another process may have just written it.
 */
function removeOthers(folder, name, isRunning) {
  for (const old of readdirSync(folder)) {
    if (!old.startsWith('libsql-') || old === name) continue;
    const pid = Number(/\.node\.([0-9]+)$/.exec(old)?.[1] ?? 0);
    if (pid !== 0 && pid !== process.pid && isRunning(pid)) continue;
    rmSync(join(folder, old), { recursive: true, force: true });
  }
}

/** Reports whether a process with this id exists. Includes processes of other users, although these have no files in this user's cache. */
function isProcessRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isFolder(path) {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Reports whether the path is a complete file, and not a link, that only this user can access. */
function isWhole(path, hash, uid) {
  try {
    const { mode, nlink, uid: owner, isFile } = fileAt(path);
    if (!isFile || nlink !== 1) return false;
    if (uid !== undefined && (owner !== uid || (mode & 0o077) !== 0)) return false;
    return createHash('sha256').update(readFileSync(path)).digest('hex') === hash;
  } catch {
    return false;
  }
}

function fileAt(path) {
  const stats = lstatSync(path);
  return { mode: stats.mode, nlink: stats.nlink, uid: stats.uid, isFile: stats.isFile() };
}

function write(path, octets) {
  const file = openSync(path, 'wx', 0o600);
  try {
    for (let done = 0; done < octets.length; ) done += writeSync(file, octets, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Loads the library from a new temporary folder. `mkdtemp` makes the folder inaccessible to other users. */
function loadTemporaryCopy(octets, dlopen) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  try {
    const path = join(folder, 'libsql.node');
    write(path, octets);
    return dlopen(path);
  } finally {
    // Windows cannot delete a loaded file. Other systems keep the file mapped after its name is gone.
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {}
  }
}

module.exports = { loadNativeLibrary };
