// Measures `svc plan` and `svc apply` of a campaign with many messages, tasks and rules against a sandbox. The peer is a loop of as many
// bare signed requests in the same run. Prints milliseconds, requests, and requests per change. First applies a quarter of the campaign in
// a separate sandbox, to show whether the time per change grows with the number of changes.
// Usage: node bench/campaign.js [items of each kind]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startSandbox } from '../.config/sandbox-process.js';
import { record } from './report.js';
import { signed } from './signed.js';

const ITEMS = Number(process.argv[2] ?? 200);
/** Longest time that a plan should take. */
const MOST_MS = 3000;
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));

const few = await measure(Math.ceil(ITEMS / 4));
const all = await measure(ITEMS);
const growth = all.apply.ms / 3 / ITEMS / (few.apply.ms / 3 / Math.ceil(ITEMS / 4));
for (const { count, plan, apply, again } of [few, all]) {
  console.log(`${count} messages, ${count} tasks, ${count} rules:`);
  for (const [what, run, changes] of [
    ['plan of a new campaign', plan, 0],
    ['apply', apply, 3 * count],
    ['plan with nothing to do', again, 0],
  ])
    console.log(
      `  ${what}: ${run.ms.toFixed(0)} ms, ${run.requests} requests${changes ? `, ${(run.requests / changes).toFixed(1)} per change` : ''}; bare loop of as many requests ${run.bare.toFixed(0)} ms, ratio ${(run.ms / run.bare).toFixed(2)}`,
    );
}
console.log(
  `apply: with ${3 * ITEMS} changes, each takes ${growth.toFixed(2)} times as long as with ${3 * few.count}`,
);
for (const [what, run, more] of [
  ['svc plan, nothing to do', all.again, {}],
  ['svc apply', all.apply, {}],
])
  record({
    what,
    size: 3 * ITEMS,
    peer: 'bare loop of as many requests',
    unit: 'ms',
    ours: run.ms,
    theirs: run.bare,
    ratio: run.ms / run.bare,
    ...more,
  });
if (Math.max(all.plan.ms, all.again.ms) > MOST_MS) console.log(`a plan takes more than ${MOST_MS} ms`);

async function measure(count) {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
  };
  const sandbox = await startSandbox(svc, { data: join(home, 'data'), env });
  try {
    const file = writeCampaign(home, count);
    const own = { ...env, SVC_PROFILE: 'sandbox' };
    const timed = async (...words) => {
      const { ms, requests } = await run([svc, ...words, '--debug'], own);
      return { ms, requests, bare: await bare(sandbox.ready, requests) };
    };
    await run([svc, 'account', 'get'], own);
    const plan = await timed('plan', file);
    const apply = await timed('apply', file, '--yes');
    const again = await timed('plan', file, '--check');
    return { count, plan, apply, again };
  } finally {
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function writeCampaign(home, count) {
  mkdirSync(join(home, 'content'));
  const each = (lines) => Array.from({ length: count }, (_, at) => lines(at)).join('');
  for (let at = 0; at < count; at += 1) {
    const links = Array.from(
      { length: 10 },
      (_, link) => `<p><a href="https://example.com/${at}/${link}">${link}</a></p>`,
    );
    writeFileSync(join(home, 'content', `${at}.html`), `<html><body>${links.join('\n')}</body></html>\n`);
    writeFileSync(join(home, 'content', `${at}.txt`), `Hello ${at}\n`);
  }
  const file = join(home, 'campaign.yaml');
  writeFileSync(
    file,
    `version: 1
campaign: Bench
messages:
${each(
  (at) =>
    `  m${at}: {channel: email, name: Message ${at}, from-name: Company, reply-to: office@example.com, subject: Hello ${at}, html: content/${at}.html, text: content/${at}.txt}\n`,
)}tasks:
${each((at) => `  t${at}: {name: Task ${at}, message: m${at}, list: 1, at: +${2 + (at % 20)}d}\n`)}automations:
${each(
  (at) =>
    `  r${at}: {kind: open, name: Rule ${at}, message: m${at}, actiontype: notify, actiontarget: office@example.com}\n`,
)}`,
  );
  return file;
}

/** Runs a process. Returns its milliseconds from start to end, and the number of requests that its `--debug` output shows. */
async function run(args, env) {
  const from = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const chunks = [];
  for await (const chunk of child.stderr) chunks.push(chunk);
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
  const ms = performance.now() - from;
  const text = Buffer.concat(chunks).toString('utf8');
  if (code !== 0) throw new Error(`${args.slice(1, 3).join(' ')} exited with ${code}: ${text.slice(-2000)}`);
  return { ms, requests: (text.match(/^> (?:GET|HEAD|POST|PUT|DELETE) /gm) ?? []).length };
}

/** Runs the peer: sends GETs of an account in turn, signs each, and parses each response. Returns the milliseconds. */
async function bare({ baseUrl, company }, requests) {
  const pool = new Pool(baseUrl, { connections: 1 });
  const from = performance.now();
  for (let each = 0; each < requests; each += 1) {
    const headers = signed('GET', '/v1/account', {
      key: company.apiKey,
      company: company.id,
      user: company.adminUserId,
    });
    const { body } = await pool.request({ method: 'GET', path: '/v1/account', headers });
    await body.json();
  }
  await pool.close();
  return performance.now() - from;
}
