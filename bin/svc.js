#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const args = process.argv.slice(2);

// A TAB is answered without the program.
if (args[0] === '__complete') require('./complete.js').complete(args.slice(1));
else if (args[0] === '__update') require('./update.js').noteLatest(args[1]);
else run();

function run() {
  const { enableCompileCache } = require('node:module');

  if (enableCompileCache && process.env.NODE_COMPILE_CACHE === undefined) {
    const { cacheFolder } = require('./compile-cache.js');
    const { env, platform } = process;
    const folder = cacheFolder({ env, platform, home: homeOf(), uid: process.getuid?.() });
    if (folder !== undefined) enableCompileCache(folder);
  }

  // A stack names our source then: Node reads the maps as it loads the chunks.
  if (args.includes('--debug')) process.setSourceMapsEnabled(true);

  const built = join(__dirname, '..', 'dist', 'main.cjs');

  if (existsSync(built)) {
    const { main, realContext } = require(built);
    main(args, realContext()).then((code) => {
      process.exitCode = code;
    });
  } else {
    process.stderr.write('svc: it is not built yet\nHint: npm run build\n');
    process.exitCode = 1;
  }
}

/** Undefined where the system knows no home of this user. */
function homeOf() {
  try {
    return require('node:os').homedir();
  } catch {
    return undefined;
  }
}
