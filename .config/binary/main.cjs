/** Starts the program in the single executable, instead of bin/svc.js. Loads the program from assets of the executable. */
const { writeSync } = require('node:fs');
const { getAsset, getRawAsset } = require('node:sea');
const { cacheFolder } = require('../../bin/compile-cache.js');
const { complete } = require('../../bin/complete.js');
const { version } = require('../../package.json');
const { createChunks } = require('./chunks.cjs');

const args = process.argv.slice(2);
if (args[0] === '__complete')
  complete(args.slice(1), { load: (name) => chunks().load(name), again: process.execArgv });
else if (!(args.length === 1 && args[0] === '--version' && printText(`${version}\n`))) run();

function chunks() {
  return createChunks({
    // The files are ASCII (see executable.js), so each character is one byte.
    sourceOf: (name) => octetsOf(`chunk/${name}`).latin1Slice(),
    codeOf: (name) => valueOrUndefined(() => octetsOf(`code/${name}`)),
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
  const home = env.HOME ?? valueOrUndefined(() => require('node:os').homedir());
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

/** Returns an asset without copying it. Callers must not write to it, because it is memory of the executable itself. */
function octetsOf(name) {
  return Buffer.from(getRawAsset(name));
}

/** Returns the result of `read`, or undefined if it throws. */
function valueOrUndefined(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Prints a text. Returns false if that fails, so that the whole program reports the error. */
function printText(text) {
  return valueOrUndefined(() => writeSync(1, text)) !== undefined;
}
