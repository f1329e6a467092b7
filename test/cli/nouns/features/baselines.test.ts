/** Contract, "Partners and many companies": `features diff` and `features apply`, of one company and of many. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { assignments, type SqlRow } from '../../../../src/sandbox/store/rows.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { type PartnerProfile, withPartnerProfile } from '../../../support/partner-profile.ts';
import { NOBODY, writesIn } from '../../../support/run-cli.ts';
import { KEYS } from '../../../support/sandbox.ts';

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
  await agency.done(['company', 'import', '-'], { stdin: 'id,name,tags\n2,Other,uk\n1,Company,uk\n' });
});
afterEach(() => agency.remove());

const baseline = (text: string) => writeFile(join(agency.folder, 'b.yaml'), text);
const json = (text: string) => JSON.parse(text);
const errorsIn = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => json(line).error);
const puts = () =>
  agency.sent
    .filter(({ method }) => method === 'PUT')
    .map(({ headers, body = '' }) => [headers['x-svc-cid'], json(body)]);
const account = async (id: number) => (await agency.sandbox.rows('account')).find((row) => row['id'] === id);
const setAll = async (set: SqlRow, id?: number) => {
  const where = id === undefined ? sql`` : sql`where id = ${id}`;
  await agency.sandbox.service.store.db.run(sql`update account set ${assignments(set)} ${where}`);
};
const ONE = ['--company', '1'];
const ALL = ['--companies', 'all'];

describe('features diff', () => {
  const diff = (...words: string[]) => agency.svc(['features', 'diff', 'b.yaml', ...words]);

  it('has rows company_id, company, attribute, now, wanted, in the order of the file', async () => {
    await baseline('user_limit: 3\nenablecms: true\nlist_limit: 200\nautomation_limit: 9\n');
    const run = await diff(...ONE, '-o', 'json');
    const company = { company_id: 1, company: 'Company' };
    expect(json(run.stdout)).toEqual([
      { ...company, attribute: 'user_limit', now: 10, wanted: 3 },
      { ...company, attribute: 'enablecms', now: false, wanted: true },
      { ...company, attribute: 'automation_limit', now: null, wanted: 9 },
    ]);
    expect(Object.keys(json(run.stdout)[0])).toEqual(['company_id', 'company', 'attribute', 'now', 'wanted']);
    expect([run.exitCode, run.stderr, writesIn(agency.sent)]).toEqual([0, '', []]);
  });

  it('prints the rows of many companies', async () => {
    await setAll({ list_limit: 50 }, 1);
    await baseline('list_limit: 50\nuser_limit: 10\n');
    const run = await diff(...ALL, '-o', 'csv');
    expect(run.stdout).toBe('company_id,company,attribute,now,wanted\n2,Other,list_limit,200,50\n');
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
  });

  it('says on stderr that nothing differs and exits with 0', async () => {
    await baseline('list_limit: 200\n');
    const run = await diff(...ONE);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, '', 'No differences.\n']);
    expect((await diff(...ONE, '-o', 'json')).stdout).toBe('[]\n');
  });

  it.each([
    ['list_limit: 200\n', ONE, 0],
    ['list_limit: 201\n', ONE, 11],
    ['list_limit: 200\n', ALL, 0],
    ['list_limit: 50\n', ALL, 11],
  ])('--check with %j for %j exits with %i', async (text, companies, exit) => {
    await setAll({ list_limit: 50 }, text.includes('50') ? 1 : 99);
    await baseline(text);
    expect((await diff(...companies, '--check')).exitCode).toBe(exit);
    expect((await diff(...companies)).exitCode).toBe(0);
  });

  it('exits with 8 if one company fails and another differs, and continues with the others', async () => {
    await baseline('list_limit: 1\n');
    const run = await diff('--companies', '2,3', '--check', '-o', 'json');
    expect([run.exitCode, json(run.stdout).length]).toEqual([8, 1]);
    expect(errorsIn(run.stderr)).toMatchObject([{ exit: 3, company_id: 3 }]);
  });

  it('requires a company from a partner', async () => {
    await baseline('list_limit: 1\n');
    const run = await diff();
    expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain('svc features diff baseline.yaml --company 100');
  });
});

describe('features apply', () => {
  const apply = (words: readonly string[], outside = {}) =>
    agency.svc(['features', 'apply', 'b.yaml', ...words], outside);

  it('shows the differences on stderr, and writes only those', async () => {
    await baseline('list_limit: 200\nuser_limit: 3\n');
    const run = await apply([...ONE, '--yes', '-o', 'json']);
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toMatch(
      /COMPANY_ID +COMPANY +ATTRIBUTE +NOW +WANTED\n +1 +Company +user_limit +10 +3\n/,
    );
    expect(json(run.stdout)).toEqual({ company_id: 1, company: 'Company', changed: ['user_limit'] });
    // Interface, accountFeatures PUT: enablesubscriptionmo is present, so it is sent unchanged.
    expect(puts()).toEqual([['1', { user_limit: 3, enablesubscriptionmo: true }]]);
  });

  // Contract, "The everyday screen": "On a terminal a write prints one or two lines".
  it('says on a terminal what it did in one line', async () => {
    await baseline('list_limit: 200\nuser_limit: 3\n');
    const run = await apply([...ONE, '--yes'], { tty: true });
    expect([run.exitCode, run.stdout]).toEqual([0, 'Changed 1 feature of company 1.\n']);
  });

  it('asks nothing and sends nothing if nothing differs', async () => {
    await baseline('list_limit: 200\n');
    const run = await apply(ONE, { tty: true });
    expect([run.exitCode, run.questions, puts()]).toEqual([0, [], []]);
    expect(run.stderr).toContain('No differences.');
  });

  it('shows the differences, and then needs --yes without a terminal and asks on a terminal', async () => {
    await baseline('user_limit: 3\n');
    const none = await apply(ONE);
    expect([none.exitCode, none.stdout, agency.sent]).toEqual([2, '', []]);
    expect(none.stderr).toContain('needs --yes; nothing was sent');
    const no = await apply(ONE, { tty: true, answers: [false] });
    expect([no.exitCode, puts()]).toEqual([2, []]);
    expect(no.stderr).toContain('user_limit');
    expect(no.questions).toEqual(['Really change 1 feature, of Company (company 1, profile agency)?']);
    expect((await apply(ONE, { tty: true, answers: [true] })).exitCode).toBe(0);
    expect(await account(1)).toMatchObject({ user_limit: 3 });
  });

  it('refuses a setting that depends on a setting which is off, before it asks', async () => {
    await setAll({ enablesendbulkemail: 0, enablesplittest: null }, 1);
    await baseline('enablesplittest: true\n');
    const run = await apply(ONE, { tty: true });
    expect([run.exitCode, run.questions, puts()]).toEqual([2, [], []]);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'enablesplittest can be set only if enablesendbulkemail is true (given: true); set enablesendbulkemail to true, or set enablesplittest to null; the present features do not allow this; nothing was sent',
    );
  });

  it('switches on a feature and sets its dependent attributes in one request', async () => {
    await setAll({ enablesendbulkemail: 0, enablesplittest: null }, 1);
    await baseline('enablesendbulkemail: true\nenablesplittest: true\n');
    expect((await apply([...ONE, '--yes'])).exitCode).toBe(0);
    expect(puts()).toHaveLength(1);
    expect(await account(1)).toMatchObject({ enablesendbulkemail: 1, enablesplittest: 1 });
  });

  it('only a partner can change features', async () => {
    await baseline('user_limit: 3\n');
    const env = { ...NOBODY, SVC_BASE_URL: 'https://api.example.com', SVC_COMPANY_ID: '1', SVC_USER_ID: '1' };
    const run = await apply(['--yes'], { env: { ...env, SVC_API_KEY: KEYS.company } });
    expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain('only a partner can change features');
  });

  it('--dry-run shows the request, and does not send it', async () => {
    await baseline('user_limit: 3\n');
    const run = await apply([...ONE, '--dry-run', '-o', 'json']);
    expect(json(run.stdout)).toMatchObject({ method: 'PUT', body: { user_limit: 3 } });
    expect(puts()).toEqual([]);
  });

  describe('if it would lock the company', () => {
    beforeEach(() => baseline('user_limit: 3\nlocked: true\n'));

    it('asks the user to type its name', async () => {
      const wrong = await apply(ONE, { tty: true, answers: ['1'] });
      expect([wrong.exitCode, puts()]).toEqual([2, []]);
      const right = await apply(ONE, { tty: true, answers: ['company'] });
      expect(right.questions).toEqual([
        'To change 2 features and lock all users out of Company (company 1, profile agency), type Company:',
      ]);
      expect(await account(1)).toMatchObject({ locked: 1, user_limit: 3 });
    });

    it('needs more than --yes without a terminal', async () => {
      const run = await apply([...ONE, '--yes']);
      expect([run.exitCode, run.stdout, puts()]).toEqual([2, '', []]);
      expect(run.stderr).toContain('needs --yes --lock-ok');
      expect((await apply([...ONE, '--yes', '--lock-ok'])).exitCode).toBe(0);
    });

    it('asks no further question if the company is already locked', async () => {
      await setAll({ locked: 1 });
      expect((await apply([...ONE, '--yes'])).exitCode).toBe(0);
    });

    it('needs --lock-ok for many companies, on a terminal too, before it sends anything', async () => {
      for (const outside of [{}, { tty: true }]) {
        const run = await apply([...ALL, '--write', '--yes'], outside);
        expect([run.exitCode, run.stdout, run.questions, agency.sent]).toEqual([2, '', [], []]);
        expect(run.stderr).toContain('needs --lock-ok; nothing was sent');
      }
      expect((await apply([...ALL, '--write', '--lock-ok'], { tty: true, answers: ['2'] })).exitCode).toBe(0);
      expect(puts()).toHaveLength(2);
    });
  });

  describe('--companies', () => {
    const write = [...ALL, '--write', '--yes'];

    it('requires --write and --yes', async () => {
      await baseline('user_limit: 3\n');
      for (const words of [ALL, [...ALL, '--yes'], [...ALL, '--write']]) {
        const run = await apply(words);
        expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
      }
    });

    it('shows the changes of each company on stderr, then asks for the number of companies that change', async () => {
      await setAll({ user_limit: 3 }, 2);
      await baseline('user_limit: 3\nlist_limit: 200\n');
      const no = await apply([...ALL, '--write'], { tty: true, answers: ['2'] });
      expect(no.questions).toEqual(['To run features apply on 1 company (Company (1)), type 1:']);
      expect([no.exitCode, puts()]).toEqual([2, []]);
      expect(no.stderr).toContain('user_limit');
      expect(no.stderr).not.toContain('Other');
      const yes = await apply([...ALL, '--write', '-o', 'json'], { tty: true, answers: ['1'] });
      expect(yes.exitCode).toBe(0);
      expect(json(yes.stdout)).toEqual([
        { company_id: 2, company: 'Other', changed: [] },
        { company_id: 1, company: 'Company', changed: ['user_limit'] },
      ]);
      expect(puts().map(([company]) => company)).toEqual(['1']);
    });

    it('asks nothing if nothing differs', async () => {
      await baseline('list_limit: 200\n');
      const run = await apply([...ALL, '--write'], { tty: true });
      expect([run.exitCode, run.questions, puts()]).toEqual([0, [], []]);
    });

    it('does not write to a company that it could not read: prints the error once, continues, and exits with 8', async () => {
      await baseline('user_limit: 3\n');
      const run = await apply(['--companies', '1,3', '--write', '--yes', '-o', 'json']);
      expect(run.exitCode).toBe(8);
      expect(errorsIn(run.stderr)).toMatchObject([{ exit: 3, company_id: 3 }]);
      expect(json(run.stdout)).toMatchObject([{ company_id: 1 }]);
      expect(puts().map(([company]) => company)).toEqual(['1']);
      const words = await apply(['--companies', '1,3', '--write', '--yes']);
      expect(words.stderr.match(/svc: company 3/g)).toHaveLength(1);
      expect(words.stderr.trim().split('\n').at(-1)).toMatch(
        /^1 of 2 companies failed; to select them again, use --companies \d+$/,
      );
    });

    it('does not write to a company that has changed since it was shown', async () => {
      await baseline('user_limit: 3\nlist_limit: 200\n');
      const onQuestion = () => setAll({ list_limit: 7 }, 1);
      const outside = { tty: true, answers: ['2'], onQuestion };
      const run = await apply([...ALL, '--write', '-o', 'json'], outside);
      expect(run.exitCode).toBe(8);
      expect(errorsIn(run.stderr)).toMatchObject([{ kind: 'changed-since', exit: 5, company_id: 1 }]);
      expect(puts().map(([company]) => company)).toEqual(['2']);
    });

    it('--checkpoint resumes, writes to no company twice, and checks the content of the baseline', async () => {
      await baseline('user_limit: 3\n');
      const refusing: Transport = async (request, signal) =>
        request.method === 'PUT' && request.headers['x-svc-cid'] === '1'
          ? {
              status: 403,
              headers: {},
              body: '{"status":"error","response":{"code":403,"message":"not today"}}',
            }
          : agency.transport(request, signal);
      const first = await apply([...write, '--checkpoint', 'cp'], { transport: refusing });
      expect([first.exitCode, puts().map(([company]) => company)]).toEqual([8, ['2']]);
      await setAll({ user_limit: 9 }, 2);
      const again = await apply([...write, '--checkpoint', 'cp']);
      expect([again.exitCode, puts().map(([company]) => company)]).toEqual([0, ['2', '1']]);
      expect(await account(2)).toMatchObject({ user_limit: 9 });
      await baseline('user_limit: 4\n');
      const other = await apply([...write, '--checkpoint', 'cp']);
      expect([other.exitCode, puts().length]).toEqual([2, 2]);
      expect(other.stderr).toContain('cp is the checkpoint of another run');
    });

    it('adds a line to the journal for each company', async () => {
      await baseline('user_limit: 3\n');
      await apply(write);
      const journal = await readFile(join(agency.folder, 'state', 'journal', 'journal.ndjson'), 'utf8');
      const noted = journal.trim().split('\n').map(json);
      expect(noted.map(({ company, command }) => [company, command]).sort()).toEqual([
        [1, 'features apply'],
        [2, 'features apply'],
      ]);
    });

    it('--dry-run shows each request, and needs neither --write nor --yes', async () => {
      await baseline('user_limit: 3\n');
      const run = await apply([...ALL, '--dry-run', '-o', 'json']);
      expect(json(run.stdout)).toMatchObject([{ company_id: 2, method: 'PUT' }, { company_id: 1 }]);
      expect(puts()).toEqual([]);
    });
  });
});
