// Measures sandboxes that share one PostgreSQL server, which waits for its disk: signed GETs and POSTs from 16 connections, and a send,
// with 1, 2 and 4 processes. Compares them with pgbench's simple-update (-N) with 16 clients on the same server in the same run, and prints
// the ratios.
// Usage: node bench/postgres.js [seconds] [recipients]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { CONNECTIONS, load } from './load.js';
import { printLoad, record } from './report.js';

const SECONDS = Number(process.argv[2] ?? 5);
const RECIPIENTS = Number(process.argv[3] ?? 200_000);
const PROCESSES = [1, 2, 4];
const COMPANIES = 8;
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const svc = process.env.SVC_BIN ?? at('../bin/svc.js');

/** Number of contacts so far. Each contact is added to the list once. */
let contacts = 0;

const home = mkdtempSync(join(tmpdir(), 'svc-bench-postgres-'));
let cluster;
try {
  const { fillCompanies, fillSend, postgresPrograms, runSql, startCluster } = await support();
  if (postgresPrograms() === undefined)
    throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  cluster = await startCluster(true);
  for (const name of ['shared', 'peer', 'send']) runSql(cluster.url, `create database ${name}`);
  const companies = await fillCompanies(cluster.urlOf('shared'), COMPANIES);
  await fillSend(cluster.urlOf('send'), RECIPIENTS);
  pgbench(['-i', '-q', '-s', '10']);
  simpleUpdate();
  let before = simpleUpdate();
  const found = [];
  for (const count of PROCESSES) {
    const sandboxes = await start(count, cluster.urlOf('shared'));
    try {
      for (const { what, of } of scenarios(companies)) {
        const measurement = await rateOf(sandboxes, of);
        // Measures the peer before and after, so that other work of the machine affects both.
        const after = simpleUpdate();
        found.push({ what, count, ...measurement, peer: (before + after) / 2 });
        before = after;
      }
    } finally {
      await stop(sandboxes);
    }
  }
  for (const count of PROCESSES) {
    runSql(cluster.url, `create database send${count} template send strategy file_copy`, 'checkpoint');
    const begun = performance.now();
    const sandboxes = await start(count, cluster.urlOf(`send${count}`));
    try {
      const rate = await sendRate(runSql, cluster.urlOf(`send${count}`), begun);
      const after = simpleUpdate();
      const peer = (before + after) / 2;
      found.push({ what: `a task is sent to ${RECIPIENTS}`, count, rate, unit: 'recipients/s', peer });
      before = after;
    } finally {
      await stop(sandboxes);
    }
    runSql(cluster.url, `drop database send${count} with (force)`);
  }
  for (const { what, count, rate, unit = 'requests/s', p50, p99, peer } of found) {
    const times = p50 === undefined ? '' : `, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
    const processes = `${count} process${count === 1 ? '' : 'es'}`;
    const ratio = rate / peer;
    const beside = `pgbench -N ${peer.toFixed(0)}/s, ratio ${ratio.toFixed(2)}`;
    console.log(`${what}, ${processes}: ${rate.toFixed(0)} ${unit}${times}; ${beside}`);
    record({
      what: `PostgreSQL: ${what}, ${processes}`,
      peer: 'pgbench -N',
      unit,
      ours: rate,
      theirs: peer,
      ratio,
    });
  }
  printLoad();
} finally {
  cluster?.remove();
  rmSync(home, { recursive: true, force: true });
}

function scenarios(companies) {
  const contact = () => ({ contactdata: `person${contacts++}@example${contacts % 997}.com` });
  const post = (company) => ({
    method: 'POST',
    target: '/v1/doNotContact',
    body: JSON.stringify(contact()),
    company,
  });
  const of = (index) => companies[index % companies.length];
  return [
    {
      what: `GET one folder, ${COMPANIES} companies`,
      of: (index) => ({ method: 'GET', target: `/v1/folder/${of(index).id}`, company: of(index) }),
    },
    { what: `POST Do Not Contact, ${COMPANIES} companies`, of: (index) => post(of(index)) },
    { what: 'POST Do Not Contact, one company', of: () => post(companies[0]) },
  ];
}

/** Returns requests per second and their times. A warm-up round shows how many requests fit in the time. */
async function rateOf(sandboxes, of) {
  const server = { ports: sandboxes.map(({ port }) => port) };
  const round = (count) =>
    load(
      server,
      Array.from({ length: count }, (_, index) => of(Math.floor(index / sandboxes.length))),
    );
  await round(1_500 * sandboxes.length);
  const warm = await round(1_000);
  const answers = await round(Math.max(1_000, Math.round((1000 * warm.length * SECONDS) / warm.took)));
  const took = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const part = (share) => took[Math.min(took.length - 1, Math.floor(share * took.length))];
  return { rate: (1000 * answers.length) / answers.took, p50: part(0.5), p99: part(0.99) };
}

/** Returns recipients per second. The time begins before the first process starts, because that process may begin the send immediately. */
async function sendRate(runSql, url, begun) {
  for (;;) {
    const [sent, completed] = runSql(url, 'select sent, completed from task').split('|').map(Number);
    if (completed === 1) return (1000 * sent) / (performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function simpleUpdate() {
  const out = pgbench([
    '-N',
    '-n',
    '-M',
    'prepared',
    '-c',
    String(CONNECTIONS),
    '-j',
    '2',
    '-T',
    String(SECONDS),
  ]);
  return Number(/tps = ([0-9.]+)/.exec(out)?.[1]);
}

function pgbench(args) {
  const { hostname, port, username } = new URL(cluster.url);
  const words = ['-h', hostname, '-p', port, '-U', username, ...args, 'peer'];
  return execFileSync(join(cluster.programs, 'pgbench'), words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function start(count, url) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_SANDBOX_STORE: url,
  };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const data = ['--data', mkdtempSync(join(home, 'data-')), '--profile', 'none', '-o', 'json'];
      const child = spawn(process.execPath, [svc, 'sandbox', 'start', '--port', '0', ...data], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const line = await new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).once('line', resolve);
        child.once('exit', (code) => reject(new Error(`a sandbox exited with ${code}`)));
      });
      return { child, ended, port: Number(new URL(JSON.parse(line).baseUrl).port) };
    }),
  );
}

async function stop(sandboxes) {
  for (const { child } of sandboxes) child.kill('SIGTERM');
  for (const { ended } of sandboxes) await ended;
}

/** Bundles postgres-support.ts and imports it, because Node 20 cannot read TypeScript. */
async function support() {
  const bundle = await rolldown({
    input: { entry: at('postgres-support.ts') },
    platform: 'node',
    external: ['libsql'],
    logLevel: 'silent',
  });
  await bundle.write({
    dir: home,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  symlinkSync(at('../node_modules'), join(home, 'node_modules'));
  return import(join(home, 'entry.mjs'));
}
