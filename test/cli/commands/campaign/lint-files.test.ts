/** Contract, "Campaigns as files": `svc lint FILE…` checks files, content and references offline, for a pull request without a key. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY, type Run, runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('lint-files');
  await cp('examples/campaign', join(folder, 'campaigns'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs without credentials, and fails for any request. */
const lint = (...words: readonly string[]): Promise<Run> =>
  runCli(['lint', ...words], {
    cwd: folder,
    env: {
      ...NOBODY,
      ...{ SVC_COMPANY_ID: undefined, SVC_USER_ID: undefined, SVC_API_KEY: undefined },
    },
    transport: () => {
      throw new Error('lint sent a request');
    },
  });

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, change(await readFile(path, 'utf8').catch(() => '')));
}

const FILE = 'campaigns/spring.yaml';
const TESTS = 'campaigns/spring.test.yaml';

it('accepts the example, without a key and without a request', async () => {
  const run = await lint(FILE);
  expect([run.exitCode, run.stderr]).toEqual([0, expect.stringMatching(/^[0-9]+ infos?\.\n$/)]);
});

it('accepts the test file of the example, alone and beside its campaign', async () => {
  for (const paths of [[TESTS], [FILE, TESTS]]) expect((await lint(...paths)).exitCode).toBe(0);
});

interface Finding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly file: string;
  readonly line: number | null;
}

async function findingsIn(...words: readonly string[]): Promise<readonly Finding[]> {
  const run = await lint(...words, '-o', 'json');
  return JSON.parse(run.stdout);
}

describe('finds in a test file', () => {
  it.each<[string, (text: string) => string, number, RegExp]>([
    ['a word that no test has', (text) => text.replace('ada clicks', 'ada clicked'), 16, /ada clicked/],
    [
      'a message that the campaign does not have',
      (text) => text.replace('clicks spring', 'clicks autumn'),
      16,
      /autumn/,
    ],
    [
      'a campaign that does not exist',
      (text) => text.replace('campaign: spring.yaml', 'campaign: gone.yaml'),
      3,
      /^campaign: gone.yaml does not exist\.$/,
    ],
    [
      'a campaign that is a folder',
      (text) => text.replace('campaign: spring.yaml', 'campaign: content'),
      3,
      /^campaign: content is a folder\.$/,
    ],
    ['a misspelt member', (text) => text.replace('seeds:', 'seds:'), 7, /did you mean seeds\?$/],
  ])('%s', async (_, change, line, message) => {
    await edit(TESTS, change);
    const run = await lint(TESTS, '-o', 'json');
    expect(run.exitCode).toBe(11);
    const found = JSON.parse(run.stdout) as readonly Finding[];
    expect(found).toContainEqual(
      expect.objectContaining({ rule: 'campaign-file', line, message: expect.stringMatching(message) }),
    );
  });

  it('its own place, and the place of the campaign', async () => {
    await edit(TESTS, (text) => text.replace('seeds: 5', 'seeds: many'));
    await edit(FILE, (text) => text.replace('list: 1', 'lists: 1'));
    const found = await findingsIn(TESTS);
    const places = found.filter(({ severity }) => severity === 'error').map(({ file, line }) => [file, line]);
    expect(places).toEqual(
      expect.arrayContaining([
        [TESTS, 7],
        [FILE, 37],
      ]),
    );
  });
});

describe('finds', () => {
  it.each<[string, string, (text: string) => string, Partial<Finding>]>([
    [
      'an unknown attribute',
      FILE,
      (text) => text.replace('list: 1', 'lists: 1'),
      { rule: 'campaign-file', file: FILE, line: 37 },
    ],
    [
      'a message of the other channel',
      FILE,
      (text) => text.replace('message: reminder', 'channel: sms\n    message: spring'),
      { rule: 'campaign-file', file: FILE },
    ],
    [
      'content that does not exist',
      FILE,
      (text) => text.replace('content/spring.html', 'content/sprong.html'),
      {
        rule: 'campaign-file',
        message: expect.stringContaining('content/sprong.html does not exist') as never,
      },
    ],
    ['broken YAML', FILE, (text) => `${text}  - : [`, { rule: 'campaign-file', file: FILE }],
    [
      'an error in HTML that has no text file of its name',
      'campaigns/content/spring.html',
      (text) => text.replace('</body>', '<a href="http://localhost/">Spring</a></body>'),
      { rule: 'local-address', file: 'campaigns/content/spring.html', line: expect.any(Number) as never },
    ],
  ])('%s, and exits with 11', async (_, file, change, finding) => {
    await edit(file, change);
    expect((await lint(FILE)).exitCode).toBe(11);
    expect(await findingsIn(FILE)).toContainEqual(expect.objectContaining({ severity: 'error', ...finding }));
  });

  it('a fault in a subject, at the message of the file', async () => {
    await edit(FILE, (text) => text.replace('subject: Spring coffee offers', 'subject: ""'));
    const errors = (await findingsIn(FILE)).filter(({ severity }) => severity === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ rule: 'empty-part', file: FILE, line: 8 });
  });

  it('content in folders below, and an item that two files have', async () => {
    await edit('campaigns/sub/deep/a.txt', () => 'Hello http://localhost/\n');
    await edit('campaigns/a.yaml', () =>
      [
        ...['version: 1', 'campaign: A', 'messages:'],
        '  a: {channel: sms, name: A, from: Me, message: sub/deep/a.txt}\n',
      ].join('\n'),
    );
    await edit(
      'campaigns/b.yaml',
      () =>
        'version: 1\ncampaign: A\nmessages:\n  a: {channel: sms, name: A, from: Me, message: sub/deep/a.txt}\n',
    );
    const found = await findingsIn('campaigns/a.yaml', 'campaigns/b.yaml');
    expect(found.filter(({ rule }) => rule === 'campaign-file')).toEqual([
      expect.objectContaining({
        file: 'campaigns/b.yaml',
        message: 'message a: also used in campaigns/a.yaml.',
      }),
    ]);
    expect(found.map(({ file }) => file)).toContain('campaigns/sub/deep/a.txt');
    expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(found.length);
  });
});

it('fills in variables of --set and --env', async () => {
  await edit(FILE, (text) => text.replace('Spring coffee offers', `\${{ word }} \${{ env.SEASON }}`));
  expect((await lint(FILE)).exitCode).toBe(11);
  const run = await runCli(['lint', FILE, '--set', 'word=Coffee', '--env', 'SEASON'], {
    cwd: folder,
    env: { ...NOBODY, SEASON: 'Spring' },
  });
  expect(run.exitCode, run.stdout).toBe(0);
});

describe('formats', () => {
  it('github, junit and sarif have the faults of the file', async () => {
    await edit(FILE, (text) => text.replace('list: 1', 'lists: 1'));
    const github = await lint(FILE, '--format', 'github');
    expect(github.stdout).toMatch(
      /^::error file=campaigns\/spring\.yaml,line=37,col=5,title=campaign-file::task newsletter: unknown attribute/m,
    );
    const junit = await lint(FILE, '--format', 'junit');
    expect(junit.stdout).toMatch(
      /<testsuite name="svc lint"[\s\S]*campaign-file campaigns\/spring\.yaml:37:5/,
    );
    const sarif = JSON.parse((await lint(FILE, '--format', 'sarif')).stdout);
    const names: readonly string[] = sarif.runs[0].tool.driver.rules.map(
      ({ id }: { readonly id: string }) => id,
    );
    expect(new Set(names).size).toBe(names.length);
    for (const { ruleId, ruleIndex } of sarif.runs[0].results) expect(names[ruleIndex]).toBe(ruleId);
    for (const { exitCode } of [github, junit]) expect(exitCode).toBe(11);
  });
});

describe('rejects', () => {
  it.each([
    [['campaigns/nothing.yaml'], 'file campaigns/nothing.yaml not found'],
    [['5'], 'svc email lint'],
    [['campaigns'], 'campaigns is not a file'],
    [[], 'needs a file'],
    [[FILE, '--ignore', 'nothing'], 'unknown rule nothing'],
    [[FILE, '--ignore', 'campaign-file'], 'unknown rule campaign-file'],
    [[FILE, '--set', 'x=1'], 'does not use'],
    [[FILE, '--format', 'github', '-o', 'json'], 'cannot combine --format'],
  ])('%j with exit 2', async (words, message) => {
    const run = await lint(...words);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(message);
  });

  it('warnings only with --strict', async () => {
    const image = '<img src="https://shop.example/a.png" width="10" height="10"></body>';
    await edit('campaigns/content/spring.html', (text) => text.replace('</body>', image));
    const [plain, strict] = [await lint(FILE), await lint(FILE, '--strict')];
    expect([plain.exitCode, strict.exitCode]).toEqual([0, 11]);
  });
});
