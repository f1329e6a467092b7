/** Formats text as roff with the macros of man(7), for groff and mandoc. */

/** Escapes text within a line: backslashes, hyphens, quotes, and characters outside ASCII. Without escapes, roff would change them. */
export function roffText(text: string): string {
  return [...text].map((character) => ESCAPES[character] ?? escapeOf(character)).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '…': '...',
};

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? character : `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** Escapes the control character at the beginning of a line, which roff would read as a request. */
const guarded = (line: string): string => (/^[.']/.test(line) ? `\\&${line}` : line);

export const bold = (text: string): string => `\\fB${roffText(text)}\\fR`;
const italic = (text: string): string => `\\fI${roffText(text)}\\fR`;

/** Returns a paragraph in lines of at most 78 bytes. A longer word has a line of its own. */
export const prose = (text: string): readonly string[] => filled(roffText(text));

function filled(escaped: string): readonly string[] {
  const lines: string[] = [];
  for (const word of escaped.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LONGEST_LINE)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map(guarded);
}

const LONGEST_LINE = 78;

/** Returns a term in bold, with its placeholders in italics, and the text that explains it. */
export const entry = (term: string, text: string): readonly string[] => [
  '.TP',
  guarded(marked(term)),
  ...prose(text),
];

/** Returns a usage line with words in bold, and placeholders such as `<id>` and `[flags]` in italics. */
export const marked = (line: string): string =>
  line
    .split(/(<[^>]*>|\[[^\]]*\])/)
    .filter((part) => part !== '')
    .map((part) => (/^[<[]/.test(part) ? italic(part) : bold(part)))
    .join('');

/** Returns lines to copy, which roff neither fills nor breaks. */
export const verbatim = (lines: readonly string[]): readonly string[] => [
  '.PP',
  '.RS 4',
  '.nf',
  ...lines.map((line) => (line === '' ? '\\&' : guarded(roffText(line)))),
  '.fi',
  '.RE',
];

export const heading = (text: string): string => `.SH ${quoted(text.toUpperCase())}`;
export const subheading = (text: string): string => `.SS ${quoted(text)}`;
const quoted = (text: string): string => `"${roffText(text).replaceAll('"', '\\(dq')}"`;

/** Returns the title line of a page. @param name without the section: `svc-task-create` */
export const title = (name: string, section: 1 | 7): string =>
  `.TH ${quoted(name.toUpperCase())} ${section} "" "svc" "svc manual"`;
