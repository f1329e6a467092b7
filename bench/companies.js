// Measures `svc account get --companies all` over many companies of a sandbox, compared with a bare undici loop. The loop sends as many
// requests, with the same signatures and concurrency. Both run in turn in the same run. Prints the ratio of companies per second, and the
// peak memory. Both are whole processes, so the start counts for both.
// Usage: node bench/companies.js [companies] [rounds] [concurrency]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startSandbox } from '../.config/sandbox-process.js';
import { median, record } from './report.js';
import { signed } from './signed.js';

const COMPANIES = Number(process.argv[2] ?? 500);
const ROUNDS = Number(process.argv[3] ?? 7);
const AT_ONCE = Number(process.argv[4] ?? 8);
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const self = fileURLToPath(import.meta.url);

if (process.argv[5] === 'bare') await bare(JSON.parse(await textOf(process.stdin)));
else await compare();

async function compare() {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  const sandbox = await startSandbox(svc, { data: join(home, 'data'), env, more: ['--seed', 'empty'] });
  try {
    const { baseUrl, partner } = sandbox.ready;
    const ids = await makeCompanies(baseUrl, partner);
    const roster = `id,name\n${ids.map((id) => `${id},Company ${id}`).join('\n')}\n`;
    const own = { ...env, SVC_PROFILE: 'sandbox-partner' };
    await timed([svc, 'company', 'import', '-'], own, roster);
    const list = (...more) => [
      svc,
      'account',
      'get',
      ...more,
      '-o',
      'ndjson',
      '--concurrency',
      String(AT_ONCE),
    ];
    const peer = [self, String(COMPANIES), String(ROUNDS), String(AT_ONCE), 'bare'];
    const given = JSON.stringify({ baseUrl, partner, ids });
    const rounds = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      // Both run in turn, so that other work of the machine affects both. The first round is a warm-up.
      const theirs = await timed(peer, env, given);
      const ours = await timed(list('--companies', 'all'), own);
      const rows = ours.text.trim().split('\n').length;
      if (rows !== COMPANIES) throw new Error(`${rows} rows of ${COMPANIES}`);
      if (round > 0) rounds.push({ theirs, ours, ratio: theirs.ms / ours.ms });
    }
    const few = await timed(list('--companies', ids.slice(0, COMPANIES / 10).join()), own);
    const best = (which) => Math.min(...rounds.map((each) => each[which].ms));
    const peak = Math.max(...rounds.map(({ ours }) => ours.peak));
    const rate = (ms) => ((1000 * COMPANIES) / ms).toFixed(0);
    record({
      what: 'svc account get --companies all',
      size: COMPANIES,
      peer: 'bare undici loop',
      unit: 'companies/s',
      ours: Number(rate(best('ours'))),
      theirs: Number(rate(best('theirs'))),
      ratio: median(rounds.map(({ ratio }) => ratio)),
      atLeast: 0.7,
    });
    console.log(`bare undici loop: ${rate(best('theirs'))} companies/s at best`);
    console.log(`svc account get:  ${rate(best('ours'))} companies/s at best`);
    console.log(
      `${COMPANIES} companies, ${AT_ONCE} at once, ${ROUNDS} rounds: ratio ${median(rounds.map(({ ratio }) => ratio)).toFixed(2)} ` +
        `(median), ${(best('theirs') / best('ours')).toFixed(2)} (best) (aim: at least 0.7)`,
    );
    console.log(`peak memory: ${few.peak} MB with ${COMPANIES / 10} companies, ${peak} MB with ${COMPANIES}`);
  } finally {
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Creates companies through the service, as a partner does. Returns their ids. */
async function makeCompanies(baseUrl, partner) {
  const pool = new Pool(baseUrl, { connections: AT_ONCE });
  const ids = [];
  await atOnce(COMPANIES, async (at) => {
    const body = JSON.stringify({ name: `Company ${at}`, contactemail: 'office@example.com' });
    const headers = { ...signed('POST', '/v1/account', as(partner)), 'content-type': 'application/json' };
    const { response } = await send(pool, { method: 'POST', path: '/v1/account', headers, body });
    ids.push(response.data.id);
  });
  await pool.close();
  return ids;
}

/** Runs the peer: sends a GET for each company with its own signature, and parses each response. */
async function bare({ baseUrl, partner, ids }) {
  const pool = new Pool(baseUrl, { connections: AT_ONCE });
  await atOnce(ids.length, async (at) => {
    const headers = signed('GET', '/v1/account', as(partner, ids[at]));
    const { response } = await send(pool, { method: 'GET', path: '/v1/account', headers });
    process.stdout.write(`${JSON.stringify(response.data)}\n`);
  });
  await pool.close();
}

async function send(pool, request) {
  const { statusCode, body } = await pool.request(request);
  const answer = await body.json();
  if (statusCode >= 300) throw new Error(`${statusCode}: ${JSON.stringify(answer)}`);
  return answer;
}

function as({ id, apiKey }, company) {
  return { key: apiKey, partner: id, company };
}

async function atOnce(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Runs a process. Returns its milliseconds from start to end, its peak memory in MB, and its output. */
async function timed(args, env, input = '') {
  const from = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 10);
  const [text, code] = await Promise.all([
    textOf(child.stdout),
    new Promise((resolve) => child.once('exit', resolve)),
  ]);
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${args.slice(0, 4).join(' ')} exited with ${code}`);
  return { ms: performance.now() - from, peak, text };
}

/** Returns the peak memory of a process in MB, or 0 on systems other than Linux. */
function peakOf(pid) {
  try {
    const [, kb = 0] = /VmHWM:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kb) / 1024);
  } catch {
    return 0;
  }
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
