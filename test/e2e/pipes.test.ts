/** L3: a file that is not a regular file is read once, or refused. Ctrl-C ends every wait. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let svc: string;
let folder: string;
beforeAll(async () => {
  svc = await builtSvc();
  folder = await makeTemporaryFolder('pipes');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await writeFile(join(folder, 'rows.csv'), 'a@example.com\n');
});
afterAll(async () => {
  await removeFolder(folder);
  await removeFolder(dirname(svc));
});

interface Run {
  readonly child: ChildProcess;
  readonly over: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/**
 * Starts a command without a reachable service, so every request exits with 7.
 * @param line as in a shell; `svc` is the program
 */
function start(line: string, stdin: 'ignore' | 'pipe' = 'ignore'): Run {
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: folder, SVC_CONFIG_DIR: join(folder, 'config') },
    ...{
      SVC_BASE_URL: 'http://127.0.0.1:9',
      SVC_COMPANY_ID: '1',
      SVC_USER_ID: '1',
      SVC_API_KEY: '0'.repeat(32),
    },
  };
  const script = `svc() { exec "${process.execPath}" "${svc}" "$@"; }; ${line}`;
  const child = spawn('bash', ['-c', script], { env, cwd: folder, stdio: [stdin, 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return { child, over: new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr }))) };
}

/** A limit longer than any wait here, also on a busy machine. */
const HANGS_MS = 240_000;

/** Starts a command, and sends SIGINT after this many milliseconds, in which it must not end. */
async function interrupted(line: string, stdin: 'ignore' | 'pipe', wait: number) {
  const run = start(line, stdin);
  expect(await within(run.over, wait)).toBe('still at it');
  run.child.kill('SIGINT');
  const ended = await within(run.over, HANGS_MS);
  run.child.kill('SIGKILL');
  return ended;
}

const within = <T>(work: Promise<T>, milliseconds: number): Promise<T | 'still at it'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'still at it'>((resolve) => {
    timer = setTimeout(() => resolve('still at it'), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

describe('a file that is read twice, or has a journal next to it', () => {
  const AGAIN = 'is not a regular file, and svc must read the file twice';
  it.each([
    ['dnc import pipe --yes', 'Hint: give - and pipe the rows in'],
    ['dnc import <(cat rows.csv) --yes', 'Hint: give - and pipe the rows in'],
    ['dnc import /dev/stdin --yes < rows.csv', 'Hint: give - and pipe the rows in'],
    ['cat rows.csv | svc dnc import /dev/stdin --yes', 'Hint: give - and pipe the rows in'],
    ['dnc import pipe --dry-run', 'Hint: give - and pipe the rows in'],
    ['subscriber-data set --file pipe --field 1', 'Hint: give - and pipe the rows in'],
    ['sms send --file pipe --now --yes', 'Hint: save the rows to a file'],
    ['dnc diff <(cat rows.csv)', 'Hint: save the input to a file'],
  ])('cannot be a pipe: svc %s', async (args, hint) => {
    const run = start(args.includes('| svc') ? args : `svc ${args}`);
    const ended = await within(run.over, HANGS_MS);
    run.child.kill('SIGKILL');
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(AGAIN) });
    expect(ended).toMatchObject({ stderr: expect.stringContaining(hint) });
    expect((await readdir('/dev')).filter((name) => name.includes('svc'))).toEqual([]);
  });
});

describe('a file that is read once', () => {
  // Exits 7 and 8 show that svc read the file and contacted the service.
  it.each([
    ['dnc check pipe', '(sleep 0.2; echo a@example.com) > pipe &', 7],
    ['dnc check <(cat rows.csv)', '', 7],
    ['dnc import - --yes < <(cat rows.csv)', '', 8],
    ['sms estimate --text-file <(sleep 0.2; echo Hello)', '', 0],
    ['folder create --data @<(echo \'{"name":"x"}\') --dry-run', '', 0],
  ])('may be a pipe: svc %s', async (args, before, code) => {
    const run = start(`${before} svc ${args}`);
    const ended = await within(run.over, HANGS_MS);
    run.child.kill('SIGKILL');
    expect(ended).toMatchObject({ code });
  });

  it.each([
    ['dnc check pipe', 'ignore'],
    ['email create --name x --html-file pipe --subject x', 'ignore'],
    ['dnc import - --yes', 'pipe'],
    ['folder create --data -', 'pipe'],
  ] as const)('ends at the first Ctrl-C if no data comes: svc %s', async (args, stdin) => {
    let ended: Awaited<ReturnType<typeof interrupted>> = 'still at it';
    // A signal that arrives before svc listens ends svc without an exit code. The test then gives it more time to start.
    for (const wait of [500, 2_000, 8_000, 32_000]) {
      ended = await interrupted(`svc ${args}`, stdin, wait);
      if (ended === 'still at it' || ended.code !== null) break;
    }
    expect(ended).toMatchObject({ code: 130 });
  });
});

describe('a reader that stops early', () => {
  it.each(['--openapi', '--collection'])('ends svc explain %s without an error', async (flag) => {
    const { over } = start(`set -o pipefail; svc explain ${flag} | head -c 20`);
    expect(await over).toEqual({ code: 0, stderr: '' });
  });
});
