/** Contract, "Campaigns as files": a profile that requires approvals schedules a task only by `svc apply`, whatever the flags. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Verb } from '../../../src/cli/command/command.ts';
import { findSendKindOfRawRequest } from '../../../src/cli/session/approvals.ts';
import type { Ports } from '../../../src/cli/session/ports.ts';
import { type Approvals, checkApprovals } from '../../../src/features/campaign/approval/approvals.ts';
import { readPlanFile } from '../../../src/features/campaign/plan-file/plan-file.ts';
import { runParsedCommand } from '../../../src/run.ts';
import { DEFAULT_WIRE_NAMING, namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { task } from '../../../src/service/resources/task.ts';
import { withEverything } from '../../support/everything.ts';
import { putPlan } from '../../support/plans.ts';
import { fillConfig } from '../../support/profiles.ts';
import {
  NOBODY,
  type Outside,
  outsideOf,
  type Run,
  runCli,
  serviceOf,
  writesIn,
} from '../../support/run-cli.ts';
import { KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { makeKey, putSignature, type SshKey } from '../../support/ssh-keys.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  folder = await makeTemporaryFolder('approvals');
  sandbox = await withEverything();
  service = serviceOf(sandbox);
  const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
  await fillConfig(join(folder, 'config'), 'prod', () =>
    done([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin: KEYS.company }),
  );
});
afterEach(() => rm(folder, { recursive: true }));

const outside = (more: Outside = {}): Outside => ({
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
const svc = (argv: readonly string[], more: Outside = {}): Promise<Run> => runCli(argv, outside(more));
async function done(argv: readonly string[], more: Outside = {}): Promise<Run> {
  const run = await svc(argv, more);
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
  return run;
}
async function demand(count = 2): Promise<void> {
  await fillConfig(join(folder, 'config'), `prod with ${count} approvals`, () =>
    done(['profile', 'set', 'prod', 'require-approvals', String(count)]),
  );
  await done(['profile', 'set', 'prod', 'signers', 'team.signers', '--yes']);
}
const tasks = () => sandbox.rows('task');

describe('a profile that requires approvals', () => {
  // Contract, "Settled": "`require-approvals` leaves proofs … free".
  it('permits a proof to the list of the profile, and no other task', async () => {
    await demand();
    const proof = ['email', 'proof', '1', '--yes', '--profile', 'prod'];
    expect((await svc(proof)).stderr).toContain('svc profile set prod proof-list ID');
    await done(['profile', 'set', 'prod', 'proof-list', '1']);
    const before = (await tasks()).length;
    await done(proof);
    expect(await tasks()).toHaveLength(before + 1);
    expect((await svc(['profile', 'set', 'prod', 'proof-list', 'x'])).stderr).toContain(
      'proof-list must be a whole number',
    );
    const create = 'task create --name P --channel email --message 1 --list 1 --at +1h --profile prod';
    expect((await svc(create.split(' '))).exitCode).toBe(2);
    expect(await tasks()).toHaveLength(before + 1);
  });

  beforeEach(async () => {
    await writeFile(join(folder, 'body.json'), '{"scheduledtime":1796300000}');
  });
  const CREATE = 'task create --channel email --message Free --name New --list 1';

  it.each([
    [`${CREATE} --at +1d`],
    [`${CREATE} --at +1d --yes --no-validate --no-journal --quiet`],
    [`${CREATE} --now --yes`],
    [`${CREATE} --hold 10m`],
    [`${CREATE} --at +1d --expect-size 0..9`],
    [`${CREATE} --at +1d --key build-1`],
    ['task update 1 --at +2d'],
    ['task update Sale --list 1'],
    ['task update Sale --name Other'],
    ['task update Sale --data @body.json'],
    ['api POST /v1/task --data {"channel":"email","message_id":1,"name":"N","scheduledtime":1,"list_id":1}'],
    ['api POST /v1/task/ --data {}'],
    ['api PUT /v1/task/1 --data {"scheduledtime":1796300000}'],
    ['api PUT /v1/task --data {"id":1,"name":"x"}'],
    ['api PUT /v1/task/1 --data {"cancelled":false}'],
    ['api PUT /v1/task/1 --data {"cancelled":true,"scheduledtime":1796300000}'],
    ['api PUT /v1/task/1 --data {"cancelled":"true"}'],
    ['api PUT /v1/task/1?scheduledtime=1796300000 --data {"cancelled":true}'],
    ['api PUT /v1/task/1 --data cancelled=true&scheduledtime=1796300000'],
  ])('refuses svc %s with exit 2, and sends nothing', async (line) => {
    await demand();
    const before = await tasks();
    const run = await svc(line.split(' '));
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('profile prod cannot schedule tasks without a plan that 2 people approved');
    expect(run.stderr).toContain('svc apply PLAN');
    expect([writesIn(service.sent), await tasks()]).toEqual([[], before]);
  });

  /** Contract: "`require-approvals` covers every way to send a message to people". */
  const OTHERS: readonly string[] = [
    'sms send --to 447700900123 --from Example --text Hi --at +1d',
    'sms send --to 447700900123 --from Example --text Hi --now --yes --no-validate',
    'sms send --file people.csv --from Example --text Hi --now --yes',
    'api POST /v1/sms --data {"msisdn":"447700900123","fromaddress":"Example","message":"Hi"}',
    'api POST /v1/SMS/ --data {}',
    'automation create --kind open --name New --message Taken --actiontype notify --actiontarget office@example.com',
    'automation update open:1 --name New',
    'automation resume open:1',
    'api POST /v1/subscriptionAutomation --data {"name":"x"}',
    'api POST /v1/%63lickAutomation --data {"name":"x"}',
    'api PUT /v1/dateAutomation/1 --data {"paused":false}',
    'api PUT /v1/smsAutomation/1 --data {"paused":true,"list_id":2}',
    'api PUT /v1/openAutomation/1 --data paused=true',
  ];

  it.each(OTHERS)('refuses svc %s with exit 2 and sends nothing', async (line) => {
    await writeFile(join(folder, 'people.csv'), 'msisdn\n447700900123\n');
    await svc(['automation', 'pause', 'open:1']);
    await demand();
    const before = service.sent.length;
    const run = await svc(line.split(' '));
    expect(run.exitCode, run.stderr).toBe(2);
    expect(run.stderr).toContain('without a plan that 2 people approved');
    // A hint must not say how to take a guard off.
    expect(run.stderr).not.toContain('profile set');
    expect(writesIn(service.sent.slice(before))).toEqual([]);
  });

  it('permits all of these with approvals-for tasks, and profile set says so', async () => {
    await demand();
    const set = await done(['profile', 'set', 'prod', 'approvals-for', 'tasks', '--yes']);
    expect(set.stderr).toContain(
      'Without approval, you can still send SMS, and create, change and resume rules',
    );
    await done('sms send --to 447700900123 --from Example --text Hi --at +1d'.split(' '));
    await done('automation update open:1 --name New'.split(' '));
    expect((await svc([...CREATE.split(' '), '--at', '+1d'])).exitCode).toBe(2);
    const all = await done(['profile', 'set', 'prod', 'approvals-for', 'all']);
    expect(all.stderr).toContain('requires approvals for tasks, SMS and rules');
    expect((await svc('automation update open:1 --name Newer'.split(' '))).exitCode).toBe(2);
  });

  it('accepts only all and tasks for approvals-for', async () => {
    const run = await svc(['profile', 'set', 'prod', 'approvals-for', 'sms']);
    expect([run.exitCode, run.stderr.includes('approvals-for must be "all" or "tasks"')]).toEqual([2, true]);
  });

  it('permits svc undo to cancel a creation, and not to schedule again', async () => {
    await done(['task', 'update', '1', '--at', '+3d']);
    await demand();
    const before = await tasks();
    const run = await svc(['undo', '--yes']);
    expect([run.exitCode, await tasks()]).toEqual([2, before]);
    expect(run.stderr).toContain('profile prod cannot schedule tasks without a plan');
    await done(['profile', 'set', 'prod', 'require-approvals', '0', '--yes']);
    await done([...CREATE.split(' '), '--at', '+1d']);
    await demand();
    await done(['undo', '--yes']);
    expect((await tasks()).at(-1)).toMatchObject({ name: 'New', cancelled: 1 });
  });

  it.each([
    ['task cancel 1 --yes'],
    ['api PUT /v1/task/1 --data {"cancelled":true}'],
    ['api PUT /v1/task/1 --data {"cancelled":true,"name":"Off"}'],
    ['api PUT /v1/task --data {"id":1,"cancelled":true}'],
  ])('permits cancelling: svc %s', async (line) => {
    await demand();
    await done(line.split(' '));
    expect(await tasks()).toMatchObject([{ id: 1, cancelled: 1 }]);
  });

  it.each([
    ['task list'],
    ['task get 1'],
    ['folder create --name A'],
    ['email update Free --subject New'],
    ['sms-message update Free --message Hello'],
    ['automation pause open:1'],
    ['automation delete open:1 --yes'],
    ['api PUT /v1/openAutomation/1 --data {"paused":true}'],
    ['dnc add new@example.com --yes'],
  ])('permits actions that send no message to anyone: svc %s', async (line) => {
    await demand();
    await done(line.split(' '));
  });

  it('permits a dry run, which sends nothing', async () => {
    await demand();
    const run = await done([...CREATE.split(' '), '--at', '+1d', '--dry-run', '-o', 'json']);
    expect([run.stdout.includes('/v1/task'), writesIn(service.sent)]).toEqual([true, []]);
  });

  it('also applies to a partner over many companies', async () => {
    const add = ['profile', 'add', 'agency', '--base-url', 'https://api.example.com', '--partner', '1'];
    await done([...add, '--no-check', '--api-key-stdin'], { stdin: KEYS.partner });
    for (const id of ['1', '2'])
      await done(['company', 'add', id, '--name', `C${id}`, '--profile', 'agency']);
    await done(['profile', 'set', 'agency', 'require-approvals', '1']);
    const line = 'api POST /v1/task --companies all --write --yes --profile agency --data {"name":"x"}';
    const run = await svc(line.split(' '));
    expect([run.exitCode, writesIn(service.sent)]).toEqual([2, []]);
    expect(run.stderr).toContain(
      'profile agency cannot schedule tasks without a plan that a person approved',
    );
  });

  it('applies with any attribute names of a deployment', () => {
    const naming = namingWithOverrides({ fields: { cancelled: 'storniert', scheduledtime: 'cancelled' } });
    const put = (body: object) =>
      ({ method: 'PUT', path: '/v1/task/1', body: JSON.stringify(body) }) as const;
    expect(findSendKindOfRawRequest(put({ storniert: true }), naming)).toBeUndefined();
    expect(findSendKindOfRawRequest(put({ cancelled: true }), naming)).toBe('tasks');
    expect(findSendKindOfRawRequest(put({ cancelled: true }), DEFAULT_WIRE_NAMING)).toBeUndefined();
  });

  it.each(['/v1/task', '/v1/task/', '/v1/Task', '/v1/%74ask', '/v1/task/1', '/v1/%zz'])(
    'applies however the path is written: POST %s',
    (path) => {
      expect(findSendKindOfRawRequest({ method: 'POST', path, body: '{}' }, DEFAULT_WIRE_NAMING)).toBe(
        'tasks',
      );
    },
  );
});

describe('the settings', () => {
  it('are shown, and signers is the same file from every folder', async () => {
    await demand();
    const shown = JSON.parse((await done(['profile', 'show', 'prod', '-o', 'json'])).stdout);
    expect(shown).toMatchObject({ require_approvals: 2, signers: join(folder, 'team.signers') });
    for (const [key, value] of [
      ['require-approvals', '0'],
      ['signers', ''],
    ] as const)
      await done(['profile', 'set', 'prod', key, value, '--yes']);
    const after = JSON.parse((await done(['profile', 'show', 'prod', '-o', 'json'])).stdout);
    expect(after).toMatchObject({ require_approvals: 0, signers: null });
  });

  it.each(['-1', '1.5', 'two', '100', '1e1', ' 2', 'true'])(
    'require-approvals %j exits with 2',
    async (value) => {
      const run = await svc(['profile', 'set', 'prod', 'require-approvals', '--', value]);
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('require-approvals must be a whole number');
    },
  );

  it('name the missing setting without signers', async () => {
    const run = await done(['profile', 'set', 'prod', 'require-approvals', '1']);
    expect(run.stderr).toContain('svc profile set prod signers FILE');
  });
});

describe('a client of a profile that requires approvals', () => {
  const body = {
    channel: 'email',
    message_id: 1,
    name: 'Approved',
    scheduledtime: NOW + 86_400,
    list_id: 1,
    search_id: null,
  };
  let alice: SshKey;
  let plans: string;
  let plan: string;
  beforeAll(async () => {
    plans = await makeTemporaryFolder('plans');
    alice = await makeKey(plans, 'alice');
    plan = join(plans, 'spring.plan');
    await putSignature(plan, 'alice', alice, await putPlan(plan));
  });
  afterAll(() => rm(plans, { recursive: true }));
  beforeEach(async () => {
    await writeFile(join(folder, 'team.signers'), `alice@example.com ${alice.line}\n`);
    await writeFile(join(folder, 'mine.signers'), `alice@example.com ${alice.line}\n`);
  });

  const checked = (count: number, signers: string): Promise<Approvals> =>
    checkApprovals(
      plan,
      readPlanFile(plan, plan),
      { count, signers: { path: join(folder, signers), name: signers } },
      { env: process.env, signal: new AbortController().signal, now: NOW },
    );

  /** Runs work in a session, as a verb would. */
  async function within(work: (session: Ports) => Promise<unknown>): Promise<readonly [number, string]> {
    const verb: Verb = {
      ...{ work: 'local', name: 'probe', summary: '', example: '', flags: [] },
      run: async (session) => {
        await work(session);
        return { result: { kind: 'nothing' } };
      },
    };
    const { context, readStderr } = outsideOf(outside());
    const given = { positionals: [], flags: new Map() };
    const line = { kind: 'run', path: ['probe'], verb, given } as const;
    return [await runParsedCommand(line, ['probe'], context, async () => 0), readStderr()];
  }
  const create = (approvals: Approvals) => (session: Ports) =>
    session.clientWith({ approvals }).then((client) => client.create(task, body));

  it('can write with the approvals that the profile requires', async () => {
    await demand(1);
    const approvals = await checked(1, 'team.signers');
    expect(await within(create(approvals))).toEqual([0, '']);
    expect(writesIn(service.sent)).toEqual(['POST /v1/task']);
    // No other client of the same run gets these approvals.
    const [exit] = await within(async (session) => {
      await session.clientWith({ approvals });
      await (await session.client()).create(task, body);
    });
    expect([exit, writesIn(service.sent)]).toEqual([2, ['POST /v1/task']]);
  });

  it.each<[string, () => Promise<Approvals>]>([
    ['too few', () => checked(1, 'team.signers')],
    ['none', () => checked(0, 'team.signers')],
    ['approvals of other signers', () => checked(1, 'mine.signers')],
    [
      'unverified approvals',
      async () => {
        const approvals = await checked(1, 'team.signers');
        return { ...approvals, people: [...approvals.people, ...approvals.people] };
      },
    ],
  ])('cannot write with %s', async (name, approvals) => {
    await demand(name === 'too few' ? 2 : 1);
    const [exit, stderr] = await within(create(await approvals()));
    expect([exit, writesIn(service.sent)]).toEqual([2, []]);
    expect(stderr).toContain('profile prod cannot schedule tasks without a plan');
  });

  it('has no approvals for bulk work and without decorators', async () => {
    await demand(1);
    for (const bulk of [undefined, {}, { sharePostConnections: true }]) {
      const [exit] = await within(async (session) => (await session.bareClient(bulk)).create(task, body));
      expect([exit, writesIn(service.sent)]).toEqual([2, []]);
    }
  });

  it('stays read-only with read-only', async () => {
    await demand(1);
    await done(['profile', 'set', 'prod', 'read-only', 'true']);
    const [exit, stderr] = await within(create(await checked(1, 'team.signers')));
    expect([exit, stderr.includes('read-only'), writesIn(service.sent)]).toEqual([2, true, []]);
  });
});
