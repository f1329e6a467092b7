/** Loads the chunks of dist/ with code that V8 compiled in earlier runs. Node before 22.1 needs this, because it has no compile cache. */
const {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
} = require('node:fs');
const { readSync, renameSync, rmSync, writeSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** Number of runs that update the cache, because each may compile more functions. Later runs only read it. */
const LEARNING_RUNS = 6;
/** Size of the header of a cached file. The header identifies the source of the code. */
const HEADER_BYTES = 512;

/**
 * Loads a chunk and the chunks that it requires. V8 checks only its version, its flags and the length of the source. The header of a cached
 * file therefore identifies the source file by its path, inode and change time, which differ if the file is written again. Cached code
 * that does not match is compiled again.
 * @param folder a folder that only this user can write to (`cacheFolder`), because its content runs as this user
 * @returns the exports of the chunk
 */
function requireCompiled(chunk, folder) {
  const cache = join(folder, `chunks-${shortHash(`${process.version} ${dirname(chunk)}`)}`);
  const loaded = new Map();
  const compiled = [];

  const load = (path) => {
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const from = dirname(path);
    const requireHere = (name) => (name.startsWith('./') ? load(join(from, name)) : require(name));
    compile(path).call(module.exports, module.exports, requireHere, module, path, from);
    return module.exports;
  };

  const compile = (path) => {
    const { source, identity } = readSource(path);
    const cached = readCachedFile(join(cache, basename(path)), identity);
    const script = new Script(source, { filename: path, cachedData: cached?.code });
    const runs = script.cachedDataRejected === false ? cached.runs : 0;
    if (runs < LEARNING_RUNS) compiled.push({ path, identity, script, runs: runs + 1 });
    return script.runInThisContext();
  };

  process.once('exit', () => writeCache(cache, dirname(chunk), compiled));
  return load(chunk);
}

/** Reads a chunk and puts a function around it. A chunk is ASCII (.config/in-ascii.js), so one conversion makes the whole string. */
function readSource(path) {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    const octets = Buffer.allocUnsafeSlow(BEFORE.length + stats.size + AFTER.length);
    octets.latin1Write(BEFORE, 0);
    const end = BEFORE.length + readSync(file, octets, BEFORE.length, stats.size, 0);
    octets.latin1Write(AFTER, end);
    return { source: octets.latin1Slice(0, end + AFTER.length), identity: identityOf(path, stats) };
  } finally {
    closeSync(file);
  }
}

const BEFORE = '(function (exports, require, module, __filename, __dirname) { ';
const AFTER = '\n})';

/** Returns the cached code and its number of runs, or undefined if the file is missing or belongs to another source. */
function readCachedFile(path, identity) {
  try {
    const octets = readFileSync(path);
    const [source, runs, length] = octets.toString('utf8', 0, HEADER_BYTES).split('\n');
    const code = octets.subarray(HEADER_BYTES);
    return source === identity && code.length === Number(length) ? { code, runs: Number(runs) } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes all compiled code to the cache. Ignores errors such as a full disk, because svc works without a cache. */
function writeCache(folder, dist, compiled) {
  if (compiled.length === 0) return;
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    // Deletes files of an earlier build, and temporary files of a killed process.
    const chunks = new Set(readdirSync(dist));
    for (const name of readdirSync(folder)) if (!chunks.has(name)) rmSync(join(folder, name));
    for (const each of compiled) writeCachedFile(folder, each);
  } catch {}
}

/** Writes one cached file. The sync and the rename keep it complete, even after a loss of power. */
function writeCachedFile(folder, { path, identity, script, runs }) {
  const code = script.createCachedData();
  const head = Buffer.alloc(HEADER_BYTES);
  // The path is too long for the header.
  if (head.write(`${identity}\n${runs}\n${code.length}\n`) === HEADER_BYTES) return;
  const target = join(folder, basename(path));
  if (!isReplaceable(target)) return;
  const temporary = `${target}.${process.pid}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, Buffer.concat([head, code]));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, target);
}

/** Reports whether a file may be put at the path: nothing or a regular file is there. */
const isReplaceable = (path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;

function identityOf(path, { ino, size, ctimeMs }) {
  return `${process.version} ${process.arch} ${ino} ${size} ${ctimeMs} ${path}`;
}

/** Returns the FNV-1a hash, which only names a folder. Loading `node:crypto` for it would take more time than the cache saves. */
function shortHash(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

module.exports = { requireCompiled };
