// How long `svc folder list -o json` takes against a running sandbox, as a ratio to `node -e 0` in the same run: in the
// environment as it is, and in an empty one, where Node has nothing to read (NODE_EXTRA_CA_CERTS takes it 35 ms).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROUNDS = Number(process.argv[2] ?? 30);
const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const own = { HOME: home, SVC_CONFIG_DIR: join(home, 'config'), SVC_STATE_DIR: join(home, 'state') };
const environments = {
  'as it is': { ...process.env, ...own },
  empty: { PATH: process.env.PATH, ...own },
};

const sandbox = spawn(
  process.execPath,
  [svc, 'sandbox', 'start', '--port', '0', '--data', join(home, 'data'), '--seed', 'demo', '-o', 'json'],
  { env: environments.empty, stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  await firstLine(sandbox);
  for (const [name, env] of Object.entries(environments)) {
    console.log(`Environment: ${name}`);
    report('svc folder list -o json', [svc, 'folder', 'list', '-o', 'json'], env);
    report('svc folder list', [svc, 'folder', 'list'], env);
    report('svc --version', [svc, '--version'], env);
    report('svc task create --help', [svc, 'task', 'create', '--help'], env);
  }
} finally {
  sandbox.kill('SIGTERM');
  await new Promise((resolve) => sandbox.once('exit', resolve));
  rmSync(home, { recursive: true, force: true });
}

/** Runs both in turn, so that noise falls on both, and prints the ratio of the medians. */
function report(title, args, env) {
  const floor = [];
  const ours = [];
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(time(['-e', '0'], env));
    ours.push(time(args, env));
  }
  const [a, b] = [median(floor), median(ours)];
  console.log(`  ${title}: ${b.toFixed(1)} ms, node -e 0: ${a.toFixed(1)} ms, ratio ${(b / a).toFixed(2)}`);
}

function time(args, env) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
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
