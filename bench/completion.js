// How long a TAB waits for `svc __complete`, as a ratio to `node -e 0` in the same run: from a fresh list, from one that is
// old enough to be listed anew in the background, and the names of profiles, against a running sandbox.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROUNDS = Number(process.argv[2] ?? 40);
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

const sandbox = spawn(
  process.execPath,
  [svc, 'sandbox', 'start', '--port', '0', '--data', join(home, 'data'), '--seed', 'demo', '-o', 'json'],
  { env, stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  await firstLine(sandbox);
  complete(['task', '']);
  if (complete(['task', '']) === '') throw new Error('nothing was kept of the list of tasks');
  await report('task ids, listed a moment ago', ['task', ''], () => listedAgo(1_000));
  await report('task ids, listed 30 s ago, and listed anew behind it', ['task', ''], () => listedAgo(30_000));
  await report('profiles', ['profile', '']);
} finally {
  sandbox.kill('SIGTERM');
  await new Promise((resolve) => sandbox.once('exit', resolve));
  rmSync(home, { recursive: true, force: true });
}

/** Runs both in turn, so that noise falls on both, and prints the ratio of the medians. */
async function report(title, args, prepare = () => {}) {
  const floor = [];
  const ours = [];
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await time(['-e', '0']));
    prepare();
    ours.push(await time([svc, '__complete', ...args]));
    // What is listed in the background must not slow down the next round.
    await idle();
  }
  const [a, b] = [median(floor), median(ours)];
  console.log(`${title}: ${b.toFixed(1)} ms, node -e 0: ${a.toFixed(1)} ms, ratio ${(b / a).toFixed(2)}`);
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

function complete(args) {
  return spawnSync(process.execPath, [svc, '__complete', ...args], { env, encoding: 'utf8' }).stdout;
}

/** Until the output ends, which is what a shell waits for. */
function time(args) {
  const start = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
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

function firstLine(child) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
}
