/** Writes candidates as each shell's script in `completions/` reads them: first the kind of answer, then one candidate a line. */
import { type Shell, type Typed, typedText } from './line.ts';

export interface Candidate {
  readonly word: string;
  readonly about: string;
  /** True for a record or a profile, whose name every shell shows beside it. */
  readonly isLive?: true;
}

export interface CompletionRequest {
  readonly shell: Shell;
  /** Part of the word before its value: `--company=`, or nothing. */
  readonly flagPart: string;
  /** Value at the cursor as it was typed. */
  readonly value: string;
  /** Arguments that only one shell sends: for bash, COMP_WORDBREAKS and COMP_TYPE. */
  readonly more: readonly string[];
}

/** Returns the lines. @param isFile true if the shell also offers names of files */
export function candidateLines(
  candidates: readonly Candidate[],
  isFile: boolean,
  asked: CompletionRequest,
): readonly string[] {
  return [isFile ? 'files' : 'words', ...WRITERS[asked.shell](candidates, asked)];
}

const WRITERS: Readonly<
  Record<Shell, (all: readonly Candidate[], asked: CompletionRequest) => readonly string[]>
> = {
  bash: bashLines,
  // zsh and fish filter by the typed beginning themselves, as the user has set them up.
  zsh: (all) => all.map(({ word, about }) => `${escapedForZsh(word)}${about === '' ? '' : `:${about}`}`),
  fish: (all, { flagPart }) => all.map(({ word, about }) => `${flagPart}${word}\t${about}`),
  powershell: powershellLines,
};

const escapedForZsh = (word: string): string => word.replaceAll(/[\\:]/g, '\\$&');

/** Returns words with their names in a column if several are listed, or only the word that bash inserts. */
function bashLines(
  candidates: readonly Candidate[],
  { flagPart, value, more }: CompletionRequest,
): readonly string[] {
  const [breaks = '', type = ''] = more;
  const typed = typedText(value, 'bash');
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

/** Returns how much of the word bash leaves in the line: the part before a quote, or up to `=` or `:`, which end a word for bash. */
function lengthKept(flagPart: string, { quote, text }: Typed, breaks: string): number {
  if (quote !== '') return flagPart.length;
  const ends = [...breaks]
    .filter((each) => PLAIN.test(each))
    .map((each) => (flagPart + text).lastIndexOf(each));
  return Math.max(-1, ...ends) + 1;
}

const PLAIN = /^[\w.,:@/+=-]*$/;

/** Returns the word as bash reads it in an opened quote, or without one. Returns undefined if it cannot be written so. */
function writtenForBash(word: string, kept: number, quote: string): string | undefined {
  const rest = word.slice(kept);
  if (PLAIN.test(rest)) return rest;
  if (quote === "'") return rest.includes("'") ? undefined : rest;
  if (quote === '"') return /["$`\\!]/.test(rest) ? undefined : rest;
  return rest.replaceAll(/[^\w.,:@/+=\u{80}-\u{10ffff}-]/gu, '\\$&');
}

/** Returns the word to insert, the entry of the list and its tooltip, with tabs between them. */
function powershellLines(
  candidates: readonly Candidate[],
  { flagPart, value }: CompletionRequest,
): readonly string[] {
  const typed = typedText(value, 'powershell').text;
  return candidates
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, about, isLive }) => {
      // A comma would make two words of one. PowerShell treats these four kinds of quotes as the same.
      const quoted = /^[\w.:/+-]+$/.test(word) ? word : `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
      const shown = isLive && about !== '' ? `${word}  ${about}` : word;
      return `${flagPart}${quoted}\t${shown}\t${about === '' ? word : about}`;
    });
}
