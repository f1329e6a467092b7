// Measures how long a TAB waits for `svc __complete`, as a ratio to `node -e 0` in the same run. Completes flags, ids from a fresh list,
// ids from a list that is old enough for a refresh in the background, and names of profiles. A sandbox runs meanwhile.
// Usage: node bench/completion.js [rounds] [executable to measure too]
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
  if (complete('svc task get ') === 'words\n') throw new Error('completion has not cached the list of tasks');
  await report('flags of a verb', 'svc task create --');
  await report('task ids, listed a moment ago', 'svc task get ', () => listedAgo(1_000));
  await report('task ids, listed 30 s ago, with a refresh in the background', 'svc task get ', () =>
    listedAgo(30_000),
  );
  await report('profiles', 'svc profile use ');
} finally {
  await sandbox.stop();
  rmSync(home, { recursive: true, force: true });
}

/** Runs all programs in turn, so that noise affects all of them, and prints the ratios of the medians. */
async function report(title, line, prepare = () => {}) {
  const floor = [];
  const ours = programs.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await time([process.execPath, '-e', '0']));
    for (const [at, { command }] of programs.entries()) {
      prepare();
      ours[at].push(await time([...command, '__complete', 'bash', line]));
      // The refresh in the background must not slow down the next round.
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

/** Returns the milliseconds until the output of a program ends, because a shell waits for that. */
function time([program, ...args]) {
  const start = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume().once('end', () => resolve(Number(process.hrtime.bigint() - start) / 1e6));
    child.once(
      'exit',
      (status) => status === 0 || reject(new Error(`${args.join(' ')} exited with ${status}`)),
    );
  });
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
