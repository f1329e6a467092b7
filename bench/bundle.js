// Measures `svc plan FILE --companies all --out DIR` over many companies of a sandbox, and `svc plan show` of the bundle.
// Prints the seconds. The aim is 60 seconds for the plans of 300 companies.
// Usage: node bench/bundle.js [companies]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../.config/sandbox-process.js';
import { signed } from './signed.js';

const COMPANIES = Number(process.argv[2] ?? 300);
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
const sandbox = await startSandbox(svc, { data: join(home, 'data'), env, more: ['--seed', 'empty'] });
try {
  const { baseUrl, partner } = sandbox.ready;
  const ids = [];
  for (let at = 0; at < COMPANIES; at += 1) ids.push(await newCompany(baseUrl, partner, at));
  run(['company', 'import', '-'], `id,name\n${ids.map((id) => `${id},Company ${id}`).join('\n')}\n`);
  writeFileSync(join(home, 'spring.yaml'), campaign());
  writeFileSync(join(home, 'spring.txt'), 'Spring');
  const values = ids.map((id) => `  ${id}: {city: City ${id}, list: ${id}}\n`).join('');
  writeFileSync(join(home, 'values.yaml'), `companies:\n${values}`);
  const plan = ['plan', 'spring.yaml', '--companies', 'all', '--values', 'values.yaml'];
  console.log(
    `plan --out, ${COMPANIES} companies: ${run([...plan, '--out', 'bundle']).toFixed(1)} s (aim: 60 s)`,
  );
  console.log(`plan show bundle.plan: ${run(['plan', 'show', join('bundle', 'bundle.plan')]).toFixed(1)} s`);
} finally {
  await sandbox.stop();
  rmSync(home, { recursive: true, force: true });
}

/** Returns a campaign with five messages and a task. Planning it reads all records of a company. */
function campaign() {
  const messages = ['a', 'b', 'c', 'd', 'e'].map(
    (key) => `  ${key}: {channel: sms, name: "${key} in \${{ city }}", from: Shop, message: spring.txt}\n`,
  );
  const task = `  t: {name: Spring, message: a, list: "\${{ list }}", at: +300d}\n`;
  return `version: 1\ncampaign: Spring\nmessages:\n${messages.join('')}tasks:\n${task}`;
}

async function newCompany(baseUrl, { id, apiKey }, at) {
  const headers = signed('POST', '/v1/account', { key: apiKey, partner: id });
  const answer = await fetch(`${baseUrl}/v1/account`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Company ${at}`, contactemail: 'office@example.com' }),
  });
  const { response } = await answer.json();
  return response.data.id;
}

/** Returns the seconds of a command of the partner. */
function run(args, input = '') {
  const from = performance.now();
  const own = { ...env, SVC_PROFILE: 'sandbox-partner' };
  const ran = spawnSync(process.execPath, [svc, ...args], { env: own, cwd: home, input, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.stderr}`);
  return (performance.now() - from) / 1000;
}
