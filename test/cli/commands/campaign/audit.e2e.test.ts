/**
 * Contract, "Audit": "every task of the period (and every rule that is active) beside the plans that are given: rows
 * `{"kind","id","name","time","size","plan","approvedBy":[…],"verdict":"approved|unapproved|changed"}`; `changed` is what differs now from
 * what was approved. Reads only. `--check` exits 11 where a verdict is not `approved`."
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EMAIL, putList, putSubscriber } from '../../../support/messages.ts';
import { NOBODY, type Run, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, KEYS, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeKey, type SshKey } from '../../../support/ssh-keys.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let home: string;
let ada: SshKey;
let bob: SshKey;
let eve: SshKey;
beforeAll(async () => {
  home = await makeTemporaryFolder('audit-keys');
  [ada, bob, eve] = (await Promise.all(['ada', 'bob', 'eve'].map((name) => makeKey(home, name)))) as [
    SshKey,
    SshKey,
    SshKey,
  ];
});
afterAll(() => rm(home, { recursive: true }));

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  folder = await makeTemporaryFolder('audit');
  sandbox = await createTestSandbox({ holding: { kind: 'one list', put: putOneList } });
  service = serviceOf(sandbox);
  const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
  await done([...add, '--user', '1', '--no-check', '--api-key-stdin'], KEYS.company);
  await signers(['ada', ada], ['bob', bob]);
  await writeFile(join(folder, 'news.txt'), 'Hello\n');
  await writeFile(join(folder, 'news.html'), '<p>Hello</p>');
  await mkdir(join(folder, 'plans'));
});
afterEach(() => rm(folder, { recursive: true }));

async function putOneList(made: TestSandbox): Promise<void> {
  const list = await putList(made);
  await putSubscriber(made, [list], { email: 'someone@example.com' });
}

async function signers(...people: readonly (readonly [string, SshKey, string?])[]): Promise<void> {
  const lines = people.map(
    ([name, key, options]) => `${name}@example.com ${options ? `${options} ` : ''}${key.line}\n`,
  );
  await writeFile(join(folder, 'team.signers'), lines.join(''));
}

const svc = (argv: readonly string[], stdin?: string): Promise<Run> =>
  runCli(argv, {
    cwd: folder,
    transport: service.transport,
    ...(stdin === undefined ? {} : { stdin }),
    env: {
      ...NOBODY,
      PATH: process.env['PATH'],
      SVC_CONFIG_DIR: join(folder, 'config'),
      SVC_STATE_DIR: join(folder, 'state'),
    },
  });
async function done(argv: readonly string[], stdin?: string): Promise<Run> {
  const run = await svc(argv, stdin);
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
  return run;
}

const campaign = (more = '', at = '2026-12-03 10:00'): string => `version: 1
campaign: spring
messages:
  news: { channel: email, name: News, fromemail: null, fromname: Example, replyemail: news@example.com, subject: Hello, html: news.html, text: news.txt }
tasks:
  send: { name: Send, message: news, list: 1, at: "${at}" }
automations:
  thanks: { kind: open, name: Thanks, message: news, action: notify, target: office@example.com }
${more}`;

/** Plans, signs and applies a campaign, as a team does. */
async function month(plan = 'a', people: readonly SshKey[] = [ada], text = campaign()): Promise<void> {
  await writeFile(join(folder, 'spring.yaml'), text);
  const file = join('plans', `${plan}.plan`);
  await done(['plan', 'spring.yaml', '--out', file, '--force']);
  for (const [at, key] of people.entries())
    await done(['approve', file, '--identity', key.path, '--name', `p${at}`, '--yes']);
  await done(['apply', file, '--yes', '--allow-lint-errors']);
}

const audit = (...more: readonly string[]): Promise<Run> =>
  svc(['audit', '--plans', 'plans', '--signers', 'team.signers', '--check', '-o', 'json', ...more]);
async function rows(...more: readonly string[]) {
  const before = service.sent.length;
  const run = await audit(...more);
  expect([0, 11], run.stderr).toContain(run.exitCode);
  expect(writesIn(service.sent.slice(before))).toEqual([]);
  return {
    exit: run.exitCode,
    rows: JSON.parse(run.stdout) as readonly Record<string, unknown>[],
    stderr: run.stderr,
  };
}
const withoutMark = (name: unknown): string => String(name).replace(/ \[svc-[^\]]*\]$/, '');
const verdicts = async (...more: readonly string[]) => {
  const found = await rows(...more);
  return [
    found.exit,
    ...found.rows.map(({ kind, name, verdict }) => `${String(kind)} ${withoutMark(name)} ${String(verdict)}`),
  ];
};

describe('a month in which every send was approved', () => {
  it('has the verdict approved, with the plan and the people', async () => {
    await month('a', [ada, bob]);
    const found = await rows('--approvals', '2');
    expect(found.exit).toBe(0);
    const people = ['ada@example.com', 'bob@example.com'];
    const about = { plan: join('plans', 'a.plan'), approvedBy: people, verdict: 'approved', changes: [] };
    const time = Date.parse('2026-12-03T10:00Z') / 1000;
    expect(found.rows).toEqual([
      { kind: 'task', id: '1', name: expect.stringMatching(/^Send \[svc-.*\]$/), time, size: 1, ...about },
      {
        kind: 'automation',
        id: 'open:1',
        name: expect.stringMatching(/^Thanks \[svc-.*\]$/),
        time: null,
        size: null,
        ...about,
      },
    ]);
  });

  it('stays approved when a later plan changes the task, and after the send', async () => {
    await month();
    await month('b', [bob], campaign('', '2026-12-04 11:00'));
    expect(await verdicts()).toEqual([0, 'task Send approved', 'automation Thanks approved']);
    await sandbox.at(10 * 86_400);
    expect(await verdicts()).toEqual([0, 'task Send approved', 'automation Thanks approved']);
    // Without the second plan, the task differs from the first plan.
    await rm(join(folder, 'plans', 'b.plan'));
    const found = await rows();
    expect(found.rows[0]).toMatchObject({
      verdict: 'changed',
      changes: [{ attribute: 'scheduledtime', from: NOW + 2 * 86_400 + 3600, to: NOW + 3 * 86_400 + 7200 }],
    });
  });

  it('lists only the tasks of its days', async () => {
    await month();
    expect(await verdicts('--since', '2026-12-03', '--until', '2026-12-03')).toHaveLength(3);
    expect(await verdicts('--since', '2026-12-04')).toEqual([0, 'automation Thanks approved']);
    expect(await verdicts('--until', '2026-12-02')).toEqual([0, 'automation Thanks approved']);
  });
});

describe('an unapproved row', () => {
  it('is a task or rule that someone created by hand, or a task without a plan', async () => {
    await month();
    const task = [
      'task',
      'create',
      '--channel',
      'email',
      '--message',
      '1',
      '--list',
      '1',
      '--at',
      '+3d',
      '--name',
    ];
    await done([...task, 'By hand']);
    expect(await verdicts()).toEqual([
      11,
      'task Send approved',
      'task By hand unapproved',
      'automation Thanks approved',
    ]);
    const [, byHand] = (await rows()).rows;
    expect(byHand).toMatchObject({ plan: null, approvedBy: [] });
    await rm(join(folder, 'plans', 'a.plan'));
    expect((await verdicts()).slice(1)).toEqual([
      'task Send unapproved',
      'task By hand unapproved',
      'automation Thanks unapproved',
    ]);
  });

  it('is a copy of an approved task with the same name', async () => {
    await month();
    const [first] = await sandbox.rows('task');
    const body = { channel: 'email', message_id: 1, name: first?.['name'], list_id: 1, search_id: null };
    await sandbox.send('admin', 'POST', '/v1/task', {
      ...body,
      scheduledtime: Date.parse('2026-12-03T10:00Z') / 1000,
    });
    expect(await verdicts()).toEqual([
      11,
      'task Send approved',
      'task Send unapproved',
      'automation Thanks approved',
    ]);
  });

  it('does not include a task that was cancelled before it began', async () => {
    await month();
    await done([
      'task',
      'create',
      '--channel',
      'email',
      '--message',
      '1',
      '--list',
      '1',
      '--at',
      '+3d',
      '--name',
      'X',
    ]);
    await done(['task', 'cancel', '2', '--yes']);
    expect(await verdicts()).toEqual([0, 'task Send approved', 'automation Thanks approved']);
  });

  it('counts people, not keys, and only people in the signers file', async () => {
    await month('a', [ada]);
    expect((await verdicts('--approvals', '2'))[0]).toBe(11);
    expect((await rows('--approvals', '2')).rows[0]).toMatchObject({
      verdict: 'unapproved',
      approvedBy: ['ada@example.com'],
    });
    await signers(['bob', bob]);
    expect((await rows()).rows[0]).toMatchObject({
      verdict: 'unapproved',
      approvedBy: [],
      plan: join('plans', 'a.plan'),
    });
    await month('b', [eve], campaign('', '2026-12-05 10:00'));
    expect((await rows()).rows[0]).toMatchObject({ verdict: 'unapproved', approvedBy: [] });
  });

  it('is a task whose plan was made after the send', async () => {
    await writeFile(join(folder, 'spring.yaml'), campaign());
    await done(['apply', 'spring.yaml', '--yes', '--allow-lint-errors']);
    await sandbox.at(3 * 86_400);
    const file = join('plans', 'late.plan');
    await svc(['plan', 'spring.yaml', '--out', file]);
    await svc(['approve', file, '--identity', ada.path, '--yes']);
    expect((await rows()).rows[0]).toMatchObject({ kind: 'task', verdict: 'unapproved' });
  });
});

describe('a person who has left', () => {
  const until = (date: string) => signers(['ada', ada, `valid-before="${date}"`]);

  it('counts for records created before they left, and not for later ones', async () => {
    await month('a', [ada]);
    await until('20261201235959Z');
    await sandbox.at(20 * 86_400);
    expect((await rows()).rows[0]).toMatchObject({ verdict: 'approved', approvedBy: ['ada@example.com'] });
    await until('20261130000000Z');
    expect((await rows()).rows[0]).toMatchObject({ verdict: 'unapproved', approvedBy: [] });
  });
});

describe('a change after the approval', () => {
  it.each([
    ['scheduledtime', { scheduledtime: NOW + 5 * 86_400 }],
    ['name', { name: 'Other [svc-aaaaaa-bbbbb-ccccccc]' }],
  ])('shows %s of a task', async (attribute, body) => {
    await month();
    const [first] = await sandbox.rows('task');
    const mark = /\[svc-.*\]$/.exec(String(first?.['name']))?.[0] ?? '';
    const sent = attribute === 'name' ? { name: `Other ${mark}` } : body;
    expect((await sandbox.send('admin', 'PUT', '/v1/task/1', sent)).status).toBe(200);
    const found = await rows();
    expect(found.exit).toBe(11);
    // Contract, "Output": only tables leave out the mark; "names stay whole in every other format".
    expect(found.rows[0]).toMatchObject({
      name: expect.stringMatching(/ \[svc-.*\]$/),
      verdict: 'changed',
      approvedBy: ['ada@example.com'],
      changes: [{ attribute }],
    });
  });

  it('shows a rule, and the message that a task sends', async () => {
    await month();
    await sandbox.send('admin', 'PUT', '/v1/openAutomation/1', { actiontarget: 'eve@example.com' });
    const found = await rows();
    expect(found.rows[1]).toMatchObject({
      verdict: 'changed',
      changes: [{ attribute: 'actiontarget', from: 'office@example.com', to: 'eve@example.com' }],
    });
    // A message has the mark of the approved one and another text, and a task has the mark of the approved task.
    const [message] = await sandbox.rows('email_message');
    const copy = {
      name: message?.['name'],
      fromemail: null,
      replyemail: 'news@example.com',
      fromname: 'Example',
      subject: 'Hello',
      text: 'Hi',
      html: '',
    };
    const made = await sandbox.send('admin', 'POST', '/v1/emailMessage', copy);
    const [task] = await sandbox.rows('task');
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    const body = {
      channel: 'email',
      message_id: made.data['id'],
      name: task?.['name'],
      list_id: 1,
      search_id: null,
    };
    await sandbox.send('admin', 'POST', '/v1/task', {
      ...body,
      scheduledtime: Number(task?.['scheduledtime']),
    });
    const [forged] = (await rows()).rows;
    expect(forged).toMatchObject({ id: '2', verdict: 'changed', changes: [{ attribute: 'message' }] });
  });
});

describe('a message that the plan names by its id', () => {
  it('is compared with the content that the plan observed', async () => {
    await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, name: 'Shared' });
    const text =
      'version: 1\ncampaign: other\ntasks:\n  send: { name: Send, message: Shared, list: 1, at: 2026-12-03 10:00 }\n';
    await month('a', [ada], text);
    expect(await verdicts()).toEqual([0, 'task Send approved']);
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    await sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    const [task] = await sandbox.rows('task');
    const made = await sandbox.send('admin', 'POST', '/v1/emailMessage', {
      ...EMAIL,
      name: 'Shared',
      subject: 'Other',
    });
    const body = {
      channel: 'email',
      message_id: made.data['id'],
      name: task?.['name'],
      list_id: 1,
      search_id: null,
    };
    await sandbox.send('admin', 'POST', '/v1/task', {
      ...body,
      scheduledtime: Number(task?.['scheduledtime']),
    });
    expect((await rows()).rows[0]).toMatchObject({ verdict: 'changed', changes: [{ attribute: 'message' }] });
  });
});

describe('the command line', () => {
  it('requires plans and signers', async () => {
    expect((await svc(['audit', '--signers', 'team.signers'])).stderr).toContain('--plans is missing');
    expect((await svc(['audit', '--plans', 'plans'])).stderr).toContain('the profile names no signers');
    const missing = await svc(['audit', '--plans', 'nosuch', '--signers', 'team.signers']);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('cannot read nosuch')]);
    const day = await svc(['audit', '--since', 'June', '--plans', 'plans', '--signers', 'team.signers']);
    expect([day.exitCode, day.stderr]).toEqual([2, expect.stringContaining('2026-11-01')]);
  });

  it('names an unusable plan in a folder, and rejects an unusable plan that is named', async () => {
    await month();
    await writeFile(join(folder, 'plans', 'bad.plan'), '{}');
    expect((await rows()).stderr).toContain('skipped plans/bad.plan');
    const named = await audit('--plans', 'plans/bad.plan');
    expect(named.exitCode).toBe(2);
  });

  it('ignores plans of another company, and exits with 0 without --check', async () => {
    await month();
    await cp(join(folder, 'plans'), join(folder, 'copies'), { recursive: true });
    const add = ['profile', 'add', 'two', '--base-url', 'https://api.example.com', '--company', '2'];
    await done([...add, '--user', '4', '--no-check', '--api-key-stdin'], KEYS.other);
    const run = await done(['audit', '--plans', 'copies', '--signers', 'team.signers', '--profile', 'two']);
    expect(run.stderr).toContain('skipped 1 plan of other companies or services');
  });
});
