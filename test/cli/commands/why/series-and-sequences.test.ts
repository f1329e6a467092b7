/**
 * Contract, "Insight": `why task` says which number in which series the task is, and what comes next; `why automation` says which step of
 * which sequence the rule is. The facts come from the marks and names of records, without the campaign file.
 */
import { cp, rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { moveClock } from '../../../../src/sandbox/engine/clock.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
let requests: number;
beforeEach(async () => {
  folder = await makeTemporaryFolder('why-series');
  for (const name of ['series', 'sequence', 'campaign'])
    await cp(`examples/${name}`, folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = async (line: string) => {
  requests = 0;
  const run = await runCli(line.split(' '), {
    ...{ cwd: folder, env: { ...demo.admin, PATH: process.env['PATH'] } },
    transport: (request) => {
      requests += 1;
      return demo.transport(request);
    },
  });
  expect([line, run.stderr, run.exitCode]).toEqual([line, expect.any(String), 0]);
  return { ...run, words: run.stdout.replace(/\s+/g, ' ') };
};
const apply = async (file: string): Promise<readonly { kind: string; id: number; rule: string }[]> =>
  JSON.parse((await svc(`apply ${file} --yes -o json`)).stdout);
const tasksOfSeries = async (): Promise<readonly number[]> =>
  (await apply('news.yaml')).filter(({ kind }) => kind === 'task').map(({ id }) => id);

it('a task of a series has its number, and the next one to come', async () => {
  const [first = 0, second = 0, ...others] = await tasksOfSeries();
  const last = others.at(-1);
  expect((await svc(`why task ${first}`)).words).toMatch(
    /This task is number 1 of 4 in the series “Weekly news” of campaign [0-9a-z]{6}, as far as its tasks exist\. It is the next one to come\./,
  );
  await moveClock(demo.db, NOW + 8 * 86_400, NOW * 1000);
  expect((await svc(`why task ${first}`)).words).toContain(
    `number 1 of 4 in the series “Weekly news” of campaign`,
  );
  expect((await svc(`why task ${last}`)).words).toMatch(
    new RegExp(
      `number 4 of 4 .* The next one to come is task ${second}: Mon 2026-12-14 09:00:00 \\+00:00 \\(Europe/London\\), in `,
    ),
  );
  await moveClock(demo.db, NOW + 40 * 86_400, NOW * 1000);
  expect((await svc(`why task ${first}`)).words).toContain('No later task of the series exists yet.');
});

it('says that a time that was cancelled by hand stays cancelled, and not of one that svc replaced', async () => {
  const [first = 0, second = 0] = await tasksOfSeries();
  expect((await svc(`why task ${second}`)).words).not.toContain('by hand');
  await svc(`task cancel ${second} --yes`);
  const { words } = await svc(`why task ${second}`);
  expect(words).toContain(
    'It was cancelled by hand, so svc apply leaves it cancelled (--overwrite creates it again).',
  );
  await apply('news.yaml');
  expect((await svc(`why task ${first}`)).words).toContain('number 1 of 4');
  expect((await svc(`why task ${second}`)).words).toContain('number 2 of 4');
});

it('a step has its number, its sequence, and the step before it', async () => {
  const rules = (await apply('welcome.yaml')).flatMap(({ rule, id }) =>
    rule === 'subscription' ? [String(id)] : [],
  );
  expect(rules).toHaveLength(3);
  const [hello, tips] = rules.map((id) => `subscription:${id.replace(/^.*:/, '')}`);
  expect((await svc(`why automation ${hello}`)).words).toContain(
    'Step hello is number 1 of 3 in the sequence “Club welcome” of list 2. No step is before it.',
  );
  expect((await svc(`why automation ${tips}`)).words).toContain(
    `Step tips is number 2 of 3 in the sequence “Club welcome” of list 2. It follows step hello (${hello}).`,
  );
});

it('other tasks and rules of a campaign are in no series and no sequence, and cost no request', async () => {
  const made = await apply('spring.yaml');
  const task = made.find(({ kind }) => kind === 'task')?.id;
  const { words } = await svc(`why task ${task}`);
  expect(words).not.toContain('series');
  await svc('why task 1');
  const without = requests;
  await svc('why task 1 -o json');
  expect(without - requests).toBeLessThanOrEqual(1);
  expect((await svc('why automation click:1')).words).not.toContain('sequence');
});
