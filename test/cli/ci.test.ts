/** svc asks nothing in CI, even if the runner provides a terminal, because a question would wait until the job is killed. */
import { readdir, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { withEverything } from '../support/everything.ts';
import { NOBODY, PARTNER, runCli, serviceOf, writesIn } from '../support/run-cli.ts';
import { KEYS } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const ADD = [
  'profile',
  'add',
  'work',
  '--base-url',
  'https://api.example.com',
  '--company',
  '1',
  '--user',
  '1',
];

const QUESTIONS: readonly (readonly [readonly string[], string, typeof PARTNER | undefined])[] = [
  [['folder', 'delete', 'News'], 'needs --yes', undefined],
  [['task', 'cancel', 'Sale'], 'needs --yes', undefined],
  [['dnc', 'add', 'a@example.com'], 'needs --yes', undefined],
  [['dnc', 'add', 'example.com'], 'needs --yes --domain-ok', undefined],
  [['dnc', 'remove', 'old@example.com'], 'needs --yes', undefined],
  [['automation', 'delete', 'open:1'], 'needs --yes', undefined],
  [['subscriber-data', 'delete', '1_1'], 'needs --yes', undefined],
  [['api', 'DELETE', '/v1/folder/1'], 'needs --yes', undefined],
  [['features', 'set', '--locked'], 'needs --yes --lock-ok', PARTNER],
  [['sandbox', 'list', 'delete', '1'], 'needs --yes', undefined],
  [['sandbox', 'snapshot', 'restore', 'one'], 'needs --yes', undefined],
];

describe('CI=true on a terminal', () => {
  const CI = 'true';

  it.each(QUESTIONS)('%j exits with 2 and names the flag to add', async (argv, words, env = undefined) => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(argv, { transport, tty: true, env: { ...env, CI } });
    expect(run).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
    expect(run.stderr.replace(/\s+/g, ' ')).toContain(words);
    expect(writesIn(sent)).toEqual([]);
  });

  it.each([
    [['init'], '--base-url, --company, --user and --api-key-stdin are missing'],
    [ADD, '--api-key-stdin or --key-command is missing'],
    [['profile', 'add', 'work'], '--base-url is missing'],
    [['profile', 'add', 'work', '--base-url', 'https://api.example.com'], '--company is missing'],
  ])('%j asks nothing', async (argv, words) => {
    const folder = await makeTemporaryFolder('ci');
    try {
      const run = await runCli(argv, { tty: true, env: { ...NOBODY, SVC_CONFIG_DIR: folder, CI } });
      expect(run).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
      const inOneLine = run.stderr.replace(/\s+/g, ' ');
      expect(inOneLine).toContain(words);
      expect(inOneLine).toContain('the environment variable CI is set, so svc asks no questions');
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

it.each(['1', 'TRUE', 'woodpecker'])('CI=%s counts as set', async (CI) => {
  const run = await runCli(['folder', 'delete', 'News'], { tty: true, env: { CI } });
  expect(run).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
});

it.each([undefined, '', '0', 'false', 'False'])('CI=%s counts as unset, so svc asks', async (CI) => {
  const { transport } = serviceOf(await withEverything());
  const run = await runCli(['folder', 'delete', 'News'], {
    transport,
    tty: true,
    env: { CI },
    answers: [false],
  });
  expect(run.questions).toHaveLength(1);
  const folder = await makeTemporaryFolder('ci');
  try {
    const env = { ...NOBODY, SVC_CONFIG_DIR: folder, CI };
    const key = await runCli(ADD, { tty: true, env, answers: [KEYS.company] });
    expect(key.questions).toEqual(['API key (hidden)']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
