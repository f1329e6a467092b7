/** `email preview`: as text, in the browser, as a picture, and its unchanged parts. Contract, "Insight". */
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPreviewPage } from '../../../../src/cli/nouns/message/browser-preview.ts';
import { putEmail } from '../../../support/messages.ts';
import { runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const HTML =
  '<!doctype html><h1>Sale</h1><p>Now at <a href="https://a.example/x">our shop</a>.</p><p>\u001b[31mRed</p><script>alert(1)</script>';

let cwd: string;
beforeEach(async () => {
  cwd = await makeTemporaryFolder('preview');
});
afterEach(() => rm(cwd, { recursive: true }));

async function stored(more: Record<string, string> = {}) {
  const sandbox = await createTestSandbox();
  await putEmail(sandbox, {
    name: 'Sale',
    subject: 'Sale\u0007 now',
    html: HTML,
    text: 'Plain text',
    ...more,
  });
  return serviceOf(sandbox);
}

describe('a preview as text', () => {
  const TEXT =
    'Subject: Sale\\x07 now\nFrom: Company <office@example.com>\nReply-To: office@example.com\n\n' +
    'Sale\n====\n\nNow at our shop <https://a.example/x>.\n\n␛[31mRed\n';

  it('shows headings and addresses of links, and no control sequence', async () => {
    const { transport } = await stored();
    for (const tty of [true, false]) {
      const run = await runCli(['email', 'preview', 'Sale'], { transport, tty });
      expect(run).toMatchObject({ exitCode: 0, stdout: TEXT, stderr: '' });
    }
  });

  it('breaks lines at the width of the terminal', async () => {
    const { transport } = await stored({ html: `<p>${'word '.repeat(40)}</p>` });
    const run = await runCli(['email', 'preview', 'Sale'], { transport, tty: true, columns: 40 });
    expect(
      Math.max(
        ...run.stdout
          .split('\n')
          .slice(4)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(40);
  });

  it('is the text part if the message has no HTML', async () => {
    const { transport } = await stored({ html: '' });
    expect((await runCli(['email', 'preview', 'Sale'], { transport })).stdout).toMatch(/\n\nPlain text\n$/);
  });

  it('is the whole message for scripts', async () => {
    const { transport } = await stored();
    const run = await runCli(['email', 'preview', 'Sale', '-o', 'json'], { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 1, name: 'Sale', html: HTML, text: 'Plain text' });
  });
});

describe('a part', () => {
  it('is printed unchanged, but escaped on a terminal', async () => {
    const { transport } = await stored({ html: '<p>\u001b[31mHi</p>' });
    const line = ['email', 'preview', '1', '--part', 'html'];
    expect((await runCli(line, { transport })).stdout).toBe('<p>\u001b[31mHi</p>\n');
    expect((await runCli(line, { transport, tty: true })).stdout).toBe('<p>␛[31mHi</p>\n');
  });

  // Second attack L13: help says that scripts never run, and --out wrote them as stored.
  it('--out writes HTML whose policy, at its beginning, blocks scripts (2-L13)', async () => {
    const { transport } = await stored({ html: '<!doctype html><script>alert(1)</script><p>Hi</p>' });
    const line = ['email', 'preview', '1', '--out'];
    await runCli([...line, 'a.html'], { transport, cwd });
    await runCli([...line, 'b.html', '--part', 'html'], { transport, cwd });
    for (const name of ['a.html', 'b.html']) {
      const page = await readFile(join(cwd, name), 'utf8');
      expect(page).toMatch(
        /^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; [^"]*">/,
      );
      expect(page).not.toContain('script-src');
    }
    await runCli([...line, 'a.txt', '--part', 'text'], { transport, cwd });
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('Plain text');
  });

  it('--out names the file that it cannot write, and the reason', async () => {
    const { transport } = await stored();
    const run = await runCli(['email', 'preview', 'Sale', '--out', 'no/sale.html'], { transport, cwd });
    expect([run.exitCode, run.stderr]).toEqual([
      2,
      'svc: cannot write no/sale.html: file or folder not found\n',
    ]);
  });

  it('--out creates a new file and never overwrites one', async () => {
    const { transport } = await stored();
    const line = ['email', 'preview', 'Sale', '--out', 'sale.html'];
    const run = await runCli(line, { transport, cwd });
    expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: 'wrote sale.html\n' });
    expect(await readFile(join(cwd, 'sale.html'), 'utf8')).toBe(
      createPreviewPage(HTML, { allowsNetwork: true }),
    );
    const again = await runCli(line, { transport, cwd });
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain('sale.html already exists');
  });
});

it.each([
  [['--open', '--png', 'a.png'], 'cannot combine --open and --png'],
  [['--open', '--part', 'html'], 'cannot combine --open and --part'],
  [['--png', 'a.png', '--out', 'a.html'], 'cannot combine --png and --out'],
  [['--png', 'a.png', '--width', '1'], '--width'],
])('rejects %j: exit 2', async (flags, message) => {
  const { transport, sent } = await stored();
  const run = await runCli(['email', 'preview', 'Sale', ...flags], { transport, cwd });
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain(message);
  expect(sent).toEqual([]);
});

it.each([['--open'], ['--png', 'a.png']])('%s exits with 2 for a message without HTML', async (...flags) => {
  const { transport } = await stored({ html: ' ' });
  const run = await runCli(['email', 'preview', 'Sale', ...flags], { transport, cwd });
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain('the message has no HTML');
});

describe('--open', () => {
  /** Makes a program of this name in a separate folder. PATH has only that folder and the system's. */
  async function program(name: string, script: string): Promise<string> {
    await writeFile(join(cwd, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(cwd, name), 0o755);
    return join(cwd, name);
  }
  const env = (more: Record<string, string>) => ({ PATH: `${cwd}:/usr/bin:/bin`, TMPDIR: cwd, ...more });

  it("passes the page to the program in BROWSER, without svc's keys", async () => {
    const { transport } = await stored();
    const browser = await program(
      'browser',
      `cp "$2" "$TMPDIR/seen.html"; env > "$TMPDIR/env"; ls -l "$2" > "$TMPDIR/mode"`,
    );
    const run = await runCli(['email', 'preview', 'Sale', '--open'], {
      transport,
      cwd,
      env: env({ BROWSER: `${browser} --new` }),
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    expect(run.stderr).toMatch(/^showing .*message\.html\n$/);
    const seen = await readFile(join(cwd, 'seen.html'), 'utf8');
    expect(seen).toMatch(/^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/);
    expect(seen).toContain('<h1>Sale</h1>');
    expect(await readFile(join(cwd, 'env'), 'utf8')).not.toContain('SVC_API_KEY');
    expect(await readFile(join(cwd, 'mode'), 'utf8')).toMatch(/^-rw------- /);
  });

  it('uses xdg-open if BROWSER is not set', async () => {
    const { transport } = await stored();
    await program('xdg-open', `echo opened > "$TMPDIR/opened"`);
    const run = await runCli(['email', 'preview', 'Sale', '--open'], {
      transport,
      cwd,
      env: env({ BROWSER: '' }),
    });
    expect(run.exitCode).toBe(0);
    expect(await readdir(cwd)).toContain('opened');
  });

  it.each([
    ['exit 3', 'browser exited with 3'],
    [undefined, 'browser (ENOENT)'],
  ])('says what failed, and where the page is: %s', async (script, message) => {
    const { transport } = await stored();
    if (script !== undefined) await program('browser', script);
    const line = ['email', 'preview', 'Sale', '--open'];
    const run = await runCli(line, { transport, cwd, env: env({ BROWSER: join(cwd, 'browser') }) });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).toMatch(/open .*message\.html yourself/);
  });
});

describe('--png', () => {
  const line = ['email', 'preview', 'Sale', '--png', 'sale.png', '--width', '300', '--height', '200'];

  it('exits with 1 without Chromium, and says what to do', async () => {
    const { transport } = await stored();
    const run = await runCli(line, { transport, cwd, env: { PATH: cwd } });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain(
      'cannot find Chromium: PATH has none of chromium, chromium-browser, google-chrome',
    );
    expect(run.stderr).toMatch(/Hint: install Chromium or Chrome/i);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('exits with 1 if Chromium fails or draws nothing, and leaves nothing behind', async () => {
    const { transport } = await stored();
    for (const [script, message] of [
      ['echo no display >&2; exit 7', 'exited with 7: no display'],
      ['exit 0', 'created no picture'],
    ] as const) {
      await writeFile(join(cwd, 'chromium'), `#!/bin/sh\n${script}\n`);
      await chmod(join(cwd, 'chromium'), 0o755);
      const run = await runCli(line, { transport, cwd, env: { PATH: cwd, TMPDIR: cwd } });
      expect(run).toMatchObject({ exitCode: 1, stdout: '' });
      expect(run.stderr).toContain(message);
      expect(await readdir(cwd)).toEqual(['chromium']);
    }
  });
});
