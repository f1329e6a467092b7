/** Contract, "Partners and many companies": `read-only`, `require-company` and `.svc.json`. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { fillConfig } from '../../support/profiles.ts';
import { writesIn } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
  await fillConfig(join(agency.folder, 'config'), 'agency with two companies', async () => {
    await agency.done(['company', 'add', '1', '--name', 'First Ltd']);
    await agency.done(['company', 'add', '2', '--name', 'Other Ltd']);
  });
});
afterEach(() => agency.remove());

const companyAsked = (): string | undefined => agency.sent.at(-1)?.headers['x-svc-cid'];

describe('a read-only profile sends no write, whatever the flags', () => {
  beforeEach(async () => {
    await writeFile(join(agency.folder, 'dnc.csv'), 'email\na@example.com\n');
    const values = { account_id: 1, name: 'News', cdate: 1, mdate: 1 };
    await agency.sandbox.put('folder', values);
    await fillConfig(join(agency.folder, 'config'), 'agency that is read-only', () =>
      agency.done(['profile', 'set', 'agency', 'read-only', 'true']),
    );
  });

  it.each([
    ['folder create --name A'],
    ['folder update 1 --name A'],
    ['folder delete 1 --yes --no-journal'],
    ['folder delete News --yes'],
    ['api POST /v1/folder --data {"name":"A"}'],
    ['api DELETE /v1/folder/1 --yes --no-validate'],
    ['dnc add a@example.com --yes'],
    ['dnc import dnc.csv --yes'],
    ['features set 1 --list-limit 9'],
    ['account create --name A --contactemail a@example.com'],
    ['user create --username a --firstname a --lastname b --email a@example.com --password abcdefg1'],
  ])('svc %s exits with 2', async (line) => {
    const argv = line.split(' ');
    const run = await agency.svc([...argv, ...(argv[0] === 'features' ? [] : ['--company', '1'])]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('profile agency is read-only; nothing was sent');
    expect(writesIn(agency.sent)).toEqual([]);
  });

  it('a read-only profile still reads, and read-only false allows writes again', async () => {
    expect((await agency.svc(['folder', 'list', '--company', '1', '-o', 'id'])).stdout).toBe('1\n');
    await agency.done(['profile', 'set', 'agency', 'read-only', 'false', '--yes']);
    await agency.done(['folder', 'create', '--name', 'A', '--company', '1']);
  });

  it('also applies to a company profile, and accepts only true and false', async () => {
    const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
    await agency.done([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin: KEYS.company });
    await agency.done(['profile', 'set', 'prod', 'read-only', 'true']);
    const run = await agency.svc(['folder', 'create', '--name', 'A', '--profile', 'prod']);
    expect([run.exitCode, run.stdout, writesIn(agency.sent)]).toEqual([2, '', []]);
    const maybe = await agency.svc(['profile', 'set', 'prod', 'read-only', 'maybe']);
    expect([maybe.exitCode, maybe.stdout]).toEqual([2, '']);
  });
});

describe('require-company needs --company each time', () => {
  beforeEach(async () => {
    await agency.done(['profile', 'set', 'agency', 'company', '1']);
    await agency.done(['profile', 'set', 'agency', 'require-company', 'true']);
  });

  it('a default, the environment and .svc.json are not enough', async () => {
    await writeFile(join(agency.folder, '.svc.json'), '{"company":2}');
    await agency.done(['profile', 'trust', '--yes']);
    for (const env of [{}, { SVC_COMPANY_ID: '1' }]) {
      const run = await agency.svc(['folder', 'list'], { env });
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('profile agency requires the flag --company for each command');
    }
    expect(agency.sent).toEqual([]);
  });

  it.each([
    ['folder list --company 2', '2'],
    ['account get 2', '2'],
    ['features get 2', '2'],
  ])('svc %s names the company', async (line, company) => {
    await agency.done(line.split(' '));
    expect(companyAsked()).toBe(company);
  });

  it.each([
    ['company sync'],
    ['company add 3 --name A'],
    ['account create --name A --contactemail a@example.com'],
  ])('svc %s needs no company, and works', async (line) => {
    await agency.done(line.split(' '));
  });

  it('is only for partners', async () => {
    const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
    await agency.done([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin: KEYS.company });
    const run = await agency.svc(['profile', 'set', 'prod', 'require-company', 'true']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
  });
});

describe('.svc.json', () => {
  const write = (text: string, ...folders: string[]) =>
    writeFile(join(agency.folder, ...folders, '.svc.json'), text);
  const pin = async (text: string, ...folders: string[]) => {
    await write(text, ...folders);
    await agency.svc(['profile', 'trust', join(agency.folder, ...folders), '--yes']);
  };
  beforeEach(async () => {
    await mkdir(join(agency.folder, 'a', 'b'), { recursive: true });
    const add = ['profile', 'add', 'second', '--base-url', 'https://api.example.com', '--partner', '1'];
    await agency.done([...add, '--no-check', '--api-key-stdin'], { stdin: KEYS.partner });
    await agency.done(['company', 'add', '1', '--name', 'Of second', '--profile', 'second']);
  });
  const below = () => ({ cwd: join(agency.folder, 'a', 'b') });

  it('sets profile and company from the nearest folder above, and svc says that it uses it', async () => {
    await pin('{"profile":"second","company":"Of second"}', 'a');
    const run = await agency.done(['folder', 'list', '-o', 'json', '--quiet'], below());
    const path = join(agency.folder, 'a', '.svc.json');
    expect(run.stderr).toBe(`using profile second and company 1 (Of second), as ${path} says\n`);
    expect(companyAsked()).toBe('1');
  });

  it('is read only from the nearest folder, and not merged', async () => {
    await pin('{"profile":"second","company":1}');
    await pin('{"company":2}', 'a');
    const run = await agency.done(['folder', 'create', '--name', 'A'], below());
    expect(run.stderr).toContain('using company 2 (Other Ltd), as ');
    expect(run.stderr).toContain('on company 2 (Other Ltd), profile agency');
  });

  it('is overridden by flags and environment', async () => {
    await pin('{"profile":"second","company":1}', 'a');
    const flag = await agency.done(['folder', 'list', '--company', '2'], below());
    expect([companyAsked(), flag.stderr.includes('using profile second, as ')]).toEqual(['2', true]);
    await agency.done(['folder', 'list'], { ...below(), env: { SVC_COMPANY_ID: '2' } });
    expect(companyAsked()).toBe('2');
    // A company of another profile does not apply to this one.
    await agency.done(['profile', 'set', 'agency', 'company', '2']);
    const other = await agency.done(['folder', 'list', '-o', 'json', '--profile', 'agency'], below());
    expect([companyAsked(), other.stderr]).toEqual(['2', '']);
  });

  it.each([
    ['a key', '{"company":1,"apiKey":"canary"}', '"apiKey" is not a setting of this file'],
    ['an address', '{"baseUrl":"https://evil.example"}', '"baseUrl" is not a setting of this file'],
    ['no JSON', '{company:1}', 'is not JSON'],
    ['a list', '[]', 'must hold a JSON object'],
    ['an invalid company', '{"company":true}', 'company must be an id or the name'],
    ['an invalid profile', '{"profile":7}', 'profile must be the name of a profile'],
    [
      'a profile that does not exist',
      '{"profile":"nobody"}',
      /profile nobody \(profile in \S+\.svc\.json\) not found/,
    ],
    ['an unknown name', '{"company":"Nobody"}', 'named "Nobody" (company in '],
  ])('%s in it exits with 2 with file and key, and nothing is sent', async (_, text, problem) => {
    await pin(text, 'a');
    const run = await agency.svc(['folder', 'list'], below());
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(problem);
    expect(run.stderr).toContain(join(agency.folder, 'a', '.svc.json'));
    expect(run.stderr).not.toContain('canary');
    expect(agency.sent).toEqual([]);
  });

  it.each([
    ['a file', ['a', '.svc.json'], 0o666],
    ['its folder', ['a'], 0o777],
  ])('is refused if every user may write in %s', async (_, path, mode) => {
    await pin('{"company":2}', 'a');
    await chmod(join(agency.folder, ...path), mode);
    const run = await agency.svc(['folder', 'list'], below());
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(/every user can (write to|replace) /);
    expect(agency.sent).toEqual([]);
    const both = ['folder', 'list', '--profile', 'agency', '--company', '1'];
    await agency.done(both, below());
    await chmod(join(agency.folder, ...path), 0o755);
  });

  it('is an error, not a missing file, if it is a folder', async () => {
    await mkdir(join(agency.folder, 'a', '.svc.json'));
    const run = await agency.svc(['folder', 'list'], below());
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('.svc.json is not a regular file');
    expect(agency.sent).toEqual([]);
  });

  describe('second attack M1: counts once somebody has accepted its content', () => {
    const refused = async (argv: readonly string[], reason: string) => {
      const before = agency.sent.length;
      const run = await agency.svc(argv, below());
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain(`${join(agency.folder, 'a', '.svc.json')} ${reason}`);
      expect(run.stderr).toContain('svc profile trust');
      expect(agency.sent).toHaveLength(before);
    };

    it.each([
      ['a profile', '{"profile":"second"}', 'profile second'],
      ['a company', '{"company":2}', 'company 2'],
      ['both', '{"profile":"agency","company":"Other Ltd"}', 'profile agency and company "Other Ltd"'],
    ])('a new file that selects %s: no command reads or writes', async (_, text, what) => {
      await write(text, 'a');
      const reason = `is not trusted yet, so svc does not use ${what}; nothing was sent`;
      for (const argv of [
        ['folder', 'list'],
        ['folder', 'create', '--name', 'A', '--yes'],
      ])
        await refused(argv, reason);
    });

    it('a changed file is refused until it is trusted again, and a write says what it uses', async () => {
      await pin('{"company":1}', 'a');
      await agency.done(['folder', 'list'], below());
      await write('{"company":2}', 'a');
      await refused(['folder', 'list'], 'has changed since you trusted it');
      await agency.done(['profile', 'trust', '--yes'], below());
      const run = await agency.done(['folder', 'create', '--name', 'A', '--quiet'], below());
      expect(companyAsked()).toBe('2');
      expect(run.stderr).toContain(
        `using company 2 (Other Ltd), as ${join(agency.folder, 'a', '.svc.json')} says\n`,
      );
    });

    it('a copy of a trusted file in another folder is not trusted', async () => {
      await pin('{"company":1}');
      await agency.done(['folder', 'list']);
      await write('{"company":1}', 'a');
      await refused(['folder', 'list'], 'is not trusted yet');
    });

    it.each([
      ['{"profile":"second"}', ['--profile', 'agency', '--company', '1'], {}],
      ['{"company":2}', ['--company', '1'], {}],
      ['{"profile":"second","company":2}', ['--profile', 'agency', '--company', '1'], {}],
      // The company of another profile does not apply, so the file has no effect.
      ['{"profile":"second","company":2}', ['--profile', 'agency'], {}],
      ['{"profile":"second"}', [], { SVC_PROFILE: 'agency' }],
      ['{"company":2}', [], { SVC_COMPANY_ID: '1' }],
    ])('%s needs no trust if %j %j override all that it says', async (text, flags, env) => {
      await agency.done(['profile', 'set', 'agency', 'company', '1']);
      await write(text, 'a');
      await agency.done(['folder', 'list', ...flags], { ...below(), env });
      expect(companyAsked()).toBe('1');
    });

    it('--profile alone is not enough if the company of the file would still apply', async () => {
      await write('{"profile":"agency","company":2}', 'a');
      await refused(['folder', 'list', '--profile', 'agency'], 'is not trusted yet');
    });
  });

  it('is not read by a command without credentials', async () => {
    await pin('{"apiKey":"canary"}', 'a');
    await agency.done(['explain', 'folder'], below());
    await agency.done(['profile', 'list'], below());
  });
});
