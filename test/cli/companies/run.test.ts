/** Contract, "Partners and many companies": `--companies` on verbs that read and on verbs that write. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Group, isGroup, type Verb } from '../../../src/cli/command/command.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { fillConfig } from '../../support/profiles.ts';
import { NOBODY, writesIn } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';

let agency: PartnerProfile;
/** The ids in the order of the roster. */
let ids: readonly number[];
beforeEach(async () => {
  agency = await withPartnerProfile();
  const account = {
    contactemail: 'a@example.com',
    timezone: 'Europe/London',
    api_key: KEYS.other,
    partner_id: 1,
  };
  const times = { cdate: 1, mdate: 1 };
  const more = await Promise.all(
    ['C', 'D', 'E'].map((name) =>
      agency.sandbox.put('account', { ...account, ...times, name: `Company ${name}` }),
    ),
  );
  ids = [2, 1, ...more];
  const names = ['Other', 'Company', 'Company C', 'Company D', 'Company E'];
  const lines = ids.map((id, at) => `${id},${names[at]},${at < 2 ? 'uk' : 'de'}`);
  await fillConfig(join(agency.folder, 'config'), 'agency with five companies', () =>
    agency.done(['company', 'import', '-'], { stdin: `id,name,tags\n${lines.join('\n')}\n` }),
  );
  for (const id of ids) await agency.sandbox.put('folder', { account_id: id, name: `F${id}`, ...times });
});
afterEach(() => agency.remove());

const json = (text: string) => JSON.parse(text);
const errorsIn = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).error);
const companiesAsked = (): readonly (string | undefined)[] =>
  agency.sent.map(({ headers }) => headers['x-svc-cid']);

describe('a verb that reads', () => {
  it('prints the rows of all companies, company_id and company first, in the order of the roster', async () => {
    const run = await agency.done(['folder', 'list', '--companies', 'all', '-o', 'json']);
    const rows = json(run.stdout);
    expect(rows.map((row: object) => Object.keys(row).slice(0, 3))).toEqual(
      ids.map(() => ['company_id', 'company', 'id']),
    );
    expect(
      rows.map(({ company_id, company, name }: Record<string, unknown>) => [company_id, company, name]),
    ).toEqual([
      [2, 'Other', 'F2'],
      [1, 'Company', 'F1'],
      ...ids.slice(2).map((id, at) => [id, `Company ${'CDE'[at]}`, `F${id}`]),
    ]);
    expect(run.stderr).toBe('');
    // There is one request for each company, and none names a user.
    expect([...companiesAsked()].sort()).toEqual(ids.map(String).sort());
    expect(agency.sent.every(({ headers }) => headers['x-svc-uid'] === undefined)).toBe(true);
  });

  it('also prints them as a table and as CSV', async () => {
    const csv = await agency.done(['folder', 'list', '--companies', 'tag:uk', '-o', 'csv']);
    expect(csv.stdout.split('\n').map((line) => line.split(',').slice(0, 3).join())).toEqual([
      'company_id,company,id',
      '2,Other,1',
      '1,Company,2',
      '',
    ]);
    const table = await agency.done(['folder', 'list', '--companies', 'tag:uk', '--fields', 'name']);
    expect(table.stdout).toBe(
      'COMPANY_ID  COMPANY  NAME\n         2  Other    F2\n         1  Company  F1\n',
    );
  });

  it('prints the company before the id, and before the kind of a rule, with -o id', async () => {
    const list = ['folder', 'list', '--companies', '1,2', '-o', 'id'];
    expect((await agency.done(list)).stdout).toBe('2:1\n1:2\n');
    const queried = await agency.done([...list, '--query', "[?name=='F1']"]);
    expect(queried.stdout).toBe('1:2\n');
    const action = { actiontype: 'addtolist', actiontarget: '2', actiontimediff: 0, actiononweekend: 1 };
    const rule = { ...action, account_id: 1, user_id: 1, name: 'R', cdate: 1, mdate: 1 };
    await agency.sandbox.put('click_automation', { ...rule, link_id: 1 });
    const rules = await agency.done(['automation', 'list', '--companies', '1,2', '-o', 'id']);
    expect(rules.stdout).toBe('1:click:1\n');
    // For a single company the id is enough.
    expect((await agency.done(['folder', 'list', '--company', '1', '-o', 'id'])).stdout).toBe('2\n');
  });

  it('prints a table with times in the zone that the companies share, or else in UTC', async () => {
    const list = ['folder', 'list', '--companies', '1,2', '--fields', 'name,cdate'];
    const zoneIn = ({ stderr }: { stderr: string }) => stderr.trim();
    expect(zoneIn(await agency.done(list))).toBe('Times are in Europe/London.');
    const { db } = agency.sandbox.service.store;
    await db.run(sql`update account set timezone = 'Asia/Tokyo' where id = 2`);
    expect(zoneIn(await agency.done(list))).toBe('Times are in UTC.');
    await db.run(sql`update account set timezone = 'Asia/Tokyo' where id = 1`);
    const { stdout, stderr } = await agency.done(list);
    expect(stderr.trim()).toBe('Times are in Asia/Tokyo.');
    expect(stdout).toContain('1970-01-01 09:00');
    // No table shows a time, so svc does not request the zone.
    const before = agency.sent.length;
    await agency.done(['folder', 'list', '--companies', '1,2', '-o', 'json']);
    expect(agency.sent.length - before).toBe(2);
  });

  it('prints ndjson rows as they arrive', async () => {
    const slow: Transport = async (request, signal) => {
      if (request.headers['x-svc-cid'] === '2') await new Promise((resolve) => setTimeout(resolve, 100));
      return agency.transport(request, signal);
    };
    const argv = ['folder', 'list', '--companies', 'tag:uk', '-o', 'ndjson'];
    const run = await agency.done(argv, { transport: slow });
    const lines = run.stdout.trim().split('\n');
    expect(lines.map((line) => json(line).company_id)).toEqual([1, 2]);
  });

  it('get prints an array, and resolves a name in each company', async () => {
    for (const id of [1, 2])
      await agency.sandbox.put('folder', { account_id: id, name: 'News', cdate: 1, mdate: 1 });
    const run = await agency.done(['folder', 'get', 'News', '--companies', '1,2', '-o', 'json']);
    expect(
      json(run.stdout).map(({ company_id, name }: Record<string, unknown>) => [company_id, name]),
    ).toEqual([
      [2, 'News'],
      [1, 'News'],
    ]);
    const single = await agency.done(['account', 'get', '--companies', 'Company', '-o', 'json']);
    expect(json(single.stdout)).toMatchObject([{ company_id: 1, company: 'Company', id: 1 }]);
  });

  it('exists prints a row for each, and exits 4 only if no company has it', async () => {
    const some = await agency.svc(['folder', 'exists', 'F1', '--companies', '1,2', '-o', 'json']);
    expect(json(some.stdout)).toEqual([
      { company_id: 2, company: 'Other', exists: false },
      { company_id: 1, company: 'Company', exists: true },
    ]);
    expect([some.exitCode, some.stderr]).toEqual([8, '']);
    const none = await agency.svc(['folder', 'exists', 'Nobody', '--companies', '1,2']);
    expect(none.exitCode).toBe(4);
  });

  it('shows the name that the service returns for a company outside the roster', async () => {
    await agency.done(['company', 'remove', '1']);
    const run = await agency.done(['folder', 'list', '--companies', '1', '-o', 'json']);
    expect(json(run.stdout)).toMatchObject([{ company_id: 1, company: 'Company' }]);
  });

  it('requests at most as many companies at once as --concurrency allows', async () => {
    let running = 0;
    let most = 0;
    const counting: Transport = async (request, signal) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return agency.transport(request, signal);
    };
    const argv = ['folder', 'list', '--companies', 'all', '--concurrency', '2'];
    await agency.done(argv, { transport: counting });
    expect(most).toBe(2);
  });

  it('applies --limit to each company, and --query to all rows', async () => {
    await agency.sandbox.put('folder', { account_id: 1, name: 'Second', cdate: 1, mdate: 1 });
    const limited = await agency.done(['folder', 'list', '--companies', '1,2', '--limit', '1', '-o', 'json']);
    expect(json(limited.stdout)).toHaveLength(2);
    const query = ['folder', 'list', '--companies', '1,2', '--query', 'length(@)'];
    expect((await agency.done(query)).stdout).toBe('3\n');
  });
});

describe('a company that fails', () => {
  it('prints one error on stderr with its company_id, continues with the others, and exits 8', async () => {
    const run = await agency.svc(['folder', 'list', '--companies', '1,3,2', '-o', 'json']);
    expect(run.exitCode).toBe(8);
    expect(json(run.stdout).map(({ company_id }: { company_id: number }) => company_id)).toEqual([2, 1]);
    expect(errorsIn(run.stderr)).toMatchObject([{ kind: 'forbidden', exit: 3, http: 403, company_id: 3 }]);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('names the company in text, and prints a summary after the rows', async () => {
    const run = await agency.svc(['folder', 'list', '--companies', 'tag:uk,3', '-o', 'csv']);
    expect(run.exitCode).toBe(8);
    expect(run.stderr).toContain('svc: company 3: Company 3 is not managed by this partner\n');
    expect(run.stderr.trim().split('\n').at(-1)).toBe(
      '1 of 3 companies failed; to select them again, use --companies 3',
    );
  });

  it('exits with the common code if all fail in the same way', async () => {
    const run = await agency.svc(['folder', 'get', 'Nobody', '--companies', 'all', '-o', 'json']);
    expect([run.exitCode, run.stdout]).toEqual([4, '[]\n']);
    expect(
      errorsIn(run.stderr)
        .map(({ company_id }) => company_id)
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('exits 8 if all fail for different reasons', async () => {
    const run = await agency.svc(['folder', 'get', 'Nobody', '--companies', '1,3']);
    expect(run.exitCode).toBe(8);
  });
});

describe('wrong arguments exit with 2 and send nothing', () => {
  const list = (...words: string[]) => ['folder', 'list', ...words];
  it.each([
    ['an unknown name', list('--companies', 'Nobody'), 'no company of profile agency is named "Nobody"'],
    ['an unknown tag', list('--companies', 'tag:fr'), 'has the tag "fr"'],
    ['an empty selection', list('--companies', 'all,!all'), 'excludes every company that it names'],
    ['nothing', list('--companies', ''), '--companies names no company'],
    ['--company as well', list('--companies', 'all', '--company', '1'), 'cannot combine --companies with'],
    [
      'an account id as well',
      ['account', 'get', '1', '--companies', 'all'],
      'cannot combine --companies with',
    ],
    ['a user as well', list('--companies', 'all', '--user', '1'), 'cannot combine --companies with'],
    ['a missing file', list('--companies', '@nofile'), 'nofile'],
    ['--write alone', list('--write'), '--write needs --companies'],
    [
      '--checkpoint of a verb that reads',
      list('--companies', 'all', '--checkpoint', 'cp'),
      'cannot combine --checkpoint with',
    ],
    ['an unknown sort key', list('--companies', 'all', '--sort', 'nix'), 'cannot sort folder by nix'],
    [
      'a file that all companies would write',
      ['dnc', 'export', '--companies', 'all', '--out', 'x'],
      'cannot combine --out with --companies',
    ],
    [
      'a verb that waits',
      ['task', 'watch', '1', '--companies', 'all'],
      'svc task watch can run for only one company; choose it with --company',
    ],
    ['too many at once', list('--companies', 'all', '--concurrency', '65'), 'is not a number from 1 to 64'],
  ])('%s', async (_, argv, problem) => {
    const run = await agency.svc(argv);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(problem);
    // The error is printed once, however many companies there are.
    expect(run.stderr.split('\n').filter((line) => line.startsWith('svc: '))).toHaveLength(1);
    expect(agency.sent).toEqual([]);
  });

  it('is a usage error with a company profile', async () => {
    const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
    await agency.done([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin: KEYS.company });
    const run = await agency.svc(['folder', 'list', '--companies', '1', '--profile', 'prod']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain("--companies is for partners, but profile prod is a company's");
  });
});

describe('a verb that writes', () => {
  const create = ['folder', 'create', '--name', 'New', '--companies', 'all'];
  const made = async () => (await agency.sandbox.rows('folder')).filter(({ name }) => name === 'New');

  it('also needs --write', async () => {
    const run = await agency.svc([...create, '--yes']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('cannot run folder create on 5 companies without --write; nothing was sent');
    expect(agency.sent).toEqual([]);
  });

  // A fault of the command line comes before a missing flag.
  it.each([[[]], [['--write']], [['--yes']]])(
    'names a fault before it requires --write or --yes (%j)',
    async (more) => {
      const argv = ['dnc', 'add', 'foo bar', '--companies', 'all', ...more];
      const run = await agency.svc(argv);
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('must be an e-mail address, a domain name or a phone number');
      expect(agency.sent).toEqual([]);
    },
  );

  it('also needs --yes without a terminal', async () => {
    const run = await agency.svc([...create, '--write']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(
      'to run folder create on 5 companies (Other (2), Company (1), Company C (4) and 2 more) needs --yes',
    );
    expect(agency.sent).toEqual([]);
  });

  it('asks on a terminal for the number of companies, and names three of them', async () => {
    const no = await agency.svc([...create, '--write'], { tty: true, answers: ['4'] });
    expect(no.questions).toEqual([
      'To run folder create on 5 companies (Other (2), Company (1), Company C (4) and 2 more), type 5:',
    ]);
    expect([no.exitCode, agency.sent]).toEqual([2, []]);
    const yes = await agency.svc([...create, '--write', '-o', 'id'], { tty: true, answers: ['5'] });
    expect([yes.exitCode, yes.questions.length]).toEqual([0, 1]);
    expect((await made()).map(({ account_id }) => account_id).sort()).toEqual([...ids].sort());
  });

  it('writes to each once, names each on stderr before, and keeps a journal for each', async () => {
    const run = await agency.done([...create, '--write', '--yes', '-o', 'json']);
    expect(
      json(run.stdout).map(({ company_id, name }: Record<string, unknown>) => [company_id, name]),
    ).toEqual(ids.map((id) => [id, 'New']));
    expect(run.stderr).toContain('on company 1 (Company), profile agency\n');
    expect(run.stderr).toContain('company 1 (Company): made folder ');
    const journal = await readFile(join(agency.folder, 'state', 'journal', 'journal.ndjson'), 'utf8');
    const noted = journal.trim().split('\n').map(json);
    expect(noted.map(({ company, command, state }) => [company, command, state]).sort()).toEqual(
      ids.map((id) => [id, 'folder create', 'done']).sort(),
    );
    expect(writesIn(agency.sent)).toHaveLength(ids.length);
  });

  it('prints on a terminal the failures and the table, and no line about each account and each write', async () => {
    const failing: Transport = async (request, signal) =>
      request.method === 'POST' && request.headers['x-svc-cid'] === '1'
        ? { status: 423, headers: {}, body: '' }
        : agency.transport(request, signal);
    const run = await agency.svc([...create, '--write'], {
      tty: true,
      answers: ['5'],
      transport: failing,
      env: { TERM: 'xterm' },
    });
    expect(run.exitCode).toBe(8);
    expect(run.stdout.trim().split('\n')).toHaveLength(1 + 4);
    expect(run.stderr).toContain('company 1 (Company)');
    expect(run.stderr).toContain('1 of 5 companies failed');
    expect(run.stderr).not.toMatch(/on company|made folder/);
    const yes = await agency.svc([...create, '--write', '--yes'], { tty: true, env: { TERM: 'xterm' } });
    expect(yes.stderr).toContain(
      'on 5 companies (Other (2), Company (1), Company C (4) and 2 more), profile agency',
    );
    expect(yes.stderr).not.toMatch(/on company|made folder/);
    // A dumb terminal and --plain have no moving line, so each write is named.
    const plain = await agency.svc([...create, '--write', '--yes', '--plain'], { tty: true });
    expect(plain.stderr).toContain('company 1 (Company): made folder ');
    expect(plain.stderr).toContain('on company 1 (Company), profile agency\n');
  });

  it('api requires --write for the methods that write', async () => {
    const argv = ['api', 'POST', '/v1/folder', '--data', '{"name":"New"}', '--companies', '1,2'];
    expect((await agency.svc(argv)).exitCode).toBe(2);
    const run = await agency.done([...argv, '--write', '--yes', '-o', 'json']);
    expect(json(run.stdout)).toMatchObject([{ company_id: 2, answer: { status: 'ok' } }, { company_id: 1 }]);
    const read = await agency.done(['api', 'GET', '/v1/folder', '--companies', '1,2', '-o', 'json']);
    expect(json(read.stdout)).toHaveLength(2);
  });

  it('reads standard input once for all companies', async () => {
    const argv = ['folder', 'create', '--data', '-', '--companies', 'all', '--write', '--yes'];
    await agency.done(argv, { stdin: '{"name":"New"}' });
    expect(await made()).toHaveLength(5);
  });

  it('refuses writes of a read-only profile immediately', async () => {
    await agency.done(['profile', 'set', 'agency', 'read-only', 'true']);
    const run = await agency.svc([...create, '--write', '--yes']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toBe(
      'svc: profile agency is read-only; nothing was sent\nHint: to make changes, ask the owner of the profile\n',
    );
    expect(agency.sent).toEqual([]);
  });

  it('--dry-run shows what it would send to each, and sends nothing', async () => {
    const run = await agency.done([...create, '--dry-run', '-o', 'json']);
    expect(json(run.stdout)).toEqual(
      ids.map((id) => expect.objectContaining({ company_id: id, method: 'POST', body: { name: 'New' } })),
    );
    expect(writesIn(agency.sent)).toEqual([]);
  });

  it('accepts --companies as the company for require-company', async () => {
    await agency.done(['profile', 'set', 'agency', 'require-company', 'true']);
    await agency.done(['folder', 'list', '--companies', 'tag:uk']);
  });
});

describe('--checkpoint', () => {
  const argv = [
    'folder',
    'create',
    '--name',
    'New',
    '--companies',
    'all',
    '--write',
    '--yes',
    '--checkpoint',
    'cp',
  ];
  const madeFor = async () =>
    (await agency.sandbox.rows('folder'))
      .filter(({ name }) => name === 'New')
      .map(({ account_id }) => account_id);
  /** Makes a transport in which the POST of one company fails in the given way. */
  const spoiling =
    (which: number, spoil: Transport): Transport =>
    (request, signal) =>
      request.method === 'POST' && request.headers['x-svc-cid'] === String(which)
        ? spoil(request, signal)
        : agency.transport(request, signal);

  it('after a complete run writes nothing and exits with 0', async () => {
    await agency.done(argv);
    const again = await agency.done([...argv, '-o', 'json']);
    expect(again.stdout).toBe('[]\n');
    expect(again.stderr).toContain('an earlier run finished 5 of 5 companies');
    expect(writesIn(agency.sent)).toHaveLength(5);
  });

  it('continues with only the companies that were refused', async () => {
    const refusing = spoiling(1, async () => ({
      status: 403,
      headers: {},
      body: '{"status":"error","response":{"code":403,"message":"not today"}}',
    }));
    const first = await agency.svc(argv, { transport: refusing });
    expect(first.exitCode).toBe(8);
    expect((await madeFor()).sort()).toEqual(ids.filter((id) => id !== 1).sort());
    // A company that was added since is not included.
    await agency.done(['company', 'add', '3', '--name', 'Later']);
    const again = await agency.done(argv);
    expect(again.stderr).toContain(
      'the selected companies differ from those of the earlier run; continuing with those of the earlier run',
    );
    expect((await madeFor()).sort()).toEqual([...ids].sort());
  });

  it.each([
    ['another command', ['folder', 'update', 'F1', '--name', 'New']],
    ['another flag', ['folder', 'create', '--name', 'Newer']],
  ])('refuses the checkpoint of %s, and sends nothing', async (_, words) => {
    await agency.done(argv);
    const before = agency.sent.length;
    const run = await agency.svc([...words, ...argv.slice(4)]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('cp is the checkpoint of another run');
    expect(agency.sent).toHaveLength(before);
  });

  it('refuses a file of the same name with other content', async () => {
    const file = join(agency.folder, 'body.json');
    await writeFile(file, '{"name":"New"}');
    const data = ['folder', 'create', '--data', '@body.json', ...argv.slice(4)];
    await agency.done(data);
    await writeFile(file, '{"name":"Newer"}');
    const run = await agency.svc(data);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(await readFile(join(agency.folder, 'cp'), 'utf8')).not.toContain('New');
  });

  it('refuses standard input, which a later run cannot read', async () => {
    const run = await agency.svc(['folder', 'create', '--data', '-', ...argv.slice(4)], { stdin: '{}' });
    expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
  });
});

describe('Ctrl-C', () => {
  it('starts no more companies after Ctrl-C, and exits 130', async () => {
    const controller = new AbortController();
    const stopping: Transport = (request, signal) => {
      controller.abort();
      return agency.transport(request, signal);
    };
    const argv = ['folder', 'list', '--companies', 'all', '--concurrency', '1', '-o', 'csv'];
    const run = await agency.svc(argv, { transport: stopping, signal: controller.signal });
    expect(run.exitCode).toBe(130);
    expect(agency.sent).toHaveLength(1);
    expect(run.stderr).toContain('4 of 5 companies were not processed');
  });
});

it('works with credentials of the environment, by ids', async () => {
  const env = { ...NOBODY, SVC_BASE_URL: 'https://api.example.com', SVC_PARTNER_ID: '1' };
  const own = { ...env, SVC_PARTNER_API_KEY: KEYS.partner };
  const run = await agency.done(['folder', 'list', '--companies', '1,2', '-o', 'json'], { env: own });
  expect(json(run.stdout).map(({ company }: { company: string }) => company)).toEqual(['Company', 'Other']);
});

it('--companies is available for every verb that reads a resource, but not for verbs that wait or ask', async () => {
  const verbs = new Map<string, Verb>();
  const walk = (command: Verb | Group, path: string): void => {
    if (isGroup(command)) for (const each of command.commands) walk(each, `${path} ${each.name}`);
    else verbs.set(path, command);
  };
  for (const entry of topLevelCommandEntries) if (entry.isNoun) walk(await entry.load(), entry.name);
  const without = [...verbs].filter(
    ([, verb]) => verb.companies === undefined && verb.announced === undefined,
  );
  expect(without.map(([path]) => path).sort()).toEqual([
    'account create',
    'dnc import',
    // These use the list of one profile.
    'email proof',
    // These use files of one company, by its ids.
    'email pull',
    'email push',
    'sms estimate',
    'sms-message proof',
    'task guard',
    'task undo',
    'task wait',
    'task watch',
  ]);
});
