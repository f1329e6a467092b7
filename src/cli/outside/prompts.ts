/** Asks questions on the terminal through stderr, because stdout is for data. Loaded only for a question. */
import type { Prompter } from './context.ts';
import { createTypedAhead, type TypedAhead } from './typed-ahead.ts';

/** Creates the prompter. @param plain whether nothing may be redrawn */
export function createPrompter(signal: AbortSignal, plain: boolean): Prompter {
  const typedAhead = createTypedAhead(
    () => process.stdin,
    () => process.kill(process.pid, 'SIGINT'),
  );
  return guarded(plain ? plainPrompter(signal) : drawnPrompter(signal), typedAhead);
}

/** Discards input before and after each hidden question, until the next question is open. */
function guarded(prompter: Prompter, typedAhead: TypedAhead): Prompter {
  const asking =
    <A extends readonly unknown[], T>(ask: (...question: A) => Promise<T>) =>
    async (...question: A): Promise<T> => {
      await typedAhead.stop();
      return ask(...question);
    };
  return {
    confirm: asking(prompter.confirm),
    input: asking(prompter.input),
    select: (message, choices) => typedAhead.stop().then(() => prompter.select(message, choices)),
    password: async (...question) => {
      typedAhead.start();
      await typedAhead.stop();
      const answer = await prompter.password(...question);
      typedAhead.start();
      return answer;
    },
  };
}

function drawnPrompter(signal: AbortSignal): Prompter {
  // Opened late: opening the stream takes longer than a whole command without questions.
  const context = {
    get output() {
      return process.stderr;
    },
    signal,
  };
  // The prompts themselves would break lines within words.
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

function plainPrompter(signal: AbortSignal): Prompter {
  const asking = async (): Promise<Prompter> =>
    (await import('./plain-prompts.ts')).createPlainPrompter({
      input: process.stdin,
      output: process.stderr,
      signal,
    });
  return {
    confirm: async (...question) => (await asking()).confirm(...question),
    input: async (...question) => (await asking()).input(...question),
    password: async (...question) => (await asking()).password(...question),
    select: async (...question) => (await asking()).select(...question),
  };
}

/** Columns for the mark before the question and `(y/N)` after it. */
const ROOM_BESIDE = 10;

const load = async () => (await import('./questions.ts')).questions;
