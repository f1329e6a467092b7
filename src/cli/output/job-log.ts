/**
 * Keeps texts of others from being commands of a CI job. The runner of GitHub Actions reads the log of a job, and obeys a line that begins,
 * after white space, with `::name::`. It also obeys an older form, `##[name]`, anywhere in a line.
 */
import {
  type Context,
  type Environment,
  type OutputStream,
  replaceContextParts,
} from '../outside/context.ts';

/** Reports whether the output goes to the log of a job in GitHub Actions. In a file, a text is no command. */
export const isJobLog = (env: Environment, stdout: OutputStream): boolean =>
  env.GITHUB_ACTIONS === 'true' && stdout.isFile !== true;

/** Returns the text without commands. Their first character becomes a `\uXXXX`, which readers of JSON restore. */
export const escapeJobCommands = (text: string): string =>
  replaceCommands(text, '\\u003a:', escapeOlderJobCommands);

/** Escapes only commands of the older form. In JSON, where no line begins with a text, that is enough. */
export const escapeOlderJobCommands = (text: string): string => text.replaceAll('##[', '\\u0023#[');

/** Returns a cell of csv or tsv without commands. Like a formula, a command gets a `'` in front or inside. */
export const guardCellOfJobLog = (cell: string): string =>
  replaceCommands(cell, "'::", (text) => text.replaceAll('##[', "#'#["));

/** Reports whether a line of the text would be a command. */
export const hasJobCommand = (text: string): boolean => text !== escapeJobCommands(text);

/** Returns the context with a stderr that writes no commands. */
export const withoutJobCommandsOnStderr = (context: Context): Context =>
  replaceContextParts(context, { stderr: withoutJobCommands(context.stderr) });

/** Returns the stream, which then writes no commands. Its other members stay, among them getters. */
export const withoutJobCommands = (stream: OutputStream): OutputStream =>
  Object.defineProperties(
    { ...stream },
    {
      ...Object.getOwnPropertyDescriptors(stream),
      write: { value: (text: string) => stream.write(escapeJobCommands(text)), enumerable: true },
    },
  );

function replaceCommands(text: string, instead: string, replaceOlder: (text: string) => string): string {
  if (!text.includes('::') && !text.includes('##[')) return text;
  return replaceOlder(text).replace(LINE, (line) =>
    COMMAND.test(line) ? line.replace('::', instead) : line,
  );
}

const LINE = /[^\r\n]+/g;
/** The runner also skips U+0085, which is white space for it alone. */
const COMMAND = /^[\s\x85]*::/;
