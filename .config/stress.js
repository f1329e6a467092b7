/**
 * `npm run test:stress [-- --runs N --seed S FILES]`: runs all of `npm test`, or those files, N times (20 unless set). Each run
 * has its own seed and order of files. Half of the runs are quiet, one at a time. The others run under load, five at a time on
 * this machine: each is the load of the four others, and they compete for memory, disk, ports and temporary folders. In a
 * smaller batch, processes that only compute bring the busy ones beside each run to eight. Prints a row for each run: `load` is
 * the number of other suites beside it, `peak MB` the most memory of its processes. Writes the output of each run to a file in
 * a folder whose name it prints. Exits with 1 if a run fails.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Suites of a batch under load. */
const BATCH = 5;
/** Busy processes beside each run under load. */
const BUSY = 8;
/** Busy processes of one suite: at least two of its workers. */
const BUSY_OF_SUITE = 2;
const SAMPLE_MS = 1000;

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(first))
  throw new Error('--runs and --seed are whole numbers');
const folder = mkdtempSync(join(tmpdir(), 'svc-stress-'));

let red = 0;
const quiet = Math.ceil(runs / 2);
console.log(`${runs} runs on ${availableParallelism()} cores; what each printed is in ${folder}`);
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

/** Runs the suite once and prints its row. @param load how many other suites run beside it */
async function show(run, load) {
  const seed = first + run;
  const began = performance.now();
  const { failed, peak } = await runOnce(seed, join(folder, `${run}.txt`));
  if (failed !== '0') red += 1;
  row(run, seed, load, Math.round((performance.now() - began) / 1000), failed, peak);
}

/** A process that computes until it is killed, or this one is gone. */
function startBusy() {
  const code = `for (;;) { for (let at = 0; at < 5e7; at += 1); try { process.kill(${process.pid}, 0) } catch { process.exit() } }`;
  return spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
}

/**
 * @returns {Promise<{ failed: string, peak: string }>} how many tests failed, or how the run ended without a count, and
 * the peak memory of its processes in megabytes
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
 * Returns the memory of a process and all that it started, in kilobytes. Counts a page that several share in parts (PSS).
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

/** The name of a program may contain anything, so this skips to its last parenthesis. */
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
