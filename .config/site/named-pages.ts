/** Finds the pages that texts name, such as `svc task create`, `svc help time` and `svc explain task`, and links them. */
import { type Html, html } from '../../src/kit/report/html-page.ts';
import { linkBetween } from './page.ts';

export interface NamedPages {
  /** Returns the page that the whole text names. Words after the name, such as flags, do not matter. */
  readonly pageNamed: (text: string) => string | undefined;
  /** Returns a sentence with a link for each page that it names. @param from path of the page that shows the sentence */
  readonly linked: (text: string, from: string) => Html;
}

/** Returns functions that find pages by name. @param pages maps names without `svc` to paths: `task create`, `help time`, `explain task` */
export function namedPages(pages: ReadonlyMap<string, string>): NamedPages {
  const pageNamed = (text: string): string | undefined => {
    if (!text.startsWith('svc ')) return undefined;
    const words = text.slice('svc '.length).split(/[ .]/).slice(0, MOST_WORDS);
    for (let count = words.length; count > 0; count -= 1) {
      const found = pages.get(words.slice(0, count).join(' '));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const linked = (text: string, from: string): Html => {
    const pieces: Html[] = [];
    let done = 0;
    for (const match of text.matchAll(/\bsvc [a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*){0,2}/g)) {
      const { name, path } = longest(match[0], pages) ?? {};
      if (name === undefined || path === undefined || path === from) continue;
      pieces.push(
        html`${withFlags(text.slice(done, match.index))}<a href="${linkBetween(from, path)}">${name}</a>`,
      );
      done = match.index + name.length;
    }
    return html`${pieces}${withFlags(text.slice(done))}`;
  };
  return { pageNamed, linked };
}

/** Sets flags such as `--now` in code. */
const withFlags = (text: string): Html =>
  html`${text.split(/(?<![\w-])(--[a-z]+(?:-[a-z]+)*)/).map((piece, at) => (at % 2 === 0 ? piece : html`<code>${piece}</code>`))}`;

const MOST_WORDS = 3;

/** Returns the longest beginning of the words that names a page. A single word, as in `svc reads`, counts only if a page has that name. */
function longest(
  text: string,
  pages: ReadonlyMap<string, string>,
): { readonly name: string; readonly path: string } | undefined {
  const words = text.split(' ');
  for (let count = words.length; count > 1; count -= 1) {
    const name = words.slice(0, count).join(' ');
    const path = pages.get(words.slice(1, count).join(' '));
    if (path !== undefined) return { name, path };
  }
  return undefined;
}
