/** What a message said before the service rewrote its links (interface, emailMessage `html`), as far as `link` tells. */
import type { JsonObject } from '../protocol/envelope.ts';
import { replaceHtmlLinks, replaceTextLinks } from '../text/html-links.ts';

export interface Restored {
  readonly text: string;
  /** Whether every address that the service has rewritten could be had. */
  readonly isWhole: boolean;
}

/**
 * @param links of the message, as emailMessageLink has them
 * @param type which part of the message it is
 */
export function originalLinks(part: string, links: readonly JsonObject[], type: 'html' | 'text'): Restored {
  const rows = links.filter((link) => link['type'] === type);
  if (rows.length === 0) return { text: part, isWhole: true };
  const replace = type === 'html' ? replaceHtmlLinks : replaceTextLinks;
  const hrefs = new Set<string>();
  replace(part, ({ href }) => {
    if (/^https?:\/\//i.test(href)) hrefs.add(href);
    return undefined;
  });
  const targets = targetsOf([...hrefs], rows);
  const text = replace(part, ({ href }) => targets.get(href));
  return { text, isWhole: [...hrefs].every((href) => targets.has(href)) };
}

/** By the id of a link where its address holds it; else, where there are as many, in the order in which both came to be. */
function targetsOf(hrefs: readonly string[], rows: readonly JsonObject[]): ReadonlyMap<string, string> {
  const byId = new Map(rows.map(({ id, target }) => [String(id), String(target)]));
  const named = hrefs.map((href): [string, string | undefined] => {
    const ids = href.split(/[^0-9A-Za-z]+/).filter((word) => byId.has(word));
    return [href, ids.length === 1 ? byId.get(ids[0] ?? '') : undefined];
  });
  const isNamed = (pair: [string, string | undefined]): pair is [string, string] => pair[1] !== undefined;
  if (named.every(isNamed) && new Set(named.map(([, target]) => target)).size === named.length)
    return new Map(named);
  if (hrefs.length !== rows.length) return new Map(named.filter(isNamed));
  const sorted = [...rows].sort((a, b) => Number(a['id']) - Number(b['id']));
  return new Map(hrefs.map((href, at) => [href, String(sorted[at]?.['target'])]));
}
