#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const args = process.argv.slice(2);

// A TAB is answered without the program, and so is what runs in the background.
if (args[0] === '__complete') require('./complete.js').complete(args.slice(1), program());
else if (args[0] === '__update') require('./update.js').noteLatest(args[1]);
// Prompts and scripts ask for it often, and nothing has to be loaded to know it.
else if (!(args.length === 1 && args[0] === '--version' && printVersion())) run();

function run() {
  if (existsSync(built('main.cjs'))) {
    const { main, realContext } = load(built('main.cjs'));
    main(args, realContext()).then((code) => {
      process.exitCode = code;
    });
  } else {
    process.stderr.write('svc: it is not built yet\nHint: npm run build\n');
    process.exitCode = 1;
  }
}

function built(name) {
  return join(__dirname, '..', 'dist', name);
}

/** For what answers a TAB: it is so small that looking for its compiled code would take longer than making it. */
function program() {
  return {
    load: (name) => (name === 'main.cjs' ? load(built(name)) : require(built(name))),
    again: [...process.execArgv, process.argv[1]],
  };
}

/** With the code that V8 made of it in an earlier run, where there is a safe place for that. */
function load(built) {
  const { env, platform } = process;
  // A stack names our source then: Node reads the maps as it loads the chunks, by its own way alone.
  if (args.includes('--debug')) process.setSourceMapsEnabled(true);
  if (env.NODE_COMPILE_CACHE !== undefined) return require(built);
  // The same object as `require('node:module')`, whose other parts take a millisecond to load.
  const { enableCompileCache } = module.constructor;
  if (!enableCompileCache && (args.includes('--debug') || env.NODE_DISABLE_COMPILE_CACHE))
    return require(built);
  const { cacheFolder } = require('./compile-cache.js');
  const folder = cacheFolder({ env, platform, home: homeOf(), uid: process.getuid?.() });
  if (folder === undefined) return require(built);
  if (!enableCompileCache) return require('./compiled-code.js').requireCompiled(built, folder);
  enableCompileCache(folder);
  return require(built);
}

/** False where it could not be written: then the whole program says why. */
function printVersion() {
  const { readFileSync, writeSync } = require('node:fs');
  try {
    const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
    writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

/** Undefined where the system knows no home of this user. */
function homeOf() {
  try {
    // As `homedir` does, and without loading it.
    return process.env.HOME ?? require('node:os').homedir();
  } catch {
    return undefined;
  }
}
