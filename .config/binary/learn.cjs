/** Runs the program for a while, and writes what V8 made of each file: `learn CHUNKS CODE`, in an environment of its own. */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
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

/** A function that only a slow run calls, such as undici's clock of half a second, would be compiled in some builds alone. */
function stopLongTimers() {
  const { setTimeout: start } = globalThis;
  const FOREVER = 2 ** 31 - 1;
  globalThis.setTimeout = (work, delay, ...args) => start(work, delay < 100 ? delay : FOREVER, ...args);
}

async function learn() {
  stopLongTimers();
  const { main, realContext } = load('main.cjs');
  for (const command of COMMANDS) await main(command, realContext());
  completeAtTab();
  // V8 takes code only with the flags that it was made with, and the executable runs with none.
  for (const flag of ['--hash-seed=0', '--flush-bytecode']) setFlagsFromString(flag);
  for (const [name, script] of scripts) writeFileSync(join(to, name), script.createCachedData());
}

/** As bin/complete.js asks: for commands, for values from the profiles, and for a cached list. */
function completeAtTab() {
  const { completeLine, refreshList } = load('complete.cjs');
  const { env, platform } = process;
  const outside = { env, platform, cwd: process.cwd(), homeDir: env.HOME, now: Date.now(), folder: env.HOME };
  refreshList({ source: 'task', words: [] }, outside, { main: async () => 0, context: {} });
  for (const line of ['svc ', 'svc profile use ', 'svc task get ']) completeLine(['bash', line], outside);
}

learn().then(
  // The timers that were stopped would keep it.
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
