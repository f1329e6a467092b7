import { quoteShellWord } from '../../kit/text/words.ts';
import type { FlagShape } from './flag.ts';
import { takesValue } from './globals.ts';
import { tokenizeCommandLine } from './tokens.ts';

/** Returns the command line with this flag, in the place of one of its name, in the words of a shell. */
export function commandWithFlag(
  argv: readonly string[],
  flags: readonly FlagShape[],
  [name, value]: readonly [name: string, value?: string],
): string {
  const tokens = [...tokenizeCommandLine(argv, (word) => takesValue(word, flags))];
  const kept = tokens.filter(({ kind, text }) => kind !== 'flag' || text !== name);
  const end = kept.findIndex(({ kind, text }) => kind === 'flag' && text === '--');
  const own = value?.startsWith('-') ? [`${name}=${value}`] : [name, ...(value === undefined ? [] : [value])];
  const words = kept.flatMap((token) => token.words);
  const at = end === -1 ? words.length : kept.slice(0, end).flatMap((token) => token.words).length;
  return ['svc', ...words.slice(0, at), ...own, ...words.slice(at)].map(quoteShellWord).join(' ');
}
