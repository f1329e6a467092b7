/** Parts of src/cli/outside that differ between Linux, macOS and Windows, with the platform as an argument. */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { chromiumPaths } from '../../../src/cli/outside/browser.ts';
import { removeApiKeysFromEnvironment } from '../../../src/cli/outside/own-program.ts';
import { interruptOwnProcess } from '../../../src/cli/outside/prompts.ts';
import { configDirOf, stateDirOf } from '../../../src/kit/files/directories.ts';
import { lockHolderState } from '../../../src/kit/files/lock-holder.ts';

describe('Ctrl-C during a hidden question', () => {
  const pressed = (platform: NodeJS.Platform, hasListener: boolean): readonly string[] => {
    const calls: string[] = [];
    interruptOwnProcess({
      platform,
      pid: 7,
      kill: (pid, signal) => calls.push(`kill ${pid} ${signal}`),
      emit: (event) => {
        calls.push(`emit ${event}`);
        return hasListener;
      },
    });
    return calls;
  };

  it.each([
    ['linux', true, ['kill 7 SIGINT']],
    ['darwin', true, ['kill 7 SIGINT']],
    // `kill` on Windows ends the process without its listeners: exit code 1, and no cleanup.
    ['win32', true, ['emit SIGINT']],
    ['win32', false, ['emit SIGINT', 'kill 7 SIGINT']],
  ] as const)('ends as on %s, with a listener: %s', (platform, hasListener, calls) => {
    expect(pressed(platform, hasListener)).toEqual(calls);
  });
});

it('a started program gets no key of svc, whatever the case of its variable', () => {
  const env = { SVC_API_KEY: 'a', svc_api_key: 'b', Svc_Partner_Api_Key: 'c', Path: 'C:\\bin' };
  expect(removeApiKeysFromEnvironment(env)).toEqual({ Path: 'C:\\bin' });
});

describe('the locations of Chromium', () => {
  it('are the folders of Path and the usual folders of Chrome and Edge on Windows', () => {
    const env = { Path: 'C:\\bin;D:\\tools', ProgramFiles: 'C:\\Program Files' };
    const paths = chromiumPaths(env, 'win32');
    expect(paths).toContain('D:\\tools\\chrome.exe');
    expect(paths.slice(-2)).toEqual([
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
      'C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe',
    ]);
  });

  it.each([
    ['linux', '/b/chrome'],
    ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ] as const)('end on %s with %s', (platform, last) => {
    const paths = chromiumPaths({ PATH: '/a:/b' }, platform);
    expect(paths[0]).toBe('/a/chromium');
    expect(paths.at(-1)).toBe(last);
  });
});

describe('the directories of svc', () => {
  it.each([
    ['win32', { APPDATA: 'D:\\Roaming' }, 'D:\\Roaming\\svc', 'C:\\Users\\ada\\AppData\\Local\\svc'],
    // A path without a drive is relative to the current drive.
    [
      'win32',
      { APPDATA: 'Roaming', LOCALAPPDATA: '\\\\server\\ada' },
      'C:\\Users\\ada\\AppData\\Roaming\\svc',
      '\\\\server\\ada\\svc',
    ],
    ['darwin', { APPDATA: 'D:\\Roaming' }, '/Users/ada/.config/svc', '/Users/ada/.local/state/svc'],
    ['linux', { XDG_STATE_HOME: '/state' }, '/Users/ada/.config/svc', '/state/svc'],
  ] as const)('are on %s with %j', (platform, env, config, state) => {
    const home = platform === 'win32' ? 'C:\\Users\\ada' : '/Users/ada';
    expect([configDirOf(env, home, platform), stateDirOf(env, home, platform)]).toEqual([config, state]);
  });
});

describe('the holder of a lock without /proc', () => {
  const holder = { pid: process.pid, started: null, host: hostname(), place: null, token: 'a' };

  it.each([
    ['win32', holder, 'unknown'],
    ['darwin', holder, 'unknown'],
    // No system gives a process this id.
    ['win32', { ...holder, pid: 2 ** 31 - 1 }, 'dead'],
    ['darwin', { ...holder, pid: 2 ** 31 - 1 }, 'dead'],
    ['win32', { ...holder, pid: 2 ** 31 - 1, host: 'another' }, 'unknown'],
    ['linux', { ...holder, pid: 2 ** 31 - 1 }, 'unknown'],
  ] as const)('is read on %s: %j is %s', (platform, about, life) => {
    expect(lockHolderState(about, platform)).toBe(life);
  });
});

it('only cli/outside and the defaults of src/kit/files read the platform', () => {
  const root = new URL('../../../src/', import.meta.url);
  const reading = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/^(?:cli\/outside|kit\/files)\//.test(path))
    .filter((path) => /process\.platform|os\.platform/.test(readFileSync(new URL(path, root), 'utf8')));
  expect(reading).toEqual([]);
});
