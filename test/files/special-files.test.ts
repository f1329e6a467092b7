import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAtomicFile, moveIntoPlace } from '../../src/kit/files/atomic-file.ts';
import { readLock, removeDeadLock } from '../../src/kit/files/lock.ts';
import { makeFolders } from '../../src/kit/files/make-folders.ts';
import { NOBODY, runCli } from '../support/run-cli.ts';
import { KEYS } from '../support/sandbox.ts';
import {
  identityOf,
  makeSpecialFiles,
  SPECIAL_KIND_WORDS,
  type SpecialFiles,
  type SpecialKind,
} from '../support/special-files.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Contract, "Output": what is not a regular file is never replaced.

let folder: string;
let special: SpecialFiles;
beforeEach(async () => {
  folder = await makeTemporaryFolder('special');
  special = await makeSpecialFiles(folder);
});
afterEach(() => {
  special.close();
  rmSync(folder, { recursive: true, force: true });
});

const KINDS = Object.keys(SPECIAL_KIND_WORDS) as SpecialKind[];

describe.each(KINDS)('a %s', (kind) => {
  const refusal = expect.objectContaining({
    name: 'FileError',
    kind: 'not-a-file',
    message: expect.stringContaining(SPECIAL_KIND_WORDS[kind]),
  });

  it('is not replaced by an atomic file, and no temporary file is left', () => {
    const path = special.paths[kind];
    if (path === undefined) return;
    const before = [identityOf(path), readdirSync(folder)];
    expect(() => createAtomicFile(path)).toThrow(refusal);
    expect([identityOf(path), readdirSync(folder)]).toEqual(before);
  });

  it('is not replaced if it appears while the file is written', () => {
    if (special.paths[kind] === undefined) return;
    const path = join(folder, 'later');
    const file = createAtomicFile(path);
    special.makeAt(kind, path);
    const before = identityOf(path);
    expect(() => file.commit()).toThrow(refusal);
    file.abort();
    expect(identityOf(path)).toEqual(before);
    expect(readdirSync(folder)).not.toContain('later.new');
  });

  it('is not removed from the place of a temporary file', () => {
    if (special.paths[kind] === undefined) return;
    special.makeAt(kind, join(folder, 'it.new'));
    const before = identityOf(join(folder, 'it.new'));
    expect(() => createAtomicFile(join(folder, 'it'))).toThrow(refusal);
    expect(identityOf(join(folder, 'it.new'))).toEqual(before);
  });

  it('stays where a file would be moved', () => {
    const path = special.paths[kind];
    if (path === undefined) return;
    writeFileSync(join(folder, 'from'), 'text');
    const before = identityOf(path);
    expect(() => moveIntoPlace(join(folder, 'from'), path)).toThrow(refusal);
    expect(identityOf(path)).toEqual(before);
  });

  it('is not removed as an old lock', () => {
    const path = special.paths[kind];
    if (path === undefined) return;
    const before = identityOf(path);
    for (const work of [readLock, removeDeadLock])
      expect(() => work(path)).toThrow(expect.objectContaining({ kind: 'not-a-file' }));
    expect(identityOf(path)).toEqual(before);
  });
});

const ADD =
  'profile add p --base-url https://api.example.com --company 1 --user 1 --no-check --api-key-stdin'.split(
    ' ',
  );

const TRUST = ['profile', 'trust', '--yes'];

/** A command for each private file of svc, with the file in the folder of this test. */
const PRIVATE: readonly (readonly [file: string, argv: readonly string[]])[] = [
  ['config/config.json', ADD],
  ['config/config.json.lock', ADD],
  ['config/trusted-files.json', TRUST],
  ['config/trusted-files.json.new', TRUST],
  ['home/.local/share/bash-completion/completions/svc', ['completion', 'install', 'bash', '--force']],
  ['AGENTS.md', ['init', '--agents', '--force']],
  ['AGENTS.md.part', ['init', '--agents', '--force']],
];

describe.each(KINDS)('a %s in the place of a file of svc', (kind) => {
  it.each(PRIVATE)('is left as it is, with exit code 2: %s', async (file, argv) => {
    const path = join(folder, file);
    if (special.paths[kind] === undefined) return;
    // The output of `init --agents` is no private file.
    if (file === 'AGENTS.md' && ['pipe', 'device'].includes(kind)) return;
    makeFolders(dirname(path));
    special.makeAt(kind, path);
    if (argv === TRUST) writeFileSync(join(folder, '.svc.json'), '{"company":1}');
    const before = identityOf(path);
    const done = await runCli([...argv], {
      stdin: KEYS.company,
      cwd: folder,
      homeDir: join(folder, 'home'),
      env: {
        ...NOBODY,
        SVC_CONFIG_DIR: join(folder, 'config'),
        SVC_STATE_DIR: join(folder, 'state'),
      },
    });
    expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining(path.slice(folder.length + 1))]);
    expect(identityOf(path)).toEqual(before);
  });
});

// Use, M16: Node's recursive mkdir repeats for ever where the system answers ENOENT for a folder whose parent exists.
describe('a folder that cannot be made', () => {
  const onLinux = it.runIf(process.platform === 'linux');

  onLinux.each(['/proc/x', '/proc/x/y/z', '/proc/self/x'])('is named at once: %s', (path) => {
    const named = path.startsWith('/proc/x') ? '/proc/x' : path;
    expect(() => makeFolders(path)).toThrow(
      expect.objectContaining({
        name: 'FileError',
        kind: 'no-folder',
        message: `cannot create the folder ${named}: this file system accepts no new folders`,
      }),
    );
  });

  it('is named if a file is in the place of a parent, and nothing is created', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolders(join(folder, 'file', 'a', 'b'))).toThrow(
      `cannot create the folder ${join(folder, 'file', 'a')}: a part of the path is not a folder`,
    );
    expect(() => makeFolders(join(folder, 'file'))).toThrow('is not a directory');
  });

  it('returns the folders that it made, the uppermost first', () => {
    mkdirSync(join(folder, 'a'));
    expect(makeFolders(join(folder, 'a', 'b', 'c'))).toEqual([
      join(folder, 'a', 'b'),
      join(folder, 'a', 'b', 'c'),
    ]);
    expect(makeFolders(join(folder, 'a', 'b'))).toEqual([]);
    expect(existsSync(join(folder, 'a', 'b', 'c'))).toBe(true);
  });

  onLinux.each<[string, readonly string[], Record<string, string>, number, string]>([
    ['SVC_CONFIG_DIR', ADD, { SVC_CONFIG_DIR: '/proc/x' }, 1, '/proc/x'],
    ['XDG_CONFIG_HOME', ADD, { XDG_CONFIG_HOME: '/proc/x' }, 1, '/proc/x'],
    ['HOME', ADD, {}, 1, '/proc/.config'],
    ['--data', ['sandbox', 'start', '--data', '/proc/x'], {}, 1, '/proc/x'],
    ['--data and --detach', ['sandbox', 'start', '--data', '/proc/x', '--detach'], {}, 1, '/proc/x'],
    [
      'the folder of completions',
      ['completion', 'install', 'zsh'],
      { XDG_DATA_HOME: '/proc/x' },
      1,
      '/proc/',
    ],
  ])('ends a command at once: %s', async (_, argv, env, exitCode, named) => {
    const done = await runCli(argv, {
      stdin: KEYS.company,
      cwd: folder,
      homeDir: '/proc',
      env: { SVC_CONFIG_DIR: '', SVC_STATE_DIR: join(folder, 'state'), ...env },
    });
    expect(done.stderr).toContain(`cannot create the folder ${named}`);
    expect(done.exitCode).toBe(exitCode);
  });
});
