/**
 * Contract, "Safety": text that is typed before a question is shown does not confirm it (second attack L5). Real processes in a
 * pseudo-terminal; the sandbox's own records decide.
 */
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quoteShellWord } from '../../src/kit/text/words.ts';
import { builtSvc } from '../support/built-package.ts';
import { hasPseudoTerminals } from '../support/pseudo-terminal.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { openTerminal } from '../support/terminal.ts';

let svc: string;
let home: string;
let sandbox: SocketSandbox;
let env: Record<string, string>;

beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('typed-ahead');
  sandbox = await runSandbox(join(home, 'data'), { clock: 'manual', seed: 'demo' });
  const { baseUrl, company } = sandbox.ready;
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_BASE_URL: baseUrl,
    SVC_COMPANY_ID: String(company.id),
    SVC_USER_ID: String(company.adminUserId),
    SVC_API_KEY: company.apiKey,
  };
});
afterAll(async () => {
  await sandbox.stop();
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

const recordsAt = async (path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await sandbox.api('GET', path)).json.response.data;

/** Runs svc in a terminal in which the person has typed `early` before the program starts to read. */
async function onTerminal(
  argv: readonly string[],
  early: string,
  question: string,
  answer: string,
): Promise<string> {
  const words = [process.execPath, svc, ...argv].map(quoteShellWord).join(' ');
  const terminal = openTerminal(`read go; ${words}; echo "exit code $?"`, env);
  try {
    // The shell reads the first line. The rest stays in the terminal until svc reads it.
    terminal.type(`go\n${early}`);
    const before = await terminal.until(question);
    terminal.type(answer);
    return before + (await terminal.until(/exit code [0-9]+/));
  } finally {
    await terminal.close();
  }
}

const NOW = [
  'task',
  'create',
  '--name',
  'Typed',
  '--channel',
  'email',
  '--message',
  '1',
  '--list',
  '1',
  '--now',
];

describe.skipIf(!hasPseudoTerminals).each([
  ['drawn questions', []],
  ['plain questions', ['--plain']],
] as const)('%s (2-L5)', (_, more) => {
  it.each(['y\r', 'yes\r', 'y\ry\ry\r'])(
    'task create --now is not confirmed by %j typed ahead',
    async (early) => {
      const shown = await onTerminal([...NOW, ...more], early, 'Really ', 'n\r');
      expect(shown).toContain('not confirmed; nothing was sent');
      expect(shown).toContain('exit code 2');
      expect((await recordsAt('/v1/task')).filter(({ name }) => name === 'Typed')).toEqual([]);
    },
  );

  it('task cancel is confirmed only by an answer to its question', async () => {
    const created = await sandbox.api('POST', '/v1/task', {
      ...{ channel: 'email', message_id: 1, name: 'Live', list_id: 1, search_id: null },
      scheduledtime: 1_999_999_999,
    });
    const { id } = created.json.response.data;
    const isCancelled = async (): Promise<unknown> =>
      ((await recordsAt(`/v1/task/${id}`)) as unknown as { cancelled: unknown }).cancelled;
    const cancel = ['task', 'cancel', String(id), ...more];
    expect(await onTerminal(cancel, 'y\r', 'Really cancel task', '\r')).toContain('exit code 2');
    expect(await isCancelled()).toBe(false);
    expect(await onTerminal(cancel, 'n\r', 'Really cancel task', 'y\r')).toContain('exit code 0');
    expect(await isCancelled()).toBe(true);
  });

  it('a domain on Do Not Contact is not confirmed by its name typed ahead', async () => {
    const add = ['dnc', 'add', 'early.example', ...more];
    expect(await onTerminal(add, 'early.example\r', ', type early.example', '\r')).toContain('exit code 2');
    expect(
      (await recordsAt('/v1/doNotContact')).filter(({ contactdata }) => contactdata === 'early.example'),
    ).toEqual([]);
  });
});
