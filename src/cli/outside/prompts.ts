/** Asks questions on the terminal through stderr, because stdout is for data. Loaded only for a question. */
import type { Prompter } from './context.ts';

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

/**
 * Discards what is typed while no question is open, around a question whose answer is hidden. Otherwise the terminal would echo a key that is
 * pasted too early or twice, or the next question would show it.
 */
interface TypedInput {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
  readonly on: (event: 'data', listener: (data: Buffer | string) => void) => unknown;
  readonly off: (event: 'data', listener: (data: Buffer | string) => void) => unknown;
  readonly resume: () => unknown;
  readonly pause: () => unknown;
  readonly ref?: () => unknown;
  readonly unref?: () => unknown;
}

interface TypedAhead {
  /** Starts to discard. The terminal echoes nothing from here on, and Ctrl-C still interrupts. */
  readonly start: () => void;
  /** Stops, after what has arrived by now is gone. */
  readonly stop: () => Promise<void>;
}

/** @param interrupt called at Ctrl-C, which is ordinary input while nothing is echoed */
export function createTypedAhead(open: () => TypedInput, interrupt: () => void): TypedAhead {
  let input: TypedInput | undefined;
  const discard = (data: Buffer | string): void => {
    if (data.toString().includes(CTRL_C)) interrupt();
  };
  return {
    start: () => {
      if (input !== undefined) return;
      const opened = open();
      if (opened.isTTY !== true) return;
      input = opened;
      input.setRawMode?.(true);
      input.on('data', discard);
      input.resume();
      // A command that ends without another question must not wait for input.
      input.unref?.();
    },
    stop: async () => {
      if (input === undefined) return;
      const opened = input;
      input = undefined;
      opened.ref?.();
      await new Promise((done) => setTimeout(done, SETTLE_MS));
      opened.off('data', discard);
      opened.pause();
      opened.setRawMode?.(false);
    },
  };
}

const CTRL_C = '\x03';
/** Milliseconds in which a terminal delivers what was typed before. */
const SETTLE_MS = 30;
