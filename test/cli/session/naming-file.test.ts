/**
 * Contract, "Numbers, ids and names, once more": SVC_NAMING without a profile; `init` and `profile add` take --naming.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { NOBODY, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const NAMES = { headerPrefix: 'X-Acme-' };
let folder: string;
let env: Readonly<Record<string, string | undefined>>;
beforeAll(async () => {
  folder = await makeTemporaryFolder('naming');
  env = { SVC_CONFIG_DIR: folder, SVC_NAMING: undefined };
  await writeFile(join(folder, 'names.json'), JSON.stringify(NAMES));
  await writeFile(join(folder, 'broken.json'), '{');
  await writeFile(join(folder, 'list.json'), '[]');
  await writeFile(join(folder, 'unknown.json'), '{"nosuch":"x"}');
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes a service that accepts only the names of its deployment. */
const service = async () => {
  const sandbox = await createTestSandbox({ naming: namingWithOverrides(NAMES) });
  return { transport: serviceOf(sandbox).transport, cwd: folder };
};

const ADD = [
  '--base-url',
  'https://api.example.com',
  '--company',
  String(IDS.company),
  '--user',
  String(IDS.admin),
];

describe('SVC_NAMING', () => {
  it('provides the names without a profile', async () => {
    const outside = await service();
    const run = await runCli(['folder', 'list', '-o', 'json'], {
      ...outside,
      env: { ...env, SVC_NAMING: 'names.json' },
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
    const without = await runCli(['folder', 'list'], { ...outside, env });
    expect(without.exitCode).toBe(3);
    expect(without.stderr).toContain(
      'If your service uses other header names, add --naming FILE to svc profile add, or set SVC_NAMING.',
    );
    const wrongKey = { ...env, SVC_NAMING: 'names.json', SVC_API_KEY: KEYS.other };
    const refused = await runCli(['folder', 'list'], { ...outside, env: wrongKey });
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain(
      'The request had headers that begin with X-Acme-, as set in the profile or SVC_NAMING.',
    );
  });

  it('reads a file with a byte order mark, as editors on Windows write it', async () => {
    const outside = await service();
    await writeFile(join(folder, 'marked.json'), `\ufeff${JSON.stringify(NAMES)}`);
    const run = await runCli(['folder', 'list', '-o', 'json'], {
      ...outside,
      env: { ...env, SVC_NAMING: 'marked.json' },
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  it.each([
    ['nosuch.json', "SVC_NAMING: nosuch.json can't be read"],
    ['broken.json', 'SVC_NAMING: broken.json is not JSON'],
    ['list.json', 'SVC_NAMING: list.json must hold one JSON object'],
    ['unknown.json', 'SVC_NAMING: '],
  ])('%s is rejected before any request', async (file, message) => {
    const run = await runCli(['folder', 'list'], { cwd: folder, env: { ...env, SVC_NAMING: file } });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

describe('unusable names are rejected before svc saves or sends anything', () => {
  const FAULTS: readonly (readonly [unknown, string, string])[] = [
    [{ headers: 'X-' }, 'headers is not a naming setting', 'naming settings: header-prefix, '],
    [{ 'header-prefix': 'X:' }, 'naming.header-prefix cannot be "X:"', ''],
    [{ fields: { enablecmr: 'x' } }, 'unknown attribute enablecmr', 'did you mean enablecms or enablecrm'],
    [
      { fields: { name: 'subject' } },
      'emailMessage has an attribute with the name subject',
      'choose another name for name, or also rename',
    ],
    [{ fields: { name: 'x', text: 'x' } }, 'renames two attributes, name and text, to the same name: x', ''],
    [{ fields: { name: 'sort' } }, 'a query parameter has the name sort', 'sort, reverse, count, start'],
  ];

  it.each(FAULTS)('%j', async (names, message, hint) => {
    await writeFile(join(folder, 'faulty.json'), JSON.stringify(names));
    for (const [argv, own] of [
      [['folder', 'list', '-o', 'json'], { SVC_NAMING: 'faulty.json' }],
      [
        [
          'profile',
          'add',
          'x',
          ...ADD,
          '--api-key-stdin',
          '--no-check',
          '--naming',
          'faulty.json',
          '-o',
          'json',
        ],
        {},
      ],
    ] as const) {
      const run = await runCli(argv, { cwd: folder, env: { ...env, ...own }, stdin: KEYS.company });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      const { error } = JSON.parse(run.stderr);
      expect([error.message, error.hint ?? '']).toEqual([
        expect.stringContaining(message),
        expect.stringContaining(hint),
      ]);
    }
  });

  it('accepts keys in either spelling, and stores one spelling in the profile', async () => {
    await writeFile(join(folder, 'dashes.json'), JSON.stringify({ 'header-prefix': 'X-Acme-', case: 'any' }));
    const argv = [
      'profile',
      'add',
      'dashes',
      ...ADD,
      '--api-key-stdin',
      '--naming',
      'dashes.json',
      '-o',
      'json',
    ];
    const run = await runCli(argv, { ...(await service()), env: { ...NOBODY, ...env }, stdin: KEYS.company });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout).naming).toEqual({ headerPrefix: 'X-Acme-', case: 'any' });
    const set = (key: string, value: string) =>
      runCli(['profile', 'set', 'dashes', key, value, '-o', 'json'], { env: { ...NOBODY, ...env } });
    const changed = await set('naming.header-prefix', 'X-Other-');
    expect(JSON.parse(changed.stdout).naming).toEqual({ headerPrefix: 'X-Other-', case: 'any' });
    const refused = await set('naming.fields.enablecmr', 'x');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(refused.stderr).error.hint).toContain('did you mean enablecms or enablecrm');
    expect((await set('naming.fields.name', 'sort')).exitCode).toBe(2);
    const after = await set('naming.fields.name', 'title');
    expect(JSON.parse(after.stdout).naming.fields).toEqual({ name: 'title' });
  });
});

describe('--naming', () => {
  it.each([
    ['profile add', ['profile', 'add', 'acme']],
    ['init', ['init', '--profile', 'acme', '--replace']],
  ])('of %s is stored in the profile, and used for the check', async (_, words) => {
    const outside = await service();
    const argv = [...words, ...ADD, '--api-key-stdin', '--naming', 'names.json'];
    const run = await runCli(argv, { ...outside, env: { ...NOBODY, ...env }, stdin: KEYS.company });
    expect({
      ...run,
      stderr: run.stderr.split('\n').filter((line) => line.startsWith('checked the API key:')),
    }).toMatchObject({
      exitCode: 0,
      stderr: ['checked the API key: it is valid for company 1 (Company)'],
    });
    const listed = await runCli(['folder', 'list', '-o', 'json'], {
      ...outside,
      env: { ...NOBODY, ...env, SVC_PROFILE: 'acme' },
    });
    expect(listed).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('saves nothing if the file is invalid', async () => {
    const argv = ['profile', 'add', 'other', ...ADD, '--api-key-stdin', '--naming', 'unknown.json'];
    const run = await runCli(argv, { ...(await service()), env: { ...NOBODY, ...env }, stdin: KEYS.company });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    const shown = await runCli(['profile', 'show', 'other'], { env: { ...NOBODY, ...env } });
    expect(shown.exitCode).toBe(2);
  });
});
