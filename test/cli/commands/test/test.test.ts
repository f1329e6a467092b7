/** Contract, "Tests of campaigns", `test`: formats, exit codes, and no request. */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { WireRequest } from '../../../../src/service/protocol/wire.ts';
import { openDemoService } from '../../../support/demo-service.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let requests: WireRequest[];
beforeEach(async () => {
  folder = await makeTemporaryFolder('campaign-test');
  await cp('examples/campaign', folder, { recursive: true });
  requests = [];
});

const svc = (words: readonly string[], outside: Outside = {}) =>
  runCli(words, {
    cwd: folder,
    transport: async (request) => {
      requests.push(request);
      throw new Error('no service');
    },
    ...outside,
  });
const change = async (edit: (text: string) => string): Promise<void> => {
  const path = join(folder, 'spring.test.yaml');
  const before = await readFile(path, 'utf8');
  expect(edit(before)).not.toBe(before);
  await writeFile(path, edit(before));
};
const fail = () =>
  change((text) => text.replace('email: at most 700', 'email: at most 7').replace('seeds: 5', 'seeds: 1'));

it('passes the tests of examples/campaign, without a key and without a request', async () => {
  const run = await svc(['test']);
  expect(run.stderr).not.toContain('svc:');
  expect(run.stdout).toMatch(
    /^spring\.test\.yaml \(Spring sale, account: demo\)\n {2}ok {5}nobody gets too much\n/,
  );
  expect(run.stdout).toMatch(/\n5 tests, 5 seeds: all passed\n$/);
  expect(run.exitCode).toBe(0);
  expect(requests).toEqual([]);
});

describe('a failed test', () => {
  it('is exit 11, with place, what happened, the smallest audience, and a command that fails again', async () => {
    await fail();
    const run = await svc(['test', 'spring.test.yaml', '-o', 'json']);
    expect(run.exitCode).toBe(11);
    const { passed, files } = JSON.parse(run.stdout);
    expect(passed).toBe(false);
    const test = files[0].tests.find(({ name }: { readonly name: string }) => name === 'cost');
    expect(test).toMatchObject({ passed: false, statements: 1 });
    const [failure] = test.failures;
    expect(failure).toMatchObject({
      ...{
        statement: 'credits: {email: at most 7, sms: at most 800}',
        column: 7,
        time: null,
        seed: 1,
        failedSeeds: 1,
      },
      happened: expect.stringMatching(/^the messages cost [0-9]{3} email credits$/),
    });
    const lines = (await readFile(join(folder, 'spring.test.yaml'), 'utf8')).split('\n');
    expect(lines[failure.line - 1]).toContain('credits:');
    expect(
      failure.smallestAudience.lists.find(({ id }: { readonly id: number }) => id === 1).people,
    ).toBeLessThan(9);
    const words = failure.repeat.replace(/^svc /, '').split(' ');
    const again = await svc(words);
    expect(again.exitCode).toBe(11);
    expect(again.stdout).toContain('the messages cost 8 email credits');
  });

  it.each([
    [
      'junit',
      /<testsuite name="spring\.test\.yaml" tests="5" failures="1"[\s\S]*<testcase[^>]*name="cost"[^>]*><failure message="credits:/,
    ],
    [
      'tap',
      /^TAP version 14\n1\.\.5\nok 1 - spring\.test\.yaml: nobody gets too much\n[\s\S]*not ok 4 - spring\.test\.yaml: cost\n {2}---\n {2}message: "/,
    ],
    [
      'markdown',
      /^### Campaign tests: 1 of 5 failed\n[\s\S]*\| spring\.test\.yaml \| cost \| \*\*failed\*\* \|\n/,
    ],
    ['json', /^\{"passed":false,/],
    ['text', /\n {2}FAILED cost\n {4}spring\.test\.yaml:[0-9]+:7: credits: /],
  ])('is in the format %s', async (format, expected) => {
    await fail();
    const run = await svc(['test', '--format', format]);
    expect(run.stdout).toMatch(expected);
    expect(run.exitCode).toBe(11);
    if (format === 'tap')
      expect(() => parse(run.stdout.split('  ---\n')[1]?.split('  ...')[0] ?? '')).not.toThrow();
  });
});

it('repeats a failed test, and updates the sends, with the values that the campaign was given', async () => {
  const path = join(folder, 'spring.yaml');
  const text = (await readFile(path, 'utf8')).replace('after: 2d', `after: \${{ delay }}`);
  await writeFile(path, text.replace('campaign: Spring', `campaign: \${{ env.YEAR }} \${{ season }}`));
  await writeFile(join(folder, 'v.yaml'), 'delay: 4d\n');
  const flags = ['--values', 'v.yaml', '--set', 'season=Late spring', '--env', 'YEAR'];
  const outside = { env: { YEAR: '2027' } };
  await writeFile(join(folder, 'spring.sends.md'), '<!-- svc test --update writes this file -->\n');
  const run = await svc(['test', ...flags, '-o', 'json'], outside);
  const [file] = JSON.parse(run.stdout).files;
  const { repeat } = file.tests.flatMap(({ failures }: { failures: { repeat: string }[] }) => failures)[0];
  const given = `svc test spring.test.yaml --values v.yaml --set 'season=Late spring' --env YEAR `;
  expect(repeat.slice(0, given.length)).toBe(given);
  const words = [...repeat.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word).slice(1);
  expect((await svc(words, outside)).stdout).toContain('FAILED readers join the club');
  expect((await svc(['test', ...flags], outside)).stdout).toContain(`if this is right: ${given}--update\n`);
});

it('runs only the tests of --test, with the seed of --seed', async () => {
  const run = await svc(['test', '--test', 'cost', '--test', 'quiet hours', '--seed', '7', '-o', 'json']);
  const { files } = JSON.parse(run.stdout);
  expect(files[0].seeds).toEqual([7]);
  expect(files[0].tests.map(({ name }: { readonly name: string }) => name)).toEqual(['cost', 'quiet hours']);
});

describe('exit 2, and no test runs', () => {
  it('for faults of the test file and of the campaign file, all at once', async () => {
    await change((text) =>
      text.replace('ada receives', 'ada recieves').replace('list 2 within', 'lists 2 within'),
    );
    const campaign = join(folder, 'spring.yaml');
    await writeFile(
      campaign,
      (await readFile(campaign, 'utf8')).replace('subject: Spring', 'subjekt: Spring'),
    );
    const run = await svc(['test']);
    expect(run.exitCode).toBe(2);
    expect(run.stdout).toBe('');
    for (const place of [
      /spring\.yaml:[0-9]+:5: .*did you mean subject/,
      /spring\.test\.yaml:[0-9]+:7: .*did you mean "ada receives/,
      /spring\.test\.yaml:[0-9]+:17: expected a list/,
    ])
      expect(run.stderr).toMatch(place);
  });

  it.each([
    [['test', 'missing.test.yaml'], 'missing.test.yaml:1:1: the file does not exist'],
    [
      ['test', 'spring.yaml'],
      'svc: spring.yaml:7:1: this is a campaign file; write its tests into a file of',
    ],
    [['test', 'content'], 'no test file (*.test.yaml) in content or below'],
    [['test', '--test', 'costs'], 'no test has the name "costs"'],
    [['test', '--format', 'tap', '-o', 'json'], 'cannot combine --format'],
    [['test', '--watch', '--format', 'tap'], '--watch prints only text'],
  ])('for %j', async (words, message) => {
    const run = await svc(words);
    expect(run.stderr).toContain(message);
    expect(run.exitCode).toBe(2);
  });

  // Contract, "Settled, the file": "svc refuses a hidden file … without the content".
  it.each(['.git/config', './.env', 'link.yaml'])(
    'for a campaign that is the hidden file %s',
    async (name) => {
      await mkdir(join(folder, '.git'));
      for (const path of ['.git/config', '.env'])
        await writeFile(join(folder, path), '[a]\n\turl = https://user:secret@example.com\n');
      await symlink('.git/config', join(folder, 'link.yaml'));
      await change((text) => text.replace('campaign: spring.yaml', `campaign: ${name}`));
      const run = await svc(['test']);
      expect(run.stderr).toMatch(/^svc: spring\.test\.yaml:[0-9]+:11: campaign: .* is hidden/);
      expect(run.stderr).not.toContain('secret');
      expect(run.exitCode).toBe(2);
    },
  );

  it.each([
    ['account: nothing.json', 'account: nothing.json does not exist'],
    ['account: spring.yaml', 'account: spring.yaml is no snapshot of an account'],
    ['account: demo\nstarts: 99:99', 'starts: '],
    [
      'account: demo\nstarts: 9999-01-01 00:00',
      'spring.test.yaml:5:9: starts: "9999-01-01 00:00" is more than',
    ],
  ])('for %s', async (line, message) => {
    await change((text) => text.replace('account: demo', line));
    const run = await svc(['test']);
    expect(run.stderr).toContain(message);
    expect(run.exitCode).toBe(2);
  });
});

describe('sandbox clone --to', () => {
  it('writes a snapshot without personal data, with which tests run without a request', async () => {
    const demo = await openDemoService();
    const clone = ['sandbox', 'clone', '--from', 'shop', '--to', 'account.json'];
    const profiles = {
      ...{ cwd: folder, transport: demo.transport },
      env: { ...demo.admin, SVC_CONFIG_DIR: join(folder, 'config') },
    };
    const profile = [
      'profile',
      'add',
      'shop',
      '--base-url',
      'https://api.example.com',
      '--company',
      '1',
      '--user',
      '1',
    ];
    const added = await runCli([...profile, '--api-key-stdin'], {
      ...profiles,
      stdin: `${demo.admin['SVC_API_KEY']}\n`,
    });
    expect(added.exitCode).toBe(0);
    const made = await runCli([...clone, '-o', 'json'], profiles);
    expect(made.stderr).not.toContain('Hint');
    expect(JSON.parse(made.stdout)).toMatchObject({ file: 'account.json' });
    const text = await readFile(join(folder, 'account.json'), 'utf8');
    expect(text).not.toMatch(/@(?!harbourcoffee\.example|example\.com)[a-z.]+\.example/);
    expect(text).not.toContain('Okafor');
    await change((file) =>
      file.replace('account: demo', 'account: account.json').replace(/ {2}cost:[\s\S]*?(?= {2}quiet)/, ''),
    );
    const run = await svc(['test']);
    expect(run.stdout).toContain('all passed');
    expect(run.exitCode).toBe(0);
    expect(requests).toEqual([]);
    // A snapshot may come from somebody else: "Faults are exit 2".
    const { copy, ...rest } = JSON.parse(text);
    for (const [size, fault] of [
      [1e9, 'people; the maximum is 10000000'],
      ['many', 'is a damaged snapshot'],
      [-1, 'is a damaged snapshot'],
    ] as const) {
      const lists = [{ ...copy.lists[0], email: size }, ...copy.lists.slice(1)];
      await writeFile(join(folder, 'account.json'), JSON.stringify({ ...rest, copy: { ...copy, lists } }));
      const refused = await svc(['test']);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(fault)]);
    }
    for (const [damaged, fault] of [
      [{ tasks: [{ ...copy.tasks[0], scheduledtime: -1e18 }] }, 'is a damaged snapshot; make it again'],
      [{ at: 8e15 }, 'is a damaged snapshot; make it again'],
      [{ emails: [{ ...copy.emails[0], html: {} }] }, 'account.json is a damaged snapshot: '],
      [{ users: [{ ...copy.users[0], timezone: null }] }, 'account.json is a damaged snapshot: '],
    ] as const) {
      await writeFile(
        join(folder, 'account.json'),
        JSON.stringify({ ...rest, copy: { ...copy, ...damaged } }),
      );
      const refused = await svc(['test']);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(fault)]);
    }
    const again = await runCli(clone, profiles);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('account.json');
  });
});

describe('svc explain campaign-test', () => {
  it('shows every form, and the JSON Schema with -o json', async () => {
    const page = await svc(['explain', 'campaign-test']);
    expect(page.stdout).toContain('<person> clicks <message> [<when>]');
    expect(page.stdout).toContain('gap-between-messages: at least 4h');
    expect(page.stdout.match(/^ {2}[a-z]+\*/gm)).toEqual(['  version*', '  campaign*', '  tests*']);
    const schema = JSON.parse((await svc(['explain', 'campaign-test', '-o', 'json'])).stdout);
    expect(schema).toMatchObject({
      title: 'Campaign tests of svc',
      required: ['version', 'campaign', 'tests'],
    });
  });
});
