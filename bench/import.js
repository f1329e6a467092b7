// `svc dnc import` of so many rows against a bare undici loop that signs and posts as many at the same concurrency,
// each against a sandbox of its own in the same run: rows a second as a ratio, and the peak memory of the import.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const ROWS = Number(process.argv[2] ?? 100_000);
const AT_ONCE = 16;
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const self = fileURLToPath(import.meta.url);
const rate = ({ ms }) => (1000 * ROWS) / ms;
const address = (row) => `person${row}@example${row % 997}.com`;

if (process.argv[3] === 'bare') await bare(JSON.parse(process.argv[4]));
else await compare();

async function compare() {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const file = join(home, 'rows.csv');
  try {
    await writeRows(file);
    const theirs = await against(home, 'bare', (ready) => [
      self,
      String(ROWS),
      'bare',
      JSON.stringify(ready),
    ]);
    const ours = await against(home, 'svc', () => [
      ...[svc, 'dnc', 'import', file, '--yes', '--quiet', '-o', 'json', '--concurrency', String(AT_ONCE)],
    ]);
    const report = JSON.parse(ours.text);
    if (report.added !== ROWS) throw new Error(`added ${report.added} of ${ROWS}`);
    const [a, b] = [rate(theirs), rate(ours)];
    console.log(`bare undici loop: ${a.toFixed(0)} rows/s, ${theirs.peak} MB`);
    console.log(`svc dnc import:   ${b.toFixed(0)} rows/s, ${ours.peak} MB at its peak`);
    console.log(`${ROWS} rows, ${AT_ONCE} at once: ratio ${(b / a).toFixed(2)}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs one of them against a new sandbox: milliseconds from start to end, peak memory in MB, what it printed. */
async function against(home, name, args) {
  const base = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  const start = [
    'sandbox',
    'start',
    '--port',
    '0',
    '--data',
    join(home, name),
    '--seed',
    'empty',
    '-o',
    'json',
  ];
  const sandbox = spawn(process.execPath, [svc, ...start, '--profile', 'none'], {
    env: base,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { baseUrl, company } = JSON.parse(await firstLine(sandbox));
    const env = {
      ...base,
      SVC_BASE_URL: baseUrl,
      SVC_COMPANY_ID: String(company.id),
      SVC_USER_ID: String(company.adminUserId),
      SVC_API_KEY: company.apiKey,
    };
    return await timed(args({ baseUrl, company }), env);
  } finally {
    sandbox.kill('SIGTERM');
    await new Promise((resolve) => sandbox.once('exit', resolve));
  }
}

function timed(args, env) {
  const begun = process.hrtime.bigint();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let peak = 0;
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const look = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 100);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      clearInterval(look);
      const ms = Number(process.hrtime.bigint() - begun) / 1e6;
      if (code === 0) resolve({ ms, peak, text });
      else reject(new Error(`${args.join(' ')} ended with ${code}`));
    });
  });
}

/** VmHWM, in MB; Linux alone tells. */
function peakOf(pid) {
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kb ?? 0) / 1024);
  } catch {
    return 0;
  }
}

async function bare({ baseUrl, company }) {
  const pool = new Pool(baseUrl, { connections: AT_ONCE, pipelining: 1 });
  let next = 0;
  const worker = async () => {
    for (;;) {
      const row = next++;
      if (row >= ROWS) return;
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/v1/doNotContact',
        headers: signed(company),
        body: JSON.stringify({ contactdata: address(row) }),
      });
      await body.text();
      if (statusCode !== 202) throw new Error(`status ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await pool.close();
}

/** Interface, "Signature". */
function signed({ id, adminUserId, apiKey }) {
  const date = new Date().toUTCString();
  const nonce = randomBytes(20).toString('hex');
  const text = [
    'POST /v1/doNotContact',
    `Date: ${date}`,
    `X-Svc-CID: ${id}`,
    `X-Svc-UID: ${adminUserId}`,
    `X-Svc-Nonce: ${nonce}`,
    apiKey,
  ].join('\r\n');
  const signature = createHash('sha1').update(text).digest('hex');
  return {
    date,
    'x-svc-cid': String(id),
    'x-svc-uid': String(adminUserId),
    'x-svc-nonce': nonce,
    'content-type': 'application/json',
    authorization: `SvcHash signature="${signature}"`,
  };
}

async function writeRows(file) {
  const out = createWriteStream(file);
  out.write('email\n');
  for (let row = 0; row < ROWS; row++)
    if (!out.write(`${address(row)}\n`)) await new Promise((resolve) => out.once('drain', resolve));
  await new Promise((resolve) => out.end(resolve));
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
}
