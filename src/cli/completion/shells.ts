/** Splits the command line of each shell into words, and formats candidates for the scripts in `completions/`. */

export const SUPPORTED_SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SUPPORTED_SHELLS)[number];

const POSIX = /(?:\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s\\'"])+/g;
/** The last word may have an open quote. */
const WORD: Readonly<Record<Shell, RegExp>> = {
  bash: POSIX,
  zsh: POSIX,
  fish: /(?:\\[\s\S]?|'(?:\\[\s\S]|[^'\\])*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s\\'"])+/g,
  powershell: /(?:`[\s\S]?|'[^']*'?|"(?:`[\s\S]|[^"`])*"?|[^\s`'"])+/g,
};

/** The last word is at the cursor; it is empty if the line ends in a space. */
export function splitShellCommandLine(line: string, shell: Shell): readonly string[] {
  const words = line.match(WORD[shell]) ?? [];
  // PowerShell calls a program with `&`, and other shells set variables before it.
  const program = words.findIndex((word) => word !== '&' && !/^[A-Za-z_]\w*=/.test(word));
  const isAtEnd = line.endsWith(words.at(-1) ?? '');
  return [...words.slice(program + 1), ...(isAtEnd && words.length > program + 1 ? [] : [''])];
}

interface PartialShellWord {
  readonly quote: string;
  readonly text: string;
}

export function parsePartialShellWord(word: string, shell: Shell): PartialShellWord {
  const quote = /^['"]/.exec(word)?.[0] ?? '';
  const rest = word.slice(quote.length);
  if (quote === "'" && shell !== 'fish') return { quote, text: rest };
  return { quote, text: rest.replaceAll(shell === 'powershell' ? /`(.)/gs : /\\(.)/gs, '$1') };
}

export interface Candidate {
  readonly word: string;
  readonly about: string;
  /** Set for a record, or a value from the profiles. Every shell then shows `about` beside `word`. */
  readonly isLive?: true;
}

interface WordToComplete {
  readonly shell: Shell;
  /** `--company=`, or an empty text. */
  readonly flagPart: string;
  /** The value as typed. */
  readonly value: string;
  /** COMP_WORDBREAKS and COMP_TYPE for bash, none for other shells. */
  readonly shellValues: readonly string[];
}

/** @param isFile true if the shell also offers names of files */
export function formatCandidateLines(
  candidates: readonly Candidate[],
  isFile: boolean,
  request: WordToComplete,
): readonly string[] {
  return [isFile ? 'files' : 'words', ...WRITERS[request.shell](candidates, request)];
}

const WRITERS: Readonly<
  Record<Shell, (all: readonly Candidate[], asked: WordToComplete) => readonly string[]>
> = {
  bash: bashLines,
  // zsh and fish filter by the typed beginning themselves, as the user has set them up.
  zsh: (all) => all.map(({ word, about }) => `${escapedForZsh(word)}${about === '' ? '' : `:${about}`}`),
  fish: (all, { flagPart }) => all.map(({ word, about }) => `${flagPart}${word}\t${about}`),
  powershell: powershellLines,
};

const escapedForZsh = (word: string): string => word.replaceAll(/[\\:]/g, '\\$&');

/** A single candidate is only the word to insert. */
function bashLines(
  candidates: readonly Candidate[],
  { flagPart, value, shellValues }: WordToComplete,
): readonly string[] {
  const [breaks = '', type = ''] = shellValues;
  const typed = parsePartialShellWord(value, 'bash');
  const found = candidates.flatMap((each) => {
    if (!each.word.startsWith(typed.text)) return [];
    const written = writtenForBash(flagPart + each.word, lengthKept(flagPart, typed, breaks), typed.quote);
    return written === undefined ? [] : [{ ...each, written }];
  });
  // Menu completion inserts every line as it is.
  if (found.length === 1 || type === '37' || type === '42') return found.map(({ written }) => written);
  const width = Math.max(0, ...found.filter(({ isLive }) => isLive).map(({ written }) => written.length));
  return found.map(({ written, about, isLive }) =>
    isLive && about !== '' ? `${written.padEnd(width)}  ${about}` : written,
  );
}

/** The last break character, or the opened quote, follows them. */
function lengthKept(flagPart: string, { quote, text }: PartialShellWord, breaks: string): number {
  if (quote !== '') return flagPart.length;
  const ends = [...breaks]
    .filter((each) => PLAIN.test(each))
    .map((each) => (flagPart + text).lastIndexOf(each));
  return Math.max(-1, ...ends) + 1;
}

const PLAIN = /^[\w.,:@/+=-]*$/;

/** Undefined if the opened quote cannot contain the word. */
function writtenForBash(word: string, kept: number, quote: string): string | undefined {
  const rest = word.slice(kept);
  if (PLAIN.test(rest)) return rest;
  if (quote === "'") return rest.includes("'") ? undefined : rest;
  if (quote === '"') return /["$`\\!]/.test(rest) ? undefined : rest;
  return rest.replaceAll(/[^\w.,:@/+=\u{80}-\u{10ffff}-]/gu, '\\$&');
}

/** A line has the word to insert, its text in the list, and a tooltip, separated by tabs. */
function powershellLines(
  candidates: readonly Candidate[],
  { flagPart, value }: WordToComplete,
): readonly string[] {
  const typed = parsePartialShellWord(value, 'powershell').text;
  return candidates
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, about, isLive }) => {
      // Without quotes, PowerShell splits a word at a comma. PowerShell treats these four kinds of quotes as the same.
      const quoted = /^[\w.:/+-]+$/.test(word) ? word : `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
      const shown = isLive && about !== '' ? `${word}  ${about}` : word;
      return `${flagPart}${quoted}\t${shown}\t${about === '' ? word : about}`;
    });
}
