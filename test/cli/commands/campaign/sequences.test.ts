/** Contract, "Campaigns as files", Sequences: pages of a plan, and edits of a sequence, for examples/sequence and the demo company. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('campaign-sequences');
  await cp('examples/sequence', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string) =>
  runCli(line.split(' '), {
    ...{ cwd: folder, transport: demo.transport, env: { ...demo.admin, PATH: process.env['PATH'] } },
  });
const edit = async (...changes: readonly (readonly [from: string | RegExp, to: string])[]) => {
  const path = join(folder, 'welcome.yaml');
  let text = await readFile(path, 'utf8');
  for (const [from, to] of changes) {
    expect(text).toMatch(from);
    text = text.replace(from, to);
  }
  await writeFile(path, text);
};

const steps = async (): Promise<readonly string[]> => {
  const { stdout } = await svc('plan welcome.yaml --format summary');
  return JSON.parse(stdout).steps.flatMap(({ action, kind, key, id }: Record<string, string>) =>
    kind === 'automation' && action !== 'keep' ? [`${action} ${key ?? id}`] : [],
  );
};

const TIPS = `      - key: tips
        message: tips
        after: 3d
        at-hour: 10:00
`;

it('is one item of svc plan, with a line for each step', async () => {
  expect((await svc('plan welcome.yaml')).stdout).toContain(
    `+ create  sequence    welcome     Club welcome (list 2)
    create step hello, at once: e-mail message welcome
    create step tips, 3 days later at 10:00: e-mail message tips
    create step voucher, 10 days later at 10:00: SMS message voucher, not at weekends
`,
  );
  const { stdout } = await svc('plan welcome.yaml --format markdown');
  expect(stdout).toContain(
    '| create | sequence | welcome | Club welcome (list 2) | create step hello, at once: e-mail message welcome<br>create step tips,',
  );
});

it('is one item of the page that people sign, with all that its rules do', async () => {
  await svc('plan welcome.yaml --out welcome.plan');
  const { stdout } = await svc('plan show welcome.plan --format markdown');
  expect(stdout).toMatch(
    /^ {2}sequence welcome\n {4}name: "Club welcome"\n {4}list 2\n {4}step hello, at once: e-mail message welcome\n {6}name: "Club welcome, step hello"\n {6}subscription, list 2: send e-mail message welcome\n/m,
  );
  expect(stdout).not.toContain('automation welcome');
});

it('is an object of --format summary', async () => {
  const { stdout } = await svc('plan welcome.yaml --format summary');
  expect(JSON.parse(stdout).sequences).toMatchObject([
    {
      ...{ key: 'welcome', name: 'Club welcome', list: '2' },
      steps: [
        {
          key: 'hello',
          action: 'create',
          message: { key: 'welcome' },
          minutes: 0,
          hour: null,
          weekends: true,
        },
        { key: 'tips', channel: 'email', minutes: 4320, hour: '10:00:00' },
        { key: 'voucher', channel: 'sms', minutes: 14_400, weekends: false },
      ],
    },
  ]);
});

it('changes the rule of an edited step, replaces it for another message, and leaves the others', async () => {
  await svc('apply welcome.yaml --yes');
  expect(await steps()).toEqual([]);
  await edit(
    ['after: 3d', 'after: 4d'],
    [/- key: hello\n {8}message: welcome/, '- key: hello\n        message: tips'],
  );
  expect(await steps()).toEqual(['replace welcome/hello', 'change welcome/tips']);
  const { stdout } = await svc('plan welcome.yaml');
  expect(stdout).toContain(
    '~ change  sequence    welcome     Club welcome (list 2)\n    replace step hello, at once:',
  );
  expect(stdout).toContain('        delay: 3 days later → 4 days later\n');
});

it('orphans a removed step, and creates an inserted one without moving steps that have keys', async () => {
  await svc('apply welcome.yaml --yes');
  await edit([TIPS, '']);
  expect(await steps()).toEqual(['orphaned subscription:3']);
  await edit([
    '      - key: voucher',
    `${TIPS.replaceAll('tips', 'welcome').replace('3d', '2d')}      - key: voucher`,
  ]);
  expect(await steps()).toEqual(['create welcome/welcome', 'orphaned subscription:3']);
});

it('is unchanged if steps at one time change places by key', async () => {
  await edit(['after: 3d\n        at-hour: 10:00', 'after: 0m'], [/$/, '']);
  await svc('apply welcome.yaml --yes');
  const hello = '      - key: hello\n        message: welcome\n        after: 0m\n';
  const tips = TIPS.replace('3d\n        at-hour: 10:00', '0m');
  await edit([`${hello}${tips}`, `${tips}${hello}`]);
  expect(await steps()).toEqual([]);
});

it('reports all faults at once, each with its place, and sends nothing', async () => {
  await edit(['after: 3d', 'after: 3h'], ['after: 10d', 'after: 2h'], ['key: voucher', 'key: hello']);
  const { exitCode, stderr } = await svc('apply welcome.yaml --yes');
  expect(exitCode).toBe(2);
  for (const fault of [
    'svc: 4 problems; nothing was sent\n',
    '  welcome.yaml:69:16: sequence welcome: after must be 0 or a multiple of 1d when at-hour is set; use 0m, or remove at-hour\n',
    '  welcome.yaml:71:14: sequence welcome: step 1 has the key hello too\n',
    '  welcome.yaml:73:16: sequence welcome: after must be 0 or a multiple of 1d when at-hour is set; use 0m, or remove at-hour\n',
    '  welcome.yaml:73:16: sequence welcome: after is shorter than that of the step above (3 hours)',
  ])
    expect(stderr).toContain(fault);
});

it('names a message that does not exist as the file does', async () => {
  await edit(['message: tips', 'message: tps']);
  expect((await svc('plan welcome.yaml')).stderr).toContain(
    'welcome.yaml:68:18: sequence welcome: message: the service has no message "tps"; did you mean tips?',
  );
});
