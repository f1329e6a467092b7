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

/** A text in a file is no command. */
export const isJobLog = (env: Environment, stdout: OutputStream): boolean =>
  env.GITHUB_ACTIONS === 'true' && stdout.isFile !== true;

/** The first character of a command becomes a `\uXXXX`, which readers of JSON restore. */
export const escapeJobCommands = (text: string): string =>
  replaceCommands(text, '\\u003a:', escapeOlderJobCommands);

/** Only commands of the older form can occur in JSON, where no line begins with a text. */
export const escapeOlderJobCommands = (text: string): string => text.replaceAll('##[', '\\u0023#[');

/** Like a formula, a command gets a `'` in front or inside. */
export const guardCellOfJobLog = (cell: string): string =>
  replaceCommands(cell, "'::", (text) => text.replaceAll('##[', "#'#["));

export const hasJobCommand = (text: string): boolean => text !== escapeJobCommands(text);

export const withoutJobCommandsOnStderr = (context: Context): Context =>
  replaceContextParts(context, { stderr: withoutJobCommands(context.stderr) });

/** The other members of the stream stay, among them getters. */
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
