// Measures signed requests from 16 connections that stay open, to the built sandbox and to bare hono on @hono/node-server, which responds
// with the same bytes. Both run in turn in the same run. Prints requests per second, p50, p99 and the ratio.
// Usage: node bench/serve.js [seconds] [rounds] [part of a title]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { load } from './load.js';
import { median, record } from './report.js';

const SECONDS = Number(process.argv[2] ?? 2);
const ROUNDS = Number(process.argv[3] ?? 5);
/** Part of a title. Only scenarios with this text run. */
const ONLY = process.argv[4] ?? '';
const PAGE = 200;
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));

if (process.argv[2] === 'bare') await bare();
else await compare();

async function compare() {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  const data = ['--data', join(home, 'data'), '--seed', 'empty', '--profile', 'none', '-o', 'json'];
  const sandbox = spawned([...profiling(), svc, 'sandbox', 'start', '--port', '0', ...data], env);
  const peer = spawned([fileURLToPath(import.meta.url), 'bare'], env);
  try {
    const { baseUrl, company } = await sandbox.ready;
    const ours = { port: Number(new URL(baseUrl).port), company, pid: sandbox.pid };
    const theirs = { port: (await peer.ready).port, company, pid: peer.pid };
    for (const { title, of, atLeast } of await scenarios(ours))
      if (title.includes(ONLY)) await measure({ title, of, atLeast }, ours, theirs);
  } finally {
    for (const child of [sandbox, peer]) await child.end();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Creates the folder and the rows of the page, then returns the scenarios. */
async function scenarios(server) {
  let contacts = 0;
  const contact = () => ({ contactdata: `person${contacts++}@example${contacts % 997}.com` });
  const post = (name, body) => ({ method: 'POST', target: `/v1/${name}`, body: JSON.stringify(body) });
  await load(server, [post('folder', { name: 'News' })]);
  await load(
    server,
    Array.from({ length: 5 * PAGE }, () => post('doNotContact', contact())),
  );
  return [
    { title: 'GET one folder', of: () => ({ method: 'GET', target: '/v1/folder/1' }), atLeast: 0.35 },
    {
      title: `GET a page of ${PAGE} of Do Not Contact`,
      of: () => ({ method: 'GET', target: `/v1/doNotContact?count=${PAGE}` }),
      atLeast: 0.25,
    },
    { title: 'POST Do Not Contact', of: () => post('doNotContact', contact()), atLeast: 0.2 },
  ];
}

async function measure({ title, of, atLeast }, ours, theirs) {
  const [{ status, body, type }] = await load(ours, [of()]);
  await setAnswer(theirs, { status, body, type });
  const rounds = { ours: [], theirs: [] };
  // The previous round shows how many requests fit in the time. The first round is a warm-up.
  const counts = { ours: 2_000, theirs: 5_000 };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, server] of Object.entries({ theirs, ours })) {
      const answers = await timed(server, Array.from({ length: counts[name] }, of));
      counts[name] = Math.max(1_000, Math.round(answers.rate * SECONDS));
      if (round > 0) rounds[name].push(answers);
    }
  const [a, b] = [middle(rounds.theirs), middle(rounds.ours)];
  console.log(`${title} (${Buffer.byteLength(body)} octets)`);
  console.log(`  bare hono: ${shown(a)}`);
  console.log(`  sandbox:   ${shown(b)}`);
  const ratios = rounds.ours.map(({ rate }, at) => rate / rounds.theirs[at].rate).sort((x, y) => x - y);
  record({
    what: `${title}, 16 connections`,
    peer: 'bare hono, the same bytes',
    unit: 'requests/s',
    ours: b.rate,
    theirs: a.rate,
    ratio: median(ratios),
    atLeast,
  });
  const [least, most] = [ratios[0], ratios.at(-1)].map((ratio) => ratio.toFixed(2));
  const processor = middle(rounds.theirs).cpu / middle(rounds.ours).cpu;
  console.log(
    `  ratio ${median(ratios).toFixed(2)} (${least} to ${most}), ratio of processor time ${processor.toFixed(2)}`,
  );
}

function middle(rounds) {
  return [...rounds].sort((a, b) => a.rate - b.rate)[Math.floor(rounds.length / 2)];
}

function shown({ rate, p50, p99, cpu }) {
  const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return `${rate.toFixed(0)}/s, ${times}, ${cpu.toFixed(0)} µs of processor each`;
}

/** Returns the processor time of a process in microseconds, or NaN on systems other than Linux. It depends less on other work than time. */
function processorTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
}

async function timed(server, wanted) {
  const before = processorTime(server.pid);
  const answers = await load(server, wanted);
  const cpu = (processorTime(server.pid) - before) / answers.length;
  const took = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (part) => took[Math.min(took.length - 1, Math.floor(part * took.length))];
  return { rate: (1000 * answers.length) / answers.took, p50: at(0.5), p99: at(0.99), cpu };
}

/** Runs the peer: reads the body of each request, ignores it, and sends the response that `setAnswer` has set. */
async function bare() {
  const { serve } = await import('@hono/node-server');
  const { Hono } = await import('hono');
  const app = new Hono();
  let answer = { status: 200, body: '', type: 'text/plain' };
  app.put('/answer', async (context) => {
    answer = await context.req.json();
    return context.text('');
  });
  const answered = (context) =>
    context.body(answer.body, answer.status, {
      'content-type': answer.type,
      'content-length': String(Buffer.byteLength(answer.body)),
    });
  app.get('*', answered);
  app.post('*', async (context) => {
    await context.req.text();
    return answered(context);
  });
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    console.log(JSON.stringify({ port })),
  );
}

async function setAnswer({ port }, answer) {
  await fetch(`http://127.0.0.1:${port}/answer`, { method: 'PUT', body: JSON.stringify(answer) });
}

/** Returns the flags of Node for a CPU profile, if `SVC_PROF` names a folder for it. */
function profiling() {
  return process.env.SVC_PROF ? ['--cpu-prof', `--cpu-prof-dir=${process.env.SVC_PROF}`] : [];
}

function spawned(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} exited with ${code}`)));
  });
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { ready, end, pid: child.pid };
}
