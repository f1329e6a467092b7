/** Contract, "For assistants in a shell": `SVC_AGENT=1`. */
import { describe, expect, it } from 'vitest';
import { notesAsJson } from '../../../src/cli/output/agent.ts';
import { putEmail, putList } from '../../support/messages.ts';
import { type Outside, type Run, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';

const AGENT = { SVC_AGENT: '1' };

/** Has 130 tasks, three at each time but for the last 70, which have one time, and 120 folders with names that a shell would change. */
async function largeAccount(): Promise<TestSandbox> {
  const sandbox = await createTestSandbox();
  await putEmail(sandbox, { name: 'News' });
  const listId = await putList(sandbox);
  for (let n = 0; n < 130; n += 1)
    await sandbox.put('task', {
      ...{ account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: 1, list_id: listId },
      ...{ name: `Task ${n}`, size: 0, cdate: NOW },
      scheduledtime: NOW + 3600 * (1 + (n < 60 ? Math.floor(n / 3) : 1000)),
    });
  for (let n = 0; n < 120; n += 1)
    await sandbox.put('folder', {
      cdate: NOW,
      mdate: NOW,
      account_id: IDS.company,
      name: `$(x) 'a b' "${String(n % 100).padStart(3, '0')}"`,
    });
  return sandbox;
}

interface Cut {
  readonly truncated: true;
  readonly shown: number;
  readonly next: string;
}

const cutIn = ({ stderr }: Run): Cut | undefined =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Cut)
    .find(({ truncated }) => truncated);

/** Reads a command as a shell does. The words have single quotes alone. */
function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) => word);
  return words.map((word) => word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped));
}

/** Runs the command and each next one, and returns the ids and the number of commands. */
async function follow(
  argv: readonly string[],
  outside: Outside,
): Promise<{ readonly ids: readonly string[]; readonly runs: number; readonly last: string | undefined }> {
  const ids: string[] = [];
  let words: readonly string[] = argv;
  let last: string | undefined;
  let before = 0;
  for (let runs = 1; ; runs += 1) {
    const run = await runCli(words, { ...outside, env: AGENT });
    expect(run.exitCode, run.stderr).toBe(0);
    const shown = run.stdout.split('\n').filter((line) => line !== '');
    // This command repeats the rows of the one before it.
    if (last?.endsWith('--all')) ids.length -= before;
    before = shown.length;
    ids.push(...shown);
    const cut = cutIn(run);
    if (cut === undefined) return { ids, runs, last };
    expect(cut.shown).toBe(shown.length);
    expect(shown.length).toBeLessThanOrEqual(50);
    const [svc, ...next] = wordsOf(cut.next);
    expect(svc).toBe('svc');
    words = next;
    last = cut.next;
  }
}

describe('a list with SVC_AGENT=1', async () => {
  const { transport } = serviceOf(await largeAccount());

  it.each([
    ['task list -o id', 4, /--all$/],
    ['task list -o id --reverse', 3, /--all$/],
    ['task list --sort id -o id', 3, /--start 101$/],
    ['task list --sort id --reverse -o id', 3, /--start 30$/],
    ['task list --status scheduled --sort id -o id', 3, /--start 101$/],
    ['folder list -o id', 3, /--start \d+$/],
    ['folder list --reverse -o id', 3, /--start \d+$/],
    ['folder list --sort name -o id', 3, /--start /],
    ['folder list --sort name --reverse -o id', 3, /--start /],
    ['tasks --sort id -o id', 3, /^svc tasks --sort id -o id --start 101$/],
    ['folder list --start 20 -o id', 3, /--start \d+$/],
  ])('svc %s continues with no row twice and none left out', async (command, runs, last) => {
    const argv = command.split(' ');
    const { stdout } = await runCli([...argv, '--all'], { transport });
    const all = stdout.split('\n').filter((line) => line !== '');
    expect(all.length).toBeGreaterThan(100);
    const followed = await follow(argv, { transport });
    expect(followed.ids).toEqual(all);
    if (!last.source.includes('all')) expect(followed.runs).toBe(runs);
    expect(followed.last).toMatch(last);
  });

  it('has 50 rows in each format, also for --jq and --query', async () => {
    const lines = async (...flags: readonly string[]): Promise<number> => {
      const run = await runCli(['folder', 'list', ...flags], { transport, env: AGENT });
      expect(cutIn(run)).toMatchObject({ shown: 50 });
      return run.stdout.split('\n').length - 1;
    };
    expect(await lines('-o', 'jsonl')).toBe(50);
    expect(await lines('-o', 'csv', '--no-header', '--quiet')).toBe(50);
    expect(await lines()).toBe(51);
    expect(await lines('--jq', '.[].id')).toBe(50);
    expect(await lines('--query', '[].id')).toBe(50);
  });

  it.each([['--limit 60'], ['--all'], ['--limit 10']])('is cut by no default with %s', async (flags) => {
    const argv = ['folder', 'list', '-o', 'id', ...flags.split(' ')];
    const run = await runCli(argv, { transport, env: AGENT });
    expect(run).toEqual(await runCli(argv, { transport }));
  });

  it('has no line if it is complete', async () => {
    const run = await runCli(['email', 'list', '-o', 'json'], { transport, env: AGENT });
    expect(run.stderr).toBe('');
  });

  it('never has a key in the command', async () => {
    const run = await runCli(['folder', 'list', '--query', `[?name!='${KEYS.company}'].id`], {
      transport,
      env: AGENT,
    });
    expect(cutIn(run)?.next).toContain("'[?name!='");
    expect(run.stderr).not.toContain(KEYS.company);
  });
});

describe('without SVC_AGENT=1 nothing changes', async () => {
  const { transport } = serviceOf(await largeAccount());
  const commands = [
    'folder list',
    'folder list -o json',
    'task get 1',
    'folder get 999',
    'nosuch',
    'task list',
  ];

  it.each(commands.flatMap((command) => [false, true].map((tty) => [command, tty] as const)))(
    'svc %s (terminal: %s)',
    async (command, tty) => {
      const run = (env: Record<string, string>) => runCli(command.split(' '), { transport, tty, env });
      const usual = await run({});
      for (const value of ['', '0', 'true', 'yes', '2'])
        expect(await run({ SVC_AGENT: value })).toEqual(usual);
      const forAgent = await run(AGENT);
      // A complete record in a pipe has nothing to change.
      if (tty || command !== 'task get 1') expect(forAgent).not.toEqual(usual);
      expect(forAgent.exitCode).toBe(usual.exitCode);
    },
  );

  it('the other variables of assistants and of CI have no such effect', async () => {
    const run = (env: Record<string, string>) => runCli(['folder', 'list', '-o', 'id'], { transport, env });
    expect(await run({ CLAUDECODE: '1', AI_AGENT: '1', CI: '1' })).toEqual(await run({}));
  });
});

describe('stderr with SVC_AGENT=1', async () => {
  const sandbox = await createTestSandbox();
  const { transport } = serviceOf(sandbox);
  await sandbox.put('folder', {
    cdate: NOW,
    mdate: NOW,
    account_id: IDS.company,
    name: 'x\n::error::pwned {"a":1}',
  });

  const objectsIn = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it.each([
    ['folder get 99', 4, { error: expect.objectContaining({ kind: 'not-found', exit: 4 }) }],
    ['folder get 99 -o csv', 4, { error: expect.objectContaining({ kind: 'not-found' }) }],
    ['folder nosuch', 2, { error: expect.objectContaining({ kind: 'usage' }) }],
    ['folder list --limit x', 2, { error: expect.objectContaining({ kind: 'usage' }) }],
    ['email list', 0, { note: expect.stringContaining('No e-mail messages yet.') }],
    ['folder list --debug', 0, { note: expect.stringContaining('GET /v1/folder') }],
  ])('svc %s: one object on each line', async (command, exitCode, object) => {
    for (const tty of [false, true]) {
      const env = { ...AGENT, FORCE_COLOR: '1', CLICOLOR_FORCE: '1' };
      const run = await runCli(command.split(' '), { transport, tty, env });
      expect(run.exitCode, run.stderr).toBe(exitCode);
      expect(objectsIn(run.stderr)).toContainEqual(object);
      expect(run.stdout + run.stderr).not.toContain('\x1b');
    }
  });

  it('a name in a note of a write is no line of its own', async () => {
    const run = await runCli(['folder', 'delete', '1', '--yes'], { transport, tty: true, env: AGENT });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stdout + run.stderr).not.toMatch(/^::/m);
    expect(objectsIn(run.stderr).length).toBeGreaterThan(0);
  });

  it('nothing is asked on a terminal', async () => {
    await sandbox.put('folder', { cdate: NOW, mdate: NOW, account_id: IDS.company, name: 'y' });
    const run = await runCli(['folder', 'delete', '2'], {
      transport,
      tty: true,
      env: AGENT,
      answers: [true],
    });
    expect(run).toMatchObject({ exitCode: 2, questions: [] });
    expect(objectsIn(run.stderr)).toMatchObject([{ error: { kind: 'usage' } }]);
    expect((await runCli(['folder', 'create'], { transport, tty: true, env: AGENT })).questions).toEqual([]);
  });

  it.each([
    ['a\nb\n', '{"note":"a\\nb"}\n'],
    ['a\n{"x":1}\nb\n', '{"note":"a"}\n{"x":1}\n{"note":"b"}\n'],
    ['{not json}\n', '{"note":"{not json}"}\n'],
    ['[1]\n', '{"note":"[1]"}\n'],
    ['\n\n', ''],
    ['a\u202eb', '{"note":"a\\u202eb"}\n'],
  ])('%j becomes %j', (text, expected) => expect(notesAsJson(text)).toBe(expected));
});

describe('stdout on a terminal with SVC_AGENT=1', () => {
  it('escapes control characters, so that JSON keeps its value', async () => {
    const sandbox = await createTestSandbox();
    const { transport } = serviceOf(sandbox);
    const name = 'a\u009b31m\u202eb';
    await sandbox.put('folder', { cdate: NOW, mdate: NOW, account_id: IDS.company, name });
    const run = await runCli(['folder', 'list', '-o', 'json'], { transport, tty: true, env: AGENT });
    expect(run.stdout).not.toMatch(/[\u009b\u202e]/);
    expect(JSON.parse(run.stdout)).toMatchObject([{ name }]);
  });
});
