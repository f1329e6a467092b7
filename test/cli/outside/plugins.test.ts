import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPlugin, listPlugins } from '../../../src/cli/outside/plugins.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('plugins');
  for (const folder of ['a', 'b']) mkdirSync(join(home, folder));
});
afterEach(() => rm(home, { recursive: true, force: true }));

function program(path: string, mode = 0o755): string {
  writeFileSync(join(home, path), '#!/bin/sh\n');
  chmodSync(join(home, path), mode);
  return join(home, path);
}

const path = (...folders: string[]) => ({ PATH: folders.map((folder) => join(home, folder)).join(':') });

describe('a plug-in', () => {
  it('is the first executable svc-NAME on PATH', () => {
    const second = program('b/svc-hello');
    program('a/svc-hello', 0o644);
    mkdirSync(join(home, 'a', 'svc-folder'));
    expect(findPlugin('hello', path('a', 'b', 'none'), 'linux')).toEqual({ name: 'hello', path: second });
    const first = program('a/svc-hello');
    expect(findPlugin('hello', path('a', 'b'), 'linux')?.path).toBe(first);
    expect(findPlugin('folder', path('a'), 'linux')).toBeUndefined();
    expect(listPlugins(path('a', 'b', 'a'), 'linux').map((each) => each.path)).toEqual([first, second]);
  });

  it('can be a link to a program', () => {
    symlinkSync(program('b/elsewhere'), join(home, 'a', 'svc-link'));
    symlinkSync('/nonexistent', join(home, 'a', 'svc-lost'));
    expect(listPlugins(path('a'), 'linux').map(({ name }) => name)).toEqual(['link']);
  });

  it('is never searched in the working folder', () => {
    program('a/svc-evil');
    const here = relative(process.cwd(), join(home, 'a'));
    expect(existsSync(join(here, 'svc-evil'))).toBe(true);
    for (const PATH of ['.', '', ':', `.:${here}:`, here, './', undefined])
      expect([findPlugin('evil', { PATH }, 'linux'), listPlugins({ PATH }, 'linux')]).toEqual([
        undefined,
        [],
      ]);
  });

  it.each(['', '..', '../b/svc-x', 'a/b', '-x', 'x y', '.x', 'x\0'])('does not exist for %j', (name) => {
    program('a/svc-');
    program('b/svc-x');
    expect(findPlugin(name, path('a', 'b'), 'linux')).toBeUndefined();
  });

  it('has an extension of PATHEXT on Windows', () => {
    expect(findPlugin('hello', { Path: 'C:\\tools;.;', PATHEXT: '.EXE' }, 'win32')).toBeUndefined();
  });
});
