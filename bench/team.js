// Measures the sandbox as a team uses it: 50 clients, 10,000 signed requests a minute, and sends to a large list at the same time. Prints
// errors, times of each kind of request, and memory and open files at the start and at the end.
// Usage: node bench/team.js [seconds] [recipients] [--json]
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runTypescript } from '../.config/run-typescript.js';
import { startSandbox } from '../.config/sandbox-process.js';
import { clientOf, control } from './client.js';
import { median, printLoad, record } from './report.js';

const [SECONDS = 600, RECIPIENTS = 1_000_000] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'))
  .map(Number);
const AS_JSON = process.argv.includes('--json');
const CLIENTS = 50;
const PER_MINUTE = 10_000;
/**
 * Number of further sends, besides the one that is due at the start. The first of them also has full speed. The rate of the others spreads
 * them over the whole time.
 */
const SENDS = 3;
/** Share of the time that the comparison of memory leaves out, because caches are still filling. */
const WARM_UP = 0.25;

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const svc = process.env.SVC_BIN ?? at('../bin/svc.js');
const home = mkdtempSync(join(tmpdir(), 'svc-bench-team-'));
let sandbox;
try {
  const data = join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { fillSend } = await runTypescript(at('postgres-support.ts'));
  await fillSend(join(data, 'sandbox.db'), RECIPIENTS, (SENDS + 1) * RECIPIENTS);
  for (const name of readdirSync(data)) chmodSync(join(data, name), 0o600);
  const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  sandbox = await startSandbox(svc, { data, env, more: ['--profile', 'none'] });
  const found = await run(sandbox);
  if (AS_JSON) console.log(JSON.stringify(found));
  else print(found);
} finally {
  await sandbox?.stop();
  rmSync(home, { recursive: true, force: true });
}

async function run({ ready, pid }) {
  const { ask, close } = clientOf(ready, CLIENTS);
  for (const name of ['News', 'Offers']) await create(ask, '/v1/folder', { name });
  const timesByKind = new Map();
  const errors = [];
  const samples = [];
  const begun = performance.now();
  const ends = begun + SECONDS * 1000;
  const sampler = setInterval(() => samples.push(sampleOf(pid)), 1000);
  const clients = Array.from({ length: CLIENTS }, (_, client) => work(client));
  for (let number = 1; number <= SENDS; number += 1) {
    const rate = number === 1 ? null : Math.ceil((RECIPIENTS * 3600) / SECONDS);
    const task = { channel: 'email', message_id: 1, list_id: 1, search_id: null, name: `Send ${number}` };
    const scheduledtime = Math.floor(Date.now() / 1000 + 0.1 * number * SECONDS);
    await create(ask, '/v1/task', { ...task, scheduledtime, ...(rate === null ? {} : { rate }) });
  }
  await Promise.all(clients);
  clearInterval(sampler);
  const minutes = (performance.now() - begun) / 60_000;
  const { data: tasks } = JSON.parse((await ask('GET', '/v1/task?count=100')).text).response;
  const sent = await sentOf(ready, tasks.length);
  close();
  return summary({ timesByKind, errors, samples, minutes, tasks: tasks.length, sent });

  async function work(client) {
    const pause = (60_000 * CLIENTS) / PER_MINUTE;
    // Requests are due at fixed times. If a request must wait for the previous one, its time includes that wait.
    for (let number = 0; ; number += 1) {
      const due = begun + pause * (number + client / CLIENTS);
      if (due >= ends) return;
      await pass(Math.max(0, due - performance.now()));
      const { kind, method, target, body } = requestOf(client, number);
      const { status, text } = await ask(method, target, body).catch((error) => ({
        status: 0,
        text: String(error),
      }));
      const times = timesByKind.get(kind) ?? [];
      timesByKind.set(kind, times);
      times.push(performance.now() - due);
      if (status < 200 || status >= 300) errors.push(`${method} ${target}: ${status} ${text.slice(0, 200)}`);
    }
  }
}

/** Returns the next request of a client. Seven of ten requests are GETs. */
function requestOf(client, number) {
  const unique = `${client}-${number}`;
  const get = (target) => ({
    kind: target.includes('count=') ? 'GET a page' : 'GET one',
    method: 'GET',
    target,
  });
  const write = (method, target, body) => ({ kind: method, method, target, body });
  switch ((number + client) % 10) {
    case 0:
      return write('POST', '/v1/folder', { name: `F${unique}` });
    case 1:
      return write('POST', '/v1/doNotContact', { contactdata: `${unique}@${client}.example` });
    case 2:
      return write('PUT', '/v1/folder/1', { name: `News ${unique}` });
    case 3:
      return get('/v1/task?count=20');
    case 4:
      return get('/v1/folder?count=50&sort=cdate&reverse=true');
    case 5:
      return get('/v1/emailMessage/1');
    case 6:
      return get('/v1/user?count=10');
    default:
      return get('/v1/folder/2');
  }
}

async function create(ask, target, body) {
  const { status, text } = await ask('POST', target, body);
  if (status !== 202) throw new Error(`POST ${target}: ${status} ${text}`);
}

/** Returns the number of messages that the tasks have sent so far. Only the control operations report it. */
async function sentOf(ready, tasks) {
  let sum = 0;
  for (let id = 1; id <= tasks; id += 1) sum += (await control(ready, 'task/show', { id })).sent;
  return sum;
}

function sampleOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    octets: 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function summary({ timesByKind, errors, samples, minutes, tasks, sent }) {
  const kept = samples.slice(Math.floor(samples.length * WARM_UP));
  const third = Math.max(1, Math.floor(kept.length / 3));
  const [early, late] = [kept.slice(0, third), kept.slice(-third)];
  const of = (part, name) => median(part.map((each) => each[name]));
  const times = Object.fromEntries([...timesByKind].map(([kind, all]) => [kind, percentiles(all)]));
  const gets = [...timesByKind].flatMap(([kind, all]) => (kind.startsWith('GET') ? all : []));
  const requests = [...timesByKind.values()].reduce((sum, all) => sum + all.length, 0);
  return {
    seconds: Math.round(minutes * 60),
    clients: CLIENTS,
    requests,
    perMinute: Math.round(requests / minutes),
    recipients: RECIPIENTS,
    tasks,
    sent,
    errors: errors.length,
    firstErrors: errors.slice(0, 5),
    get: percentiles(gets),
    times,
    memory: {
      early: of(early, 'octets'),
      late: of(late, 'octets'),
      peak: Math.max(...samples.map((each) => each.octets)),
    },
    files: { early: of(early, 'files'), late: of(late, 'files') },
  };
}

function percentiles(all) {
  const sorted = [...all].sort((a, b) => a - b);
  const part = (share) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1));
  return { count: sorted.length, p50: part(0.5), p99: part(0.99), most: part(1) };
}

function print({
  seconds,
  requests,
  perMinute,
  errors,
  firstErrors,
  times,
  get,
  memory,
  files,
  tasks,
  sent,
}) {
  console.log(
    `${CLIENTS} clients, ${requests} requests in ${seconds} s (${perMinute} a minute), ${errors} errors`,
  );
  for (const error of firstErrors) console.log(`  ${error}`);
  console.log(`${tasks} tasks to ${RECIPIENTS} recipients each, ${sent} messages sent`);
  for (const [kind, { count, p50, p99, most }] of Object.entries({ 'all GETs': get, ...times }))
    console.log(`  ${kind}: ${count}, p50 ${p50} ms, p99 ${p99} ms, longest ${most} ms`);
  const mb = (octets) => `${Math.round(octets / 1e6)} MB`;
  const grown = (memory.late / memory.early - 1) * 100;
  console.log(
    `memory ${mb(memory.early)} early, ${mb(memory.late)} late (${grown.toFixed(1)} %), peak ${mb(memory.peak)}`,
  );
  console.log(`open files ${files.early} early, ${files.late} late`);
  record({
    what: `a team of ${CLIENTS} during sends, p99 of a GET`,
    peer: 'the aim of 100 ms',
    unit: 'ms',
    ours: get.p99,
    theirs: 100,
    ratio: get.p99 / 100,
    atMost: 1,
  });
  printLoad();
}
