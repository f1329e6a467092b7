/** Reads the output of a running process, for tests that wait for a part of it. */
import type { ChildProcess } from 'node:child_process';

/** Resolves with the output when it contains the words. */
export function said(child: ChildProcess, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const hear = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      if (text.includes(words)) resolve(text);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => reject(new Error(`ended before it said "${words}": ${text}`)));
  });
}
