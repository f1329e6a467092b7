/** Contract, "The sandbox, for people and teams": an outbox of a million entries is as fast to view as one of a hundred. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { builtSvc } from '../../support/built-package.ts';
import { said } from '../../support/child-said.ts';
import { ownTime } from '../../support/own-time.ts';
import { linkTo } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const NOW = 1_796_115_600;
/** The messages of a task, and of rules. */
const SENT = 800_000;
const SINGLE = 200_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let cookie = '';
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', machineNow: () => NOW * 1000 });
  const { db } = sandbox.service.store;
  const list = (await sandbox.control('list create', { name: 'Everybody' })).json.data.id;
  await sandbox.control('sender add', { email: 'shop@example.com' });
  const message = await sandbox.api('POST', '/v1/emailMessage', {
    ...{
      name: 'M',
      subject: 'Subject',
      fromname: 'Shop',
      fromemail: 'shop@example.com',
      replyemail: 'shop@example.com',
    },
    ...{ text: 'x', html: '<p>x</p>' },
  });
  const task = await sandbox.api('POST', '/v1/task', {
    ...{
      name: 'T',
      channel: 'email',
      message_id: message.json.response.data.id,
      list_id: list,
      search_id: null,
    },
    scheduledtime: NOW + 60,
  });
  expect(task.json.response.data.id).toBe(1);
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${SENT})
    insert into subscriber (account_id, email, email_domain, cdate)
    select 1, 's' || i || '@example.com', 'example.com', ${NOW} from n`);
  await db.run(sql`insert into task_recipient (task_id, subscriber_id, address, senttime)
    select 1, id, email, ${NOW + 60} + id / 1000 from subscriber`);
  await db.run(
    sql`update task set started = 1, completed = 1, sent = ${SENT}, endtime = ${NOW + 60} + ${SENT} / 1000 where id = 1`,
  );
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${SINGLE})
    insert into delivery (account_id, time, channel, recipient, sender, subject, body, cause, cause_id, rule_kind)
    select 1, ${NOW} + i / 250, 'sms', '44770' || (1000000 + i), 'Shop', null, 'Text ' || i, 'rule', 1, 'click' from n`);
  // The work above has delayed this process and its sandbox, so the earlier connection may have timed out.
  await sandbox.get('/').catch(() => undefined);
  const link = await linkTo(sandbox, 'outbox');
  const { headers } = await sandbox.get(link.slice(sandbox.ready.baseUrl.length));
  cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}, 600_000);
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

/** Returns the median of the milliseconds of several requests, including the work of the sandbox. */
async function middle(path: string, turns = 15): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const begun = ownTime();
    const { status } = await sandbox.get(`/ui/1/outbox${path}`, { headers: { cookie } });
    times.push(ownTime() - begun);
    expect(status).toBe(200);
  }
  return times.sort((a, b) => a - b)[Math.floor(turns / 2)] ?? 0;
}

const rowsIn = (text: string): number => text.match(/data-row/g)?.length ?? 0;

it('shows its first page within 100 ms, and any other page, filtered or not, as fast', async () => {
  const times: [string, number][] = [];
  for (const path of [
    ...[
      '',
      '?view=all',
      '?view=all&before=t1-400000',
      '?view=all&after=t1-400000',
      '?channel=sms',
      '?channel=email',
      '?task=1',
    ],
    ...['?rule=click:1', '?to=s123456%40example.com'],
  ])
    times.push([path, await middle(path)]);
  expect(times.filter(([, milliseconds]) => milliseconds > 100)).toEqual([]);
});

it('searches all of them within a second, with or without a match', async () => {
  const times: [string, number][] = [];
  for (const text of ['s123456@example.com', 'Subject', 'Text 199999', 'nowhere'])
    times.push([text, await middle(`?search=${encodeURIComponent(text)}`, 5)]);
  expect(times.filter(([, milliseconds]) => milliseconds > 1000)).toEqual([]);
});

it('finds a subscriber among all of them', async () => {
  const show = async (query: string): Promise<string> =>
    (await sandbox.get(`/ui/1/outbox?${query}`, { headers: { cookie } })).text;
  expect(await show('search=s123456@example.com')).toContain('t1-');
  expect(rowsIn(await show('search=s123456@example.com'))).toBe(1);
  expect(rowsIn(await show('search=Text+199999'))).toBe(1);
  expect(rowsIn(await show('search=nowhere'))).toBe(0);
  expect(rowsIn(await show('view=all'))).toBe(50);
  // A task and a rule.
  expect(rowsIn(await show(''))).toBe(2);
  expect(await show('')).toContain('1,000,000 messages');
});

it('uses no additional memory while its pages are read', async () => {
  // Uses a separate process, because the process of the tests has other sandboxes.
  await sandbox.stop();
  const script = await builtSvc();
  const child = spawn(
    process.execPath,
    [script, 'sandbox', 'start', '--data', folder.path, '--port', '0', '-o', 'json'],
    {
      env: { ...process.env, SVC_CONFIG_DIR: folder.path, SVC_STATE_DIR: folder.path },
    },
  );
  try {
    const { baseUrl, controlToken } = JSON.parse(await said(child, '\n')) as Record<string, string>;
    const asked = await fetch(`${baseUrl}/control/open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { data } = (await asked.json()) as { readonly data: { readonly url: string } };
    const opened = await fetch(data.url, { redirect: 'manual' });
    const own = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const walk = async (pages: number): Promise<void> => {
      let path = '?view=all';
      for (let turn = 0; turn < pages; turn += 1) {
        const answer = await fetch(`${baseUrl}/ui/1/outbox${path}`, { headers: { cookie: own } });
        path = (
          /href="\/ui\/1\/outbox(\?view=all[^"]+)" rel="next"/.exec(await answer.text())?.[1] ?? ''
        ).replaceAll('&#38;', '&');
        expect(path).not.toBe('');
      }
    };
    const megabytes = (): number =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
    await walk(200);
    const before = megabytes();
    await walk(400);
    expect(megabytes() - before).toBeLessThan(60);
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    sandbox = await runSandbox(folder.path, { machineNow: () => NOW * 1000 });
  }
});
