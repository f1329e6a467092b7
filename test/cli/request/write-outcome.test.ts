/** Contract, "The everyday screen": a write on a terminal prints its result in one or two lines. Elsewhere stdout is the record. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { openDemoService } from '../../support/demo-service.ts';
import { withPartnerProfile } from '../../support/partner-profile.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const WIDE = { tty: true, columns: 200 } as const;

describe('a write on a terminal', () => {
  it('prints what was scheduled, the number of recipients, the time, and the next step', async () => {
    const { create, transport } = await campaign(30);
    const run = await runCli([...create, '--name', 'Spring', '--at', '+2d'], { transport, ...WIDE });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(
      /^Scheduled task 1 "Spring": e-mail to 30, [A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d \S+\. Next: svc task watch 1\n$/,
    );
    // A note on stderr would repeat this.
    expect(run.stderr).not.toContain('made task');
    const narrow = await runCli(['task', 'cancel', 'Spring', '--yes'], { transport, tty: true, columns: 40 });
    expect(narrow.stdout).toMatch(/^Cancelled task 1 "Spring"/);
    expect(narrow.stdout.split('\n').filter((line) => line.length > 40)).toEqual([]);
  });

  it('puts the next command on its own line if both do not fit', async () => {
    const { create, transport } = await campaign(30);
    const run = await runCli([...create, '--name', 'Spring', '--at', '+2d'], {
      transport,
      tty: true,
      columns: 80,
    });
    expect(run.stdout.split('\n')[1]).toBe('Next: svc task watch 1');
  });

  it.each([
    [['folder', 'create', '--name', 'News'], 'Created folder 1 "News".\n'],
    [['folder', 'update', 'News', '--name', 'Newer'], 'Updated folder 1 "Newer".\n'],
    [['folder', 'delete', 'Newer', '--yes'], 'Deleted folder 1 "Newer".\n'],
    [['dnc', 'add', 'x@example.org', '--yes'], 'Added x@example.org to Do Not Contact.\n'],
    [['dnc', 'remove', 'x@example.org', '--yes'], 'Removed x@example.org from Do Not Contact.\n'],
  ])('is printed for svc %j', async (argv, said) => {
    const { transport } = await campaign(1);
    const before = argv[1] === 'create' || argv[1] === 'add' ? [] : [argv];
    if (before.length > 0) {
      const made =
        argv[0] === 'dnc' ? ['dnc', 'add', 'x@example.org', '--yes'] : ['folder', 'create', '--name'];
      const name = argv[1] === 'delete' ? 'Newer' : 'News';
      await runCli(argv[0] === 'dnc' ? made : [...made, name], { transport });
    }
    expect((await runCli(argv, { transport, ...WIDE })).stdout).toBe(said);
  });

  it.each([
    ['admin', 'subscriber-data set 1_1 --value espresso', 'Set subscriber-data 1_1.'],
    ['admin', 'subscriber-data update 1_1 --value espresso', 'Updated subscriber-data 1_1.'],
    ['admin', 'subscriber-data delete 1_1 --yes', 'Deleted the profile data of id 1_1.'],
    ['admin', 'sms-message update 2 --name Newer', 'Updated sms-message 2 "Newer".'],
    [
      'partner',
      'account create --name Tea --contactemail a@example.com --no-admin',
      'Created company 4 (Tea). Next: svc user create --company 4 --isadmin --help',
    ],
    ['partner', 'features set 1 --list-limit 300', 'Updated the features of company 1.'],
  ] as const)('is one line of the %s for svc %s', async (who, line, said) => {
    const demo = await openDemoService();
    const run = await runCli(line.split(' '), { transport: demo.transport, env: demo[who], ...WIDE });
    expect([run.exitCode, run.stdout]).toEqual([0, `${said}\n`]);
  });

  it.each([
    ['folder update 1 --name Newer', 'Restored folder 1 "'],
    ['subscriber-data set 1_1 --value espresso', 'Restored subscriber-data 1_1.'],
    ['automation pause click:1', 'Restored automation click:1 "'],
    ['dnc add x@example.org --yes', 'Removed x@example.org from Do Not Contact.'],
    [
      'task create --name New --channel email --message 2 --list 1 --at +1h',
      'Cancelled task 5 "New": e-mail to ',
    ],
  ])('is one line for svc undo of svc %s', async (line, said) => {
    const state = await makeTemporaryFolder('undo-line');
    try {
      const demo = await openDemoService();
      const outside = { transport: demo.transport, env: { ...demo.admin, SVC_STATE_DIR: state }, ...WIDE };
      expect((await runCli(line.split(' '), outside)).exitCode).toBe(0);
      const run = await runCli(['undo', '--yes'], outside);
      expect(run.exitCode).toBe(0);
      expect(run.stdout.split('\n')).toEqual([expect.stringContaining(said), '']);
    } finally {
      await rm(state, { recursive: true });
    }
  });

  it('is one sentence for a proof', async () => {
    const { transport } = await campaign(2);
    const run = await runCli(['email', 'proof', 'Message', '--list', '1', '--yes'], { transport, ...WIDE });
    expect(run.stdout).toMatch(
      /^Sends the proof to 2 on list 1, \w{3} \d{4}-\d\d-\d\d \d\d:\d\d \S+\. Next: svc task watch 1\n$/,
    );
    expect(run.stderr).not.toContain('made task');
  });

  it('is one sentence for each change of a profile and of its companies, and the record elsewhere', async () => {
    const agency = await withPartnerProfile();
    try {
      await writeFile(join(agency.folder, 'companies.csv'), 'id,name\n1,Old\n12,Far away\n');
      const roster = 'the company list of profile agency';
      const rows: readonly (readonly [readonly string[], string])[] = [
        [['profile', 'set', 'agency', 'tz', 'Europe/Berlin'], 'Set tz of profile agency to Europe/Berlin.'],
        [['profile', 'set', 'agency', 'tz', ''], 'Removed tz from profile agency.'],
        [
          ['profile', 'set', 'agency', 'budget.tasks-per-day', '3'],
          'Set budget.tasks-per-day of profile agency to 3.',
        ],
        [['company', 'import', 'companies.csv'], 'Company list of profile agency: 2 added, 0 updated.'],
        [['company', 'remove', '12'], `Removed company 12 (Far away) from ${roster}.`],
        [['company', 'sync'], '1 of 1 names have changed.'],
        [['company', 'update', '1', '--tag', 'uk'], `Changed company 1 (Company) in ${roster}.`],
        [['company', 'add', '2', '--name', 'B'], `Added company 2 (B) to ${roster}.`],
      ];
      for (const [argv, said] of rows)
        expect((await agency.done(argv, WIDE)).stdout, argv.join(' ')).toBe(`${said}\n`);
      const set = ['profile', 'set', 'agency', 'tz', 'Europe/Paris'];
      expect((await agency.done(set)).stdout).toMatch(/^ATTRIBUTE +VALUE\nname +agency\n/);
      const json = await agency.done([...set, '-o', 'json'], WIDE);
      expect(JSON.parse(json.stdout)).toMatchObject({ name: 'agency', tz: 'Europe/Paris', read_only: false });
    } finally {
      await agency.remove();
    }
  });

  it('names the new company, its admin and its company list', async () => {
    const agency = await withPartnerProfile();
    try {
      const create = ['account', 'create', '--name', 'Tea', '--contactemail', 'a@example.com'];
      const answers = [true, 'ada', 'Ada', 'Byron', 'ada@example.com', 'canary77'];
      const run = await agency.done(create, { ...WIDE, answers });
      expect(run.stdout).toMatch(
        /^Created company (\d+) \(Tea\) with its admin, user \d+ \(ada\), and added it to the company list of profile agency\.\n$/,
      );
      expect(run.stderr).not.toContain('added company');
    } finally {
      await agency.remove();
    }
  });

  it('shows control characters of a name as text', async () => {
    const { transport } = await campaign(1);
    const run = await runCli(['folder', 'create', '--name', 'a\u009b31mb'], { transport, ...WIDE });
    expect(run.stdout).not.toContain('\u009b');
  });
});

describe('the record', () => {
  const CREATE = ['folder', 'create', '--name', 'News'];

  it.each([
    [['-o', 'table'], 'ATTRIBUTE'],
    [['--verbose'], 'ATTRIBUTE'],
    [['--fields', 'id,name'], 'ATTRIBUTE'],
    [['--json'], '"id": 1'],
    [['-o', 'id'], '1\n'],
    [['--query', 'id'], '1\n'],
    [['--jq', '.id'], '1\n'],
  ])('is printed with %j', async (flags, shown) => {
    const { transport } = await campaign(1);
    const run = await runCli([...CREATE, ...flags], { transport, ...WIDE });
    expect(run.stdout).toContain(shown);
    expect(run.stdout).not.toContain('Created');
    expect(run.stderr).toContain('made folder 1 (News)');
  });

  it('is printed with SVC_OUTPUT, unless that is the default', async () => {
    const { transport } = await campaign(1);
    const csv = await runCli(CREATE, { transport, ...WIDE, env: { SVC_OUTPUT: 'csv' } });
    expect(csv.stdout).toMatch(/^id,/);
    const table = await runCli(CREATE, { transport, ...WIDE, env: { SVC_OUTPUT: 'table' } });
    expect(table.stdout).toBe('Created folder 2 "News".\n');
  });

  it('is stdout without a terminal, with the note on stderr', async () => {
    const { transport } = await campaign(1);
    const run = await runCli(CREATE, { transport });
    expect(run.stdout).toContain('ATTRIBUTE');
    expect(run.stderr).toContain('made folder 1 (News)');
  });
});
