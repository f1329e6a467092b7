/**
 * Contract, "A plan can be trusted by whoever signs it": a plan with any kinds of item can be applied and continued. Two simultaneous
 * applies of one plan leave it usable. After the question, `apply` checks the approvals again.
 */
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../src/service/protocol/wire.ts';
import { CAMPAIGN_FILES, putCampaignFiles } from '../support/campaign-files.ts';
import { advance } from '../support/engine.ts';
import { withEverything } from '../support/everything.ts';
import { type Outside, type Run, runCli, serviceOf, writesIn } from '../support/run-cli.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { makeKey, type SshKey } from '../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let keys: string;
let ada: SshKey;
beforeAll(async () => {
  keys = await makeTemporaryFolder('again-keys');
  ada = await makeKey(keys, 'ada');
});
afterAll(() => removeFolder(keys));

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  folder = await makeTemporaryFolder('again');
  sandbox = await withEverything();
  service = serviceOf(sandbox);
  await putCampaignFiles(folder);
  await writeFile(join(folder, 'team.signers'), `ada@example.com ${ada.line}\n`);
});
afterEach(() => removeFolder(folder));

const svc = (argv: readonly string[], outside: Outside = {}): Promise<Run> =>
  runCli(argv, {
    cwd: folder,
    transport: service.transport,
    ...outside,
    env: { PATH: process.env['PATH'], ...outside.env },
  });
const APPLY = ['apply', 'spring.plan', '--approvals', '1', '--signers', 'team.signers'];
const apply = (outside: Outside = {}): Promise<Run> => svc([...APPLY, '--yes'], outside);

/**
 * Applies the plan repeatedly, interrupted at its first write each time, until no step is left.
 * @returns the number of interruptions
 */
async function applyUntilDone(): Promise<number> {
  for (let cuts = 0; ; cuts += 1) {
    const interrupt = new AbortController();
    let writes = 0;
    const transport: Transport = async (request, signal) => {
      const answer = await service.transport(request, signal);
      if (writesIn([request]).length > 0) {
        writes += 1;
        interrupt.abort();
      }
      return answer;
    };
    const run = await apply({ transport, signal: interrupt.signal });
    expect(writes === 0 ? [0] : [0, 130], run.stderr).toContain(run.exitCode);
    if (writes === 0) return cuts;
    expect(cuts).toBeLessThan(30);
  }
}

async function done(argv: readonly string[]): Promise<Run> {
  const run = await svc(argv);
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
  return run;
}
async function approved(...more: readonly string[]): Promise<void> {
  await done(['plan', 'spring.yaml', '--out', 'spring.plan', '--force', ...more]);
  await done(['approve', 'spring.plan', '--yes', '--identity', ada.path, '--name', 'ada']);
}

/** Checks that another apply does nothing: exit 0 and no write. */
async function isDone(): Promise<void> {
  const before = service.sent.length;
  const run = await apply();
  expect([run.exitCode, writesIn(service.sent.slice(before))], run.stderr).toEqual([0, []]);
}
const liveTasks = async (): Promise<Awaited<ReturnType<TestSandbox['rows']>>> =>
  (await sandbox.rows('task')).filter(
    ({ name, cancelled }) => String(name).includes('[svc-') && cancelled === 0,
  );

describe('a plan with a folder and every other kind of item', () => {
  it('continues after an interruption at each of its writes, and performs each step once', {
    timeout: 120_000,
  }, async () => {
    await approved();
    expect(await applyUntilDone()).toBeGreaterThan(5);
    expect(await liveTasks()).toHaveLength(2);
    for (const table of ['folder', 'email_message', 'sms_message'] as const)
      expect((await sandbox.rows(table)).filter(({ name }) => String(name).includes('[svc-'))).toHaveLength(
        1,
      );
    await isDone();
  });

  it('also continues if it changes, replaces and removes', { timeout: 120_000 }, async () => {
    await done(['apply', 'spring.yaml', '--yes']);
    await putCampaignFiles(folder, {
      'last.txt': 'Another last day\n',
      'news.html': CAMPAIGN_FILES['news.html'].replace('Hello', 'Hi'),
      'spring.yaml': CAMPAIGN_FILES['spring.yaml']
        .replace('{name: Spring}', '{name: Summer}')
        .replace(
          'message: last, list: 1, at: 2026-12-10 09:00',
          'message: last, list: 1, at: 2026-12-11 09:00',
        ),
    });
    await approved();
    await applyUntilDone();
    expect(await liveTasks()).toHaveLength(2);
    await isDone();
  });
});

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((go) => {
    open = go;
  });
  return { opened, open: () => open() };
}

describe('one plan applied twice at once: one run does it, and it can be applied again', () => {
  const isTask = ({ method, path }: WireRequest): boolean => method === 'POST' && path === '/v1/task';

  /** Checks that each task is live once, and that each surplus task is cancelled. */
  async function haveOne(runs: readonly Run[], beaten: readonly string[]): Promise<void> {
    expect(
      runs.map(({ exitCode }) => exitCode),
      runs.map(({ stderr }) => stderr).join('\n'),
    ).toContain(0);
    expect((await liveTasks()).map(({ channel }) => channel).sort()).toEqual(['email', 'sms']);
    const gaveWay = (await sandbox.rows('task')).filter(({ name }) => /-w\]$/.test(String(name)));
    expect(gaveWay).toMatchObject(beaten.map((channel) => ({ channel, cancelled: 1 })));
    await isDone();
  }

  it('works if both make the first task', async () => {
    await approved();
    const made = gate();
    const over = gate();
    let count = 0;
    // Both runs read before either makes the task. Then one run continues, and the other waits until the first has ended.
    const transport = (): Transport => {
      let isLast = false;
      return async (request, signal) => {
        if (isLast) await over.opened;
        if (!isTask(request) || count === 2) return service.transport(request, signal);
        count += 1;
        if (count === 1) await made.opened;
        else isLast = true;
        const answer = service.transport(request, signal);
        if (isLast) await answer.finally(made.open);
        return answer;
      };
    };
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const run = await apply({ transport: transport() });
        over.open();
        return run;
      }),
    );
    await haveOne(runs, ['email']);
  });

  it('works if both make every task', async () => {
    await approved();
    const waiting: (() => void)[] = [];
    const transport: Transport = async (request, signal) => {
      if (isTask(request))
        await new Promise<void>((go) => {
          waiting.push(go);
          if (waiting.length === 2) for (const each of waiting.splice(0)) each();
        });
      return service.transport(request, signal);
    };
    const runs = await Promise.all([apply({ transport }), apply({ transport })]);
    await haveOne(runs, ['email', 'sms']);
  });
});

/** Contract: "Expiry, signers and signatures are judged again after the question." */
/** Contract, "Sends and campaigns, once more": flags of the plan, and times in words. */
describe('a plan made with', () => {
  const put = (text: string): Promise<void> => putCampaignFiles(folder, { 'spring.yaml': text });
  const YAML = CAMPAIGN_FILES['spring.yaml'];
  const taskOf = async (name: string) =>
    (await sandbox.rows('task')).find((row) => String(row['name']).startsWith(`${name} [svc-`));

  it('--adopt gives the record its mark, once', async () => {
    await done(['apply', 'spring.yaml', '--yes']);
    const { id } = (await taskOf('Last day')) ?? {};
    await sandbox.send('admin', 'PUT', `/v1/task/${id}`, { name: 'Last day' });
    await done(['plan', 'spring.yaml', '--out', 'spring.plan', '--adopt', `task:last=${id}`]);
    const shown = await done(['approve', 'spring.plan', '--yes', '--identity', ada.path, '--name', 'ada']);
    expect(shown.stderr).toContain(`--adopt      "task last" adopts the record ${id}`);
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(0);
    expect((await taskOf('Last day'))?.['id']).toBe(id);
    expect(await liveTasks()).toHaveLength(2);
    await isDone();
  });

  it('--both creates the sends of both items, once each', async () => {
    await put(
      YAML.replace('automations:', '  twin: {name: Twin, message: news, list: 1, at: +2d}\nautomations:'),
    );
    await approved();
    expect((await apply()).exitCode).toBe(5);
    const [{ length: alone }] = [await liveTasks()];
    expect(alone).toBe(2);
    await done(['plan', 'spring.yaml', '--out', 'spring.plan', '--force', '--both']);
    const shown = await done(['approve', 'spring.plan', '--yes', '--identity', ada.path, '--name', 'ada']);
    expect(shown.stderr).toContain('--both       allows tasks and rules that do the same as existing ones');
    expect((await apply()).exitCode).toBe(0);
    expect(await liveTasks()).toHaveLength(3);
    await isDone();
  });

  it('--prune cancels first, before the steps of items', async () => {
    await done(['apply', 'spring.yaml', '--yes']);
    await put(
      YAML.replace(
        / {2}news: \{name: To all.*\n/,
        '  again: {name: Again, message: news, list: 1, at: +2d}\n',
      ),
    );
    await approved('--prune');
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(0);
    expect((await liveTasks()).length).toBe(2);
    await isDone();
  });

  it('other words for the same moment writes those words once', async () => {
    await done(['apply', 'spring.yaml', '--yes']);
    const before = await taskOf('To all');
    await put(YAML.replace('at: +2d,', 'at: +48h,'));
    await approved();
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(0);
    const after = await taskOf('To all');
    expect([after?.['id'], after?.['scheduledtime']]).toEqual([before?.['id'], before?.['scheduledtime']]);
    expect(after?.['name']).not.toBe(before?.['name']);
    await isDone();
  });

  it('a relative time keeps the approved moment', async () => {
    await approved();
    const { made } = JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8'));
    await sandbox.at(3600);
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(0);
    expect((await taskOf('To all'))?.['scheduledtime']).toBe(made + 2 * 86_400);
    await isDone();
  });

  it('a task that was sent, for which the file now has another list', async () => {
    await done(['apply', 'spring.yaml', '--yes']);
    await advance(sandbox, 3 * 86_400);
    await put(YAML.replace('message: news, list: 1', 'message: news, list: 2'));
    await approved();
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(5);
    expect(run.stderr).toContain('has been sent with values that differ from the file');
  });

  // Such a plan names the items of the other file. With only one file, apply treats them as orphans.
  it('refuses another file of its campaign', async () => {
    const more =
      'version: 1\ncampaign: Spring\ntasks:\n  more: {name: More, channel: sms, message: 1, list: 1, at: +3d}\n';
    await writeFile(join(folder, 'more.yaml'), more);
    await done(['apply', 'more.yaml', '--yes']);
    const { stdout } = await done(['plan', 'spring.yaml', 'more.yaml', '-o', 'json']);
    await writeFile(join(folder, 'spring.plan'), `${JSON.stringify(JSON.parse(stdout)[0], undefined, 2)}\n`);
    for (const argv of [
      ['approve', 'spring.plan', '--yes', '--identity', ada.path],
      ['apply', 'spring.plan', '--yes'],
    ]) {
      const run = await svc(argv);
      expect(run.exitCode, run.stderr).toBe(5);
    }
    expect(await liveTasks()).toHaveLength(1);
  });

  it('one of two files of a campaign keeps the records of the other file', async () => {
    const more =
      'version: 1\ncampaign: Spring\ntasks:\n  more: {name: More, channel: sms, message: 1, list: 1, at: +3d}\n';
    await writeFile(join(folder, 'more.yaml'), more);
    await done(['apply', 'more.yaml', '--yes']);
    await approved();
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await liveTasks()).toHaveLength(3);
    await isDone();
  });
});

// Applied plans stay in a repository, and each later push applies them again (docs/ci.md).
describe('a plan that has expired', () => {
  const DAY = 86_400;

  it.each([
    ['before its tasks are due', 25 * 3600],
    ['after all were sent', 20 * DAY],
  ])('and is done succeeds and writes nothing, %s', async (_, seconds) => {
    await approved();
    expect(await apply()).toMatchObject({ exitCode: 0 });
    await advance(sandbox, seconds);
    const before = service.sent.length;
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain('No changes. 6 items are up to date.');
    expect(writesIn(service.sent.slice(before))).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['was never applied', async () => undefined],
    [
      'is half done',
      async () => {
        const interrupt = new AbortController();
        const transport: Transport = async (request, signal) => {
          const answer = await service.transport(request, signal);
          if (writesIn([request]).length > 0) interrupt.abort();
          return answer;
        };
        await apply({ transport, signal: interrupt.signal });
      },
    ],
    [
      'is done, and a task of it was cancelled by hand',
      async () => {
        await apply();
        const [first] = await liveTasks();
        await done(['task', 'cancel', String(first?.['id']), '--yes']);
      },
    ],
  ])('and %s is refused, and nothing is written', async (_, prepare) => {
    await approved();
    await prepare();
    await advance(sandbox, 25 * 3600);
    const before = service.sent.length;
    const run = await apply();
    expect(run.exitCode, run.stderr).toBe(2);
    expect(run.stderr).toContain('the plan has expired: it was valid until');
    expect(writesIn(service.sent.slice(before))).toEqual([]);
  });
});

describe('during the question', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['the plan expires', () => sandbox.at(25 * 3600), 'the plan has expired'],
    ['the signature is taken away', () => rm(join(folder, 'spring.plan.ada.sig')), '0 of 1 approvals'],
    ['the signer is taken away', () => writeFile(join(folder, 'team.signers'), ''), '0 of 1 approvals'],
  ])('%s: exit 2, and nothing is written', async (_, onQuestion, words) => {
    await approved();
    const before = service.sent.length;
    const run = await svc(APPLY, {
      tty: true,
      answers: [true],
      onQuestion: async () => {
        await onQuestion();
      },
    });
    expect([run.questions.length, run.exitCode, writesIn(service.sent.slice(before))], run.stderr).toEqual([
      1,
      2,
      [],
    ]);
    expect(run.stderr).toContain(words);
  });
});

/** Contract: "`valid-before` of a signer is judged by the service's clock." The service says 1 December 2026, 09:00 UTC. */
it.each([
  ['valid-before="202612010859Z"', 2],
  ['valid-before="202612010901Z"', 0],
  ['valid-after="202612010901Z"', 2],
  ['valid-after="202612010859Z"', 0],
])('with a signer with %s: exit %i', async (options, exit) => {
  await approved();
  await writeFile(join(folder, 'team.signers'), `ada@example.com ${options} ${ada.line}\n`);
  const run = await apply();
  expect(run.exitCode, run.stderr).toBe(exit);
});

/** Contract: "`${{ env.NAME }}` takes only variables that `--env NAME` (repeatable) names". */
it.each([
  ['--set', 'build=7'],
  ['--env', 'BUILD'],
  ['--overwrite'],
  ['--prune'],
  ['--adopt', 'task:news=1'],
  ['--both'],
])('rejects %s together with a plan: exit 2, because a plan is applied as it was made', async (...flags) => {
  await approved();
  const before = service.sent.length;
  const run = await svc([...APPLY, '--yes', ...flags], { env: { BUILD: '7' } });
  expect([run.exitCode, writesIn(service.sent.slice(before))]).toEqual([2, []]);
  expect(run.stderr).toContain(`cannot combine ${flags[0]} with a plan: use the flag with svc plan`);
});

it('values of --set and --env apply to all files, and at least one file must use each value', async () => {
  const another = (campaign: string, text: string): string =>
    `version: 1\ncampaign: ${campaign}\nfolders:\n  all: {name: ${text}}\n`;
  await writeFile(join(folder, 'one.yaml'), another('One', `"\${{ what }}"`));
  await writeFile(join(folder, 'two.yaml'), another('Two', `"\${{ env.BUILD }}"`));
  const argv = ['plan', 'one.yaml', 'two.yaml', '--set', 'what=Spring', '--env', 'BUILD'];
  const env = { BUILD: '7', OTHER: '8' };
  const run = await svc(argv, { env });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(run.stdout).toMatch(/Spring[\s\S]*7/);
  const unused = await svc([...argv, '--env', 'OTHER'], { env });
  expect([unused.exitCode, unused.stdout]).toEqual([2, '']);
  expect(unused.stderr).toContain('--env OTHER: the file does not use');
});

describe('environment variables', () => {
  const SECRET = 'canary-of-the-environment';
  const env = { GITHUB_TOKEN: SECRET, BUILD: 'build 17' };
  const name = (variable: string): Promise<void> =>
    putCampaignFiles(folder, {
      'spring.yaml': CAMPAIGN_FILES['spring.yaml'].replace('name: To all', `name: "\${{ env.${variable} }}"`),
    });
  const plan = (...more: readonly string[]): Promise<Run> =>
    svc(['plan', 'spring.yaml', '--out', 'spring.plan', '--force', ...more], { env });

  it('exit with 2 and name the variable without --env, and never print the value', async () => {
    await name('GITHUB_TOKEN');
    for (const run of [await plan(), await svc(['apply', 'spring.yaml', '--yes'], { env })]) {
      expect([run.exitCode, run.stderr.includes('--env GITHUB_TOKEN')], run.stderr).toEqual([2, true]);
      expect(`${run.stdout}${run.stderr}`).not.toContain(SECRET);
    }
    expect(await readdir(folder)).not.toContain('spring.plan');
  });

  it('are in the plan and on its page with --env, and apply no longer needs them', async () => {
    await name('BUILD');
    expect((await plan('--env', 'BUILD')).exitCode).toBe(0);
    expect(JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8')).inputs.env).toEqual({
      BUILD: 'build 17',
    });
    const run = await done(['approve', 'spring.plan', '--yes', '--identity', ada.path]);
    expect(run.stderr).toContain('environment  BUILD = "build 17"');
    expect((await apply()).exitCode).toBe(0);
  });

  it.each([
    ['NOSUCH', 'this environment variable is not set'],
    ['GITHUB_TOKEN', 'the file does not use'],
    ['BUILD=7', 'write --env NAME'],
  ])('--env %s exits with 2', async (given, words) => {
    await name('BUILD');
    const run = await plan('--env', 'BUILD', '--env', given);
    expect([run.exitCode, run.stderr.includes(words)], run.stderr).toEqual([2, true]);
  });
});

it('a plan is valid for at most 30 days', async () => {
  const run = await svc(['plan', 'spring.yaml', '--out', 'spring.plan', '--valid', '31d']);
  expect([run.exitCode, run.stderr.includes('30d')]).toEqual([2, true]);
});

it('removes temporary folders of runs that were killed', async () => {
  const path = (name: string): string => join(tmpdir(), `svc-approval-${name}`);
  const [old, young] = [path(`old${process.pid}`), path(`new${process.pid}`)];
  for (const each of [old, young]) {
    await mkdir(each, { mode: 0o700 });
    await writeFile(join(each, 'signers'), '');
  }
  const anHourAgo = new Date(Date.now() - 3_601_000);
  await utimes(old, anHourAgo, anHourAgo);
  await approved();
  const there = await readdir(tmpdir());
  expect(['old', 'new'].filter((name) => there.includes(`svc-approval-${name}${process.pid}`))).toEqual([
    'new',
  ]);
  await removeFolder(young);
});
