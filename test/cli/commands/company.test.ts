/** Contract, "Partners and many companies": the roster of a partner profile. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { writesIn } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
});
afterEach(() => agency.remove());

const roster = async () => JSON.parse((await agency.done(['company', 'list', '-o', 'json'])).stdout);
const file = async (text: string): Promise<string> => {
  await writeFile(join(agency.folder, 'companies.csv'), text);
  return 'companies.csv';
};

describe('company add', () => {
  it('asks the service for the name if none is given', async () => {
    const run = await agency.done(['company', 'add', '1', '--tag', 'uk', '--tag', 'retail', '-o', 'json']);
    expect(JSON.parse(run.stdout)).toEqual({ id: 1, name: 'Company', tags: ['uk', 'retail'], note: null });
    expect(agency.sent.map(({ method, path, headers }) => [method, path, headers['x-svc-cid']])).toEqual([
      ['GET', '/v1/account', '1'],
    ]);
    expect(await roster()).toEqual([{ id: 1, name: 'Company', tags: ['uk', 'retail'], note: null }]);
  });

  it('sends no request with --name', async () => {
    const run = await agency.done(['company', 'add', '12', '--name', 'Far away', '--note', 'by phone']);
    expect(run.stderr).toBe('added company 12 (Far away)\n');
    expect(agency.sent).toEqual([]);
    expect(await roster()).toEqual([{ id: 12, name: 'Far away', tags: [], note: 'by phone' }]);
  });

  it('does not add a company of another partner, because the service refuses it', async () => {
    const run = await agency.svc(['company', 'add', '3']);
    expect([run.exitCode, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toContain('Company 3 is not managed by this partner');
    expect(await roster()).toEqual([]);
  });

  it.each([
    ['an invalid id', ['x'], 'a company id must be a whole number'],
    ['a tag with a blank', ['12', '--name', 'A', '--tag', 'u k'], 'company 12 has the tag "u k"'],
    ['a tag with a comma', ['12', '--tag', 'a,b'], 'company 12 has the tag "a,b"'],
    ['an empty name', ['12', '--name', ' '], 'company 12 has no name'],
  ])('rejects %s before it sends a request', async (_, words, problem) => {
    const run = await agency.svc(['company', 'add', ...words]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(problem);
    expect(agency.sent).toEqual([]);
  });

  it('rejects a company that the roster already has', async () => {
    await agency.done(['company', 'add', '12', '--name', 'A']);
    const run = await agency.svc(['company', 'add', '12', '--name', 'B']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('the company list of profile agency already contains company 12');
    expect((await roster())[0].name).toBe('A');
  });

  it('keeps both companies if two processes add one at the same time', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => String(at + 1));
    await Promise.all(ids.map((id) => agency.done(['company', 'add', id, '--name', `N${id}`])));
    expect((await roster()).map(({ id }: { id: number }) => String(id)).sort()).toEqual(ids.sort());
  });
});

describe('company show, update, remove', () => {
  beforeEach(async () => {
    await agency.done(['company', 'add', '12', '--name', 'Harbour Coffee', '--tag', 'uk', '--note', 'old']);
    await agency.done(['company', 'add', '15', '--name', 'Twin']);
    await agency.done(['company', 'add', '16', '--name', 'Twin']);
  });

  it.each([['12'], ['Harbour Coffee']])('take an id or an exact name: %s', async (text) => {
    const show = await agency.done(['company', 'show', text, '-o', 'json']);
    expect(JSON.parse(show.stdout)).toEqual({ id: 12, name: 'Harbour Coffee', tags: ['uk'], note: 'old' });
    await agency.done(['company', 'update', text, '--tag', 'de', '--tag', 'closed', '--note', '']);
    expect((await roster())[0]).toEqual({
      ...{ id: 12, name: 'Harbour Coffee' },
      ...{ tags: ['de', 'closed'], note: null },
    });
    await agency.done(['company', 'remove', text]);
    expect((await roster()).map(({ id }: { id: number }) => id)).toEqual([15, 16]);
    expect(agency.sent).toEqual([]);
  });

  it('list the ids of a name that two companies have, and suggest names for an unknown one', async () => {
    const twin = await agency.svc(['company', 'show', 'Twin']);
    expect([twin.exitCode, twin.stdout]).toEqual([2, '']);
    expect(twin.stderr).toContain('2 companies are named "Twin": ids 15, 16');
    const near = await agency.svc(['company', 'remove', 'harbour coffee']);
    expect([near.exitCode, near.stdout]).toEqual([2, '']);
    expect(near.stderr).toContain('did you mean "Harbour Coffee" (company 12)?');
    expect(await roster()).toHaveLength(3);
  });

  it('exit with 2 for an update without changes', async () => {
    expect((await agency.svc(['company', 'update', '12'])).exitCode).toBe(2);
  });
});

describe('company import', () => {
  it('adds new companies, updates existing ones, and reads the output of company list -o csv', async () => {
    await agency.done(['company', 'add', '12', '--name', 'Old', '--tag', 'x', '--note', 'n']);
    const run = await agency.done([
      ...['company', 'import', '-o', 'json'],
      await file(
        'id,name,tags,note\n12,New,uk retail,\n15,"Quote "" and, comma",,"two\nlines"\n16,=1+1,,=2\n',
      ),
    ]);
    expect(JSON.parse(run.stdout)).toEqual({ added: 2, updated: 1 });
    const rows = [
      { id: 12, name: 'New', tags: ['uk', 'retail'], note: null },
      { id: 15, name: 'Quote " and, comma', tags: [], note: 'two\nlines' },
      { id: 16, name: '=1+1', tags: [], note: '=2' },
    ];
    expect(await roster()).toEqual(rows);
    const { stdout } = await agency.done(['company', 'list', '-o', 'csv']);
    expect(stdout.split('\n')[0]).toBe('id,name,tags,note');
    for (const { id } of rows) await agency.done(['company', 'remove', String(id)]);
    await agency.done(['company', 'import', '-'], { stdin: stdout });
    expect(await roster()).toEqual(rows);
    expect(agency.sent).toEqual([]);
  });

  it('imports all rows or none, and names each bad line', async () => {
    await agency.done(['company', 'add', '12', '--name', 'Old']);
    const bad = 'id,name,tags,note\n12,New,,\nx,A,,\n14,,,\n15,B,a:b,\n12,Again,,\n16,C,,,,\n';
    const run = await agency.svc(['company', 'import', await file(bad)]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    const lines = run.stderr.split('\n').filter((line) => line.startsWith('  line '));
    expect(lines.map((line) => line.slice(2, 30))).toEqual(
      [
        'line 3 has no id that is a wh',
        'line 4 has no name (given: "1',
        'line 5 has the tag "a:b": a t',
        'line 6 repeats the id of line 2',
        'line 7 has 6 cells; expected 4',
      ].map((line) => line.slice(0, 28)),
    );
    expect(run.stderr).toContain('5 problems; nothing was changed');
    expect(await roster()).toEqual([{ id: 12, name: 'Old', tags: [], note: null }]);
  });

  it.each([
    ['an unknown column', 'id,name,country\n1,A,UK\n', 'has the unknown column "country"'],
    ['no column of names', 'id,tags\n1,uk\n', 'the column name is missing'],
    ['nothing', '', 'is empty'],
  ])('rejects a file with %s', async (_, text, problem) => {
    const run = await agency.svc(['company', 'import', await file(text)]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(problem);
  });

  it('keeps tags and notes if the file has no such column', async () => {
    await agency.done(['company', 'add', '12', '--name', 'Old', '--tag', 'uk', '--note', 'n']);
    await agency.done(['company', 'import', await file('id,name\n12,New\n')]);
    expect(await roster()).toEqual([{ id: 12, name: 'New', tags: ['uk'], note: 'n' }]);
  });
});

describe('company sync', () => {
  it('updates names, and continues after a company that fails', async () => {
    await agency.done(['company', 'add', '1', '--name', 'Was', '--tag', 'uk']);
    await agency.done(['company', 'add', '3', '--name', 'Not ours']);
    await agency.done(['company', 'add', '2', '--name', 'Other']);
    const run = await agency.svc(['company', 'sync', '-o', 'json']);
    expect(run.exitCode).toBe(8);
    expect(JSON.parse(run.stdout).map(({ name }: { name: string }) => name)).toEqual([
      'Company',
      'Not ours',
      'Other',
    ]);
    const errors = run.stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(errors.map((line) => JSON.parse(line).error)).toMatchObject([
      { kind: 'forbidden', exit: 3, company_id: 3, http: 403 },
    ]);
    expect((await roster())[0]).toEqual({ id: 1, name: 'Company', tags: ['uk'], note: null });
  });
});

describe('the roster', () => {
  it('belongs to its profile, and stays if the same partner is added again', async () => {
    await agency.done(['company', 'add', '12', '--name', 'A']);
    const add = ['profile', 'add', 'agency', '--base-url', 'https://api.example.com', '--replace'];
    const key = ['--no-check', '--api-key-stdin'];
    await agency.done([...add, '--partner', '1', ...key], { stdin: KEYS.partner });
    expect(await roster()).toHaveLength(1);
    await agency.done([...add, '--partner', '2', ...key], { stdin: KEYS.partner });
    expect(await roster()).toEqual([]);
    await agency.done(['company', 'add', '12', '--name', 'A']);
    await agency.done(['profile', 'remove', 'agency', '--yes']);
    expect(await readFile(join(agency.folder, 'config', 'config.json'), 'utf8')).not.toContain('roster');
  });

  it.each([['list'], ['sync'], ['show', '1'], ['add', '1', '--name', 'A'], ['use', '1']])(
    'a company profile has no roster: company %s',
    async (...words) => {
      const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
      await agency.done([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin: KEYS.company });
      const run = await agency.svc(['company', ...words, '--profile', 'prod']);
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('profile prod belongs to a company and has no company list');
      expect(agency.sent).toEqual([]);
    },
  );
});

describe('company use', () => {
  it('sets the company of later commands, and removes the user of the previous one', async () => {
    await agency.done(['company', 'add', '1', '--name', 'Company']);
    await agency.done(['profile', 'set', 'agency', 'company', '2']);
    await agency.done(['profile', 'set', 'agency', 'user', '4']);
    const run = await agency.done(['company', 'use', 'Company']);
    expect(run.stderr).toContain('profile agency now acts for company 1 (Company)');
    expect(run.stderr).toContain('removed user 4 from the profile, because that user belongs to company 2');
    await agency.done(['folder', 'list']);
    expect(agency.sent.at(-1)?.headers).toMatchObject({ 'x-svc-cid': '1' });
    expect(agency.sent.at(-1)?.headers['x-svc-uid']).toBeUndefined();
    expect(writesIn(agency.sent)).toEqual([]);
  });
});

describe('--company', () => {
  beforeEach(() => agency.done(['company', 'add', '2', '--name', 'Other Ltd']));

  it.each([['2'], ['Other Ltd']])('takes an id or an exact name of the roster: %s', async (company) => {
    const run = await agency.svc(['folder', 'list', '--company', company, '-o', 'json']);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, '[]\n', '']);
    expect(agency.sent.at(-1)?.headers['x-svc-cid']).toBe('2');
  });

  it('takes the id of a company outside the roster', async () => {
    await agency.done(['folder', 'list', '--company', '1']);
    expect(agency.sent.at(-1)?.headers['x-svc-cid']).toBe('1');
  });

  it('exits with 2 for an unknown name, and sends nothing', async () => {
    const run = await agency.svc(['folder', 'list', '--company', 'Nobody']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('no company of profile agency is named "Nobody" (flag --company)');
    expect(agency.sent).toEqual([]);
  });
});

describe('the company that is named on stderr, by id and name, before a write by a partner profile', () => {
  const create = ['folder', 'create', '--name', 'News', '-o', 'id'];

  it('comes from the roster without a request, also with --quiet', async () => {
    await agency.done(['company', 'add', '2', '--name', 'Called by us']);
    const run = await agency.done([...create, '--company', '2', '--quiet']);
    expect(run.stderr).toBe('on company 2 (Called by us), profile agency\n');
    expect(agency.sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/folder']);
  });

  it('is requested with one GET if the roster lacks it', async () => {
    const run = await agency.done([...create, '--company', '2']);
    expect(run.stderr).toContain('on company 2 (Other), profile agency\n');
    expect(agency.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/account',
      'POST /v1/folder',
    ]);
  });

  it('is also named for a bulk job, and not for a read', async () => {
    await writeFile(join(agency.folder, 'dnc.csv'), 'email\na@example.com\n');
    const run = await agency.done(['dnc', 'import', 'dnc.csv', '--yes', '--company', '2', '--quiet']);
    expect(run.stderr).toContain('on company 2 (Other), profile agency\n');
    const read = await agency.done(['folder', 'list', '--company', '2', '-o', 'json']);
    expect(read.stderr).toBe('');
  });
});

describe('account create', () => {
  const create = ['account', 'create', '--name', 'New Ltd', '--contactemail', 'a@example.com', '-o', 'id'];
  const admin = (email: string) => [
    ...['--admin-username', 'ada', '--admin-firstname', 'Ada', '--admin-lastname', 'B'],
    ...['--admin-email', email],
  ];

  it("adds the new company to the roster, and does not name the profile's company", async () => {
    await agency.done(['profile', 'set', 'agency', 'company', '2']);
    const run = await agency.done(create);
    expect(run.stderr).toContain('on partner 1, profile agency\n');
    expect(run.stderr).not.toContain('company 2');
    expect(await roster()).toEqual([{ id: Number(run.stdout), name: 'New Ltd', tags: [], note: null }]);
  });

  it('creates the first user, an admin, from flags without a terminal', async () => {
    const run = await agency.done([...create, ...admin('ada@example.com'), '--admin-password-stdin'], {
      stdin: 'canary77\n',
    });
    const [user] = (await agency.sandbox.rows('user')).slice(-1);
    expect(user).toMatchObject({ account_id: Number(run.stdout), username: 'ada', isadmin: 1 });
    const post = agency.sent.filter(({ path }) => path === '/v1/user');
    expect(post.map(({ headers }) => headers['x-svc-cid'])).toEqual([run.stdout.trim()]);
    expect(run.stderr).toContain(`on company ${run.stdout.trim()} (New Ltd), profile agency`);
    expect(run.stderr).not.toContain('canary77');
  });

  it('checks the first user before it creates the account', async () => {
    const run = await agency.svc([...create, ...admin('nope')]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('--admin-email must be an e-mail address');
    const some = await agency.svc([...create, '--admin-username', 'ada', '-o', 'json']);
    expect(some.exitCode).toBe(2);
    expect(JSON.parse(some.stderr).error.details).toHaveLength(3);
    expect(agency.sent).toEqual([]);
  });

  it('offers to create the first user on a terminal, and asks for the attributes', async () => {
    const answers = [true, 'ada', 'Ada', 'Byron', 'ada@example.com', 'canary77'];
    const run = await agency.done(create, { tty: true, answers });
    expect(run.questions).toEqual([
      expect.stringMatching(/^Create the admin \(the first user\) of company [0-9]+ \(New Ltd\) now\?$/),
      ...['Login name', 'First name', 'Last name', 'E-mail address'],
      'Password (hidden): at least 7 characters, letters and numbers',
    ]);
    const [user] = (await agency.sandbox.rows('user')).slice(-1);
    expect(user).toMatchObject({ username: 'ada', email: 'ada@example.com', isadmin: 1 });
  });

  it('creates no user on a terminal if the offer is declined, and says how to do it later', async () => {
    const before = (await agency.sandbox.rows('user')).length;
    const run = await agency.done(create, { tty: true, answers: [false] });
    expect(run.stderr).toContain(`svc user create --company ${run.stdout.trim()} --isadmin`);
    expect(await agency.sandbox.rows('user')).toHaveLength(before);
  });
});
