/** Questions on the terminal, with stderr as their screen: stdout is for data. Loaded only when something is asked. */
import type { Prompter } from './context.ts';

export function createPrompter(signal: AbortSignal): Prompter {
  const context = { output: process.stderr, signal };
  return {
    confirm: async (message, fallback) =>
      (await import('@inquirer/prompts')).confirm({ message, default: fallback }, context),
    input: async (message, options = {}) =>
      (await import('@inquirer/prompts')).input(
        {
          message,
          ...(options.default === undefined ? {} : { default: options.default }),
          validate: (text) => options.check?.(text) ?? true,
        },
        context,
      ),
    password: async (message, options = {}) =>
      (await import('@inquirer/prompts')).password(
        { message, mask: '*', validate: (text) => options.check?.(text) ?? true },
        context,
      ),
    select: async (message, choices) =>
      (await import('@inquirer/prompts')).select({ message, choices: [...choices] }, context),
  };
}
