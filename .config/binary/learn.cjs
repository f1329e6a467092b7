/** Runs the program for a while, and writes what V8 made of each file: `learn CHUNKS CODE`, in an environment of its own. */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { createChunks } = require('./chunks.cjs');

const [from, to] = process.argv.slice(2);
const COMMANDS = [
  ['--help'],
  ['task', 'create', '--help'],
  ['folder', '--help'],
  ['folder', 'list', '-o', 'json'],
  ['folder', 'list'],
  ['folder', 'create', '--name', 'Learnt', '-o', 'id'],
  ['folder', 'get', '1'],
  ['task', 'list', '-o', 'json'],
  ['folder', 'get', '999999'],
  ['folder', 'list', '--nothing'],
];

const { load, scripts } = createChunks({
  sourceOf: (name) => readFileSync(join(from, name), 'latin1'),
  codeOf: () => undefined,
  requireOther: (id) => process.getBuiltinModule(id),
});

async function learn() {
  const { main, realContext } = load('main.cjs');
  for (const command of COMMANDS) await main(command, realContext());
  completeAtTab();
  for (const [name, script] of scripts) writeFileSync(join(to, name), script.createCachedData());
}

/** As bin/complete.js asks: for commands, for values from the profiles, and for a cached list. */
function completeAtTab() {
  const { answer, refreshList } = load('complete.cjs');
  const { env, platform } = process;
  const outside = { env, platform, cwd: process.cwd(), homeDir: env.HOME, now: Date.now(), folder: env.HOME };
  refreshList({ source: 'task', words: [] }, outside, { main: async () => 0, context: {} });
  for (const line of ['svc ', 'svc profile use ', 'svc task get ']) answer(['bash', line], outside);
}

learn().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
