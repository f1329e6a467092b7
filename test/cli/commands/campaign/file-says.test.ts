/** Contract, "Sends and campaigns, once more": the messages of `svc plan` and `svc apply` about a file that cannot be applied as it is. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('file-says');
  demo = await openDemoService();
  await mkdir(join(folder, 'content'));
  await write('content/news.html', '<html><body><p>Hello</p></body></html>\n');
  await write('content/news.txt', 'Hello\n');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const svc = (...words: readonly string[]) =>
  runCli(
    words.flatMap((word) => (word.startsWith('"') ? [word.slice(1, -1)] : word.split(' '))),
    {
      cwd: folder,
      transport: demo.transport,
      env: { ...demo.admin, PATH: process.env['PATH'] },
    },
  );

const MESSAGE =
  '  news: {channel: email, name: News, from-name: Company, reply-to: office@example.com, subject: Hello, html: content/news.html, text: content/news.txt}';
const file = (tasks: readonly string[], more = '', campaign = 'Spring'): string =>
  [
    `version: 1`,
    `campaign: ${campaign}`,
    'messages:',
    MESSAGE,
    'tasks:',
    ...tasks.map((line) => `  ${line}`),
    more,
    '',
  ].join('\n');
const task = (key: string, more = 'at: +2d'): string =>
  `${key}: {name: News, message: news, list: 1, ${more}}`;
const tasks = async () =>
  JSON.parse((await svc('task list -o json')).stdout).filter(
    ({ cancelled, completed }: { cancelled: boolean; completed: boolean }) => !cancelled && !completed,
  );
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

describe('faults of the file', () => {
  it('are reported together, each with its place, and svc writes nothing', async () => {
    const before = await tasks();
    await write(
      'a.yaml',
      file(
        [
          'lost: {name: Lost, message: nwes, list: 1, at: +2d}',
          'none: {name: None, message: 777, channel: email, list: 1, at: +2d}',
          'gap: {name: Gap, message: news, list: 1, at: 2027-03-28 01:30}',
          'far: {name: Far, message: news, list: 1, at: 3029-01-01 09:00}',
        ],
        [
          'automations:',
          '  welcome: {kind: clik, name: Welcome, list: 1}',
          '  clicked: {kind: click, name: Clicked, link: 777, actiontype: notify, actiontarget: office@example.com}',
        ].join('\n'),
      ),
    );
    for (const verb of ['plan a.yaml', 'apply a.yaml --yes']) {
      const { exitCode, stderr } = await svc(verb);
      expect(exitCode, stderr).toBe(2);
      expect(stderr).toMatch(
        /a\.yaml:6:\d+: task lost: message: the service has no message "nwes"; did you mean news\?/,
      );
      expect(stderr).toMatch(/a\.yaml:7:\d+: task none: message: the service has no message 777/);
      expect(stderr).toMatch(
        /a\.yaml:8:\d+: task gap: at: 2027-03-28 01:30 does not exist in Europe\/London.*; write 2027-03-28 02:00/,
      );
      expect(stderr).toMatch(/a\.yaml:9:\d+: task far: at: the send time is more than 2 years ahead/);
      expect(stderr).toMatch(
        /a\.yaml:11:\d+: automation welcome: kind must be click, open, subscription, date or sms, not "clik"/,
      );
      expect(stderr).toMatch(/a\.yaml:12:\d+: automation clicked: link_id: link 777 not found/);
      expect(await tasks()).toEqual(before);
    }
  });

  it('are reported even if the service cannot be reached', async () => {
    await write('a.yaml', file([task('one')], 'automations:\n  welcome: {kind: 7, name: Welcome}'));
    const { exitCode, stderr } = await runCli(['plan', 'a.yaml'], {
      cwd: folder,
      transport: () => Promise.reject(new Error('offline')),
      env: demo.admin,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('kind must be click, open, subscription, date or sms, not "7"');
  });
});

describe('a blocked step', () => {
  const twice = file([task('one'), task('two')]);

  it('shows its place on the page', async () => {
    await write('a.yaml', twice);
    const { exitCode, stdout } = await svc('plan a.yaml --check');
    expect(exitCode).toBe(11);
    expect(stdout).toMatch(/! blocked +task +two[^\n]*\n +a\.yaml:7:3: task one sends the same message/);
  });

  it('makes apply exit with 5 and an error that names the solution, and apply prints the rows', async () => {
    await write('a.yaml', twice);
    const { exitCode, stdout, stderr } = await svc('apply a.yaml --yes -o json');
    expect(exitCode).toBe(5);
    const error = errorOf(stderr);
    expect(error).toMatchObject({ kind: 'blocked', exit: 5 });
    expect(error.message).toContain('task two (a.yaml:7:3): task one sends the same message');
    expect(error.message).toContain('--both');
    expect(error.details).toMatchObject([{ kind: 'task', key: 'two', file: 'a.yaml', line: 7, column: 3 }]);
    expect(error.hint).toContain('svc plan');
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: 'message', key: 'news', id: expect.any(Number), done: true },
      { kind: 'task', key: 'one', id: expect.any(Number), done: true },
      { kind: 'task', key: 'two', id: null, done: false },
    ]);
  });

  it('is performed with --both, by file and by plan', async () => {
    await write('a.yaml', twice);
    const before = (await tasks()).length;
    const made = await svc('plan a.yaml --both --out a.plan');
    expect(made.exitCode, made.stderr).toBe(0);
    const run = await svc('apply a.plan --yes');
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await tasks()).toHaveLength(before + 2);
    expect((await svc('apply a.yaml --yes --both')).exitCode).toBe(0);
    expect(await tasks()).toHaveLength(before + 2);
  });

  it('a drift error names --overwrite', async () => {
    await write('a.yaml', file([task('one')]));
    await svc('apply a.yaml --yes');
    const [{ id }] = (await tasks()).filter(({ name }: { name: string }) => name.startsWith('News ['));
    expect((await svc(`task update ${id} --at +5d --yes`)).exitCode).toBe(0);
    const { exitCode, stderr } = await svc('apply a.yaml --yes -o json');
    expect(exitCode).toBe(5);
    expect(errorOf(stderr).hint).toContain('--overwrite');
  });
});

describe('--adopt', () => {
  const RULE =
    'automations:\n  welcome: {kind: subscription, name: Welcome, list: 2, actiontype: notify, actiontarget: office@example.com}';
  const rules = async () =>
    JSON.parse((await svc('automation list --kind subscription -o json')).stdout).filter(
      ({ actiontarget }: { actiontarget: string }) => actiontarget === 'office@example.com',
    );

  it('assigns a record that lost its mark to the item, by file and by plan', async () => {
    await write('a.yaml', file([task('one')], RULE));
    const first = await svc('apply a.yaml --yes -o json');
    expect(first.exitCode, first.stderr).toBe(0);
    const rows = JSON.parse(first.stdout);
    const one = rows.find(({ kind }: { kind: string }) => kind === 'task').id;
    const welcome = rows.find(({ kind }: { kind: string }) => kind === 'automation');
    expect(welcome).toMatchObject({ id: expect.any(Number), rule: 'subscription' });
    // Renames the records as a user could in the service's own pages.
    for (const [path, name] of [
      [`/v1/task/${one}`, 'Mine'],
      [`/v1/subscriptionAutomation/${welcome.id}`, 'Mine, too'],
    ])
      expect((await svc(`api PUT ${path} --yes --data`, `"${JSON.stringify({ name })}"`)).exitCode).toBe(0);
    const blocked = await svc('apply a.yaml --yes');
    expect(blocked.exitCode).toBe(5);
    expect(blocked.stderr).toContain(`--adopt one=${one}`);
    expect(blocked.stderr).toContain(`--adopt welcome=subscription:${welcome.id}`);
    expect(await rules()).toHaveLength(1);
    const given = `--adopt one=${one} --adopt welcome=subscription:${welcome.id}`;
    const made = await svc(`plan a.yaml ${given} --out a.plan`);
    expect(made.exitCode, made.stderr).toBe(0);
    const run = await svc('apply a.plan --yes');
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await rules()).toMatchObject([{ paused: false, name: expect.stringMatching(/^Welcome \[svc-/) }]);
    expect((await svc('plan a.yaml --check')).exitCode).toBe(0);
  });

  it.each([
    ['one', 'must be KEY=ID'],
    ['nobody=7', 'item nobody not found in the file'],
    ['one=77777', 'task 77777 not found'],
    ['welcome=7', 'welcome is a rule of kind subscription'],
    ['welcome=click:7', 'welcome is a rule of kind subscription'],
    ['welcome=subscription:77777', 'rule subscription:77777 not found'],
    ['one=1 --adopt one=2', 'task one is given twice'],
    ['one=1 --adopt two=1', 'another --adopt gives this record to task one'],
  ])('%s is rejected', async (given, words) => {
    await write('a.yaml', file([task('one'), task('two', 'at: +3d')], RULE));
    const { exitCode, stderr } = await svc(`plan a.yaml --adopt ${given}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('two files', () => {
  it('of one campaign are planned together, and the items of neither are orphaned', async () => {
    await write('a.yaml', file([task('one')]));
    await write(
      'b.yaml',
      file([task('two', 'at: +3d').replace('message: news', 'message: more')])
        .replace('  news:', '  more:')
        .replace('subject: ', 'subject: More '),
    );
    const { exitCode, stdout, stderr } = await svc('plan a.yaml b.yaml');
    expect(exitCode, stderr).toBe(0);
    expect(stdout).not.toMatch(/orphaned|blocked/);
    await svc('apply a.yaml --yes');
    await svc('apply b.yaml --yes');
    expect((await svc('plan a.yaml b.yaml --check')).exitCode).toBe(0);
    expect((await svc('plan a.yaml')).stdout).toContain('orphaned');
  });

  it('must not share a key: the fault names its place', async () => {
    for (const name of ['a.yaml', 'b.yaml']) await write(name, file([task('one')]));
    const { exitCode, stderr } = await svc('plan a.yaml b.yaml');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('b.yaml:6:3: task one: also used in a.yaml');
  });

  it('of two campaigns that send the same block the second', async () => {
    await write('a.yaml', file([task('one')]));
    await write('b.yaml', file([task('one')], '', 'Summer'));
    const { stdout } = await svc('plan a.yaml b.yaml');
    expect(stdout).toMatch(/b\.yaml:6:3: task one sends the same message/);
  });
});

describe('second attack M2: keys never become content', () => {
  const key = () => demo.admin['SVC_API_KEY'] ?? '';
  const plan = async (name: string, content: string) => {
    await write(name, content);
    await write(
      'leak.yaml',
      file([]).replace('text: content/news.txt', `text: ${name}`).replace('tasks:\n', ''),
    );
    return svc('plan leak.yaml --out leak.plan --json');
  };

  it.each([
    ['.env', 'PASSWORD=hunter2-hunter2', 'is hidden'],
    ['state/journal.txt', 'hunter2-hunter2', 'is in a folder in which svc keeps keys'],
  ])('the file %s in a campaign file is exit 2, with its place', async (name, content, says) => {
    await mkdir(join(folder, 'state'));
    await write(name, content);
    await write('leak.yaml', file([]).replace('content/news.txt', name));
    const run = await runCli(['plan', 'leak.yaml', '--out', 'leak.plan'], {
      cwd: folder,
      transport: demo.transport,
      env: { ...demo.admin, SVC_STATE_DIR: join(folder, 'state') },
    });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`leak\\.yaml:4:\\d+: message news: text: ${name} ${says}`),
    );
    expect(run.stderr).not.toContain('hunter2');
    await expect(readFile(join(folder, 'leak.plan'))).rejects.toThrow('ENOENT');
  });

  it('a content file with the key is exit 2, and no plan is written', async () => {
    const run = await plan('notes.txt', `Our key: ${key()}\n`);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('notes.txt holds an API key or a token of svc');
    expect(run.stderr).not.toContain(key());
    await expect(readFile(join(folder, 'leak.plan'))).rejects.toThrow('ENOENT');
  });

  it('--env with a variable that holds the key is exit 2', async () => {
    await write('env.yaml', file([]).replace('Hello,', `"\${{ env.SVC_API_KEY }}",`));
    const run = await svc('plan env.yaml --env SVC_API_KEY');
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('--env SVC_API_KEY: this variable holds an API key');
  });

  it.each([
    [
      'a file that a person names',
      'email create --name N --subject S --fromname A --reply-to a@example.com --text-file key.txt --html-file content/news.html',
    ],
    ['a body of svc api', 'api POST /v1/smsMessage --data @key.json'],
  ])('%s is not sent if it holds the key', async (_, line) => {
    await write('key.txt', `Our key: ${key()}\n`);
    await write('key.json', JSON.stringify({ name: 'N', message: key(), from: 'A' }));
    const run = await svc(line);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('the request would send an API key or a token of svc; nothing was sent');
    expect(run.stderr).not.toContain(key());
  });
});
