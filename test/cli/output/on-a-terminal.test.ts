import { tmpdir } from 'node:os';
import { join } from 'node:path';
/** Output on a terminal, through the whole program: --wide, --plain, wrapping, and the pager. */
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/cli/outside/context.ts';
import { displayWidth } from '../../../src/kit/text/display-width.ts';
import { main } from '../../../src/main.ts';
import { putEmail } from '../../support/messages.ts';
import { runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW } from '../../support/sandbox.ts';

const WORDS = 'Three new coffees from the hills of Huehuetenango, and what to make of them on a rainy day';

async function withEmail() {
  const sandbox = await createTestSandbox();
  await putEmail(sandbox, {
    name: 'News',
    subject: WORDS,
    html: `<p>${WORDS}</p>\n<p>${'x'.repeat(300)}</p>`,
  });
  return serviceOf(sandbox);
}
const NO_COLOR = { NO_COLOR: '1' };

describe('--wide', () => {
  it.each([40, 80, 200])('shows all columns uncut on a terminal of %i columns', async (columns) => {
    const { transport } = await withEmail();
    const run = await runCli(['email', 'list', '--wide'], { transport, tty: true, columns, env: NO_COLOR });
    expect(run).toMatchObject({ exitCode: 0, stderr: 'Times are in Europe/London.\n' });
    expect(run.stdout).toMatch(/^ID .*SUBJECT .*CDATE\n/);
    expect(run.stdout).toContain(WORDS);
  });

  it('changes nothing elsewhere, because no column is cut there', async () => {
    const { transport } = await withEmail();
    const piped = await runCli(['email', 'list'], { transport });
    expect(await runCli(['email', 'list', '--wide'], { transport })).toEqual(piped);
    expect(piped.stdout).toContain(WORDS);
  });
});

describe('svc email get', () => {
  it.each([40, 80, 200])('cuts nothing at %i columns: texts continue on the next line', async (columns) => {
    const { transport } = await withEmail();
    const run = await runCli(['email', 'get', '1'], { transport, tty: true, columns, env: NO_COLOR });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain(WORDS);
    expect(run.stdout).toContain('x'.repeat(300));
    for (const line of run.stdout.split('\n').filter((each) => !/x{300}|https?:/.test(each)))
      expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 52));
  });

  it('does not wrap with --wide', async () => {
    const { transport } = await withEmail();
    const run = await runCli(['email', 'get', '1', '--wide'], { transport, tty: true, columns: 40 });
    expect(run.stdout).toContain(WORDS);
  });
});

describe('--plain', () => {
  it.each([
    [['folder', 'list', '--plain'], {}],
    [['folder', 'list'], { SVC_PLAIN: '1' }],
  ])('%j %j prints a line for each value, without colour', async (argv, env) => {
    const sandbox = await createTestSandbox();
    for (const name of ['News', 'Old']) {
      const times = { cdate: NOW, mdate: NOW };
      await sandbox.put('folder', { account_id: IDS.company, name, ...times });
    }
    const run = await runCli(argv, { ...serviceOf(sandbox), tty: true, columns: 40, env });
    const time = 'Tue 2026-12-01 09:00:00 +00:00 (Europe/London)';
    const lines = (id: number, name: string): string =>
      `id: ${id}\nname: ${name}\nlist_count: 0\nsubscription_count: 0\ncdate: ${time}\nmdate: ${time}\n`;
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toBe(`${lines(1, 'News')}\n${lines(2, 'Old')}`);
  });

  it('prints errors without colour, and an empty SVC_PLAIN has no effect', async () => {
    const { transport } = await withEmail();
    const plain = await runCli(['email', 'get', '9', '--plain'], { transport, tty: true });
    expect([plain.exitCode, plain.stderr.startsWith('svc: ')]).toEqual([4, true]);
    const usual = await runCli(['email', 'get', '9'], { transport, tty: true, env: { SVC_PLAIN: '' } });
    expect(usual.stderr.startsWith('\x1b[')).toBe(true);
  });

  it('does not change the other formats', async () => {
    const { transport } = await withEmail();
    const run = await runCli(['email', 'list', '--plain', '-o', 'csv'], { transport });
    expect(run.stdout).toBe((await runCli(['email', 'list', '-o', 'csv'], { transport })).stdout);
  });
});

describe('the pager', () => {
  /** Runs `svc …` on a terminal of 10 rows. */
  async function paged(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const given: string[] = [];
    const seen: string[] = [];
    const stream = { isTTY: true, columns: 80, rows: 10 };
    const write = (where: string) => async (text: string) => void seen.push(`${where} ${text}`);
    const { transport } = await withEmail();
    const none = join(tmpdir(), 'none-of-pager');
    const context: Context = {
      ...({ cwd: none, homeDir: none, platform: 'linux', machineZone: 'UTC' } as const),
      env: {
        ...{ SVC_BASE_URL: 'https://api.example.com', SVC_COMPANY_ID: '1', SVC_USER_ID: '1' },
        ...{ SVC_API_KEY: 'c0ffee00c0ffee00c0ffee00c0ffee00', SVC_CONFIG_DIR: join(none, 'svc'), ...env },
      },
      stdin: { isTTY: true, readAll: async () => '', async *chunks() {} },
      stdout: { ...stream, write: write('stdout') },
      stderr: { ...stream, write: write('stderr') },
      clock: { now: () => NOW * 1000, sleep: async () => {} },
      // There is no timer, because on a slow machine the line about the wait would come first.
      timer: () => () => undefined,
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
      prompter: {} as Context['prompter'],
      signal: new AbortController().signal,
      transport,
      startPager: async () => ({
        write: async (text) => void given.push(text),
        end: async () => {
          seen.push('pager ends');
          return 'read';
        },
      }),
    };
    return { exitCode: await main(argv, context), given: given.join(''), seen };
  }

  it.each([
    [['email', 'get', '1'], 'ATTRIBUTE', {}],
    [['email', 'get', '1', '-o', 'json'], '"html"', {}],
    [['explain', 'task'], 'scheduledtime', {}],
    [['task', 'create', '--help', '--pager'], 'Usage: svc task create', {}],
    [['task', 'create', '--help'], 'Usage: svc task create', { SVC_PAGER: 'more' }],
  ])('shows svc %j', async (argv, text, env) => {
    const { exitCode, given, seen } = await paged(argv, env);
    expect(exitCode).toBe(0);
    expect(given).toContain(text);
    expect(seen[0]).toBe('pager ends');
    expect(seen.slice(1).every((each) => each.startsWith('stderr'))).toBe(true);
  });

  it.each([
    [['email', 'list'], {}],
    [['email', 'get', '1', '--no-pager'], {}],
    [['email', 'get', '1', '--plain'], {}],
    [['email', 'get', '1'], { SVC_PLAIN: '1' }],
    [['email', 'get', '1'], { CI: 'true' }],
    [['email', 'get', '1'], { SVC_PAGER: '' }],
    [['email', 'get', '1'], { TERM: 'dumb' }],
    // Contract, "The everyday screen": help uses a pager only if the user enables it.
    [[], {}],
    [['--help'], { PAGER: 'more' }],
    [['task', 'create', '--help'], {}],
    [['task', 'create', '--help', '--no-pager'], { SVC_PAGER: 'more' }],
    [['email', 'list', '--pager'], {}],
  ])('is not used: svc %j with %j', async (argv, env) => {
    const { exitCode, given, seen } = await paged(argv, env);
    expect([exitCode, given]).toEqual([0, '']);
    expect(seen[0]?.startsWith('stdout')).toBe(true);
  });

  it('keeps the exit code of the command', async () => {
    expect(await paged(['email', 'get', '77'])).toMatchObject({ exitCode: 4, given: '' });
    const lines = ['sms', 'estimate', '--message', 'x', '--fields', 'nothing'];
    expect(await paged(lines)).toMatchObject({ exitCode: 2, given: '' });
  });
});
