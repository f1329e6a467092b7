/** Questions on the terminal, with stderr as their screen: stdout is for data. Loaded only when something is asked. */
import type { Prompter } from './context.ts';

export function createPrompter(signal: AbortSignal): Prompter {
  // Opening the stream takes longer than all else that a command does which asks nothing.
  const context = {
    get output() {
      return process.stderr;
    },
    signal,
  };
  // The prompts themselves break lines within words.
  const fitted = async (message: string): Promise<string> =>
    (await import('../../text/wrapped.ts')).wrapped(message, (process.stderr.columns || 80) - ROOM_BESIDE);
  return {
    confirm: async (message, fallback) =>
      (await load()).confirm({ message: await fitted(message), default: fallback }, context),
    input: async (message, options = {}) =>
      (await load()).input(
        {
          message: await fitted(message),
          ...(options.default === undefined ? {} : { default: options.default }),
          validate: (text) => options.check?.(text) ?? true,
        },
        context,
      ),
    password: async (message, options = {}) =>
      (await load()).password(
        { message, mask: '*', validate: (text) => options.check?.(text) ?? true },
        context,
      ),
    select: async (message, choices) => (await load()).select({ message, choices: [...choices] }, context),
  };
}

/** The mark before the question, and `(y/N)` after it. */
const ROOM_BESIDE = 10;

const load = async () => (await import('./questions.ts')).questions;
