/** Contract, "Campaigns as files": "a changed content file is a changed plan", whatever folder the plan is applied from. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('plan-inputs');
  await cp('examples/campaign', join(folder, 'campaigns'), { recursive: true });
  for (const name of ['plans', 'elsewhere']) await mkdir(join(folder, name));
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

/** @param from the folder in which the command runs */
const svc = (line: string, from = '.') =>
  runCli(line.split(' '), {
    cwd: join(folder, from),
    transport: demo.transport,
    env: { ...demo.admin, PATH: process.env['PATH'] },
  });
const path = (...names: string[]): string => join(folder, ...names);
const change = async (file: string): Promise<void> =>
  writeFile(path(file), `${await readFile(path(file), 'utf8')}<p>More</p>\n`);
const made = async (): Promise<number> =>
  JSON.parse((await svc('email list -o json')).stdout).filter(({ name }: { name: string }) =>
    name.includes('[svc-'),
  ).length;

/** The folder in which the plan is made, its name there, the folder to which it is moved, the folder of apply, and its name there. */
type Way = { at: string; plan: string; to?: string; from: string; as: string };
const WAYS: readonly (readonly [string, Way])[] = [
  ['where it was made', { at: '.', plan: 'a.plan', from: '.', as: 'a.plan' }],
  ['from another folder', { at: '.', plan: 'a.plan', from: 'elsewhere', as: '../a.plan' }],
  ['from beside the contents', { at: '.', plan: 'plans/a.plan', from: 'campaigns', as: '../plans/a.plan' }],
  ['made below', { at: 'campaigns', plan: '../plans/a.plan', from: '.', as: 'plans/a.plan' }],
  [
    // As in examples/ci, the reviewer keeps the plan beside the campaign file.
    'moved beside the file',
    { at: '.', plan: 'a.plan', to: 'campaigns/a.plan', from: 'elsewhere', as: '../campaigns/a.plan' },
  ],
  [
    'moved beside, applied from the file',
    { at: 'campaigns', plan: 'a.plan', to: 'plans/a.plan', from: 'campaigns', as: '../plans/a.plan' },
  ],
];

/** The plan of each way. It names no folder of the machine, so it is made once, and then copied. */
const plans = new Map<Way, Buffer>();
const planned = async (way: Way): Promise<void> => {
  const { at, plan, to } = way;
  const place = to === undefined ? path(at, plan) : path(to);
  const kept = plans.get(way);
  if (kept) return writeFile(place, kept);
  const file = at === '.' ? 'campaigns/spring.yaml' : 'spring.yaml';
  expect((await svc(`plan ${file} --out ${plan}`, at)).exitCode).toBe(0);
  if (to !== undefined) await rename(path(at, plan), place);
  plans.set(way, await readFile(place));
};

describe.each(WAYS)('a plan, applied %s', (_, way) => {
  it.each(['campaigns/content/spring.html', 'campaigns/spring.yaml'])(
    'is refused if %s has changed',
    async (file) => {
      await planned(way);
      await change(file);
      const run = await svc(`apply ${way.as} --yes`, way.from);
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain(`${file.replace('campaigns/', '')} has changed since the plan was made`);
      expect(await made()).toBe(0);
    },
  );

  it('is applied if nothing has changed', async () => {
    await planned(way);
    const run = await svc(`apply ${way.as} --yes`, way.from);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await made()).toBe(2);
  });
});

describe('apply', () => {
  it('refuses a plan whose content file no longer exists', async () => {
    await svc('plan campaigns/spring.yaml --out a.plan');
    await rm(path('campaigns/content/spring.html'));
    const run = await svc('apply a.plan --yes');
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('content/spring.html does not exist, but the plan was made with this file');
    expect(await made()).toBe(0);
  });

  it('refuses a plan whose campaign files are not found, and names the folders searched', async () => {
    await svc('plan campaigns/spring.yaml --out a.plan');
    await rename(path('campaigns'), path('elsewhere', 'kept'));
    const run = await svc('apply a.plan --yes');
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('cannot find campaigns/spring.yaml, which the plan was made from');
    expect(run.stderr).toContain('in the folder of the plan');
    expect(await made()).toBe(0);
  });
});

// The text that people sign and commit contains no path of the machine.
it('names the campaign file relative to its folder', async () => {
  await svc(`plan ${path('campaigns', 'spring.yaml')} --out plans/a.plan`);
  const { inputs } = JSON.parse(await readFile(path('plans', 'a.plan'), 'utf8'));
  expect(inputs.file).toBe('../campaigns/spring.yaml');
  const printed = JSON.parse((await svc('plan spring.yaml --format json', 'campaigns')).stdout);
  expect(printed.inputs.file).toBe('spring.yaml');
});

it('is told from a campaign file', async () => {
  await svc('plan campaigns/spring.yaml --out a.plan');
  const [plan, lint] = [await svc('plan a.plan'), await svc('lint a.plan')];
  expect([plan.exitCode, lint.exitCode]).toEqual([2, 11]);
  for (const said of [plan.stderr, lint.stdout])
    expect(said).toMatch(
      /a\.plan:[0-9]+:3: .*this file is a saved plan, and no campaign file; svc plan show/,
    );
});
