// Measures how fast the sandbox sends a task, in recipients per second, compared with inserting as many rows. Also prints the peak memory.
// Usage: node bench/send.js [recipients] [rounds]
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { median, printLoad, record } from './report.js';

const MANY = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const FEW = MANY / 10;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-send-'));
try {
  const runner = await bundle();
  const few = fill(runner, FEW);
  const many = fill(runner, MANY);
  const small = measure(runner, 'engine', few, FEW);
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    // All run in turn, so that other work of the machine affects all of them.
    const [raw, engine, bulk] = ['raw', 'engine', 'bulk'].map((what) => measure(runner, what, many, MANY));
    rounds.push({ engine, inserts: raw, raw: engine.rate / raw.rate, bulk: engine.rate / bulk.rate });
    console.log(
      `round ${round}: engine ${rate(engine)}, inserts row by row ${rate(raw)}, in bulk ${rate(bulk)}`,
    );
  }
  const ratio = (kind) => median(rounds.map((each) => each[kind])).toFixed(2);
  record({
    what: 'a task is sent',
    size: MANY,
    peer: 'raw SQLite, rows inserted one by one',
    unit: 'recipients/s',
    ours: median(rounds.map(({ engine }) => engine.rate)),
    theirs: median(rounds.map(({ inserts }) => inserts.rate)),
    ratio: median(rounds.map(({ raw }) => raw)),
    atLeast: 0.3,
  });
  console.log(
    `ratio, median of ${ROUNDS}: ${ratio('raw')} to row by row, ${ratio('bulk')} to bulk (aim: at least 0.3)`,
  );
  const peak = Math.max(...rounds.map(({ engine }) => engine.peak));
  console.log(
    `peak memory: ${mb(small.peak)} with ${FEW} recipients, ${mb(peak)} with ${MANY} (aim: under 250 MB, not growing)`,
  );
  printLoad();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function fill(runner, recipients) {
  const path = join(folder, `${recipients}.db`);
  execFileSync(process.execPath, [runner, 'fill', path, String(recipients)], { stdio: 'inherit' });
  return path;
}

/** Runs a measurement in a separate process, on a fresh copy of the database. */
function measure(runner, what, template, recipients) {
  const path = join(folder, 'measured.db');
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  copyFileSync(template, path);
  const out = execFileSync(process.execPath, [runner, what, path, String(recipients)], { encoding: 'utf8' });
  return JSON.parse(out);
}

async function bundle() {
  // The bundle leaves out a package, which Node looks for in this folder.
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const entry = fileURLToPath(new URL('send-runner.ts', import.meta.url));
  const built = await rolldown({
    input: { entry },
    platform: 'node',
    external: ['libsql'],
    logLevel: 'silent',
  });
  await built.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
  await built.close();
  return join(folder, 'entry.mjs');
}

function rate(measured) {
  return `${Math.round(measured.rate).toLocaleString('en')}/s`;
}

function mb(octets) {
  return `${Math.round(octets / 1e6)} MB`;
}
