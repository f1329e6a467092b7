/**
 * Contract, "Budgets": "Profile settings `budget.recipients-per-day`, `budget.credits-per-day`, `budget.tasks-per-day`, `budget.hours`
 * (`08:00-20:00`), `budget.days` (`mon-fri`): checked before every send, whoever asks; exit 2 with the numbers." and "A budget's day is the
 * day in the company's zone on which the send is due; a cancelled task gives its share back; companies count apart."
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { putEverything } from '../../support/everything.ts';
import { putList, putSubscriber } from '../../support/messages.ts';
import { fillConfig } from '../../support/profiles.ts';
import { NOBODY, type Outside, type Run, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
/** The id of a list with three subscriptions. */
let three: number;

beforeEach(async () => {
  folder = await makeTemporaryFolder('budget');
  sandbox = await createTestSandbox({ holding: { kind: 'everything and a list of three', put: putAll } });
  service = serviceOf(sandbox);
  three = Number((await sandbox.rows('list')).at(-1)?.['id']);
  const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
  await fillConfig(join(folder, 'config'), 'prod', () =>
    done([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin: KEYS.company }),
  );
});
afterEach(() => rm(folder, { recursive: true }));

async function putAll(empty: TestSandbox): Promise<void> {
  await putEverything(empty);
  const list = await putList(empty);
  for (const name of ['a', 'b', 'c']) await putSubscriber(empty, [list], { email: `${name}@example.com` });
}

const svc = (argv: string | readonly string[], more: Outside = {}): Promise<Run> =>
  runCli(typeof argv === 'string' ? argv.split(' ') : argv, {
    cwd: folder,
    transport: service.transport,
    ...more,
    env: {
      ...NOBODY,
      SVC_CONFIG_DIR: join(folder, 'config'),
      SVC_STATE_DIR: join(folder, 'state'),
      ...more.env,
    },
  });

async function done(argv: string | readonly string[], more: Outside = {}): Promise<Run> {
  const run = await svc(argv, more);
  expect(run.exitCode, `${String(argv)}: ${run.stderr}`).toBe(0);
  return run;
}

const budget = (key: string, value: string | number): Promise<Run> =>
  done(['profile', 'set', 'prod', `budget.${key}`, String(value), '--yes']);

const DAY = 86_400;

/** Returns the service with another time in its responses. */
const atServiceTime =
  (time: number): Transport =>
  async (request, signal) => {
    const response = await service.transport(request, signal);
    return { ...response, headers: { ...response.headers, 'x-svc-time': String(time) } };
  };

let names = 0;
const create = (list: number, ...more: readonly string[]): Promise<Run> => {
  names += 1;
  const at = more.some((each) => each === '--at' || each === '--now') ? [] : ['--at', '+1d'];
  const task = ['task', 'create', '--channel', 'email', '--message', '1', '--name', `N${names}`];
  return svc([...task, '--list', String(list), ...at, ...more, '-o', 'json']);
};
const live = async (): Promise<number> =>
  (await sandbox.rows('task')).filter(({ name, cancelled }) => name !== 'Sale' && cancelled === 0).length;
const idOf = (run: Run): string => String(JSON.parse(run.stdout).id);

describe('a budget that is set after a send was scheduled', () => {
  it('counts what the profile has scheduled, once, and says so', async () => {
    expect((await create(three)).exitCode).toBe(0);
    const cancelled = await create(three);
    await done(['task', 'cancel', idOf(cancelled), '--yes']);
    const set = await budget('recipients-per-day', 6);
    expect(set.stderr).toContain(
      'The budget also counts 1 task that profile prod has already scheduled, to 3 recipients.',
    );
    expect((await budget('tasks-per-day', 9)).stderr).not.toContain('also counts');
    expect((await create(three)).exitCode).toBe(0);
    const refused = await create(three);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('earlier sends use 6, and this send needs 3'),
    ]);
  });

  it('frees what was cancelled meanwhile elsewhere, and counts no task of another profile or day', async () => {
    const first = await create(three);
    expect((await create(three, '--at', '+3d')).exitCode).toBe(0);
    await sandbox.send('admin', 'PUT', `/v1/task/${idOf(first)}`, { cancelled: true });
    await budget('tasks-per-day', 1);
    expect((await create(three)).exitCode).toBe(0);
    expect((await create(three)).exitCode).toBe(2);
  });

  it('saves nothing if the ledger cannot be read', async () => {
    expect((await create(three)).exitCode).toBe(0);
    await mkdir(join(folder, 'state', 'budget'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, 'state', 'budget', 'ledger.json'), 'not JSON', { mode: 0o600 });
    const run = await svc(['profile', 'set', 'prod', 'budget.tasks-per-day', '1', '--yes']);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('cannot count the send')]);
    expect(JSON.parse((await done('profile show prod -o json')).stdout).budget).toBeNull();
  });
});

it('budget.days takes the word weekdays', async () => {
  await budget('days', 'weekdays');
  expect(JSON.parse((await done('profile show prod -o json')).stdout).budget).toEqual({ days: 'mon-fri' });
});

describe('recipients per day', () => {
  it('permits a send that fits exactly, and refuses one more with the numbers', async () => {
    await budget('recipients-per-day', 6);
    expect((await create(three)).exitCode).toBe(0);
    expect((await create(three)).exitCode).toBe(0);
    const before = writesIn(service.sent).length;
    const over = await create(1);
    expect(over.exitCode).toBe(2);
    expect(over.stderr).toContain(
      'budget: the profile allows at most 6 recipients on 2026-12-02, earlier sends use 6, and this send needs 1; nothing was sent',
    );
    expect(writesIn(service.sent)).toHaveLength(before);
    expect(await live()).toBe(2);
  });

  it('counts each day separately, by the day of the send and not of the command', async () => {
    await budget('recipients-per-day', 3);
    expect((await create(three, '--at', '2026-12-02T23:59')).exitCode).toBe(0);
    expect((await create(three, '--at', '2026-12-03T00:00')).exitCode).toBe(0);
    expect((await create(three, '--at', '2026-12-02T12:00')).exitCode).toBe(2);
  });

  it('cancels a task that is too large, if no earlier task showed the size', async () => {
    await budget('recipients-per-day', 2);
    const run = await create(three);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(
      'budget: the profile allows at most 2 recipients on 2026-12-02, earlier sends use 0, and this send needs 3; it is cancelled',
    );
    expect(await live()).toBe(0);
    expect((await create(1)).exitCode).toBe(0);
  });

  it('releases the share of a cancelled task, whoever cancelled it', async () => {
    await budget('recipients-per-day', 3);
    const first = await create(three);
    expect((await create(three)).exitCode).toBe(2);
    await done(['task', 'cancel', idOf(first), '--yes']);
    const second = await create(three);
    expect(second.exitCode).toBe(0);
    await sandbox.send('admin', 'PUT', `/v1/task/${idOf(second)}`, { cancelled: true });
    expect((await create(three)).exitCode).toBe(0);
  });

  it('moves the share of a task with a new time, and refuses a list that is too large', async () => {
    await budget('recipients-per-day', 3);
    const first = idOf(await create(three));
    await done(['task', 'update', first, '--at', '+2d']);
    expect((await create(1)).exitCode).toBe(0);
    const moved = await svc(['task', 'update', first, '--at', '+1d']);
    expect(moved.exitCode).toBe(2);
    expect(moved.stderr).toContain('3 recipients on 2026-12-02, earlier sends use 1, and this send needs 3');
    await budget('recipients-per-day', 2);
    const small = idOf(await create(1, '--at', '+5d'));
    const larger = await svc(['task', 'update', small, '--list', String(three)]);
    expect(larger.exitCode).toBe(2);
    expect(larger.stderr).toContain('this send needs 3');
  });

  it('permits a new name for a task', async () => {
    const id = idOf(await create(three));
    await budget('recipients-per-day', 1);
    await done(['task', 'update', id, '--name', 'Other']);
  });

  it('counts SMS, and refuses sends that it cannot count: --now and svc api', async () => {
    await budget('recipients-per-day', 1);
    const now = await create(1, '--now', '--yes');
    expect([now.exitCode, now.stderr]).toEqual([
      2,
      expect.stringContaining('must be at least 3 minutes ahead'),
    ]);
    const body =
      '{"channel":"email","message_id":1,"name":"N","scheduledtime":1796300000,"list_id":1,"search_id":null}';
    for (const request of [
      ['api', 'POST', '/v1/task', '--data', body],
      ['api', 'POST', '/v1/sms', '--data', '{"msisdn":"447700900123","fromaddress":"E","message":"Hi"}'],
      ['api', 'PUT', '/v1/task/1', '--data', '{"scheduledtime":1796300000}'],
    ]) {
      const run = await svc(request);
      expect([run.exitCode, run.stderr]).toEqual([
        2,
        expect.stringContaining('raw request (svc api) would send'),
      ]);
    }
    expect(await live()).toBe(0);
    await done(['api', 'PUT', '/v1/task/1', '--data', '{"cancelled":true}']);
    const sms = [
      'sms',
      'send',
      '--to',
      '447700900123',
      '--from',
      'Example',
      '--text',
      'Hi',
      '--now',
      '--yes',
    ];
    await done(sms);
    const second = await svc(sms);
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain(
      'budget: the profile allows at most 1 recipients on 2026-12-01, earlier sends use 1, and this send needs 1',
    );
  });

  it('checks all rows of a file of SMS before the first', async () => {
    await budget('recipients-per-day', 2);
    await writeFile(join(folder, 'sms.csv'), 'to,message\n447700900001,A\n447700900002,B\n447700900003,C\n');
    const before = (await sandbox.rows('sms')).length;
    const run = await svc('sms send --file sms.csv --from Example --now --yes');
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(
      'budget: the profile allows at most 2 recipients on 2026-12-01, earlier sends use 0, and this send needs 3',
    );
    expect(await sandbox.rows('sms')).toHaveLength(before);
    await budget('recipients-per-day', 3);
    await done('sms send --file sms.csv --from Example --now --yes');
    expect(await sandbox.rows('sms')).toHaveLength(before + 3);
  });

  it('counts a proof', async () => {
    await budget('recipients-per-day', 0);
    const run = await svc('email proof 1 --list 1 --yes');
    expect([run.exitCode, run.stderr]).toEqual([
      2,
      expect.stringContaining('budget: the profile allows at most 0 recipients on 2026-12-01'),
    ]);
    expect(await live()).toBe(0);
  });
});

describe('credits, tasks, hours and days', () => {
  it('counts the parts of an SMS as credits', async () => {
    await budget('credits-per-day', 3);
    const sms = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--now', '--yes', '--text'];
    await done([...sms, 'x'.repeat(200)]);
    const over = await svc([...sms, 'x'.repeat(200)]);
    expect(over.stderr).toContain(
      'budget: the profile allows at most 3 credits on 2026-12-01, earlier sends use 2, and this send needs 2',
    );
    await done([...sms, 'x']);
  });

  it('counts tasks, and permits --now, because it needs no size', async () => {
    await budget('tasks-per-day', 1);
    expect((await create(three, '--now', '--yes')).exitCode).toBe(0);
    const over = await create(1, '--now', '--yes');
    expect(over.exitCode).toBe(2);
    expect(over.stderr).toContain(
      'budget: the profile allows at most 1 tasks on 2026-12-01, earlier sends use 1, and this send needs 1',
    );
  });

  it.each([
    ['07:59', 2],
    ['08:00', 0],
    ['19:59', 0],
    ['20:00', 2],
  ])('08:00-20:00 at %s exits with %i', async (at, exit) => {
    await budget('hours', '08:00-20:00');
    const run = await create(1, '--at', `2026-12-02T${at}`);
    expect(run.exitCode).toBe(exit);
    if (exit === 2)
      expect(run.stderr).toContain(
        `the profile allows sends to start only at 08:00-20:00, but this send is due Wed 2026-12-02 ${at}`,
      );
  });

  it.each([
    ['2026-12-04T23:59', 0],
    ['2026-12-05T00:00', 2],
    ['2026-12-06T23:59', 2],
    ['2026-12-07T00:00', 0],
  ])('mon-fri at %s exits with %i', async (at, exit) => {
    await budget('days', 'mon-fri');
    expect((await create(1, '--at', at)).exitCode).toBe(exit);
  });
});

describe('the ledger', () => {
  const ledger = (): string => join(folder, 'state', 'budget', 'ledger.json');

  it.each(['', 'x', '[]', '{"version":2,"shares":[]}', '{"version":1,"shares":[{}]}'])(
    'prevents every send while it contains %j',
    async (text) => {
      await budget('tasks-per-day', 5);
      await mkdir(join(folder, 'state', 'budget'), { recursive: true, mode: 0o700 });
      await writeFile(ledger(), text, { mode: 0o600 });
      const run = await create(1);
      expect([run.exitCode, run.stderr]).toEqual([
        2,
        expect.stringContaining('cannot count the send in the budget'),
      ]);
      expect(await live()).toBe(0);
      expect(await readFile(ledger(), 'utf8')).toBe(text);
    },
  );

  it('keeps the share of a send whose outcome is unknown, and releases that of a refused one', async () => {
    await budget('recipients-per-day', 3);
    await create(1);
    const refused = await svc('task create --channel email --message 99 --name X --list 1 --at +1d');
    expect(refused.exitCode).toBe(6);
    const cut: Transport = (request, signal) => {
      if (request.method === 'POST' && request.path === '/v1/task')
        return Promise.reject(new TransportError('unknown', 'cut off'));
      if (request.method === 'GET' && request.path === '/v1/task' && lost)
        return Promise.reject(new TransportError('not-sent', 'down'));
      return service.transport(request, signal);
    };
    let lost = false;
    const transport: Transport = (request, signal) => {
      if (request.method === 'POST') lost = true;
      return cut(request, signal);
    };
    const args = [
      'task',
      'create',
      '--channel',
      'email',
      '--message',
      '1',
      '--name',
      'L',
      '--list',
      '1',
      '--at',
      '+1d',
    ];
    expect((await svc([...args, '--settle', '1s', '--timeout', '1s'], { transport })).exitCode).toBe(10);
    expect((await create(1)).exitCode).toBe(0);
    const over = await create(1);
    expect([over.exitCode, over.stderr]).toEqual([
      2,
      expect.stringContaining('earlier sends use 3, and this send needs 1'),
    ]);
  });

  // Second attack M4. The service is not on loopback, so svc compares its clock with the clock of this machine.
  it.each([
    ['this machine', (): Outside => ({ now: NOW + 7 * DAY })],
    ['the service', (): Outside => ({ transport: atServiceTime(NOW + 7 * DAY) })],
  ])('keeps the shares of coming days when the clock of %s is a week ahead once (2-M4)', async (_, ahead) => {
    await budget('tasks-per-day', 1);
    const task = 'task create --channel email --message 1 --list 1 --name';
    await done(`${task} A --at 2026-12-03T12:00`);
    expect((await svc(`${task} B --at 2026-12-03T15:00`)).exitCode).toBe(2);
    await done(`${task} C --at 2026-12-20T12:00`, ahead());
    const over = await svc(`${task} D --at 2026-12-03T15:00`);
    expect([over.exitCode, over.stderr]).toEqual([
      2,
      expect.stringContaining('1 tasks on 2026-12-03, earlier sends use 1, and this send needs 1'),
    ]);
    expect(await live()).toBe(2);
  });

  it('drops shares that are old by both clocks', async () => {
    await budget('tasks-per-day', 5);
    const task = 'task create --channel email --message 1 --list 1 --name';
    await done(`${task} A --at 2026-12-03T12:00`);
    const later = NOW + 7 * DAY;
    await done(`${task} B --at 2026-12-20T12:00`, { now: later, transport: atServiceTime(later) });
    const { shares } = JSON.parse(await readFile(ledger(), 'utf8'));
    expect(shares).toMatchObject([{ due: Date.UTC(2026, 11, 20, 12) / 1000 }]);
  });

  it('is not changed by a dry run, which ignores the budget', async () => {
    await budget('tasks-per-day', 0);
    await done('task create --channel email --message 1 --name X --list 1 --at +1d --dry-run');
    await expect(readFile(ledger())).rejects.toThrow('ENOENT');
  });

  it('counts each company separately', async () => {
    const add = ['profile', 'add', 'agency', '--base-url', 'https://api.example.com', '--partner', '1'];
    await done([...add, '--no-check', '--api-key-stdin'], { stdin: KEYS.partner });
    await done('profile set agency budget.tasks-per-day 1');
    const at = ['--at', '+1d', '--profile', 'agency', '--company'];
    const args = ['task', 'create', '--channel', 'email', '--message', '1', '--list', '1', '--name'];
    await done([...args, 'A', ...at, '1']);
    expect((await svc([...args, 'B', ...at, '1'])).exitCode).toBe(2);
    // The other company has neither the message nor the list. The service refuses, which shows that the budget permitted the send.
    expect((await svc([...args, 'C', ...at, '2'])).exitCode).toBe(6);
  });
});

describe('svc apply', () => {
  const campaign = (tasks: readonly string[]): string =>
    [
      'version: 1',
      'campaign: spring',
      'messages:',
      '  m: { channel: email, id: 1, fromemail: a@example.com, name: Free }',
      'tasks:',
      ...tasks.map(
        (key) =>
          `  ${key}: { name: ${key}, message: 1, channel: email, list: ${three}, at: 2026-12-02 10:0${key.length} }`,
      ),
    ]
      .filter((line) => !line.startsWith('messages') && !line.startsWith('  m:'))
      .join('\n');

  it('checks all tasks together before the first write', async () => {
    await create(three, '--at', '+9d');
    await budget('recipients-per-day', 8);
    await writeFile(join(folder, 'c.yaml'), campaign(['a', 'bb', 'ccc']));
    const before = writesIn(service.sent).length;
    const run = await svc('apply c.yaml --yes');
    expect(run.exitCode, run.stderr).toBe(2);
    expect(run.stderr).toContain(
      'budget: the profile allows at most 8 recipients on 2026-12-02, earlier sends use 6, and this send needs 3; nothing was sent',
    );
    expect(writesIn(service.sent)).toHaveLength(before);
    await budget('recipients-per-day', 9);
    await done('apply c.yaml --yes');
    expect(await live()).toBe(4);
  });
});

describe('svc profile set', () => {
  it.each([
    ['recipients-per-day', '-1'],
    ['recipients-per-day', '1.5'],
    ['recipients-per-day', '1e3'],
    ['recipients-per-day', '9999999999'],
    ['credits-per-day', 'many'],
    ['tasks-per-day', ' 1'],
    ['hours', '8-20'],
    ['hours', '08:00-08:00'],
    ['hours', '08:00-24:01'],
    ['hours', '24:00-08:00'],
    ['hours', '08:60-20:00'],
    ['days', 'monday'],
    ['days', 'mon-fri-sun'],
    ['days', 'mon,'],
    ['weeks', '1'],
  ])('budget.%s %j exits with 2', async (key, value) => {
    const run = await svc(['profile', 'set', 'prod', `budget.${key}`, '--', value]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('budget');
    expect(JSON.parse((await done('profile show prod -o json')).stdout).budget).toBeNull();
  });

  it('shows the budget, and an empty value removes a setting', async () => {
    await budget('recipients-per-day', 50_000);
    await budget('days', 'fri-mon');
    await budget('hours', '22:00-06:00');
    const shown = async () => JSON.parse((await done('profile show prod -o json')).stdout).budget;
    expect(await shown()).toEqual({ 'recipients-per-day': 50_000, days: 'fri-mon', hours: '22:00-06:00' });
    for (const key of ['recipients-per-day', 'days', 'hours']) await budget(key, '');
    expect(await shown()).toBeNull();
  });
});
