/** Turns links of e-mail messages into tracking URIs when a message is written (interface, emailMessage `html`). */

import {
  type FoundLink,
  findHtmlLinks,
  type HtmlLink,
  type ReplaceLink,
  replaceFoundLinks,
  replaceTextLinks,
} from '../../../kit/text/html-links.ts';
import { createInvalidRequestError } from '../../../service/protocol/service-errors.ts';
import {
  addLinks,
  type LinkMessagePart,
  type LinkRow,
  linksByIds,
  linksOf,
  removeLinks,
} from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';

/**
 * Placeholder for the sandbox's address in stored messages, whose links then survive another port. The character is outside Windows-1252,
 * so no message can contain it.
 */
const BASE_MARK = '\uE000';

/** Path of a click: `/t/c/<link id>`, followed by `/<recipient>` in a delivered message. */
const CLICK_PATH = '/t/c/';

interface LinkTrackingContext {
  readonly accountId: number;
  readonly messageId: number;
  readonly now: number;
  /** Scheme, host and port of the sandbox, which tracking URIs begin with. */
  readonly trackingBaseUrl: string;
}

interface MessageParts {
  readonly html: string;
  readonly text: string;
}

/** The links of an HTML part, found before the transaction that stores the message. */
interface HtmlWithLinks {
  readonly html: string;
  readonly links: readonly HtmlLink[];
}

/** Finds the links of an HTML part in slices. `pause` lets other requests run meanwhile. */
export async function findTrackedLinks(html: string, pause: () => Promise<void>): Promise<HtmlWithLinks> {
  const links = await findHtmlLinks(html, {
    isWanted: ({ href }) => isTracked(href),
    maxLinks: MAX_LINKS,
    pause,
  });
  return { html, links };
}

/**
 * Replaces the web links of a message with tracking URIs, and stores their targets. A link that is a tracking URI already keeps its target,
 * and a link with the same target and name keeps its id. Deletes rows that no link uses. `trackText`: links of the text part too.
 * @returns the parts to store
 */
export async function trackLinks(
  db: Db,
  message: LinkTrackingContext,
  parts: MessageParts,
  options: { readonly trackText: boolean; readonly found?: HtmlWithLinks | undefined },
): Promise<MessageParts> {
  const rows = await linksOf(db, message.messageId);
  const text = await restoreTargets(db, message, parts.text);
  const { found } = options;
  const { links: inHtml } =
    found?.html === parts.html ? found : await findTrackedLinks(parts.html, async () => undefined);
  if (inHtml.length > MAX_LINKS) throw tooMany('html');
  // A replacer can't await the store, so the links are collected first.
  const inText = options.trackText ? collectText(text) : [];
  const origins = await originsOf(db, message, inHtml);
  const originOf = ({ href }: FoundLink): LinkRow | undefined => origins.get(ownLinkId(href, message) ?? 0);
  const wanted = new Map<string, LinkKey>();
  for (const link of inHtml) wanted.set(keyOf('html', link), linkKey('html', link, originOf(link)));
  for (const link of inText) wanted.set(keyOf('text', link), linkKey('text', link, undefined));
  const ids = await idsOf(db, message, rows, [...wanted.values()]);
  const used = new Set<number>();
  const replacements = new Map<string, string>();
  for (const [key, link] of wanted) {
    const id = ids.get(rowKeyOf(link)) ?? 0;
    replacements.set(key, marked(id));
    used.add(id);
  }
  await removeLinks(
    db,
    rows.map((row) => row.id).filter((id) => !used.has(id)),
  );
  return {
    html: replaceFoundLinks(parts.html, inHtml, (link) => replacements.get(keyOf('html', link))),
    text: scanText(text, (link) => replacements.get(keyOf('text', link))),
  };
}

/** Returns the text part with the addresses that its tracking URIs track, as the author of the text wrote it. */
export async function restoreTargets(
  db: Db,
  message: Pick<LinkTrackingContext, 'accountId' | 'trackingBaseUrl'>,
  text: string,
): Promise<string> {
  const origins = await originsOf(db, message, collectText(text));
  if (origins.size === 0) return text;
  return scanText(text, ({ href }) => origins.get(ownLinkId(href, message) ?? 0)?.target);
}

/** Returns the stored part with the sandbox's address filled in. With `recipient`, every link becomes specific to that recipient. */
export function insertTrackingBaseUrl(
  storedPart: string,
  trackingBaseUrl: string,
  recipient?: string,
): string {
  if (recipient === undefined) return storedPart.replaceAll(BASE_MARK, trackingBaseUrl);
  return storedPart.replace(MARKED_LINKS, (link) => `${trackingBaseUrl}${link.slice(1)}/${recipient}`);
}

const MARKED_LINKS = /\uE000\/t\/c\/[0-9]+/g;

/** Maximum links in one part of a message. Other requests wait for about 100 ms while 10,000 links are stored. */
const MAX_LINKS = 10_000;

const tooMany = (part: LinkMessagePart): Error =>
  createInvalidRequestError([{ attribute: part, reason: `has more than ${MAX_LINKS} links` }]);

function collectText(text: string): readonly FoundLink[] {
  const found: FoundLink[] = [];
  scanText(text, (link) => {
    if (!isTracked(link.href)) return undefined;
    if (found.length === MAX_LINKS) throw tooMany('text');
    found.push(link);
    return undefined;
  });
  return found;
}

/** Values that identify a link row: links of a message with the same values share one row. */
interface LinkKey {
  readonly type: LinkMessagePart;
  readonly target: string;
  readonly name: string | null;
}

const linkKey = (type: LinkMessagePart, link: FoundLink, origin: LinkRow | undefined): LinkKey => ({
  type,
  target: origin?.target ?? link.href,
  name: origin ? origin.name : nameOf(link),
});

/** Joins type, target and name by U+0000, which no text contains (wire, "Requests"). A null name differs from an empty one. */
const rowKeyOf = ({ type, target, name }: Pick<LinkRow, 'type' | 'target' | 'name'>): string =>
  name === null ? `${type}\0${target}` : `${type}\0${target}\0${name}`;

/** Maps the key of each link to the id of the row of this link. Creates the rows that are missing. */
async function idsOf(
  db: Db,
  { accountId: account_id, messageId: message_id, now: cdate }: LinkTrackingContext,
  rows: readonly LinkRow[],
  wanted: readonly LinkKey[],
): Promise<ReadonlyMap<string, number>> {
  // Among equal rows the first one wins.
  const ids = new Map(rows.toReversed().map((row) => [rowKeyOf(row), row.id]));
  const missing = new Map<string, LinkKey>();
  for (const link of wanted) {
    const name = rowKeyOf(link);
    if (!ids.has(name)) missing.set(name, link);
  }
  const made = await addLinks(
    db,
    [...missing.values()].map((link) => ({ ...link, account_id, message_id, cdate })),
  );
  for (const row of made) ids.set(rowKeyOf(row), row.id);
  return ids;
}

async function originsOf(
  db: Db,
  message: Pick<LinkTrackingContext, 'accountId' | 'trackingBaseUrl'>,
  links: readonly FoundLink[],
): Promise<ReadonlyMap<number, LinkRow>> {
  const ids = new Set(links.map(({ href }) => ownLinkId(href, message) ?? 0));
  ids.delete(0);
  const rows = await linksByIds(db, message.accountId, [...ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const marked = (id: number): string => `${BASE_MARK}${CLICK_PATH}${id}`;

const keyOf = (type: LinkMessagePart, { href, name }: FoundLink): string =>
  rowKeyOf({ type, target: href, name });

/** Returns the name of a link whose target has placeholders, and so differs per recipient. The target alone identifies any other link. */
const nameOf = ({ href, name }: FoundLink): string | null => (/\{[{%]/.test(href) ? name : null);

const isTracked = (href: string): boolean => /^(?:https?:\/\/|\uE000\/)/i.test(href);

/** Scans a text part for links. The scanner needs a scheme, so links that begin with `BASE_MARK` get `http://` meanwhile. */
function scanText(text: string, replace: ReplaceLink): string {
  const bare = text.replace(MARKED_LINKS, (link) => `http://${BASE_MARK}${link.slice(1)}`);
  return replaceTextLinks(bare, (link) => {
    const href = link.href.replace(`http://${BASE_MARK}`, BASE_MARK);
    return replace({ ...link, href }) ?? (href === link.href ? undefined : href);
  });
}

/** Returns the id in a tracking URI that begins with `BASE_MARK`, the current address, or any loopback address and port. */
function ownLinkId(
  href: string,
  { trackingBaseUrl }: Pick<LinkTrackingContext, 'trackingBaseUrl'>,
): number | undefined {
  const base = [BASE_MARK, trackingBaseUrl].find((each) => href.startsWith(`${each}${CLICK_PATH}`));
  const path =
    base === undefined
      ? /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]+)?(\/.*)$/i.exec(href)?.[1]
      : href.slice(base.length);
  const id = /^\/t\/c\/([0-9]{1,15})$/.exec(path ?? '')?.[1];
  return id === undefined ? undefined : Number(id);
}
