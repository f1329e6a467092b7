/** What the single executable runs first, in place of bin/svc.js: the same program, from assets of its own. */
const { writeSync } = require('node:fs');
const { getAsset, getRawAsset } = require('node:sea');
const { cacheFolder } = require('../../bin/compile-cache.js');
const { complete } = require('../../bin/complete.js');
const { noteLatest } = require('../../bin/update.js');
const { version } = require('../../package.json');
const { createChunks } = require('./chunks.cjs');

const args = process.argv.slice(2);
if (args[0] === '__complete')
  complete(args.slice(1), { load: (name) => chunks().load(name), again: process.execArgv });
else if (args[0] === '__update') noteLatest(args[1]);
else if (!(args.length === 1 && args[0] === '--version' && printed(`${version}\n`))) run();

function chunks() {
  return createChunks({
    // Every character is one octet (see build.js).
    sourceOf: (name) => octetsOf(`chunk/${name}`).latin1Slice(),
    codeOf: (name) => asset(() => octetsOf(`code/${name}`)),
    requireOther,
  });
}

function run() {
  const { main, realContext } = chunks().load('main.cjs');
  main(args, realContext()).then((code) => {
    process.exitCode = code;
  });
}

function requireOther(id, load) {
  if (id === 'libsql') return load('libsql.cjs');
  return id === 'libsql/native' ? libsql() : process.getBuiltinModule(id);
}

function libsql() {
  const { loadNativeLibrary } = require('./native-library.cjs');
  const { env, platform } = process;
  const uid = process.getuid?.();
  const home = env.HOME ?? asset(() => require('node:os').homedir());
  return loadNativeLibrary({
    octets: octetsOf('libsql.node'),
    hash: getAsset('libsql.sha256', 'utf8'),
    folder: cacheFolder({ env, platform, home, uid }),
    uid,
    dlopen: (path) => {
      const module = { exports: {} };
      process.dlopen(module, path);
      return module.exports;
    },
  });
}

/** Of the executable itself, not copied: never written to. */
function octetsOf(name) {
  return Buffer.from(getRawAsset(name));
}

/** Undefined where there is none. */
function asset(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** False where it could not be written: then the whole program says why. */
function printed(text) {
  return asset(() => writeSync(1, text)) !== undefined;
}
