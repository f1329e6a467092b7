/** An interactive program in a separate pseudo-terminal. The test types as a person would. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Terminal {
  readonly type: (text: string) => void;
  /**
   * Waits for the text, and returns the output since the last call. Rejects with that output if the text never comes.
   */
  readonly until: (text: string | RegExp) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** A time limit for a busy machine. A longer wait means that the text never comes. */
const PATIENCE_MS = 120_000;

/** @param command a line of the shell; `script` of util-linux gives it the terminal */
export function openTerminal(command: string, env: Readonly<Record<string, string>>): Terminal {
  const child = spawn('script', ['-qfec', `stty cols 100 rows 50 2>/dev/null; ${command}`, '/dev/null'], {
    env: { TERM: 'xterm', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    shown += more;
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    type: (text) => void child.stdin.write(text),
    until: async (text) => {
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(20)) {
        const seen = plain(shown);
        if (typeof text === 'string' ? !seen.includes(text) : !text.test(seen)) continue;
        shown = '';
        return seen;
      }
      throw new Error(`the terminal never showed ${String(text)}:\n${plain(shown)}`);
    },
    close: async () => {
      child.stdin.end();
      child.kill('SIGHUP');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Returns the text without the sequences that move the cursor and set colors. */
const plain = (text: string): string => text.replaceAll(CONTROL, '');

const CONTROL = /\x1b(\[[0-9;?>=]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78M])/g;
