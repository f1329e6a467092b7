// How long a TAB waits for `svc __complete`, as a ratio to `node -e 0` in the same run: for flags, from a fresh list, from one
// that is old enough to be listed anew in the background, and for the names of profiles, against a running sandbox.
// node bench/completion.js [rounds] [a built binary to measure too]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../.config/sandbox-process.js';

const ROUNDS = Number(process.argv[2] ?? 40);
const binary = process.argv[3];
const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const env = {
  PATH: process.env.PATH,
  HOME: home,
  SVC_PROFILE: 'sandbox',
  SVC_CONFIG_DIR: join(home, 'config'),
  SVC_STATE_DIR: join(home, 'state'),
};
const lists = join(home, '.cache', 'svc', 'completion');

const programs = [
  { title: 'svc', command: [process.execPath, svc] },
  ...(binary === undefined ? [] : [{ title: 'binary', command: [binary] }]),
];

const sandbox = await startSandbox(svc, { data: join(home, 'data'), env, more: ['--seed', 'demo'] });
try {
  complete('svc task get ');
  if (complete('svc task get ') === 'words\n') throw new Error('nothing was kept of the list of tasks');
  await report('flags of a verb', 'svc task create --');
  await report('task ids, listed a moment ago', 'svc task get ', () => listedAgo(1_000));
  await report('task ids, listed 30 s ago, and listed anew behind it', 'svc task get ', () =>
    listedAgo(30_000),
  );
  await report('profiles', 'svc profile use ');
} finally {
  await sandbox.stop();
  rmSync(home, { recursive: true, force: true });
}

/** Runs all in turn, so that noise falls on all of them, and prints the ratios of the medians. */
async function report(title, line, prepare = () => {}) {
  const floor = [];
  const ours = programs.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await time([process.execPath, '-e', '0']));
    for (const [at, { command }] of programs.entries()) {
      prepare();
      ours[at].push(await time([...command, '__complete', 'bash', line]));
      // What is listed in the background must not slow down the next round.
      await idle();
    }
  }
  const node = median(floor);
  for (const [at, program] of programs.entries()) {
    const took = median(ours[at]);
    console.log(
      `${program.title}, ${title}: ${took.toFixed(1)} ms, node -e 0: ${node.toFixed(1)} ms, ratio ${(took / node).toFixed(2)}`,
    );
  }
}

async function idle() {
  const isListing = () => readdirSync(lists).some((name) => name.endsWith('.asking'));
  while (isListing()) await new Promise((resolve) => setTimeout(resolve, 50));
}

function listedAgo(milliseconds) {
  for (const name of readdirSync(lists)) {
    const path = join(lists, name);
    if (name.endsWith('.asking')) rmSync(path);
    if (!name.endsWith('.list')) continue;
    writeFileSync(
      path,
      JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), at: Date.now() - milliseconds }),
    );
  }
}

function complete(line) {
  return spawnSync(process.execPath, [svc, '__complete', 'bash', line], { env, encoding: 'utf8' }).stdout;
}

/** Until the output ends, which is what a shell waits for. */
function time([program, ...args]) {
  const start = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume().once('end', () => resolve(Number(process.hrtime.bigint() - start) / 1e6));
    child.once(
      'exit',
      (status) => status === 0 || reject(new Error(`${args.join(' ')} ended with ${status}`)),
    );
  });
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
