/**
 * `npm run test:stress [-- --runs N --seed S FILES]` runs `npm test`, or only the given files, N times (20 by default). Each run
 * has its own seed and order of files. Half of the runs are quiet, one at a time. The others run under load, five at a time:
 * they compete for memory, disk, ports and temporary folders. In a smaller batch, extra processes that only compute bring the
 * number of busy processes beside each run to eight. Prints a row for each run: `load` is the number of other suites beside it,
 * and `peak MB` is the peak memory of its processes. Writes the output of each run to a file in a folder, and prints the name of
 * the folder. Exits with 1 if a run fails.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Number of suites in a batch under load. */
const BATCH = 5;
/** Number of busy processes beside each run under load. */
const BUSY = 8;
/** Number of busy processes that one suite counts as. It has at least two workers. */
const BUSY_OF_SUITE = 2;
const SAMPLE_MS = 1000;

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(first))
  throw new Error('--runs and --seed must be whole numbers');
const folder = mkdtempSync(join(tmpdir(), 'svc-stress-'));

let red = 0;
const quiet = Math.ceil(runs / 2);
console.log(`${runs} runs on ${availableParallelism()} cores; the output of each run is in ${folder}`);
row('run', 'seed', 'load', 'seconds', 'failed', 'peak MB');
for (let run = 1; run <= quiet; run += 1) await show(run, 0);
for (let run = quiet + 1; run <= runs; run += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, runs - run + 1) }, (_, at) => run + at);
  const loops = Math.max(0, BUSY - BUSY_OF_SUITE * (batch.length - 1));
  const busy = Array.from({ length: loops }, startBusy);
  await Promise.all(batch.map((each) => show(each, batch.length - 1)));
  for (const child of busy) child.kill('SIGKILL');
}
console.log(`${runs - red} of ${runs} runs passed`);
if (red > 0) process.exitCode = 1;

function row(...cells) {
  console.log(cells.map((cell, at) => String(cell).padStart([4, 10, 5, 8, 7, 8][at] ?? 0)).join(' '));
}

/** Runs the suite once and prints its row. @param load the number of other suites that run at the same time */
async function show(run, load) {
  const seed = first + run;
  const began = performance.now();
  const { failed, peak } = await runOnce(seed, join(folder, `${run}.txt`));
  if (failed !== '0') red += 1;
  row(run, seed, load, Math.round((performance.now() - began) / 1000), failed, peak);
}

/** Starts a process that computes until somebody kills it or this process ends. */
function startBusy() {
  const code = `for (;;) { for (let at = 0; at < 5e7; at += 1); try { process.kill(${process.pid}, 0) } catch { process.exit() } }`;
  return spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
}

/**
 * Runs all tests once, and writes their output to the file.
 * @returns {Promise<{ failed: string, peak: string }>} the number of failed tests, or the reason why it is unknown, and
 * the peak memory of the processes in megabytes
 */
function runOnce(seed, file) {
  const output = openSync(file, 'w');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const order = ['--sequence.shuffle.files', `--sequence.seed=${seed}`];
  const args = [
    vitest,
    'run',
    '--config',
    '.config/vitest.config.ts',
    '--no-color',
    ...order,
    ...positionals,
  ];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SVC_SEED: String(seed) },
    stdio: ['ignore', output, output],
  });
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid));
  }, SAMPLE_MS);
  return new Promise((resolve) => {
    const end = (failed) => {
      clearInterval(sampling);
      resolve({ failed, peak: peak === 0 ? '-' : String(Math.round(peak / 1024)) });
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code) => {
      const counted = /^\d+ passed, (\d+) failed/m.exec(readFileSync(file, 'utf8'))?.[1];
      end(counted === undefined || (code !== 0 && counted === '0') ? `exit ${code}` : counted);
    });
  });
}

/**
 * Returns the memory of a process and of all processes that it started, in kilobytes. Splits shared pages between processes (PSS).
 * Returns 0 on a system without /proc.
 */
function memoryOf(root) {
  const parents = new Map(readNumbers().map((pid) => [pid, parentOf(pid)]));
  const isInside = (pid) => pid === root || (parents.has(pid) && isInside(parents.get(pid)));
  let sum = 0;
  for (const pid of parents.keys())
    if (isInside(pid)) sum += Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  return sum;
}

function readNumbers() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Returns the id of the parent process. The name of a program may contain anything, so this skips to the last parenthesis. */
function parentOf(pid) {
  return Number(/.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
