/** Splits the command line that a shell sends at TAB into words. Also names the supported shells. */

/** Shells for which svc has a completion script. */
export const SUPPORTED_SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SUPPORTED_SHELLS)[number];

const POSIX = /(?:\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s\\'"])+/g;
/** For each shell, a pattern that matches one word of a command line. The last word may have an open quote. */
const WORD: Readonly<Record<Shell, RegExp>> = {
  bash: POSIX,
  zsh: POSIX,
  fish: /(?:\\[\s\S]?|'(?:\\[\s\S]|[^'\\])*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s\\'"])+/g,
  powershell: /(?:`[\s\S]?|'[^']*'?|"(?:`[\s\S]|[^"`])*"?|[^\s`'"])+/g,
};

/**
 * Returns the words after the program's name, as the user typed them. The last word is at the cursor; it is empty if the line ends in a
 * space.
 */
export function splitShellCommandLine(line: string, shell: Shell): readonly string[] {
  const words = line.match(WORD[shell]) ?? [];
  // PowerShell calls a program with `&`, and other shells set variables before it.
  const program = words.findIndex((word) => word !== '&' && !/^[A-Za-z_]\w*=/.test(word));
  const isAtEnd = line.endsWith(words.at(-1) ?? '');
  return [...words.slice(program + 1), ...(isAtEnd && words.length > program + 1 ? [] : [''])];
}

export interface PartialShellWord {
  /** Quotation mark at the start of the word, or an empty text. */
  readonly quote: string;
  readonly text: string;
}

/** Returns the text that the shell would pass for a word that is still being typed. */
export function parsePartialShellWord(word: string, shell: Shell): PartialShellWord {
  const quote = /^['"]/.exec(word)?.[0] ?? '';
  const rest = word.slice(quote.length);
  if (quote === "'" && shell !== 'fish') return { quote, text: rest };
  return { quote, text: rest.replaceAll(shell === 'powershell' ? /`(.)/gs : /\\(.)/gs, '$1') };
}
