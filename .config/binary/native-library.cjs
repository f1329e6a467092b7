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
 * Loads the library of the sandbox's database, which no system loads from within a program. Unpacks it once, and compares
 * it with its hash every time, since whoever can change it runs code as us. Several processes may do so at once.
 * @param octets of the library
 * @param hash SHA-256 of them, in hexadecimal
 * @param folder of this user's alone (`cacheFolder`); without one it is unpacked for this process only
 * @param dlopen loads the file at a path
 * @param isRunning whether there is a process of this number
 */
function loadNativeLibrary({ octets, hash, folder, uid, dlopen, isRunning = runs }) {
  if (folder === undefined) return loadOnce(octets, dlopen);
  const name = `libsql-${hash.slice(0, 32)}.node`;
  const path = join(folder, name);
  if (!isWhole(path, hash, uid)) {
    removeOthers(folder, name, isRunning);
    const beside = `${path}.${process.pid}`;
    write(beside, octets);
    // A folder of that name would keep the file from taking its place.
    if (isFolder(path)) rmSync(path, { recursive: true, force: true });
    renameSync(beside, path);
    if (!isWhole(path, hash, uid)) throw new Error(`${path} is not as it was written`);
  }
  return dlopen(path);
}

/**
 * Removes the libraries of other versions, and what processes that have ended left half-written. The half of a process that
 * runs stays: it is about to take its place. So does the whole file, which such a process may have just put there.
 */
function removeOthers(folder, name, isRunning) {
  for (const old of readdirSync(folder)) {
    if (!old.startsWith('libsql-') || old === name) continue;
    const pid = Number(/\.node\.([0-9]+)$/.exec(old)?.[1] ?? 0);
    if (pid !== 0 && pid !== process.pid && isRunning(pid)) continue;
    rmSync(join(folder, old), { recursive: true, force: true });
  }
}

/** Another user's process counts as running: this user's cache holds none of its files, so the number was given again. */
function runs(pid) {
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

/** A file, no link, of this user's alone, with the octets that belong there. */
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

/** In a new folder of this process's own, which `mkdtemp` closes to others. */
function loadOnce(octets, dlopen) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  try {
    const path = join(folder, 'libsql.node');
    write(path, octets);
    return dlopen(path);
  } finally {
    // Windows keeps what is loaded; elsewhere it stays mapped without its name.
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {}
  }
}

module.exports = { loadNativeLibrary };
