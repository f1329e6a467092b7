// Measures an import of subscribers into a sandbox on PostgreSQL, which waits for its disk. Compares it with psql's \copy of the same rows
// into the same tables of an empty database, in batches of the same size as those of the import.
// Usage: node bench/subscribers.js [rows] [rounds]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTypescript } from '../.config/run-typescript.js';
import { startSandbox } from '../.config/sandbox-process.js';
import { control } from './client.js';
import { median, printLoad, record } from './report.js';

const ROWS = Number(process.argv[2] ?? 50_000);
const ROUNDS = Number(process.argv[3] ?? 3);
/** Number of rows in a batch, as in src/cli/commands/sandbox/subscribers.ts. */
const BATCH = 1_000;
const AIM = 0.5;

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const svc = process.env.SVC_BIN ?? at('../bin/svc.js');
const home = mkdtempSync(join(tmpdir(), 'svc-bench-subscribers-'));
const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
let cluster;
try {
  const { postgresPrograms, runSql, startCluster } = await runTypescript(at('postgres-support.ts'));
  if (postgresPrograms() === undefined)
    throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  cluster = await startCluster(true);
  const people = join(home, 'people.csv');
  writeFileSync(people, `email\n${numbers(0, ROWS).map(addressOf).join('\n')}\n`);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const limited = round % 2 === 1;
    const name = `import${round}`;
    runSql(cluster.url, `create database ${name}`, `create database peer${round}`);
    const ours = await imported(cluster.urlOf(name), runSql, limited, people);
    const theirs = await copied(cluster.urlOf(`peer${round}`), runSql);
    rounds.push({ ours, theirs, ratio: ours / theirs });
    console.log(
      `round ${round + 1}${limited ? ', under a subscriber_limit' : ''}: import ${ours.toFixed(0)} rows/s, \\copy ${theirs.toFixed(0)} rows/s, ratio ${(ours / theirs).toFixed(2)}`,
    );
    runSql(cluster.url, `drop database ${name} with (force)`, `drop database peer${round} with (force)`);
  }
  const ratio = median(rounds.map((each) => each.ratio));
  console.log(`ratio, median of ${ROUNDS}: ${ratio.toFixed(2)} (aim: at least ${AIM})`);
  record({
    what: 'PostgreSQL: subscribers are imported',
    size: ROWS,
    peer: `\\copy in batches of ${BATCH}`,
    unit: 'rows/s',
    ours: median(rounds.map((each) => each.ours)),
    theirs: median(rounds.map((each) => each.theirs)),
    ratio,
    atLeast: AIM,
  });
  printLoad();
} finally {
  cluster?.remove();
  rmSync(home, { recursive: true, force: true });
}

/** Returns the rows per second of `svc sandbox subscriber import`, including the start of the command. */
async function imported(url, runSql, limited, people) {
  const data = mkdtempSync(join(home, 'data-'));
  const sandbox = await start(data, url);
  try {
    await control(sandbox.ready, 'list/create', { name: 'People' });
    if (limited) runSql(url, `update account set subscriber_limit = ${ROWS}`);
    const begun = performance.now();
    await command(['sandbox', 'subscriber', 'import', '--list', '1', people, '--data', data]);
    const seconds = (performance.now() - begun) / 1000;
    const stored = runSql(url, 'select count(*) from subscription');
    if (Number(stored) !== ROWS) throw new Error(`${stored} subscriptions of ${ROWS}`);
    return ROWS / seconds;
  } finally {
    await sandbox.stop();
  }
}

/**
 * Returns the rows per second of psql. Each batch is a \copy into each of the two tables, and a commit. The script keeps the statistics up
 * to date, as the import does. With the statistics of an empty table, each check of a foreign key would read the whole table.
 */
async function copied(url, runSql) {
  const data = mkdtempSync(join(home, 'data-'));
  const sandbox = await start(data, url);
  await control(sandbox.ready, 'list/create', { name: 'People' });
  await sandbox.stop();
  const folder = mkdtempSync(join(home, 'parts-'));
  const lines = ['\\set ON_ERROR_STOP on'];
  for (let from = 0; from < ROWS; from += BATCH) {
    const batch = numbers(from, Math.min(ROWS, from + BATCH));
    const [one, other] = [join(folder, `s${from}`), join(folder, `l${from}`)];
    writeFileSync(
      one,
      batch.map((number) => `${number + 1},1,${addressOf(number)},${domainOf(number)},1\n`).join(''),
    );
    writeFileSync(other, batch.map((number) => `1,1,${number + 1},1,import\n`).join(''));
    lines.push(
      'begin;',
      `\\copy subscriber (id, account_id, email, email_domain, cdate) from '${one}' csv`,
      `\\copy subscription (account_id, list_id, subscriber_id, cdate, source) from '${other}' csv`,
      'commit;',
    );
    if (Math.log2(1 + from / BATCH) % 1 === 0) lines.push('analyze subscriber, subscription;');
  }
  const script = join(folder, 'script.sql');
  writeFileSync(script, `${lines.join('\n')}\n`);
  const begun = performance.now();
  execFileSync(join(cluster.programs, 'psql'), ['-X', '-q', '-f', script, url], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const seconds = (performance.now() - begun) / 1000;
  const stored = runSql(url, 'select count(*) from subscription');
  if (Number(stored) !== ROWS) throw new Error(`${stored} subscriptions of ${ROWS}`);
  return ROWS / seconds;
}

function numbers(from, to) {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function domainOf(number) {
  return `domain${number % 97}.example`;
}

function addressOf(number) {
  return `person${number}@${domainOf(number)}`;
}

function command(words) {
  const child = spawn(process.execPath, [svc, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${words.join(' ')} exited with ${code}`)),
    );
  });
}

function start(data, url) {
  return startSandbox(svc, { data, env, more: ['--seed', 'empty', '--store', url, '--profile', 'none'] });
}
