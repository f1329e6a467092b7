/** A process in a real pseudo-terminal, made by `script`, and a person who reads and types there. */
import { spawn, spawnSync } from 'node:child_process';
import { quoteShellWord } from '../../src/kit/text/words.ts';
import { createScreen } from './screen.ts';

/** True if this machine has the `script` of util-linux. */
export const hasPseudoTerminals = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

/** Text to type, or an action to run, after the given words were shown. */
export interface Typed {
  readonly after: readonly string[];
  readonly type?: string;
  readonly act?: () => void;
}

export interface Session {
  /** All text that the person has seen, from top to bottom. */
  readonly shown: string;
  readonly exitCode: number | null;
}

/** The key for the next choice in a list. */
export const DOWN = '\x1b[B';
export const ENTER = '\r';
export const CTRL_C = '\x03';
/** Deletes the typed line, as after a refused answer. */
export const CLEAR = '\x15';

/** A time limit for a busy machine. A longer wait means that the words never come. */
const MOST = 240_000;

/** Runs a command in a terminal. Rejects with the shown text if the command ends before all is typed, or does not end in time. */
export function inTerminal(
  argv: readonly string[],
  outside: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    /** 80 by default. */
    readonly columns?: number;
    /** 40 by default. */
    readonly rows?: number;
  },
  person: readonly Typed[] = [],
): Promise<Session> {
  const { columns = 80, rows = 40 } = outside;
  const command = `stty cols ${columns} rows ${rows}; exec ${argv.map(quoteShellWord).join(' ')}`;
  const env = { TERM: 'xterm-256color', SHELL: '/bin/sh', ...outside.env };
  const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd: outside.cwd, env, stdio: 'pipe' });
  const screen = createScreen(columns, { prompts: true });
  /** The awaited words, and the text or action that follows the last of them. */
  const steps = person.flatMap(({ after, type = '', act }) =>
    after.map((words, index) => (index === after.length - 1 ? { words, type, act } : { words, type: '' })),
  );
  let text = '';
  let read = 0;
  let cut = '';
  const decoder = new TextDecoder();
  child.stdout.on('data', (chunk: Buffer) => {
    const whole = cut + decoder.decode(chunk, { stream: true });
    // A sequence may arrive in two pieces.
    cut = /\x1b(?:\[\??[0-9;]*)?$/.exec(whole)?.[0] ?? '';
    const more = whole.slice(0, whole.length - cut.length);
    void screen.write(more);
    text += withoutControls(more);
    for (let [step] = steps; step !== undefined; [step] = steps) {
      const found = text.indexOf(step.words, read);
      if (found < 0) return;
      read = found + step.words.length;
      steps.shift();
      child.stdin.write(step.type);
      step.act?.();
    }
  });
  return new Promise((resolve, reject) => {
    const fail = (how: string): void => {
      const { words } = steps[0] ?? {};
      const waits = words === undefined ? '' : `, while "${words}" was waited for`;
      reject(new Error(`${how}${waits}; shown was:\n${screen.shown().trim()}`));
    };
    const limit = setTimeout(() => {
      // The terminal ends with it, and so does the program inside.
      child.kill('SIGKILL');
      fail('it was not over in time');
    }, MOST);
    child.once('error', reject);
    child.once('close', (exitCode) => {
      clearTimeout(limit);
      if (steps.length === 0) resolve({ shown: screen.shown().trim(), exitCode });
      else fail('it ended');
    });
  });
}

const withoutControls = (text: string): string => text.replace(/\x1b\[\??[0-9;]*[A-Za-z]|\r/g, '');
