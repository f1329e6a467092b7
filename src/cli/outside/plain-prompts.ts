/** Asks questions as plain lines that are never redrawn, for screen readers (`--plain`) and for dumb terminals. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Prompter } from './context.ts';

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  readonly signal: AbortSignal;
}

export function createPlainPrompter({ input, output, signal }: Terminal): Prompter {
  const say = (line: string): void => void output.write(`${line}\n`);
  /** Asks one question and returns the answer. @param hidden true if the typed text is not shown */
  const ask = async (question: string, hidden = false): Promise<string> => {
    const { wrapWithHangingIndent } = await import('../../kit/text/wrapped.ts');
    output.write(`${wrapWithHangingIndent(question, (output.columns || 80) - ROOM_FOR_ANSWER)} `);
    const reader = createInterface({ input, output: hidden ? nowhere() : output, terminal: hidden });
    try {
      return await new Promise<string>((resolve, reject) => {
        // Closed by Ctrl-D, or by Ctrl-C while the input is hidden. Otherwise Ctrl-C is an ordinary signal.
        reader.once('close', () => reject(unanswered()));
        reader.once('SIGINT', () => reject(unanswered()));
        reader.question('', { signal }).then(resolve, reject);
      });
    } finally {
      reader.close();
      if (hidden) output.write('\n');
    }
  };
  const askUntilRight = async (
    question: string,
    { fallback, hidden, check }: { fallback?: string; hidden?: true; check?: Check } = {},
  ): Promise<string> => {
    for (;;) {
      const answer = (await ask(question, hidden)) || (fallback ?? '');
      const problem = check?.(answer);
      if (problem === undefined) return answer;
      say(problem);
    }
  };
  return {
    confirm: async (message, fallback) => {
      const question = `${message} (yes or no; press Enter for ${fallback ? 'yes' : 'no'})`;
      const answer = await askUntilRight(question, {
        fallback: fallback ? 'yes' : 'no',
        check: (text) => (YES_OR_NO.test(text.trim()) ? undefined : 'Type yes or no.'),
      });
      return /^y/i.test(answer.trim());
    },
    input: async (message, { default: fallback, check } = {}) =>
      askUntilRight(fallback === undefined ? message : `${message} (press Enter for ${fallback})`, {
        ...(fallback === undefined ? {} : { fallback }),
        ...(check === undefined ? {} : { check }),
      }),
    password: async (message, { check } = {}) =>
      askUntilRight(message, { hidden: true, ...(check === undefined ? {} : { check }) }),
    select: async (message, choices) => {
      say(message);
      for (const [index, { name }] of choices.entries()) say(`${index + 1}. ${name}`);
      const chosen = (text: string) => choices[Number(text.trim()) - 1];
      const answer = await askUntilRight(`Number, 1 to ${choices.length}:`, {
        check: (text) => (chosen(text) ? undefined : `Type a number from 1 to ${choices.length}.`),
      });
      const choice = chosen(answer);
      if (choice === undefined) throw unanswered();
      return choice.value;
    },
  };
}

/** Number of columns to keep free after a question, so that `yes` fits on the line. */
const ROOM_FOR_ANSWER = 5;

type Check = (text: string) => string | undefined;

const YES_OR_NO = /^(y|yes|n|no)$/i;

/** Returns a stream that discards all text. With it, the terminal does not show what the user types as a hidden answer. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Returns the error for a prompt without an answer. It has the same name as the error of `@inquirer/prompts`, so svc exits with 130. */
function unanswered(): Error {
  const error = new Error('the prompt was not answered');
  error.name = 'ExitPromptError';
  return error;
}
