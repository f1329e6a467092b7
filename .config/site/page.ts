/** Defines a page of the documentation site, without the frame around it, and makes the parts of its body. */
import { posix } from 'node:path';
import { type Html, html } from '../../src/kit/report/html-page.ts';

/** Sections of the site, in the order of its navigation. */
export const SECTIONS = [
  'Start',
  'Guides',
  'Commands',
  'Resources',
  'Topics',
  'Reference',
  'Examples',
  'For developers',
] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

export interface Page {
  /** Path of the file in the site: `commands/task-create.html`. */
  readonly path: string;
  /** Heading of the page, and its name in search results. */
  readonly title: string;
  /** Name in the navigation, if it differs from the title. */
  readonly name?: string;
  readonly section: SectionName;
  /** Path of the page above this one in the section: the page of the group of a command. */
  readonly parent?: string;
  /** File of the repository that the page shows: `docs/sending.md`. */
  readonly source?: string;
  /** Everything below the heading. It begins with a paragraph that says who the page is for. */
  readonly body: Html;
  /** Headings inside the body, in order. */
  readonly headings: readonly Heading[];
}

/** Returns the address of a page as a link from another page, so that it works in a folder and below any path of a server. */
export function linkBetween(from: string, to: string): string {
  const [path = '', anchor] = to.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === from && hash !== '') return hash;
  return `${posix.relative(posix.dirname(from), path)}${hash}`;
}

/** Returns a function that gives each heading of a page an id of its own, as GitHub does: `Set a budget` is `set-a-budget`. */
export function slugger(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** Returns a heading with a link to itself. @param content the text, which may contain code */
export const headingHtml = ({ id, text, level }: Heading, content: Html): Html => ({
  html: `<h${level} id="${html`${id}`.html}">${content.html}${
    html` <a class="anchor" href="#${id}" aria-label="${`Link to “${text}”`}">#</a>`.html
  }</h${level}>\n`,
});

/** Returns code with a place for the copy button, which the script of the site fills. @param language of the code, such as `sh` */
export function codeBlock(code: string, language: string): Html {
  const text = code.replace(/\n+$/, '');
  return html`<div class="code"><pre tabindex="0"><code data-language="${language}">${coloured(text, language)}</code></pre></div>
`;
}

/** Marks comments of a shell and prompts of a console. */
function coloured(text: string, language: string): Html {
  const lines = text.split('\n').map((line): Html => {
    if (language === 'console' && line.startsWith('$ '))
      return html`<span class="prompt">$ </span><b>${line.slice(2)}</b>`;
    if (language !== 'sh') return html`${line}`;
    const at = commentAt(line);
    return at < 0 ? html`${line}` : html`${line.slice(0, at)}<span class="remark">${line.slice(at)}</span>`;
  });
  return { html: lines.map((line) => line.html).join('\n') };
}

/** Returns where the comment of a shell's line begins, or -1. A `#` inside quotes begins none. */
export function commentAt(line: string): number {
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '#' && (at === 0 || line.charAt(at - 1) === ' ')) return at;
  }
  return -1;
}

/** Returns a list of terms with their texts. */
export const termList = (rows: readonly (readonly [term: Html, text: Html])[]): Html =>
  html`<dl>
${rows.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>\n`)}</dl>
`;

/** Returns a table whose first cells are the headers of their rows. Both kinds of cells are HTML already. */
export const tableHtml = (titles: readonly string[], rows: readonly (readonly Html[])[]): Html =>
  html`<div class="wide" tabindex="0"><table>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${rows.map((cells) => html`<tr>${cells.map((cell, at) => (at === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`))}</tr>\n`)}</tbody>
</table></div>
`;
