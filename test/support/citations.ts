/** Finds the citations of our documents in comments and titles of tests: `contract, "Safety"`, `acceptance, A1`, `attack M8`. */

export type Document =
  | 'contract'
  | 'wire'
  | 'design'
  | 'acceptance'
  | 'src/service/protocol/README.md'
  | 'src/cli/README.md'
  | 'src/sandbox/README.md'
  /** Either of the two, if a comment does not say which. */
  | 'README';

export interface Citation {
  /** `none`: a document that is not in this repository. */
  readonly document: Document | 'none';
  /** The cited words. Without quotes, these are all following words, which must begin with a term. */
  readonly what: { readonly words: string; readonly isPrefix: boolean };
  /** The citation in the words of the source. */
  readonly text: string;
}

/** Documents that used to be cited and no longer exist. */
const GONE =
  /\b(?:reliability|review)(?:\.md)?(?:,|:)? (?:[A-Z]?[0-9]|")|\battack\.md|\bstyle(?:\.md)?[,:] "|\bissue(?: [0-9]|[,:] )/gi;
const ID = '[A-Z][0-9]{1,2}';
const IDS = new RegExp(`^${ID}(?:(?:, | and | to )${ID})*`);

export function citationsIn(source: string): readonly Citation[] {
  const comments = commentsIn(source);
  const code = source.replaceAll(COMMENT, '');
  const titles = code.split('\n').filter((line) => /\b(?:describe|it|test)\b.*\(/.test(line));
  return [
    ...comments.flatMap((comment) => [...inText(comment, true), ...goneIn(comment)]),
    ...inText(code, false),
    ...titles.flatMap(goneIn),
  ];
}

const goneIn = (text: string): readonly Citation[] =>
  [...text.matchAll(GONE)].map(([words]) => ({
    document: 'none',
    what: { words, isPrefix: false },
    text: words,
  }));

const COMMENT = /\/\*\*[\s\S]*?\*\/|^[ \t]*(?:\/\/|#).*(?:\n[ \t]*(?:\/\/|#).*)*/gm;

/** Returns each comment as one line. */
export function commentsIn(source: string): readonly string[] {
  return [...source.matchAll(COMMENT)].map(([comment]) =>
    comment
      .replaceAll(/\n[ \t]*(?:\*\/|\*|\/\/|#)[ \t]?/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/\s*\*\/$/, ''),
  );
}

const CITED =
  /(?<!\bon the )\b(contract|wire|design|acceptance|(?:src\/(?:service\/protocol|cli|sandbox)\/)?README)(?:\.md)?, |\b(attack),? (?=[HML][0-9])/gi;

function inText(text: string, isComment: boolean): readonly Citation[] {
  return [...text.matchAll(CITED)].flatMap((match) => {
    const [whole, name = 'acceptance'] = match;
    const rest = text.slice(match.index + whole.length);
    const document = documentOf(name);
    return whatIs(rest, isComment).map((what) => ({
      document,
      what,
      text: `${whole}${rest.slice(0, 60).split('\n')[0]}`,
    }));
  });
}

function documentOf(name: string): Document {
  if (name.startsWith('src/')) return `${name}.md` as Document;
  return name === 'README' ? name : (name.toLowerCase() as Document);
}

/** Returns quoted terms with a comma or `and` between them, rows by number or id, or, in a comment, words without quotes. */
function whatIs(rest: string, isComment: boolean): readonly Citation['what'][] {
  const found: Citation['what'][] = [];
  const add = (words: string): void => {
    found.push({ words, isPrefix: false });
  };
  let left = rest;
  for (;;) {
    const quoted = /^"([^"\n]+)"|^'([^'\n]+)'/.exec(left);
    if (!quoted) break;
    add(quoted[1] ?? quoted[2] ?? '');
    left = left.slice(quoted[0].length).replace(/^(?:, and |, | and )(?=["']|the rows? of [0-9])/, '');
  }
  const [, rows] = /^(?:and )?the rows? of ([0-9]{3}(?: and [0-9]{3})*)/.exec(left) ?? [];
  for (const each of rows?.split(' and ') ?? []) add(each);
  const [ids] = IDS.exec(left) ?? [];
  for (const each of ids?.split(/, | and | to /) ?? []) add(each);
  if (found.length === 0 && isComment) found.push({ words: left, isPrefix: true });
  return found;
}

/** Returns the ids of rows that begin a title or a comment: `I4: no row is allowed …`. */
export function rowIdsIn(source: string): readonly string[] {
  return [...source.matchAll(/(?<=['"`]|\/\/ |\/\*\* )([ASFIYXQPHMLC][0-9]{1,2}): /g)].map(
    ([, id = '']) => id,
  );
}

/**
 * Returns the terms of a document that can be cited: its headings, the first cell of each table row, and its bold
 * text.
 */
export function termsOf(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  const bold = [...markdown.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) => text);
  const cells = tableRows(markdown).flatMap(([first = '']) => [first, ...first.split(/ \/ |; /)]);
  return new Set([...headings, ...bold, ...cells].map(plain).filter((term) => term !== ''));
}

/** Returns whether the words are a term of the document, or whole words of one. */
export function resolves({ words, isPrefix }: Citation['what'], terms: ReadonlySet<string>): boolean {
  const cited = plain(words);
  if (isPrefix) return [...terms].some((term) => cited === term || cited.startsWith(`${term} `));
  return [...terms].some((term) => ` ${term} `.includes(` ${cited} `));
}

/** Returns the text in lower case, without marks: quotes, backticks, punctuation. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[`*"',.:;()“”]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the rows of all tables, cell by cell, without their heads. */
export function tableRows(markdown: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  return lines.flatMap((line, at) => {
    const isRow = line.startsWith('|') && !isRule(line) && !isRule(lines[at + 1] ?? '');
    return isRow
      ? [
          line
            .replace(/^\||\|$/g, '')
            .split(/(?<!\\)\|/)
            .map((cell) => cell.trim()),
        ]
      : [];
  });
}

const isRule = (line: string): boolean => /^\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line);

/**
 * Returns the text under a heading, including its subsections.
 * @throws if the heading does not exist
 */
export function section(markdown: string, heading: string): string {
  const lines = markdown.split('\n');
  const begin = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (begin < 0) throw new Error(`there is no heading "${heading}"`);
  const depth = /^#+/.exec(lines[begin] ?? '')?.[0].length ?? 0;
  const end = lines.findIndex((line, at) => at > begin && new RegExp(`^#{1,${depth}} `).test(line));
  return lines.slice(begin, end < 0 ? undefined : end).join('\n');
}
