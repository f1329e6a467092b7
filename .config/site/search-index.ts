/** Makes the index that the search of the site loads: one entry for each page, and one for each section of a long page. */
import MiniSearch from 'minisearch';
import { plainText } from './markdown.ts';
import type { Page } from './page.ts';
import options from './search-options.js';

interface Entry {
  readonly id: number;
  /** Address from the root of the site: `guides/sending.html#set-a-budget`. */
  readonly path: string;
  readonly title: string;
  /** Title of the page, if the entry is a section of it. */
  readonly page: string;
  readonly section: string;
  readonly text: string;
  /** The flags of a command, which people look for by name. */
  readonly flags: string;
  /** Beginning of the text, which a result shows. */
  readonly lead: string;
}

/** Returns a script that puts the index in a variable. A script works in a copy on a disk, where `fetch` does not. */
export function searchIndex(pages: readonly Page[]): string {
  const index = new MiniSearch<Entry>(options);
  index.addAll(pages.flatMap(entriesOf).map((entry, id) => ({ ...entry, id })));
  const text = JSON.stringify(index).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `globalThis.svcSearchIndex = '${text}';\n`;
}

const LEAD = 140;

function entriesOf({ path, title, section, body, headings }: Page): readonly Omit<Entry, 'id'>[] {
  const entry = (anchor: string, heading: string, piece: string): Omit<Entry, 'id'> => {
    const text = wordsOf(piece);
    return {
      path: anchor === '' ? path : `${path}#${anchor}`,
      title: heading,
      page: anchor === '' ? '' : title,
      section,
      text,
      flags: section === 'Commands' ? flagsIn(text) : '',
      lead: text.length > LEAD ? `${text.slice(0, LEAD).replace(/\s\S*$/, '')} …` : text,
    };
  };
  // Pages of commands and resources are short, have sections of the same names, and often the same audience, so each has only one entry.
  if (section === 'Commands' || section === 'Resources')
    return [entry('', title, body.html.replace(/^<p>For [^.]*\. ?/, '<p>'))];
  const starts = headings.map(({ id }) => body.html.search(new RegExp(`<h[2-6] id="${escaped(id)}">`)));
  return [
    entry('', title, body.html.slice(0, starts[0] ?? body.html.length)),
    ...headings.map(({ id, text }, at) =>
      entry(id, text, body.html.slice(starts[at], starts[at + 1] ?? body.html.length).replace(/^<h.*\n/, '')),
    ),
  ];
}

const flagsIn = (text: string): string => [...new Set(text.match(/--[a-z][a-z-]+/g))].join(' ');

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const wordsOf = (piece: string): string =>
  plainText(
    piece
      .replaceAll(/<a class="anchor".*?<\/a>/g, '')
      .replaceAll(/<\/?(p|li|t[dhr]|d[dt]|pre|div)\b/g, ' $&'),
  )
    .replaceAll(/\s+/g, ' ')
    .trim();
