/** Contract, "Campaigns as files", Series: pages, plan files, notes and the calendar, for examples/series and the demo company. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveClock } from '../../../../src/sandbox/engine/clock.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('campaign-series');
  await cp('examples/series', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string) =>
  runCli(line.split(' '), {
    ...{ cwd: folder, transport: demo.transport, env: { ...demo.admin, PATH: process.env['PATH'] } },
  });
const edit = async (name: string, from: string | RegExp, to: string): Promise<void> => {
  const text = await readFile(join(folder, name), 'utf8');
  expect(text).toMatch(from);
  await writeFile(join(folder, name), text.replace(from, to));
};
const passDays = (days: number) => moveClock(demo.db, NOW + days * 86_400, NOW * 1000);

describe('a plan', () => {
  it('shows a series as one item, with a line for each time', async () => {
    expect((await svc('plan news.yaml')).stdout).toContain(
      `+ create  series   news  Weekly news (list 1, every week until 2032-12-27)
    sends message news to list 1
    only if it has 300 to 600 subscriptions
    313 more until 2032-12-27, which a later run creates
    create 2026-12-07, at Mon 2026-12-07 09:00:00 +00:00 (Europe/London), in 6 days
`,
    );
    expect((await svc('plan news.yaml --format markdown')).stdout).toContain(
      '| create | series | news | Weekly news (list 1, every week until 2032-12-27) | sends message news to list 1<br>',
    );
  });

  it('has on the page that people sign all that each of its tasks does', async () => {
    await svc('plan news.yaml --out news.plan');
    const { stdout } = await svc('plan show news.plan --format markdown');
    expect(stdout).toMatch(
      /^ {2}series news\n {4}name: "Weekly news"\n {4}every week until 2032-12-27\n {4}time 2026-12-07\n {6}name: "Weekly news"\n {6}sends message news to list 1\n {6}only if it has 300 to 600 subscriptions\n {6}at Mon 2026-12-07 09:00:00/m,
    );
  });

  it('has the series in --format summary', async () => {
    await passDays(8);
    const { series, steps } = JSON.parse((await svc('plan news.yaml --format summary')).stdout);
    expect(steps).toHaveLength(5);
    expect(series).toMatchObject([
      {
        key: 'news',
        message: { key: 'news' },
        list: '1',
        search: null,
        every: 'week',
        ahead: 4,
        times: null,
      },
    ]);
    const [{ occurrences }] = series;
    expect(occurrences).toHaveLength(317);
    const shown = ({ key, action, state }: Record<string, unknown>): unknown => [key, action, state];
    expect([...occurrences.slice(0, 2), occurrences[5]].map(shown)).toEqual([
      ['news@2026-12-07', null, 'skipped'],
      ['news@2026-12-14', 'create', null],
      ['news@2027-01-11', null, 'later'],
    ]);
  });

  it('is applied once, with the times that it showed, and says its times in the summary', async () => {
    await svc('plan news.yaml --out news.plan');
    const applied = await svc('apply news.plan --yes -o json');
    expect(applied).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(applied.stdout).map(({ key, size }: Record<string, unknown>) => [key, size])).toEqual([
      ['news', null],
      ...['2026-12-07', '2026-12-14', '2026-12-21', '2026-12-28'].map((day) => [`news@${day}`, 447]),
    ]);
    await passDays(0.5);
    expect(await svc('apply news.plan --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('No changes.'),
    });
  });

  it.each([
    ['the step of another day', /"key": "news@2026-12-14"/, '"key": "news@2026-12-15"'],
    ['another time', /"time": 1797238800/, '"time": 1797242400'],
  ])('is refused with %s', async (_, from, to) => {
    const { readPlan, makePlan } = await import('../../../../src/features/campaign/plan-file/plan-file.ts');
    await svc('plan news.yaml --out news.plan');
    const text = await readFile(join(folder, 'news.plan'), 'utf8');
    expect(text).toMatch(from);
    const {
      sha256: _sha,
      version: _version,
      ...parts
    } = JSON.parse(text.replaceAll(new RegExp(from, 'g'), to));
    const forged = `${JSON.stringify(makePlan(parts), undefined, 2)}\n`;
    expect(() => readPlan(forged)).toThrow(/the plan contradicts itself/);
  });

  it('is found by audit for each of its tasks', async () => {
    await mkdir(join(folder, 'plans'));
    await svc('plan news.yaml --out plans/news.plan');
    await svc('apply plans/news.plan --yes');
    await writeFile(join(folder, 'team.signers'), '');
    const { stdout } = await svc('audit --plans plans --signers team.signers -o json');
    const rows: readonly Record<string, unknown>[] = JSON.parse(stdout);
    const own = rows.filter(({ name }) => String(name).startsWith('Weekly news'));
    expect(own.map(({ plan, verdict }) => [plan, verdict])).toEqual(
      Array.from({ length: 4 }, () => [expect.stringContaining('news.plan'), 'unapproved']),
    );
  });
});

describe('svc apply', () => {
  // Contract: "`svc apply` refuses (exit 2) … one that creates a task or rule that sends such a message".
  it('refuses the times of a series whose message has a lint error, also if the message is unchanged', async () => {
    await edit('content/news.html', 'https://www.harbourcoffee.example/this-week', 'https://');
    expect(await svc('apply news.yaml --yes --allow-lint-errors')).toMatchObject({ exitCode: 0 });
    await passDays(8);
    expect(await svc('apply news.yaml --yes')).toMatchObject({ exitCode: 2 });
  });

  it('says which times it skipped, also if there is nothing else to do', async () => {
    await edit('news.yaml', 'at: 2026-12-07', 'at: 2026-11-23');
    const skipped =
      'series news: 2 times skipped, because svc created no task before: 2026-11-23, 2026-11-30\n';
    expect((await svc('apply news.yaml --yes')).stderr).toContain(skipped.slice('series news: '.length));
    const again = await svc('apply news.yaml --yes');
    expect(again.stderr).toContain(skipped);
    expect(again.stderr).toContain('No changes. 5 items are up to date');
  });

  it('takes a time of a series as the key of --adopt, and refuses the series itself and other days', async () => {
    const made = await svc(
      'task create --list 1 --message 2 --channel email --name N --at 2026-12-07T09:00Z -o json',
    );
    const { id } = JSON.parse(made.stdout);
    expect(await svc(`plan news.yaml --adopt news@2026-12-07=${id}`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('create 2026-12-14'),
    });
    expect(await svc(`plan news.yaml --adopt task:news=${id}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('news is a series, so name the time too'),
    });
    expect(await svc(`plan news.yaml --adopt news@2026-12-08=${id}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'news.yaml:24:13: task news: --adopt news@2026-12-08: the series has no such day',
      ),
    });
  });

  it('reports the faults of a series once, at their places in the file', async () => {
    await edit('news.yaml', 'message: news', 'message: Weekly letter');
    const { exitCode, stderr } = await svc('apply news.yaml --yes');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'news.yaml:21:14: task news: message: the service has no message "Weekly letter"',
    );
    expect(stderr.match(/Weekly letter/g)).toHaveLength(1);
  });

  it('reports a first time that the clocks skip', async () => {
    await edit('news.yaml', 'at: 2026-12-07 09:00', 'at: 2027-03-28 01:30');
    const { exitCode, stderr } = await svc('apply news.yaml --yes');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'news.yaml:23:9: task news: at: 2027-03-28 01:30 does not exist in Europe/London',
    );
  });
});

describe('svc task calendar --campaign', () => {
  it('shows the times that have no task yet', async () => {
    await svc('apply news.yaml --yes');
    const { stdout } = await svc('task calendar --campaign news.yaml --from 2026-12-28 --weeks 2');
    expect(stdout).toMatch(/^ {2}09:00 {2}Weekly news \S+\n {9}task 8, e-mail, 447 to list 1, scheduled\n/m);
    expect(stdout).toContain(
      'Mon 2027-01-04\n  09:00  Weekly news\n         news@2027-01-04, e-mail to list 1, not created yet\n',
    );
    const rows = await svc('task calendar --campaign news.yaml --from 2026-12-28 --weeks 2 -o json');
    expect(JSON.parse(rows.stdout)).toMatchObject([
      { id: 8, local: '2026-12-28 09:00' },
      { id: null, key: 'news@2027-01-04', list_id: 1, local: '2027-01-04 09:00', clashes: [] },
    ]);
  });

  it('leaves them out of the iCalendar file, and says so', async () => {
    const { stderr } = await svc('task calendar --campaign news.yaml --weeks 2 --ics a.ics');
    expect(stderr).toContain('wrote a.ics with 0 tasks; left out: 2 not created yet');
  });

  it('reports faults of the file, and values without a file', async () => {
    await edit('news.yaml', 'every: week', 'every: fortnight');
    expect(await svc('task calendar --campaign news.yaml')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('news.yaml:24:21: task news: every must be'),
    });
    expect(await svc('task calendar --set a=b')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--set needs --campaign'),
    });
  });
});
