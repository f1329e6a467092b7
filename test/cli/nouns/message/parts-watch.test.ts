/**
 * `email pull --watch` and `email push --watch`. Contract, "Campaigns as files": "checks, and writes a preview of, what is saved". A push
 * sends files without errors, after it has asked once. Later it neither makes a new version nor overwrites a change on the service.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutputStream } from '../../../../src/cli/outside/context.ts';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { appendCampaignMark } from '../../../../src/service/resources/campaign-mark.ts';
import { putEmail, putList } from '../../../support/messages.ts';
import { type Outside, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { errorText } from '../../../support/stub-service.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const HTML =
  '<html lang="en"><title>Sale</title><p>See <a href="https://example.com/a">a</a>, <a href="https://example.com/b">unsubscribe</a>';
const TEXT = 'See https://example.com/a. Unsubscribe: https://example.com/b';
const IGNORED = ['--ignore', 'no-postal-address', '--ignore', 'no-unsubscribe'];
const DENIED = errorText(401, 'Unauthorized');
const BROKEN = HTML.replace('https://example.com/a', 'nowhere');

let cwd: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  cwd = await makeTemporaryFolder('parts-watch');
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
  await putEmail(sandbox, { name: 'Spring sale', html: HTML, text: TEXT });
});
afterEach(() => rm(cwd, { recursive: true }));

const send = async (method: 'POST' | 'PUT' | 'DELETE', target: string, body: object) => {
  expect((await sandbox.send('admin', method, target, body)).status).toBeLessThan(300);
};
const run = (...argv: string[]) => runCli(['email', ...argv], { ...service, cwd });
const file = (name: string) => join(cwd, name);
const save = (name: string, text: string) => async () => writeFileSync(file(name), text);
const stored = async (id = 1) => (await sandbox.rows('email_message')).find((row) => row['id'] === id);
const pages = async (): Promise<readonly string[]> => {
  const folders = (await readdir(cwd)).filter((name) => name.startsWith('svc-preview-'));
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(file(folder))).map((name) => join(folder, name))),
  );
  return Promise.all(names.flat().map((name) => readFile(file(name), 'utf8')));
};

type Step = () => Promise<void>;

/**
 * Performs a step, then lets svc check the files three times, and so on. At the end it presses Ctrl-C.
 * @returns the contents of the screen before all steps and after each step
 */
async function watch(argv: readonly string[], steps: readonly Step[], more: Outside = {}) {
  const interrupt = new AbortController();
  const screens: string[] = [''];
  const stream: OutputStream = {
    isTTY: more.tty ?? false,
    columns: undefined,
    write: async (text) => {
      screens.push(`${screens.pop()}${text}`);
    },
  };
  let looks = 0;
  const left = [...steps];
  const onSleep = async (): Promise<void> => {
    looks += 1;
    if (looks % 3 !== 1) return;
    const step = left.shift();
    if (step === undefined) return interrupt.abort();
    screens.push('');
    await step();
  };
  const outside = { ...service, cwd, signal: interrupt.signal, stdout: stream, stderr: stream, onSleep };
  const env = { TMPDIR: cwd, ...more.env };
  const { exitCode, questions } = await runCli(['email', ...argv], { ...outside, ...more, env });
  return { exitCode, screens, questions };
}

describe('pull --watch', () => {
  const pulled = (steps: readonly Step[]) => watch(['pull', '1', '--watch', ...IGNORED], steps);

  it('checks each save, keeps its preview up to date, and sends nothing', async () => {
    const before: string[] = [];
    const { exitCode, screens } = await pulled([
      save('spring-sale.html', BROKEN),
      async () => {
        before.push(...(await pages()));
      },
      save('spring-sale.html', HTML.replace('See', 'Look at')),
    ]);
    expect(screens[0]).toMatch(
      /^wrote spring-sale.html and spring-sale.txt\nPreview: \S+\/svc-preview-\S+\/spring-sale.html\nNo problems: [^\n]+\nWatching spring-sale.html and .txt.\nCtrl-C ends.\n$/,
    );
    expect(screens[1]).toMatch(
      /^\n\d\d:\d\d:\d\d {2}spring-sale.html and .txt\nspring-sale.html:1:\d+: error: .*\[relative-address\]\n(.*\n)*1 error: /,
    );
    expect(before).toEqual([expect.stringContaining('href="nowhere"')]);
    expect(screens[3]).toContain('No problems: ');
    expect(exitCode).toBe(0);
    expect(await pages()).toEqual([expect.stringContaining('Look at')]);
    expect(writesIn(service.sent)).toEqual([]);
  });

  it('makes a preview that the browser reloads while it is watched, with the policy of every preview', async () => {
    const during: string[] = [];
    await pulled([
      async () => {
        during.push(...(await pages()));
      },
    ]);
    expect(during).toEqual([
      expect.stringMatching(
        /^<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; .*<meta http-equiv="refresh" content="2">/,
      ),
    ]);
    expect((await pages())[0]).not.toContain('"refresh"');
  });

  it('exits with 11 if the last check found errors', async () => {
    expect(await pulled([save('spring-sale.html', BROKEN)])).toMatchObject({ exitCode: 11 });
  });

  it('notices files that are replaced, truncated, deleted, restored, or not text', async () => {
    const { screens, exitCode } = await pulled([
      async () => {
        writeFileSync(file('new'), BROKEN);
        renameSync(file('new'), file('spring-sale.html'));
      },
      save('spring-sale.html', ''),
      async () => rmSync(file('spring-sale.txt')),
      async () => writeFileSync(file('spring-sale.html'), Buffer.from([0xff, 0xfe])),
      save('spring-sale.txt', TEXT),
      save('spring-sale.html', HTML),
    ]);
    expect(screens[1]).toContain('[relative-address]');
    expect(screens[2]).toContain('[empty-part]');
    expect(screens[3]).toContain('spring-sale.txt does not exist; waiting for the next save.\n');
    expect(screens[4]).toContain('waiting for the next save.\n');
    expect(screens[5]).toContain('spring-sale.html is not UTF-8 text; waiting for the next save.\n');
    expect(screens[6]).toContain('No problems: ');
    expect(exitCode).toBe(0);
  });

  it('checks the saved message out of several, and previews each', async () => {
    await putEmail(sandbox, { name: 'Second', html: HTML.replace('See', 'Second'), text: TEXT });
    const { screens } = await watch(
      ['pull', '1', '2', '--dir', 'mails', '--watch', ...IGNORED],
      [save('mails/second.html', BROKEN)],
    );
    expect(screens[0]).toContain(
      'Watching mails/spring-sale.html and .txt.\nWatching mails/second.html and .txt.\n',
    );
    expect(screens[1]).toMatch(/^\n\d\d:\d\d:\d\d {2}mails\/second.html and .txt\nmails\/second.html:1:/);
    expect(screens[1]).not.toContain('spring-sale');
    expect(await pages()).toHaveLength(2);
  });

  it('continues if the folder of the preview was deleted', async () => {
    const clear = async (): Promise<void> => {
      const folders = (await readdir(cwd)).filter((name) => name.startsWith('svc-preview-'));
      for (const folder of folders) await rm(file(folder), { recursive: true });
    };
    const { screens, exitCode } = await pulled([clear, save('spring-sale.html', BROKEN)]);
    expect(screens[2]).toContain('[relative-address]');
    expect(exitCode).toBe(11);
  });

  it('opens the preview in the browser with --open', async () => {
    const seen = join(cwd, 'seen');
    await writeFile(file('browser'), `#!/bin/sh\necho "$1" > ${seen}\n`, { mode: 0o755 });
    const { exitCode } = await watch(
      ['pull', '1', '--watch', '--open'],
      [
        async () => {
          while (!(await readdir(cwd)).includes('seen'))
            await new Promise((resolve) => setTimeout(resolve, 1));
        },
      ],
      { env: { BROWSER: file('browser'), PATH: process.env['PATH'] } },
    );
    expect(exitCode).toBe(0);
    expect(await readFile(seen, 'utf8')).toMatch(/svc-preview-[^/]+\/spring-sale.html\n$/);
  });

  it.each([
    [['pull', '1', '--open'], '--open needs --watch'],
    [['pull', '1', '--ignore', 'no-language'], '--ignore needs --watch'],
    [['pull', '1', '--watch', '--ignore', 'nope'], 'unknown rule nope'],
    [['pull', '1', '--watch', '-o', 'json'], '--watch prints only text'],
    [['push', 'spring-sale.html', '--watch', '--fields', 'id'], '--watch prints only text'],
  ])('%j is rejected before it writes anything', async (argv, words) => {
    const done = await run(...argv);
    expect(done.exitCode).toBe(2);
    expect(done.stderr).toContain(words);
    expect([await readdir(cwd), service.sent]).toEqual([[], []]);
  });
});

describe('push --watch', () => {
  const FILE = 'spring-sale.html';
  const changed = (words: string) => save(FILE, HTML.replace('See', words));
  const pushed = (steps: readonly Step[], more?: Outside) =>
    watch(['push', FILE, '--watch', ...IGNORED, ...(more?.tty ? [] : ['--yes'])], steps, more);
  beforeEach(() => run('pull', '1'));

  it('sends each save without errors, and no other save', async () => {
    const between: unknown[] = [];
    const { screens, exitCode } = await pushed([
      save(FILE, BROKEN),
      async () => {
        between.push((await stored())?.['html']);
      },
      changed('Look at'),
    ]);
    expect(screens[0]).toContain('is up to date\n');
    expect(screens[0]).toMatch(/Uploads each save that has no errors. Ctrl-C ends.\n$/);
    expect(screens[1]).toContain('spring-sale.html and .txt have errors. Not uploaded.\n');
    expect(between).toEqual([expect.stringContaining('>See <a')]);
    expect(screens[3]).toContain('changed email 1 (Spring sale)\n');
    expect((await stored())?.['html']).toContain('>Look at <a');
    expect(exitCode).toBe(0);
    expect(writesIn(service.sent)).toHaveLength(1);
  });

  it('first sends earlier changes, unless they have errors', async () => {
    await changed('Before')();
    expect(await pushed([])).toMatchObject({ exitCode: 0 });
    expect((await stored())?.['html']).toContain('>Before <a');
    await save(FILE, BROKEN)();
    const { exitCode, screens } = await pushed([]);
    expect(exitCode).toBe(11);
    expect(screens[0]).toContain('Not uploaded');
    expect(writesIn(service.sent)).toHaveLength(1);
  });

  it('asks once on a terminal, and sends nothing after a no', async () => {
    const yes = await pushed([changed('One'), changed('Two')], { tty: true, answers: [true] });
    expect(yes.questions).toEqual([
      'Really upload spring-sale.html and .txt to email 1 (Spring sale) on each save?',
    ]);
    expect((await stored())?.['html']).toContain('>Two <a');
    expect(writesIn(service.sent)).toHaveLength(2);
    await changed('Three')();
    expect(await pushed([], { tty: true, answers: [false] })).toMatchObject({ exitCode: 2 });
    expect(writesIn(service.sent)).toHaveLength(2);
  });

  it('needs --yes without a terminal, before any request', async () => {
    const asked = service.sent.length;
    const done = await run('push', FILE, '--watch');
    expect(done).toMatchObject({
      exitCode: 2,
      stderr: 'svc: to upload files on each save needs --yes; nothing was sent\n',
    });
    expect(service.sent).toHaveLength(asked);
  });

  it('does not overwrite changes made on the service meanwhile, not even with --overwrite', async () => {
    await send('PUT', '/v1/emailMessage/1', { html: HTML.replace('See', 'By hand') });
    await changed('Mine')();
    expect(await pushed([])).toMatchObject({ exitCode: 5 });
    const { screens, exitCode } = await watch(
      ['push', FILE, '--watch', '--yes', '--overwrite', ...IGNORED],
      [() => send('PUT', '/v1/emailMessage/1', { html: HTML.replace('See', 'By hand') }), changed('Again')],
    );
    expect(screens[0]).toContain('changed email 1');
    expect(screens[2]).toContain(
      'svc: email 1 (Spring sale) has changed on the service since spring-sale.html was pulled; nothing was uploaded\n',
    );
    expect(exitCode).toBe(5);
    expect((await stored())?.['html']).toContain('>By hand <a');
  });

  it('creates a new version of a message that is in use at the start, and none later', async () => {
    const list = await putList(sandbox);
    const schedule = (message: number): Promise<void> =>
      send('POST', '/v1/task', {
        ...{ channel: 'email', message_id: message, name: 'Task', scheduledtime: NOW + 86_400 },
        ...{ list_id: list, search_id: null },
      });
    await schedule(1);
    await changed('Second')();
    const { screens, exitCode } = await pushed([changed('Third'), () => schedule(2), changed('Fourth')]);
    expect(screens[0]).toContain('created email 2 (Spring sale (2))');
    expect(screens[1]).toContain('changed email 2');
    expect(screens[3]).toContain(
      'svc: email 2 (Spring sale (2)) is now locked, because a task or rule uses it; nothing was uploaded\n',
    );
    expect(screens[3]).toContain('Hint: run svc email push spring-sale.html to create a new version\n');
    expect(exitCode).toBe(5);
    expect(await sandbox.rows('email_message')).toHaveLength(2);
    expect((await stored(2))?.['html']).toContain('>Third <a');
  });

  /** Returns a service whose responses a test can replace through `answer`. */
  const withAnswers = () => {
    const state: { answer?: () => Promise<never> } = {};
    const transport: typeof service.transport = (request) => state.answer?.() ?? service.transport(request);
    const on = (answer: typeof state.answer, words: string) => async (): Promise<void> => {
      if (answer) state.answer = answer;
      else delete state.answer;
      await changed(words)();
    };
    return { transport, on };
  };
  const flags = ['push', FILE, '--watch', '--yes', '--retries', '0', ...IGNORED];

  it('continues after an outage', async () => {
    const { transport, on } = withAnswers();
    const gone = () => Promise.reject(new TransportError('not-sent', 'nobody is there'));
    const { screens, exitCode } = await watch(flags, [on(gone, 'One'), on(undefined, 'Two')], { transport });
    expect(screens[1]).toContain('nobody is there');
    expect(screens[2]).toContain('changed email 1');
    expect(exitCode).toBe(0);
  });

  // Three 401 in a row lock a user (interface, "Authentication"), so svc never retries one by itself.
  it('ends if the service refuses the credentials', async () => {
    const { transport, on } = withAnswers();
    const asked: string[] = [];
    const refused = async () => {
      asked.push('401');
      return { status: 401, headers: { 'content-type': 'application/json' }, body: DENIED } as never;
    };
    const { screens, exitCode } = await watch(flags, [on(refused, 'One'), changed('Two')], { transport });
    expect([exitCode, screens.length, asked]).toEqual([3, 2, ['401']]);
  });

  it('refuses a message of a campaign file at once', async () => {
    const name = appendCampaignMark('Spring sale', {
      campaignHash: 'aaaaaa',
      keyHash: 'bbbbb',
      contentHashOrReason: 'ccccccc',
    });
    await send('PUT', '/v1/emailMessage/1', { name });
    expect(await pushed([])).toMatchObject({ exitCode: 2, screens: [expect.stringContaining('campaign')] });
  });

  it('shows in a dry run what it would send, writes no preview, and does not watch', async () => {
    await changed('New')();
    const done = await run('push', FILE, '--watch', '--dry-run');
    expect(done.stdout).toMatch(/method +PUT\npath +\/v1\/emailMessage\/1\n/);
    expect(writesIn(service.sent)).toEqual([]);
    expect((await readdir(cwd)).filter((name) => name.startsWith('svc-'))).toEqual([]);
  });

  it('leaves a missing text part alone, and notices emptied HTML', async () => {
    await putEmail(sandbox, { name: 'Only HTML', html: HTML, text: '' });
    await run('pull', '2');
    const { screens } = await watch(
      ['push', 'only-html.html', '--watch', '--yes', ...IGNORED],
      [save('only-html.html', '')],
    );
    expect(screens[0]).toContain('is up to date');
    expect(screens[1]).toContain('Not uploaded');
    expect((await stored(2))?.['html']).toContain('See');
  });
});
