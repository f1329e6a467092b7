/** Reads the line that a shell sends at TAB: its words as they were typed, up to the cursor. */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

const POSIX = /(?:\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s\\'"])+/g;
/** Matches one word of each shell. The last one may end within a quote. */
const WORD: Readonly<Record<Shell, RegExp>> = {
  bash: POSIX,
  zsh: POSIX,
  fish: /(?:\\[\s\S]?|'(?:\\[\s\S]|[^'\\])*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s\\'"])+/g,
  powershell: /(?:`[\s\S]?|'[^']*'?|"(?:`[\s\S]|[^"`])*"?|[^\s`'"])+/g,
};

/** Returns the words after the program's name. The last one is at the cursor, and empty after a blank. */
export function splitLine(line: string, shell: Shell): readonly string[] {
  const words = line.match(WORD[shell]) ?? [];
  // PowerShell calls a program with `&`, and other shells set variables before it.
  const program = words.findIndex((word) => word !== '&' && !/^[A-Za-z_]\w*=/.test(word));
  const isAtEnd = line.endsWith(words.at(-1) ?? '');
  return [...words.slice(program + 1), ...(isAtEnd && words.length > program + 1 ? [] : [''])];
}

export interface Typed {
  /** Quote that the word opens with, or nothing. */
  readonly quote: string;
  readonly text: string;
}

/** Returns the text that the shell would pass for a word that is still being typed. */
export function typedText(word: string, shell: Shell): Typed {
  const quote = /^['"]/.exec(word)?.[0] ?? '';
  const rest = word.slice(quote.length);
  if (quote === "'" && shell !== 'fish') return { quote, text: rest };
  return { quote, text: rest.replaceAll(shell === 'powershell' ? /`(.)/gs : /\\(.)/gs, '$1') };
}
