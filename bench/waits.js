// Measures how long other clients wait while the sandbox stores a message with very many links. Prints the longest GET of a client that
// sends GETs in turn meanwhile. A part may have at most 10,000 links, and the sandbox refuses more.
// Usage: node bench/waits.js [rounds]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../.config/sandbox-process.js';
import { clientOf } from './client.js';
import { median, printLoad, record } from './report.js';

const ROUNDS = Number(process.argv[2] ?? 5);
const AIM_MS = 200;
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'svc-bench-waits-'));
const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
const store = process.env.SVC_BENCH_STORE === undefined ? [] : ['--store', process.env.SVC_BENCH_STORE];
let sandbox;
let client;
try {
  sandbox = await startSandbox(svc, {
    data: join(home, 'data'),
    env,
    more: ['--seed', 'empty', '--profile', 'none', ...store],
  });
  client = clientOf(sandbox.ready);
  const { ask } = client;
  const message = {
    fromemail: null,
    fromname: 'F',
    name: 'N',
    replyemail: 'a@example.com',
    subject: 'S',
    text: '',
  };
  const html = (from, count) =>
    Array.from({ length: count }, (_, index) => `<a href="https://e.example/${from + index}">x</a>`).join('');
  const idle = [];
  const found = {
    'POST of 10,000 links': [],
    'PUT of 10,000 other links': [],
    'POST of 50,000 links, refused': [],
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const none = await longestBeside(ask, () => pass(300));
    let id;
    const post = await longestBeside(ask, async () => {
      const { status, text } = await ask('POST', '/v1/emailMessage', { ...message, html: html(0, 10_000) });
      if (status !== 202) throw new Error(`POST: ${status} ${text.slice(0, 300)}`);
      ({ id } = JSON.parse(text).response.data);
    });
    const put = await longestBeside(ask, async () => {
      const { status } = await ask('PUT', `/v1/emailMessage/${id}`, { html: html(20_000, 10_000) });
      if (status !== 200) throw new Error(`PUT: ${status}`);
    });
    const refused = await longestBeside(ask, async () => {
      const { status } = await ask('POST', '/v1/emailMessage', { ...message, html: html(0, 50_000) });
      if (status !== 400) throw new Error(`POST of 50,000: ${status}`);
    });
    // The first round is a warm-up.
    if (round === 0) continue;
    idle.push(none);
    for (const [at, ms] of [post, put, refused].entries()) found[Object.keys(found)[at]].push(ms);
  }
  console.log(`longest GET without other work: ${median(idle).toFixed(0)} ms`);
  for (const [what, all] of Object.entries(found)) {
    const [middle, most] = [median(all), Math.max(...all)];
    console.log(
      `${what}: ${middle.toFixed(0)} ms, at most ${most.toFixed(0)} ms (${(middle / AIM_MS).toFixed(2)} of the aim)`,
    );
    record({
      what: `longest wait beside a ${what}`,
      peer: 'the aim of 200 ms',
      unit: 'ms',
      ours: middle,
      theirs: AIM_MS,
      ratio: middle / AIM_MS,
      atMost: 1,
    });
  }
  printLoad();
} finally {
  client?.close();
  await sandbox?.stop();
  rmSync(home, { recursive: true, force: true });
}

/** Returns the milliseconds of the longest GET while the work runs. */
async function longestBeside(ask, work) {
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const began = performance.now();
    const { status } = await ask('GET', '/v1/user');
    if (status !== 200) throw new Error(`GET: ${status}`);
    longest = Math.max(longest, performance.now() - began);
  }
  await working;
  return longest;
}
