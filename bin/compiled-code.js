/** For Node before 22.1: loads the chunks of dist/ with the code that V8 made of them in earlier runs. */
const {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
} = require('node:fs');
const { readSync, renameSync, rmSync, writeSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** Runs that add to what is kept what they were the first to need; the next ones only read. */
const LEARNING_RUNS = 6;
/** Of what stands before the code: what it was made of. */
const HEAD_OCTETS = 512;

/**
 * V8 itself compares its version, its flags and the length of the source; so the head says which file the code was made of,
 * as it was: a file that is written anew has another inode or time of change. What does not fit is made anew.
 * @param folder of this user's alone (`cacheFolder`): whoever can write there runs code as us
 * @returns what the chunk exports
 */
function requireCompiled(chunk, folder) {
  const kept = join(folder, `chunks-${shortHash(`${process.version} ${dirname(chunk)}`)}`);
  const loaded = new Map();
  const learned = [];

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
    const found = readKept(join(kept, basename(path)), identity);
    const script = new Script(source, { filename: path, cachedData: found?.code });
    const runs = script.cachedDataRejected === false ? found.runs : 0;
    if (runs < LEARNING_RUNS) learned.push({ path, identity, script, runs: runs + 1 });
    return script.runInThisContext();
  };

  process.once('exit', () => keepAll(kept, dirname(chunk), learned));
  return load(chunk);
}

/** A chunk is ASCII (.config/in-ascii.js), so it becomes a string in one step, with the function around it. */
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

/** Undefined where there is none, or it was made of another file. */
function readKept(path, identity) {
  try {
    const octets = readFileSync(path);
    const [about, runs, length] = octets.toString('utf8', 0, HEAD_OCTETS).split('\n');
    const code = octets.subarray(HEAD_OCTETS);
    return about === identity && code.length === Number(length) ? { code, runs: Number(runs) } : undefined;
  } catch {
    return undefined;
  }
}

/** A full disk and the like are no reason to fail: it is only slower. */
function keepAll(folder, dist, learned) {
  if (learned.length === 0) return;
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    // Of an earlier build, or of a process that was killed while it wrote.
    const there = new Set(readdirSync(dist));
    for (const name of readdirSync(folder)) if (!there.has(name)) rmSync(join(folder, name));
    for (const each of learned) keep(folder, each);
  } catch {}
}

/** Whole or not at all, also after a loss of power. */
function keep(folder, { path, identity, script, runs }) {
  const code = script.createCachedData();
  const head = Buffer.alloc(HEAD_OCTETS);
  // A path too long for the head.
  if (head.write(`${identity}\n${runs}\n${code.length}\n`) === HEAD_OCTETS) return;
  const target = join(folder, basename(path));
  const beside = `${target}.${process.pid}`;
  const file = openSync(beside, 'wx', 0o600);
  try {
    writeSync(file, Buffer.concat([head, code]));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, target);
}

function identityOf(path, { ino, size, ctimeMs }) {
  return `${process.version} ${process.arch} ${ino} ${size} ${ctimeMs} ${path}`;
}

/** FNV-1a: a name for a folder, and no more; loading `node:crypto` takes longer than what is saved by it. */
function shortHash(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

module.exports = { requireCompiled };
