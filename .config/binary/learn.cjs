/** Runs some commands, and saves the code that V8 compiled for each file. Usage: `learn.cjs CHUNKS CODE`, in a clean environment. */
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

/** Prevents long timers, such as undici's clock of half a second. Only slow runs reach them, so their code would differ between builds. */
function delayLongTimers() {
  const { setTimeout: start } = globalThis;
  const FOREVER = 2 ** 31 - 1;
  globalThis.setTimeout = (work, delay, ...args) => start(work, delay < 100 ? delay : FOREVER, ...args);
}

async function learn() {
  delayLongTimers();
  const { main, realContext } = load('main.cjs');
  for (const command of COMMANDS) await main(command, realContext());
  completeAtTab();
  // V8 accepts code only with the flags of its compilation, and the executable runs with V8's default flags.
  for (const flag of ['--hash-seed=0', '--flush-bytecode']) setFlagsFromString(flag);
  for (const [name, script] of scripts) writeFileSync(join(to, name), script.createCachedData());
}

/** Completes commands, profiles and a cached list, as bin/complete.js does. */
function completeAtTab() {
  const { completeLine, refreshCompletionList } = load('complete.cjs');
  const { env, platform } = process;
  const outside = { env, platform, cwd: process.cwd(), homeDir: env.HOME, now: Date.now(), folder: env.HOME };
  refreshCompletionList({ source: 'task', words: [] }, outside, { main: async () => 0, context: {} });
  for (const line of ['svc ', 'svc profile use ', 'svc task get ']) completeLine(['bash', line], outside);
}

learn().then(
  // The delayed timers would keep the process alive.
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
