/**
 * `npm run torture [-- --rows A1,X8 --seed 7]` tests each promise of docs/acceptance.md with its full numbers, in 60 to 95 minutes on two
 * cores. The rows and their numbers are in torture-rows.ts. Two rows run at a time. Rows that measure time or memory run alone, at the end.
 * Prints a line for each row, and the command that repeats the failed rows. Writes the table to bench/torture.json, or to a temporary
 * folder if `--rows` selects rows. The folder also has the output of each row. Exits with 1 if a row fails.
 */
import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTypescript } from './run-typescript.js';

/** Time limit of a row. A row that takes longer hangs. */
const LIMIT_MS = 60 * 60_000;
const AT_A_TIME = 2;

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
const { ROWS } = await runTypescript(pathOf('torture-rows.ts'));
const { chooseRows, environmentOfRow, HEADING, keptReport, leaveOut, replayCommand, resultOf, tableLines } =
  await runTypescript(pathOf('torture-results.ts'));
const { postgresPrograms } = await runTypescript(pathOf('../test/support/postgres.ts'));

const { values } = parseArgs({ options: { rows: { type: 'string' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? process.env.SVC_SEED ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(seed)) throw new RangeError('--seed must be a whole number');
const rows = chooseRows(ROWS, values.rows);
const folder = mkdtempSync(join(tmpdir(), 'svc-torture-'));

console.log(
  `${rows.length} rows with SVC_SEED=${seed} on ${availableParallelism()} cores; the output of each is in ${folder}`,
);
console.log(HEADING);
const began = performance.now();
const byId = new Map();
await runAll(
  rows.filter((row) => !row.isAlone),
  AT_A_TIME,
);
await runAll(
  rows.filter((row) => row.isAlone),
  1,
);
const results = rows.map(({ id }) => byId.get(id));
const seconds = (performance.now() - began) / 1000;
const red = results.filter(({ failed }) => failed > 0);
const left = results.filter(({ leftOut }) => leftOut !== undefined);
console.log(
  `${results.length - red.length - left.length} rows passed, ${red.length} failed, ${left.length} left out, in ${Math.round(seconds)} s`,
);
const facts = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cores: availableParallelism(),
  seed,
  seconds: Math.round(seconds),
};
const kept = values.rows === undefined ? pathOf('../bench/torture.json') : join(folder, 'torture.json');
writeFileSync(kept, keptReport(results, facts));
const replay = replayCommand(results, seed);
if (replay !== undefined) {
  console.log(`repeat the failed rows: ${replay}`);
  process.exitCode = 1;
}

async function runAll(queue, atATime) {
  const left = [...queue];
  const work = async () => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const missing = (row.needs ?? []).filter((tool) => !isInstalled(tool));
      const result =
        missing.length > 0 ? leaveOut(row, `${missing.join(', ')} is not installed`) : await run(row);
      byId.set(row.id, result);
      console.log(tableLines(result));
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
}

/** Runs the tests of a row in a separate vitest process. */
function run(row) {
  const [report, tried] = [join(folder, `${row.id}.json`), join(folder, `${row.id}.tried`)];
  const output = openSync(join(folder, `${row.id}.txt`), 'w');
  const args = [
    pathOf('../node_modules/vitest/vitest.mjs'),
    'run',
    ...['--config', `.config/vitest.${row.config ?? 'deep'}.config.ts`],
    ...['--no-color', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ...(row.tests === undefined ? [] : ['-t', row.tests]),
    ...row.files,
  ];
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: pathOf('..'),
    env: { ...environmentOfRow(row, process.env), SVC_SEED: String(seed), SVC_TRIED: tried },
    stdio: ['ignore', output, output],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => {
    const end = (exit) => {
      const outcome = { exit, report: textOf(report), tried: textOf(tried) ?? '' };
      resolve(resultOf(row, outcome, (performance.now() - began) / 1000));
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code ?? signal));
  });
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function isInstalled(tool) {
  if (tool === 'postgresql') return postgresPrograms() !== undefined;
  return (process.env.PATH ?? '').split(delimiter).some((path) => {
    try {
      accessSync(join(path, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
