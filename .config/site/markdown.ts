/** Converts the Markdown documents of the repository to pages of the site. */
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { escapeHtml, type Html, html } from '../../src/kit/report/html-page.ts';
import { capitalizeFirstLetter } from '../../src/kit/text/words.ts';
import { codeBlock, type Heading, headingHtml, linkBetween, slugger } from './page.ts';

/** Finds the pages that a document links to. */
export interface Links {
  /** Returns the path in the site of a file or folder of the repository, or undefined if the site does not have it. */
  readonly pathOf: (file: string) => string | undefined;
  /** Returns the path of the page of a command or topic that a text names, such as `svc task create`. */
  readonly pageNamed: (text: string) => string | undefined;
}

/** Between these lines of a document, each heading begins a tab. GitHub shows sections. */
const TABS_BEGIN = '<!-- tabs -->';
const TABS_END = '<!-- /tabs -->';

const LONGEST_WHOLE = 24;

export interface Converted {
  readonly title: string;
  readonly body: Html;
  readonly headings: readonly Heading[];
}

/**
 * Returns the document as HTML, without its first heading, which is the title of the page.
 * @param text the document
 * @param source its path in the repository, which its links start from
 * @param path the path of its page in the site
 * @throws Error for a link to a file that the site does not have
 */
export function convert(text: string, source: string, path: string, links: Links): Converted {
  const slug = slugger();
  const headings: Heading[] = [];
  let title = '';
  let isInLink = false;

  const hrefOf = (target: string): string => {
    if (/^[a-z]+:/.test(target)) return target;
    if (target.startsWith('#')) return target;
    const [file = '', anchor] = target.split('#');
    const repositoryPath = posix.normalize(posix.join(posix.dirname(source), file)).replace(/\/$/, '');
    const found = links.pathOf(repositoryPath);
    if (found === undefined) throw new Error(`${source} links to ${target}, which the site does not have`);
    return linkBetween(path, anchor === undefined ? found : `${found}#${anchor}`);
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = { html: this.parser.parseInline(tokens) };
        const plain = plainText(content.html);
        const id = slug(plain);
        if (depth === 1 && title === '') {
          title = plain;
          return '';
        }
        const heading = { id, text: plain, level: Math.max(2, depth) };
        headings.push(heading);
        return headingHtml(heading, content).html;
      },
      code({ text: code, lang = '' }) {
        return codeBlock(code, lang).html;
      },
      codespan({ text: code }) {
        const target = isInLink ? undefined : links.pageNamed(code);
        // A flag is not broken after its dashes.
        const shown =
          code.length <= LONGEST_WHOLE
            ? html`<code class="whole">${code}</code>`
            : html`<code>${code}</code>`;
        return target === undefined || target === path
          ? shown.html
          : html`<a href="${linkBetween(path, target)}">${shown}</a>`.html;
      },
      link({ href, tokens }) {
        isInLink = true;
        const content = { html: this.parser.parseInline(tokens) };
        isInLink = false;
        return html`<a href="${hrefOf(href)}">${content}</a>`.html;
      },
      blockquote({ tokens }) {
        const content = this.parser.parse(tokens);
        const [mark = '', kind = ''] = /^<p>\[!(NOTE|TIP|WARNING)\]\s*/.exec(content) ?? [];
        if (kind === '') return `<blockquote>\n${content}</blockquote>\n`;
        const name = capitalizeFirstLetter(kind.toLowerCase());
        return `<div class="callout ${kind.toLowerCase()}" role="note" aria-label="${name}">\n<p class="kind">${name}</p>\n<p>${content.slice(mark.length)}</div>\n`;
      },
      image({ href, text: alternative }) {
        return html`<img src="${hrefOf(href)}" alt="${alternative}" loading="lazy">`.html;
      },
      table({ header, rows }) {
        const cell = (each: Tokens.TableCell): string => this.parser.parseInline(each.tokens);
        const head = header.map((each) => `<th scope="col">${cell(each)}</th>`).join('');
        const body = rows.map(
          (row) =>
            `<tr>${row.map((each, at) => (at === 0 ? `<th scope="row">${cell(each)}</th>` : `<td>${cell(each)}</td>`)).join('')}</tr>`,
        );
        return `<div class="wide" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table></div>\n`;
      },
      // Comments are markers for programs. Other tags are text that somebody forgot to put in code.
      html({ text: tag }) {
        if (tag.trim() === TABS_BEGIN) return '<div class="tabs">\n';
        if (tag.trim() === TABS_END) return '</div>\n';
        return tag.startsWith('<!--') ? '' : escapeHtml(tag);
      },
    },
  });
  const body = { html: marked.parse(text, { async: false }) };
  return { title, body, headings };
}

/** Returns the text of a piece of HTML. */
export const plainText = (piece: string): string =>
  piece
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
