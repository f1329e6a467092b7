/**
 * `npm run test:stress [-- --runs N]`: the whole of `npm test` N times (20 unless said otherwise), each time with another seed and
 * another order of files; every second run beside a load of eight busy processes. Prints a row for each run, and is exit 1
 * where one fails. What a failed run printed stands in a file whose name is printed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const BUSY = 8;
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, seed: { type: 'string' } },
});
const runs = Number(values.runs);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(first))
  throw new Error('--runs and --seed are whole numbers');
const folder = mkdtempSync(join(tmpdir(), 'svc-stress-'));

let red = 0;
console.log(`${runs} runs on ${availableParallelism()} cores; what each printed is in ${folder}`);
console.log(' run       seed  load  seconds  failed');
for (let run = 1; run <= runs; run += 1) {
  const seed = first + run;
  const busy = run % 2 === 0 ? Array.from({ length: BUSY }, startBusy) : [];
  const began = performance.now();
  const failed = await runOnce(seed, join(folder, `${run}.txt`));
  const seconds = Math.round((performance.now() - began) / 1000);
  for (const child of busy) child.kill('SIGKILL');
  if (failed !== '0') red += 1;
  const cells = [run, seed, busy.length, seconds, failed];
  console.log(cells.map((cell, at) => String(cell).padStart([4, 10, 5, 8, 7][at] ?? 0)).join(' '));
}
console.log(`${runs - red} of ${runs} runs passed`);
if (red > 0) process.exitCode = 1;

/** A process that computes until it is killed, or this one is gone. */
function startBusy() {
  const code = `for (;;) { for (let at = 0; at < 5e7; at += 1); try { process.kill(${process.pid}, 0) } catch { process.exit() } }`;
  return spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
}

/** @returns {Promise<string>} how many tests failed, or how the run ended without counting */
function runOnce(seed, file) {
  const output = openSync(file, 'w');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const order = ['--sequence.shuffle.files', `--sequence.seed=${seed}`];
  const args = [vitest, 'run', '--config', '.config/vitest.config.ts', '--no-color', ...order];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SVC_SEED: String(seed) },
    stdio: ['ignore', output, output],
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      const counted = /^\d+ passed, (\d+) failed/m.exec(readFileSync(file, 'utf8'))?.[1];
      resolve(counted === undefined || (code !== 0 && counted === '0') ? `exit ${code}` : counted);
    });
  });
}
