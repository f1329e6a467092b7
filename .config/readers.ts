/**
 * `npm run readers -- --seed 7` prints 200 texts for people who have not seen the project: 100 that users read, 60 doc comments and 40
 * names. A reader says for each one whether it was clear at first reading, and what it means. One seed draws the same texts each time.
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

/** Files whose strings only developers meet: statements for the database, and contents of the demo. */
const NOT_FOR_USERS = /^sandbox\/(store|data|seed)\//;
const LEAST_WORDS = 4;

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

/** Returns help with its command, then all other texts of at least four words with their file. */
async function userTexts(sources: Parameters<typeof literals>[0]): Promise<readonly Text[]> {
  const help = (await helpTexts()).map(({ where, text }) => ({ where: `help of svc ${where}`, text }));
  const known = new Set(help.map(({ text }) => text));
  const others = literals(sources)
    .filter(({ where, text }) => !NOT_FOR_USERS.test(where) && !known.has(text))
    .filter(({ text }) => text.split(/\s+/).filter((word) => /[a-z]/i.test(word)).length >= LEAST_WORDS)
    .map(({ where, text }) => ({ where: `src/${where}`, text }));
  return [...help, ...others];
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
