// Measures how fast svc rehearses a send with ten rules over 30 days, in recipients per second, compared with inserting as many rows. Also
// prints the peak memory.
// Usage: node bench/rehearse.js [recipients] [rounds]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { rawText } from '../.config/raw-text.js';
import { median, printLoad, record } from './report.js';

const MANY = Number(process.argv[2] ?? 100_000);
const ROUNDS = Number(process.argv[3] ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-rehearse-'));
try {
  const runner = await bundle();
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    // Both run in turn, so that other work of the machine slows both.
    const [raw, rehearsal] = ['raw', 'rehearse'].map((what) => measure(runner, what));
    rounds.push({ raw, rehearsal, ratio: rehearsal.rate / raw.rate, cpuRatio: raw.cpu / rehearsal.cpu });
    console.log(
      `round ${round}: rehearsal ${rate(rehearsal)} with ${rehearsal.ran} actions of rules, inserts row by row ${rate(raw)}`,
    );
  }
  const of = (value) => median(rounds.map(value));
  record({
    what: 'a send with 10 rules is rehearsed',
    size: MANY,
    peer: 'raw SQLite, rows inserted one by one',
    unit: 'recipients/s',
    ours: of(({ rehearsal }) => rehearsal.rate),
    theirs: of(({ raw }) => raw.rate),
    ratio: of(({ ratio }) => ratio),
    atLeast: 0.02,
  });
  console.log(
    `${MANY} recipients, median of ${ROUNDS}: ${(of(({ rehearsal }) => rehearsal.ms) / 1000).toFixed(1)} s, ` +
      `processor ${(of(({ rehearsal }) => rehearsal.cpu) / 1000).toFixed(1)} s, ` +
      `peak ${Math.round(Math.max(...rounds.map(({ rehearsal }) => rehearsal.peak)))} MB (aim: 10 s and 300 MB for 100,000)`,
  );
  printLoad();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(runner, what) {
  const measured = JSON.parse(
    execFileSync(process.execPath, [runner, what, String(MANY)], { encoding: 'utf8' }),
  );
  return { ...measured, rate: (1000 * MANY) / measured.ms };
}

async function bundle() {
  // The bundle leaves out some packages, which Node looks for in this folder.
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const entry = fileURLToPath(new URL('rehearse-runner.ts', import.meta.url));
  const built = await rolldown({
    input: { entry },
    platform: 'node',
    external: ['libsql', 'pg'],
    logLevel: 'silent',
    plugins: [rawText()],
  });
  await built.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
  await built.close();
  return join(folder, 'entry.mjs');
}

function rate(measured) {
  return `${Math.round(measured.rate).toLocaleString('en')}/s`;
}
