// Measures how long a page takes with many rows, as a ratio to the same page with 1,000 rows in the same run. Starts a sandbox of each
// size, and sends requests to them in turn over HTTP. Writes the rows directly to the stores.
// Usage: node bench/growth.js [rows,rows…] [rounds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { Client } from 'undici';
import { startSandbox } from '../.config/sandbox-process.js';
import { median, printLoad, record } from './report.js';
import { signed } from './signed.js';

const FEW = 1_000;
/** Numbers of rows in ascending order. The benchmark reads all pages of the largest sandbox. */
const SIZES = (process.argv[2] ?? '1000000').split(',').map(Number);
const ROUNDS = Number(process.argv[3] ?? 41);
const NOW = Math.floor(Date.now() / 1000);
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));

/** Pages to request, for a number of rows. Tasks and single SMS have a tenth of the rows. */
const PAGES = {
  'first page of 200': () => 'doNotContact',
  'page in the middle': (rows) => `doNotContact?start=${rows / 2}`,
  'sort=cdate&reverse=true': () => 'doNotContact?sort=cdate&reverse=true',
  'sort=contactdata, in the middle': () => 'doNotContact?sort=contactdata&start=d5',
  'contactdata=…': (rows) => `doNotContact?contactdata=d${rows / 2}@example.com`,
  'folder?name=…': (rows) => `folder?name=Folder%20${rows / 2}`,
  'folder?sort=name, in the middle': () => 'folder?sort=name&start=Folder%205',
  'task?completed=false&sort=scheduledtime': () => 'task?completed=false&sort=scheduledtime&count=5',
  'task?list_id=7&cancelled=false': () => 'task?list_id=7&cancelled=false&count=5',
  'sms?msisdn=…&sort=cdate': () => 'sms?msisdn=447700900007&sort=cdate&count=5',
  'subscriberProfileData?subscriberprofilefield_id=1': (rows) =>
    `subscriberProfileData?subscriberprofilefield_id=1&sort=subscriber_id&start=${rows / 2}`,
  'sandbox subscriber list': (rows) => ['subscriber list', { after: rows / 2, limit: 200 }],
  'sandbox outbox list': () => ['outbox list', { limit: 200 }],
  'sandbox outbox list, in the middle': (rows) => ['outbox list', { limit: 200, after: `t1-${rows / 2}` }],
  'sandbox outbox list --to': (rows) => ['outbox list', { limit: 200, to: `p${rows / 2}@example.com` }],
  'sandbox queue': () => ['queue', { limit: 5 }],
};

const home = mkdtempSync(join(tmpdir(), 'svc-bench-growth-'));
const opened = [];
try {
  const few = await open('few', FEW);
  const larger = [];
  for (const rows of SIZES) larger.push({ rows, sandbox: await open(`rows-${rows}`, rows) });
  const { rows: MANY, sandbox: many } = larger.at(-1);
  console.log(`| page | ${FEW} rows |${SIZES.map((rows) => ` ${rows} rows | ratio |`).join('')}`);
  console.log(`| --- | --- |${SIZES.map(() => ' --- | --- |').join('')}`);
  for (const [title, requestOf] of Object.entries(PAGES)) {
    const base = [];
    const times = larger.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      base.push(await timed(() => few.ask(requestOf(FEW))));
      for (const [at, { rows, sandbox }] of larger.entries())
        times[at].push(await timed(() => sandbox.ask(requestOf(rows))));
    }
    print(
      title,
      median(base),
      larger.map(({ rows }, at) => ({ rows, ms: median(times[at]) })),
    );
  }
  // Reads both sandboxes in alternating parts, so that other work of the machine affects both.
  const parts = [];
  const large = readPages(many, MANY);
  for (let done = false; !done; ) {
    const step = await large.next();
    done = step.done === true;
    const small = await readPages(few, FEW).next();
    parts.push([small.value, step.value ?? Number.NaN]);
  }
  const whole = parts.filter(([, ms]) => !Number.isNaN(ms));
  print('all of Do Not Contact, per page', median(whole.map(([a]) => a)), [
    { rows: MANY, ms: median(whole.map(([, b]) => b)) },
  ]);
  const tenth = Math.max(1, Math.floor(whole.length / 10));
  const [first, last] = [whole.slice(0, tenth), whole.slice(-tenth)].map((some) =>
    median(some.map(([, b]) => b)),
  );
  console.log(
    `Reading all pages, the last tenth takes ${(last / first).toFixed(2)} times as long as the first tenth.`,
  );
  printLoad();
} finally {
  for (const close of opened) await close();
  rmSync(home, { recursive: true, force: true });
}

/** Starts a sandbox with this number of rows. Returns its client. */
async function open(name, rows) {
  const data = join(home, name);
  await (await start(data, '--seed', 'empty')).stop();
  fill(join(data, 'sandbox.db'), rows);
  const { ready, stop } = await start(data);
  const { baseUrl, company } = ready;
  const { controlToken } = JSON.parse(readFileSync(join(data, 'sandbox.json'), 'utf8'));
  const client = new Client(baseUrl);
  opened.push(async () => {
    await client.close();
    await stop();
  });
  const ask = async (wanted) => {
    const request = typeof wanted === 'string' ? get(company, wanted) : control(controlToken, ...wanted);
    const { statusCode, body } = await client.request(request);
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${JSON.stringify(wanted)}: ${statusCode} ${text}`);
    return text;
  };
  return { ask };
}

/** Reads all pages of the list, five at a time. Yields the milliseconds per page. */
async function* readPages({ ask }, rows) {
  let next = 0;
  let seen = 0;
  while (next !== null) {
    const begun = performance.now();
    let pages = 0;
    for (; pages < 5 && next !== null; pages++) {
      const { response } = JSON.parse(await ask(`doNotContact?start=${next}`));
      seen += response.count;
      next = response.next;
    }
    yield (performance.now() - begun) / pages;
  }
  if (seen !== rows) throw new Error(`read ${seen} rows of ${rows}`);
}

function start(data, ...more) {
  const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  return startSandbox(svc, { data, env, more: ['--clock', 'manual', ...more, '--profile', 'none'] });
}

function fill(path, rows) {
  const database = new Database(path);
  const each = (count, sql) =>
    database.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) ${sql} from n`,
    );
  database.exec('begin');
  each(
    rows,
    `insert into do_not_contact (account_id, contactdata, cdate) select 1, 'd' || i || '@example.com', ${NOW} - i / 10`,
  );
  each(
    rows,
    `insert into folder (account_id, name, cdate, mdate) select 1, 'Folder ' || i, ${NOW} - i / 10, ${NOW}`,
  );
  each(
    rows,
    `insert into subscriber (account_id, email, email_domain, cdate) select 1, 'p' || i || '@example.com', 'example.com', ${NOW}`,
  );
  database.exec(`insert into profile_field (account_id, name) values (1, 'City')`);
  each(rows, `insert into profile_data (field_id, subscriber_id, account_id, value) select 1, i, 1, 'Paris'`);
  each(
    rows / 10,
    `insert into task (account_id, user_id, name, channel, message_id, list_id, scheduledtime, size, completed, started, endtime, due, cdate)
      select 1, 1, 'Task ' || i, 'sms', 1, i % (${rows} / 100), ${NOW} - 900000 + i, 0, i % 10 > 0, i % 10 > 0,
      iif(i % 10 > 0, ${NOW} - 900000 + i, null), iif(i % 10 > 0, null, ${NOW} + i), ${NOW}`,
  );
  database.exec(
    `update task set channel = 'email', started = 1, completed = 1, endtime = ${NOW}, due = null where id = 1`,
  );
  each(
    rows,
    `insert into task_recipient (task_id, subscriber_id, address, senttime) select 1, i, 'p' || i || '@example.com', ${NOW} - ${rows} / 100 + i / 100`,
  );
  each(
    rows / 10,
    `insert into sms (account_id, user_id, msisdn, fromaddress, message, dispatched, cdate, mdate)
      select 1, 1, 447700900000 + i % (${rows} / 100), 'Example', 'Hi', 1, ${NOW}, ${NOW}`,
  );
  database.exec('commit');
  database.close();
}

function get({ id, adminUserId, apiKey }, target) {
  const [path] = `/v1/${target}`.split('?');
  const headers = signed('GET', path, { key: apiKey, company: id, user: adminUserId });
  return { method: 'GET', path: `/v1/${target}`, headers };
}

function control(token, operation, args) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    method: 'POST',
    path: `/control/${operation.replace(' ', '/')}`,
    headers,
    body: JSON.stringify(args),
  };
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function print(title, few, larger) {
  const cells = larger.map(({ ms }) => ` ${ms.toFixed(1)} ms | ${(ms / few).toFixed(2)} |`);
  console.log(`| ${title} | ${few.toFixed(1)} ms |${cells.join('')}`);
  for (const { rows, ms } of larger)
    record({
      what: title,
      size: rows,
      peer: `the same with ${FEW} rows`,
      unit: 'ms',
      ours: ms,
      theirs: few,
      ratio: ms / few,
      atMost: 1.5,
    });
}
