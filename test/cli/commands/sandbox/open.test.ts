/** Contract, "The sandbox, for people and teams", Pages: `sandbox open` opens its pages in the browser (`--print` prints the link). */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';
import { memoryStream } from '../../output/memory-stream.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let cwd: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { seed: 'demo' });
  cwd = dirname(folder.path);
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const open = (words: readonly string[] = [], env: Record<string, string> = {}) =>
  runCli(['sandbox', 'open', ...words, '--data', folder.path], {
    cwd,
    env: { PATH: `${cwd}:/usr/bin:/bin`, TMPDIR: cwd, ...env },
  });

/** Returns the address to which the link redirects. */
async function led(url: string): Promise<string | null> {
  expect(url).toMatch(new RegExp(`^${sandbox.ready.baseUrl}/open/[\\w-]{43}$`));
  return (await sandbox.get(url.slice(sandbox.ready.baseUrl.length))).headers.get('location');
}

it("passes the link to the program in BROWSER, without svc's keys, and prints nothing", async () => {
  const browser = join(cwd, 'browser');
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > "$TMPDIR/url"; env > "$TMPDIR/env"\n`);
  await chmod(browser, 0o755);
  const run = await open([], { BROWSER: browser, SVC_API_KEY: 'f'.repeat(32) });
  expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect(await led(await readFile(join(cwd, 'url'), 'utf8'))).toBe('/ui/1/outbox');
  expect(await readFile(join(cwd, 'env'), 'utf8')).not.toMatch(/SVC_API_KEY|ffffffff/);
});

it.each([
  [['--print'], '/ui/1/outbox'],
  [['clock', '--print'], '/ui/1/clock'],
  [['outbox/t2-480', '--print'], '/ui/1/outbox/t2-480'],
  [['clock', '--print', '--company', '1'], '/ui/1/clock'],
])('%j prints a link to the page', async (words, path) => {
  const run = await open(words);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await led(run.stdout.trim())).toBe(path);
});

it('prints the link and its expiry as JSON', async () => {
  const run = await open(['-o', 'json']);
  const { url, expires } = JSON.parse(run.stdout);
  expect(expires - Date.now() / 1000).toBeGreaterThan(50);
  expect(expires - Date.now() / 1000).toBeLessThanOrEqual(60);
  expect(await led(url)).toBe('/ui/1/outbox');
});

it.each(['nosuch', 'nosuch/1', 'nosuch?a=b'])(
  'reports an unknown page and creates no link: %s',
  async (page) => {
    const run = await open([page, '--print']);
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    expect(run.stderr).toContain('Page nosuch');
  },
);

it('rejects an unknown page and creates no link', async () => {
  const run = await open(['../control', '--print']);
  expect(run).toMatchObject({ exitCode: 6, stdout: '' });
  expect(run.stderr).toContain('must be a page of the sandbox, such as outbox or clock');
});

it('exits 1 if no browser can be started, says what to do, and shows no link', async () => {
  const run = await open([], { BROWSER: join(cwd, 'none') });
  expect(run).toMatchObject({ exitCode: 1, stdout: '' });
  expect(run.stderr).toContain('none (ENOENT)');
  expect(run.stderr).toContain('svc sandbox open --print');
  expect(run.stderr).not.toContain('/open/');
});

it('exits 7 if no sandbox is running', async () => {
  const run = await runCli(['sandbox', 'open', '--data', join(cwd, 'nowhere')]);
  expect(run).toMatchObject({ exitCode: 7, stdout: '' });
  expect(run.stderr).toContain('svc sandbox start');
});

it.each([
  [true, true],
  [false, false],
])('sandbox start on a terminal (%s) names the command', async (tty, isSaid) => {
  const ended = new AbortController();
  const data = join(cwd, `started-${tty}`);
  const stdout = memoryStream(tty);
  const run = runCli(['sandbox', 'start', '--port', '0', '--data', data, '--profile', 'none'], {
    ...{ cwd, tty, signal: ended.signal },
    stdout: {
      ...stdout,
      write: async (text) => {
        await stdout.write(text);
        ended.abort();
      },
    },
  });
  await run;
  expect(stdout.text()).toContain('The sandbox is ready');
  expect(/^ {2}look {5}svc sandbox open --data \S+$/m.test(stdout.text())).toBe(isSaid);
});
