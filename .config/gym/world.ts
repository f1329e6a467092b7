/** The world of one task: a sandbox of its own with the demo company, a folder to work in, and svc as a program. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context, OutputStream } from '../../src/cli/outside/context.ts';

export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** What the service holds. The referee compares it before and after a task. */
export interface State {
  readonly tasks: Rows;
  readonly emails: Rows;
  readonly texts: Rows;
  readonly rules: Rows;
  readonly doNotContact: Rows;
  readonly folders: Rows;
}

export interface World {
  /** The folder in which the commands of a driver run. */
  readonly folder: string;
  /** Unix seconds of the sandbox's clock, which stands still: a Monday, 09:00 in the zone of the demo company. */
  readonly now: number;
  /** Runs svc as the driver runs it: with the profile of the company, without a terminal. */
  readonly run: (argv: readonly string[], input?: string) => Promise<Ended>;
  /** Runs svc as the person whose company it is, in this process. @throws Error if the command fails */
  readonly person: (argv: readonly string[]) => Promise<string>;
  /** As `person`, for a command that prints JSON. */
  readonly read: <T = Rows>(...argv: readonly string[]) => Promise<T>;
  readonly state: () => Promise<State>;
  readonly write: (name: string, text: string) => Promise<void>;
  /** Undefined if there is no such file. */
  readonly file: (name: string) => Promise<string | undefined>;
  /** Arguments of `svc mcp` for this world. */
  readonly startMcp: () => ReturnType<typeof spawn>;
  readonly close: () => Promise<void>;
}

export const DAY = 86_400;
/** The zone of the demo company. */
export const ZONE = 'Europe/London';

/** @param root the folder of the project @param compiled a folder for compiled code */
export async function openWorld(root: string, compiled: string): Promise<World> {
  const home = await mkdtemp(join(tmpdir(), 'svc-gym-'));
  const folder = join(home, 'work');
  await mkdir(folder);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TZ: 'UTC',
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    NODE_COMPILE_CACHE: compiled,
  };
  const program = join(root, 'bin/svc.js');
  const run = (argv: readonly string[], input = ''): Promise<Ended> =>
    ended(
      spawn(process.execPath, [program, ...argv], { cwd: folder, env: { ...env, SVC_AGENT: '1' } }),
      input,
    );
  const person = async (argv: readonly string[]): Promise<string> => {
    const { main, realContext } = createRequire(program)('../dist/main.cjs') as Program;
    const [stdout, stderr] = [captured(), captured()];
    outside ??= realContext();
    const context = { ...outside, env, cwd: folder, homeDir: home, stdin: NO_INPUT, stdout, stderr };
    const exit = await main(argv, context);
    if (exit !== 0) throw new Error(`svc ${argv.join(' ')}: exit ${exit}\n${stderr.text()}`);
    return stdout.text();
  };
  const read = async <T>(...argv: readonly string[]): Promise<T> =>
    JSON.parse(await person([...argv, '-o', 'json'])) as T;
  const start = ['sandbox', 'start', '--detach', '--port', '0', '--clock', 'manual', '--audience', 'lively'];
  const { exit, stderr } = await run(start);
  if (exit !== 0) throw new Error(stderr);
  const clock = await read<{ readonly time: number }>('sandbox', 'clock', 'show');
  const now = mondayAfter(clock.time);
  await person(['sandbox', 'clock', 'set', String(now)]);
  const all = (...noun: readonly string[]): Promise<Rows> => read(...noun, 'list', '--all');
  return {
    ...{ folder, now, run, person, read },
    state: async () => ({
      tasks: await all('task'),
      emails: await all('email'),
      texts: await all('sms-message'),
      rules: await all('automation'),
      doNotContact: await all('dnc'),
      folders: await all('folder'),
    }),
    write: async (name, text) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    },
    file: (name) => readFile(join(folder, name), 'utf8').catch(() => undefined),
    startMcp: () =>
      spawn(process.execPath, [program, 'mcp', '--profile', 'sandbox', '--dir', folder], {
        cwd: folder,
        env: { ...env, SVC_AGENT: '1' },
      }),
    close: async () => {
      await person(['sandbox', 'stop']).catch(() => undefined);
      // A process that ends may still write its cache of compiled code.
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** What `bin/svc.js` calls. The referee reads much, and a process for each command would take most of the time. */
interface Program {
  readonly main: (argv: readonly string[], context: Context) => Promise<number>;
  readonly realContext: () => Context;
}

/** The outside of this process, which handles signals once. */
let outside: Context | undefined;

const NO_INPUT: Context['stdin'] = {
  isTTY: false,
  readAll: async () => '',
  async *chunks() {},
};

function captured(): OutputStream & { readonly text: () => string } {
  let text = '';
  const write = async (more: string): Promise<void> => {
    text += more;
  };
  return { isTTY: false, columns: undefined, write, text: () => text };
}

/** Returns 09:00 of the first Monday in winter time that is at least a day after the time. */
function mondayAfter(time: number): number {
  const day = Math.floor(time / DAY) + 2;
  // 1970-01-01 was a Thursday.
  const monday = day + ((11 - (day % 7)) % 7);
  return monday * DAY + 9 * 3600;
}

function ended(child: ReturnType<typeof spawn>, input: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const texts = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      texts.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      texts.stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ exit: code ?? 137, ...texts }));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
