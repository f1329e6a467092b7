/**
 * Restores the text of a message as it was before the service rewrote its links (interface, emailMessage `html`). The targets come from the
 * service's records of the links, which may be incomplete.
 */
import type { JsonObject } from '../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../schema/integer.ts';
import { replaceHtmlLinks, replaceTextLinks } from '../text/html-links.ts';

/** Part of a message with the original addresses of its links. */
export interface RestoredPart {
  readonly text: string;
  /** True if every rewritten address could be restored. */
  readonly isComplete: boolean;
  /**
   * True if svc guessed the original addresses of the links from the order of the links. The guess may be wrong if someone changed the
   * message.
   */
  readonly isGuessed: boolean;
}

/**
 * Returns a part of a message with the original addresses of its links.
 * @param content content of the part
 * @param links links of the message, as emailMessageLink returns them
 * @param type part of the message
 */
export function restoreLinks(
  content: string,
  links: readonly JsonObject[],
  type: 'html' | 'text',
): RestoredPart {
  const rows = links.filter((link) => link['type'] === type);
  if (rows.length === 0) return { text: content, isComplete: true, isGuessed: false };
  const replace = type === 'html' ? replaceHtmlLinks : replaceTextLinks;
  const hrefs = new Set<string>();
  replace(content, ({ href }) => {
    if (/^https?:\/\//i.test(href)) hrefs.add(href);
    return undefined;
  });
  const { targets, isByOrder } = targetsOf([...hrefs], rows);
  const text = replace(content, ({ href }) => targets.get(href));
  return { text, isComplete: [...hrefs].every((href) => targets.has(href)), isGuessed: isByOrder };
}

interface Targets {
  readonly targets: ReadonlyMap<string, string>;
  readonly isByOrder: boolean;
}

/** Returns the words in the path and the query of an address. Skips the host, because the host may be a numeric address. */
const wordsInAddress = (href: string): ReadonlySet<string> =>
  new Set(href.replace(/^https?:\/\/[^/?#]*/i, '').split(/[^0-9A-Za-z]+/));

/**
 * Finds the original address of each rewritten address. If each rewritten address contains the id of a different link, matches addresses to
 * links by these ids. Otherwise, if there are as many addresses as links, matches them in the order in which the links were created. In all
 * other cases, returns only the addresses that contain the id of a link. Returns none of these if two addresses contain the same id.
 */
function targetsOf(hrefs: readonly string[], rows: readonly JsonObject[]): Targets {
  const byId = new Map(rows.map(({ id, target }) => [String(id), String(target)]));
  const words = new Map(hrefs.map((href) => [href, wordsInAddress(href)]));
  // A word that occurs in all addresses identifies no link.
  const isCommon = (word: string): boolean =>
    hrefs.length > 1 && hrefs.every((href) => words.get(href)?.has(word));
  const named = new Map<string, string>();
  for (const [href, own] of words) {
    const [id, ...others] = [...own].filter((word) => byId.has(word) && !isCommon(word));
    if (id !== undefined && others.length === 0) named.set(href, id);
  }
  const isTelling = new Set(named.values()).size === named.size;
  if (isTelling && named.size === hrefs.length)
    return {
      targets: new Map([...named].map(([href, id]) => [href, byId.get(id) ?? ''])),
      isByOrder: false,
    };
  if (hrefs.length === rows.length) {
    const sorted = rows.toSorted((a, b) => compareNumbers(idNumber(a), idNumber(b)));
    return {
      targets: new Map(hrefs.map((href, at) => [href, String(sorted[at]?.['target'])])),
      isByOrder: true,
    };
  }
  const some = isTelling ? [...named] : [];
  return { targets: new Map(some.map(([href, id]) => [href, byId.get(id) ?? ''])), isByOrder: false };
}
