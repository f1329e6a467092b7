// Measures `svc test`: 100 tests of examples/campaign on the demo company, each with 20 seeds. Prints tests per second, where a test with
// one seed counts as one, and compares with inserting rows into SQLite in memory, 1,000 for each test. Two in five tests have only checks,
// the others have steps at different times, so that they cannot share a copy.
// Usage: node bench/test.js [tests] [seeds] [rounds]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { median, printLoad, record } from './report.js';

const TESTS = Number(process.argv[2] ?? 100);
const SEEDS = Number(process.argv[3] ?? 20);
const ROUNDS = Number(process.argv[4] ?? 3);
const ROWS_PER_TEST = 1000;
/** Longest time in seconds for 100 tests with 20 seeds on two cores. */
const MOST_SECONDS = 20;
const PEOPLE = ['ada', 'bob', 'cid', 'dan'];
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-test-'));
try {
  cpSync(fileURLToPath(new URL('../examples/campaign', import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, 'bench.test.yaml'), testFile());
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    // Both run in turn, so that other work of the machine slows both.
    const theirs = insertRows();
    const ours = runTests();
    rounds.push({ ours, theirs, ratio: ours / theirs });
    console.log(
      `round ${round}: ${ours.toFixed(0)} tests/s, ${((TESTS * SEEDS) / ours).toFixed(1)} s in all; ${theirs.toFixed(0)} times ${ROWS_PER_TEST} inserts/s`,
    );
  }
  const of = (name) => median(rounds.map((each) => each[name]));
  record({
    what: `svc test, ${SEEDS} seeds`,
    size: TESTS,
    peer: `raw SQLite in memory, ${ROWS_PER_TEST} rows inserted one by one`,
    unit: 'tests/s',
    ours: of('ours'),
    theirs: of('theirs'),
    ratio: of('ratio'),
    atLeast: 0.3,
  });
  console.log(
    `${TESTS} tests with ${SEEDS} seeds, median of ${ROUNDS}: ${of('ours').toFixed(0)} tests/s, ` +
      `${((TESTS * SEEDS) / of('ours')).toFixed(1)} s (aim: ${MOST_SECONDS} s for 100 tests with 20 seeds), ratio ${of('ratio').toFixed(2)}`,
  );
  printLoad();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function testFile() {
  const tests = Array.from({ length: TESTS }, (_, index) => [
    `  test ${index}:`,
    ...statements(index).map((each) => `    - ${each}`),
  ]);
  return [
    ...['version: 1', 'campaign: spring.yaml', 'account: demo', 'audience: opens=40%,clicks=10%'],
    ...[`seeds: ${SEEDS}`, 'people:'],
    ...PEOPLE.map((name) => `  ${name}: {list: 1, email: ${name}@example.com}`),
    'tests:',
    ...tests.flat(),
    '',
  ].join('\n');
}

function statements(index) {
  const person = PEOPLE[index % PEOPLE.length];
  const hours = 1 + Math.floor(index / PEOPLE.length);
  switch (index % 5) {
    case 0:
      return [`${person} clicks spring ${hours}h after newsletter`, `${person} receives thanks within 2h`];
    case 1:
      return [`${person} opens spring ${hours}h after newsletter`, `${person} is on list 2 within 3d`];
    case 2:
      return [`${person} unsubscribes ${hours}h after newsletter`, `${person} is not on list 1`];
    case 3:
      return ['messages-per-person: {week: at most 2}', 'credits: {email: at most 700, sms: at most 800}'];
    default:
      return ['sends: {between: 08:00-20:00}', 'list 9 receives nothing', `${person} receives newsletter`];
  }
}

function runTests() {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [svc, 'test', 'bench.test.yaml'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`svc test exited with ${status}: ${stdout}${stderr}`);
  return (1000 * TESTS * SEEDS) / (performance.now() - begun);
}

function insertRows() {
  const database = new Database(':memory:');
  database.exec(
    'create table recipient (id integer primary key, task_id integer, address text, time integer)',
  );
  const insert = database.prepare('insert into recipient (task_id, address, time) values (?, ?, ?)');
  const begun = performance.now();
  database.exec('begin');
  for (let row = 0; row < TESTS * SEEDS * ROWS_PER_TEST; row += 1)
    insert.run([1, `person${row}@example.com`, 1_800_000_000 + row]);
  database.exec('commit');
  const ms = performance.now() - begun;
  database.close();
  return (1000 * TESTS * SEEDS) / ms;
}
