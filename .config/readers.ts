/**
 * `npm run readers -- --seed 7` prints 200 texts for people who have not seen the project: 100 that users read, 60 doc comments and 40
 * names. For each text, a reader says whether it was clear at first reading, and what it means. A seed always draws the same texts.
 */
import { join } from 'node:path';
import {
  type Declared,
  docComments,
  exportedNames,
  helpTexts,
  literals,
  readSources,
  type Text,
} from '../test/support/texts.ts';

const FOR_USERS = 100;
const DOC_COMMENTS = 60;
const NAMES = 40;

/** Files whose strings only developers see: statements for the database, and contents of the demo. */
const NOT_FOR_USERS = /^sandbox\/(store|data|seed)\//;
const LEAST_WORDS = 4;

/** Matches a predicate or a clause whose subject is in another text: `is required`, `, which is locked`. */
const NO_SUBJECT =
  /^([^\p{L}\p{N}"'[]|\[\w+\]$|(is|are|was|has|have|had|does|do|must|may|can|cannot|could|would|begins?|ends?|belongs?|needs?|takes?|holds?|contains?|responds|processes|delays|closes|repeats|differs?|names?|looks?|gives?|and|or|but|with|without|from|for|by|as|if|because|while|when|at|on|in|of|to|until|that|which|who|than|exists?|could)\b)/u;
/** Matches the end of a text that another text completes. */
const UNFINISHED = /[,;(“"]$|\b(and|or|of|to|in|on|at|for|from|by|with|the|a|an|is|are|as|that|than)$/;
/**
 * Matches names without a statement: `a name of the TZ database`, sections of the interface, whole command lines, and values of HTTP
 * headers such as `default-src 'none'`.
 */
const NAME = /^(an?|the) (\S+ ?){1,6}$|^[\w ()]+; [A-Z][^.]*$|^svc [\w -]+(\[…\])?$|\b[\w-]+-src '/;
const STATEMENT =
  /\b(SELECT|INSERT|DELETE FROM|WHERE|ORDER BY|select|union all)\b.*\b(FROM|SET|BY|from|where|by)\b|;\s*pragma/s;

interface AllTexts {
  readonly users: readonly Text[];
  readonly comments: readonly Declared[];
  readonly names: readonly Declared[];
}

/** Reads all texts from the sources. @param root the folder of the repository */
export async function readTexts(root: string): Promise<AllTexts> {
  const sources = readSources(join(root, 'src'));
  return {
    users: await userTexts(sources),
    comments: docComments(sources),
    names: exportedNames(sources),
  };
}

/** Returns the sample as one page of text. */
export function readersPage(all: AllTexts, seed: number): string {
  const draw = drawerOf(seed);
  const users = draw(all.users, FOR_USERS);
  const comments = draw(all.comments, DOC_COMMENTS);
  const names = draw(all.names, NAMES);
  const lines = [
    ...users.map(({ where, text }) => `${where}\n   ${text}`),
    ...comments.map(({ where, text, signature }) => `${where}\n   ${text}\n   ${signature}`),
    ...names.map(({ where, text, signature }) => `${where}\n   ${text}\n   ${signature}`),
  ].map((text, index) => `${index + 1}. ${text}\n`);
  const headings = new Map([
    [0, `## Texts that users read (seed ${seed})`],
    [users.length, '## Doc comments, each with the declaration below it'],
    [users.length + comments.length, '## Names, each with its signature'],
  ]);
  return lines
    .flatMap((line, index) => {
      const heading = headings.get(index);
      return heading === undefined ? [line] : [`${heading}\n`, line];
    })
    .join('\n');
}

/**
 * Returns help with its command, then all other whole sentences of at least four words with their file. Leaves out parts of sentences and
 * example commands, because nobody can judge them alone.
 */
async function userTexts(sources: Parameters<typeof literals>[0]): Promise<readonly Text[]> {
  const help = (await helpTexts()).map(({ where, text }) => ({ where: `help of svc ${where}`, text }));
  const known = new Set(help.map(({ text }) => text));
  const commands = new Set((await helpTexts()).map(({ where }) => where.split(' ')[0] ?? ''));
  const others = literals(sources)
    .filter(({ where, text }) => !NOT_FOR_USERS.test(where) && !known.has(text))
    .filter(({ text }) => isWhole(text, commands))
    .map(({ where, text }) => ({ where: `src/${where}`, text }));
  return [...help, ...others];
}

/** Reports whether the text can be read alone. @param commands first words of command lines */
function isWhole(text: string, commands: ReadonlySet<string>): boolean {
  const words = text.split(/\s+/).filter((word) => /[a-z]/i.test(word) && !/^\W*\[[\w…]+\]\W*$/.test(word));
  const isExample = /^[a-z-]+ [a-z-]+ [^;,.]*--\w/.test(text);
  const isCommand = isExample || (commands.has(text.split(' ')[0] ?? '') && / (-|[\w.:@-]*\d)/.test(text));
  const isTable = /\S {2,}\S/.test(text) || text !== text.trim();
  return (
    words.length >= LEAST_WORDS &&
    !isCommand &&
    !isTable &&
    !NO_SUBJECT.test(text) &&
    !UNFINISHED.test(text) &&
    !NAME.test(text) &&
    !STATEMENT.test(text)
  );
}

/** Returns a function that draws different members of a list, the same ones for the same seed. */
function drawerOf(seed: number): <T>(all: readonly T[], count: number) => readonly T[] {
  const next = randomOf(seed);
  return (all, count) => {
    const left = [...all];
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const [drawn] = left.splice(Math.floor(next() * left.length), 1);
      return drawn as (typeof left)[number];
    });
  };
}

/** Returns numbers from 0 to below 1 by the mulberry32 generator. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
