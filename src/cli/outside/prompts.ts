/** Asks questions on the terminal. Questions go to stderr, because stdout is for data. */
import { type Prompter, wrapPrompter } from './context.ts';

/** Creates the prompter for the terminal. @param plain true if prompts must never redraw a line */
export function createPrompter(signal: AbortSignal, plain: boolean): Prompter {
  const typedAhead = createInputDiscarder(
    () => process.stdin,
    () => interruptOwnProcess(process),
  );
  return plain
    ? discardTypedAhead(plainPrompter(signal), typedAhead, loadPlain)
    : discardTypedAhead(drawnPrompter(signal), typedAhead, load);
}

interface Self {
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly kill: (pid: number, signal: 'SIGINT') => unknown;
  readonly emit: (event: 'SIGINT', signal: 'SIGINT') => boolean;
}

/** Interrupts this process as Ctrl-C does. On Windows, `kill` would end it at once and call no listener. */
export function interruptOwnProcess(self: Self): void {
  if (self.platform === 'win32' && self.emit('SIGINT', 'SIGINT')) return;
  self.kill(self.pid, 'SIGINT');
}

/** Discards what the user types before a confirmation or a hidden answer and while code is loaded, and after a hidden answer. */
function discardTypedAhead(
  prompter: Prompter,
  typedAhead: InputDiscarder,
  prepare: () => Promise<unknown>,
): Prompter {
  const discard = async (): Promise<void> => {
    typedAhead.start();
    await prepare();
    await typedAhead.stop();
  };
  return {
    ...wrapPrompter(prompter, (ask) => typedAhead.stop().then(ask)),
    confirm: (...question) => discard().then(() => prompter.confirm(...question)),
    input: async (question, options) => {
      await (options?.isConfirmation ? discard() : typedAhead.stop());
      return prompter.input(question, options);
    },
    password: async (...question) => {
      await discard();
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
    (await import('../../kit/text/wrapped.ts')).wrapWithHangingIndent(
      message,
      (process.stderr.columns || 80) - ROOM_BESIDE,
    );
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
    (await loadPlain()).createPlainPrompter({ input: process.stdin, output: process.stderr, signal });
  return {
    confirm: async (...question) => (await asking()).confirm(...question),
    input: async (...question) => (await asking()).input(...question),
    password: async (...question) => (await asking()).password(...question),
    select: async (...question) => (await asking()).select(...question),
  };
}

/** Number of columns to keep free for the symbol before a question, and for `(y/N)` after it. */
const ROOM_BESIDE = 10;

const load = async () => (await import('./questions.ts')).questions;
const loadPlain = () => import('./plain-prompts.ts');

/** Members of `process.stdin` with which svc reads and discards what a person types. */
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

/**
 * Discards what the user types before or after a question. Otherwise, a terminal shows a key that is pasted too early or twice, and an
 * early `y` confirms an action unread.
 */
interface InputDiscarder {
  /** Starts to discard input. The terminal no longer shows what the user types, and Ctrl-C still interrupts. */
  readonly start: () => void;
  /** Stops discarding input. Input that has arrived before the call is still discarded. */
  readonly stop: () => Promise<void>;
}

/** Discards the user's input before a question, or between two questions. @param interrupt called at Ctrl-C, which is then an ordinary character */
export function createInputDiscarder(openInput: () => TypedInput, interrupt: () => void): InputDiscarder {
  let input: TypedInput | undefined;
  const discard = (data: Buffer | string): void => {
    if (data.toString().includes(CTRL_C)) interrupt();
  };
  return {
    start: () => {
      if (input !== undefined) return;
      const opened = openInput();
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
/** Milliseconds after a call of `stop` in which text that was typed earlier may still arrive, and is discarded. */
const SETTLE_MS = 30;
