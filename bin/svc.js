#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const args = process.argv.slice(2);

// Completion starts without the whole program, so that it is fast.
if (args[0] === '__complete') require('./complete.js').complete(args.slice(1), program());
// Prompts and scripts often run `svc --version`, so this prints the version without loading anything else.
else if (!(args.length === 1 && args[0] === '--version' && printVersion())) run();

function run() {
  if (existsSync(built('main.cjs'))) {
    const { main, realContext } = load(built('main.cjs'));
    main(args, realContext()).then((code) => {
      process.exitCode = code;
    });
  } else {
    process.stderr.write('svc: dist/ is missing\nHint: run "npm run build"\n');
    process.exitCode = 1;
  }
}

function built(name) {
  return join(__dirname, '..', 'dist', name);
}

/** Returns the loader for completion. It loads complete.cjs without cached code, because compiling such a small file is faster. */
function program() {
  return {
    load: (name) => (name === 'main.cjs' ? load(built(name)) : require(built(name))),
    again: [...process.execArgv, process.argv[1]],
  };
}

/** Loads a file, with code that V8 compiled in an earlier run if there is a safe cache folder. */
function load(built) {
  const { env, platform } = process;
  // With --debug, a stack names our source files. Node reads source maps only for chunks that its own `require` loads.
  if (args.includes('--debug')) process.setSourceMapsEnabled(true);
  if (env.NODE_COMPILE_CACHE !== undefined) return require(built);
  // This is the same object as `require('node:module')`, but that call would take a millisecond.
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

/** Prints the version. Returns false if that fails, so that the whole program reports the error. */
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

/** Returns the home folder, or undefined if the system knows none. */
function homeOf() {
  try {
    // Does the same as `homedir`, without loading `node:os`.
    return process.env.HOME ?? require('node:os').homedir();
  } catch {
    return undefined;
  }
}
