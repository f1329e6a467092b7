/** Contract, "Many companies": one campaign for many companies, with a bundle that one approval covers. */
import { copyFile, cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseBundleForAssistant } from '../../../../src/cli/commands/campaign/trusted-plan.ts';
import { makeBundle } from '../../../../src/features/campaign/plan-file/bundle.ts';
import { makePlan, readPlan } from '../../../../src/features/campaign/plan-file/plan-file.ts';
import { type PartnerProfile, withPartnerProfile } from '../../../support/partner-profile.ts';
import { fillConfig } from '../../../support/profiles.ts';
import { writesIn } from '../../../support/run-cli.ts';
import { KEYS, NOW } from '../../../support/sandbox.ts';

const CAMPAIGN = `version: 1
campaign: Spring sale
messages:
  spring:
    channel: sms
    name: Spring sale
    from: Shop
    message: spring.txt
tasks:
  newsletter:
    name: Spring sale in \${{ city }}
    message: spring
    list: \${{ list }}
    at: 2026-12-20 09:00
`;

let agency: PartnerProfile;
let ids: readonly number[];
/** The id of each company's list. */
let lists: readonly number[];

beforeEach(async () => {
  agency = await withPartnerProfile();
  const account = {
    smscreditbalance: 1000,
    contactemail: 'a@example.com',
    timezone: 'Europe/London',
    api_key: KEYS.other,
    partner_id: 1,
  };
  const times = { cdate: 1, mdate: 1 };
  const third = await agency.sandbox.put('account', { ...account, ...times, name: 'Third' });
  const user = {
    username: 'admin',
    email: 'a@example.com',
    isadmin: 1,
    timezone: 'Europe/London',
    firstname: 'A',
    lastname: 'B',
  };
  await agency.sandbox.put('user', { ...user, account_id: third, ...times });
  ids = [2, 1, third];
  await fillConfig(join(agency.folder, 'config'), 'agency with the companies of a bundle', () =>
    agency.done(['company', 'import', '-'], {
      stdin: `id,name,tags\n2,Other,uk\n1,Company,uk\n${third},Third,de\n`,
    }),
  );
  const made: number[] = [];
  for (const id of ids)
    made.push(await agency.sandbox.put('list', { account_id: id, name: `L${id}`, cdate: 1 }));
  lists = made;
  await write('spring.yaml', CAMPAIGN);
  await write('spring.txt', 'Spring is here');
  await write('values.yaml', valuesOf(ids.map((id, at) => `${id}: {list: ${lists[at]}, city: City ${id}}`)));
});
afterEach(() => agency.remove());

const path = (...names: string[]) => join(agency.folder, ...names);
const write = (name: string, text: string) => writeFile(path(name), text);
const valuesOf = (rows: readonly string[]) => `companies:\n${rows.map((row) => `  ${row}\n`).join('')}`;
const svc = (line: string) => agency.svc(line.split(' '));
const done = (line: string) => agency.done(line.split(' '));
const PLAN = 'plan spring.yaml --companies all --values values.yaml';
const tasks = async () =>
  JSON.parse((await done('task list --companies all -o json')).stdout).map(
    ({ company_id, name }: { company_id: number; name: string }) =>
      `${company_id} ${name.replace(/ \[.*/, '')}`,
  );
const ALL = () => ids.map((id) => `${id} Spring sale in City ${id}`);

describe('svc plan --companies --out', () => {
  it('writes a plan for each company, and a bundle with digest, company, numbers and differences of each', async () => {
    const run = await done(`${PLAN} --out spring`);
    expect((await readdir(path('spring'))).sort()).toEqual(
      [...ids.map((id) => `${id}.plan`), 'bundle.plan'].sort(),
    );
    const bundle = JSON.parse(await readFile(path('spring', 'bundle.plan'), 'utf8'));
    const plans = await Promise.all(
      ids.map(async (id) => JSON.parse(await readFile(path('spring', `${id}.plan`), 'utf8'))),
    );
    expect(bundle.companies).toMatchObject(
      ids.map((id, at) => ({
        ...{ company: { id: String(id) }, sha256: plans[at].sha256, alike: 1 },
        numbers: { steps: { create: 2 }, sends: 1, recipients: null },
        differences: {
          'variable list': String(lists[at]),
          'variable city': `City ${id}`,
          'task newsletter list': String(lists[at]),
        },
      })),
    );
    expect(run.stdout).toContain('3 companies that are alike, and their differences');
    expect(run.stdout).toContain('"task newsletter list"');
    // The text that people get is on the page once.
    expect(run.stdout.match(/Spring is here/g)).toHaveLength(1);
    expect(writesIn(agency.sent)).toEqual([]);
  });

  it('shows companies with other texts apart', async () => {
    await write('spring.yaml', CAMPAIGN.replace('spring.txt', `\${{ file }}`));
    await write('long.txt', `Spring\nis here`);
    const rows = ids.map(
      (id, at) => `${id}: {list: ${lists[at]}, city: C, file: ${at === 1 ? 'long' : 'spring'}.txt}`,
    );
    await write('values.yaml', valuesOf(rows));
    const { stdout } = await done(PLAN);
    expect(stdout).toContain('Group 1: 2 companies that are alike');
    expect(stdout).toContain('Group 2: 1 company');
  });

  // "`approve DIR/bundle.plan` and `plan show` show … what differs for each": a campaign's name decides which records it owns.
  it('shows a campaign, a file or a service that only one company has', async () => {
    await write('spring.yaml', CAMPAIGN.replace('campaign: Spring sale', `campaign: Sale of \${{ city }}`));
    await done(`${PLAN} --out spring`);
    expect((await done('plan show spring/bundle.plan')).stdout).toContain(
      `"campaign": "Sale of City ${ids[1]}"`,
    );
    const plans = await Promise.all(
      ids.map(async (id) => readPlan(await readFile(path('spring', `${id}.plan`), 'utf8'))),
    );
    const { version: _, sha256: __, ...parts } = plans[1] ?? expect.fail('no second plan');
    const inputs = { ...parts.inputs, file: '../other.yaml' };
    const other = makePlan({ ...parts, origin: 'https://other.example', inputs });
    const { companies } = makeBundle([...plans.slice(0, 1), other, ...plans.slice(2)]);
    expect(companies[1]?.differences).toMatchObject({
      service: 'https://other.example',
      file: '../other.yaml',
    });
  });

  it('names a value that one company lacks, with the company and the place of its use, and writes nothing', async () => {
    await write(
      'values.yaml',
      valuesOf([`${ids[0]}: {list: x, city: A}`, `1: {list: 7}`, `99: {city: B}`]).replace(
        'companies',
        `list: 5\ncompanies`,
      ),
    );
    const run = await svc(`${PLAN} --out spring`);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(`spring.yaml:11:26: companies 1, ${ids[2]}: the variable city has no value`);
    expect(run.stderr).toContain(
      `spring.yaml:13:11: company ${ids[0]}: task newsletter: list must be the id of a list, not "x"`,
    );
    expect(run.stderr).toContain('values.yaml:5:3: company 99 is not in the company list');
    expect(await readdir(agency.folder)).not.toContain('spring');
    expect(agency.sent).toEqual([]);
  });

  it.each([
    [
      'a company outside of the roster',
      'plan spring.yaml --companies 99',
      'company 99 is not in the company list of profile agency',
    ],
    ['an existing folder', `${PLAN} --out config`, 'config'],
    ['--checkpoint', `${PLAN} --checkpoint c`, 'needs no --checkpoint'],
  ])('refuses %s', async (_, line, says) => {
    const run = await svc(line);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(agency.sent).toEqual([]);
  });

  it('--check exits with 11 until the bundle is applied', async () => {
    expect((await svc(`${PLAN} --check`)).exitCode).toBe(11);
    expect((await svc(PLAN)).stdout).toContain('\n  steps       6 to create\n');
    await done(`${PLAN} --out spring`);
    await done('apply spring/bundle.plan --yes');
    expect((await svc(`${PLAN} --check`)).exitCode).toBe(0);
    expect((await svc(PLAN)).stdout).toContain('\n  steps       6 up to date\n');
  });

  it.each([
    ['apply spring --yes', 'cannot read spring: the path is a folder', 'give spring/bundle.plan'],
    ['rehearse spring/bundle.plan --company 1', 'is a bundle of plans', 'give the campaign file, with'],
    [`${PLAN} --html h.html`, 'cannot combine --html', 'choose one company with --company'],
    [`${PLAN.replace('plan', 'rehearse')} --against none`, 'cannot combine --against', 'choose one company'],
  ])('%s says what to give instead', async (line, says, hint) => {
    await done(`${PLAN} --out spring`);
    const run = await svc(line);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(`${says}.*\nHint: .*${hint}`)]);
  });
});

describe('svc apply of a bundle', () => {
  it('applies all plans, and then has nothing to do', async () => {
    await done(`${PLAN} --out spring`);
    const run = await done('apply spring/bundle.plan --yes -o json');
    expect(
      JSON.parse(run.stdout).map((row: Record<string, unknown>) => [
        row['company_id'],
        row['kind'],
        row['done'],
      ]),
    ).toEqual(
      ids.flatMap((id) => [
        [id, 'message', true],
        [id, 'task', true],
      ]),
    );
    expect((await tasks()).sort()).toEqual(ALL().sort());
    const before = writesIn(agency.sent).length;
    const again = await done('apply spring/bundle.plan --yes');
    expect(again.stderr).toContain('No changes in 3 companies');
    expect(writesIn(agency.sent)).toHaveLength(before);
  });

  it('asks once, for the number of companies', async () => {
    await done(`${PLAN} --out spring`);
    const asked = await agency.svc(['apply', 'spring/bundle.plan'], { tty: true, answers: ['2'] });
    expect(asked.questions).toEqual([expect.stringContaining('type 3')]);
    expect(asked.exitCode).toBe(2);
    expect(await tasks()).toEqual([]);
    expect((await svc('apply spring/bundle.plan')).stderr).toContain('needs --yes');
  });

  it('blocks a company that has drifted alone, names it, and exits with 5', async () => {
    await done(`${PLAN} --out spring`);
    // A message of the same mark appears, as another run would make it.
    await done(`apply spring.yaml --company ${ids[1]} --values values.yaml --yes`);
    const listed = JSON.parse((await done(`task list --company ${ids[1]} -o json`)).stdout);
    await done(`task cancel ${listed[0].id} --company ${ids[1]} --yes`);
    const run = await svc('apply spring/bundle.plan --yes -o json');
    expect(run.exitCode).toBe(5);
    expect(run.stderr).toContain(`"company_id":${ids[1]}`);
    expect(run.stderr).toContain(` --companies ${ids[1]} --out DIR`);
    expect(new Set((await tasks()).filter((each: string) => !each.startsWith(`${ids[1]} `)))).toEqual(
      new Set([ALL()[0], ALL()[2]]),
    );
  });

  it.each([
    ['a plan that was taken out', 'apply spring/1.plan --yes', async () => {}, 'belongs to a bundle'],
    [
      'a plan of another bundle',
      'apply spring/bundle.plan --yes',
      async () => {
        await done(`${PLAN} --out other`);
        await copyFile(path('other', '1.plan'), path('spring', '1.plan'));
      },
      'is not a plan of spring/bundle.plan',
    ],
    [
      'a plan of no bundle',
      'apply spring/bundle.plan --yes',
      async () => {
        await done('plan spring.yaml --company 1 --values values.yaml --out spring/x');
        await rename(path('spring', 'x'), path('spring', '1.plan'));
      },
      'is not a plan of spring/bundle.plan',
    ],
    ['a missing plan', 'apply spring/bundle.plan --yes', () => rm(path('spring', '1.plan')), '1.plan'],
    [
      'an edited bundle',
      'apply spring/bundle.plan --yes',
      async () => {
        const text = await readFile(path('spring', 'bundle.plan'), 'utf8');
        await writeFile(path('spring', 'bundle.plan'), text.replace('City 1', 'City 9'));
      },
      'contradicts its plans',
    ],
    [
      'a company that left the roster',
      'apply spring/bundle.plan --yes',
      async () => {
        await done('company remove 1 --yes');
      },
      'company 1 is not in the company list',
    ],
    [
      'a bundle with --companies',
      'apply spring/bundle.plan --companies all --write --yes',
      async () => {},
      'names its companies itself',
    ],
    [
      'a read-only profile',
      'apply spring/bundle.plan --yes',
      async () => {
        await done('profile set agency read-only true');
      },
      'read-only',
    ],
    [
      'a changed content file',
      'apply spring/bundle.plan --yes',
      () => write('spring.txt', 'Other'),
      'has changed since the plan was made',
    ],
  ])('refuses %s', async (_, line, change, says) => {
    await done(`${PLAN} --out spring`);
    await change();
    const run = await svc(line);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(writesIn(agency.sent)).toEqual([]);
  });

  it('counts all companies of the bundle in the budget', async () => {
    await done('profile set agency budget.tasks-per-day 2 --yes');
    await done(`${PLAN} --out spring`);
    const run = await svc('apply spring/bundle.plan --yes');
    expect([run.exitCode, run.stderr]).toEqual([
      2,
      expect.stringContaining('budget: the profile allows at most 2 tasks'),
    ]);
    expect(writesIn(agency.sent)).toEqual([]);
    await done('profile set agency budget.tasks-per-day 3 --yes');
    await done('apply spring/bundle.plan --yes');
  });
});

it('refuses a bundle for an assistant, whose plans are for one company', async () => {
  await done(`${PLAN} --out spring`);
  expect(() => refuseBundleForAssistant({ confined: { folder: agency.folder } as never }, 'b')).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('only a person can use'),
      hints: [expect.stringContaining('svc plan show b, then svc approve b, then svc apply b')],
    }),
  );
  expect(() => refuseBundleForAssistant({}, 'b')).not.toThrow();
});

describe('svc apply FILE --companies', () => {
  it('needs --write, and applies the file for each company', async () => {
    const line = 'apply spring.yaml --companies all --values values.yaml --yes';
    expect(await svc(line)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('without --write'),
    });
    expect(writesIn(agency.sent)).toEqual([]);
    await done(`${line} --write`);
    expect((await tasks()).sort()).toEqual(ALL().sort());
  });
});

describe('svc rehearse, export and audit --companies', () => {
  it('rehearse has a row for each company', async () => {
    const run = await svc('rehearse spring.yaml --companies all --values values.yaml -o json');
    expect(JSON.parse(run.stdout)).toMatchObject(
      ids.map((id) => ({ company_id: id, sends: 1, errors: expect.any(Number) })),
    );
    expect(writesIn(agency.sent)).toEqual([]);
  });

  it('export writes a folder for each company', async () => {
    await done('apply spring.yaml --companies all --values values.yaml --yes --write');
    await done('export out --companies all');
    expect((await readdir(path('out'))).sort()).toEqual(ids.map(String).sort());
    expect(await readFile(path('out', '1', 'campaign.yaml'), 'utf8')).toContain('Spring sale in City 1');
  });
});

it.each([NOW])('keeps its files together in any place: %s', async () => {
  await done(`${PLAN} --out spring`);
  await cp(path('spring'), path('moved'), { recursive: true });
  await rm(path('spring'), { recursive: true });
  await done('apply moved/bundle.plan --yes');
});
