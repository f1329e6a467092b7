#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

try {
  require('node:module').enableCompileCache?.();
} catch {
  // Only slower without it.
}

const built = join(__dirname, '..', 'dist', 'main.cjs');

if (existsSync(built)) {
  const { main, realContext } = require(built);
  main(process.argv.slice(2), realContext()).then((code) => {
    process.exitCode = code;
  });
} else {
  process.stderr.write('svc: it is not built yet\nHint: npm run build\n');
  process.exitCode = 1;
}
