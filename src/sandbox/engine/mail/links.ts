/** Links of e-mail messages become tracking URIs when the message is written (interface, emailMessage `html`). */
import { invalid } from '../../../protocol/service-errors.ts';
import {
  type FoundLink,
  type ReplaceLink,
  replaceHtmlLinks,
  replaceTextLinks,
} from '../../../text/html-links.ts';
import {
  addLinks,
  type LinkRow,
  type LinkType,
  linksByIds,
  linksOf,
  removeLinks,
} from '../../store/links.ts';
import type { Db } from '../../store/open.ts';

/**
 * Stands for the address of the sandbox in stored messages, so that another port makes no difference. It is outside
 * Windows-1252: no message can bring one along.
 */
const BASE_MARK = '\uE000';

/** Where a click goes: `/t/c/<link id>`, in a delivered message followed by `/<recipient>`. */
const CLICK_PATH = '/t/c/';

export interface LinkedMessage {
  readonly accountId: number;
  readonly messageId: number;
  readonly now: number;
  /** Scheme, host and port of the sandbox. */
  readonly trackingBase: string;
}

export interface Parts {
  readonly html: string;
  readonly text: string;
}

/**
 * Rewrites what leads to http and https, and makes the rows that say where to. Links that are there already keep their
 * ids where target and name stay the same, and so do tracking URIs of this message; those of another message of the
 * account lead on to its target; rows that nothing leads to any more go. Returns the parts as they are stored.
 */
export async function trackLinks(
  db: Db,
  message: LinkedMessage,
  parts: Parts,
  options: { readonly trackText: boolean },
): Promise<Parts> {
  const rows = await linksOf(db, message.messageId);
  // Replacing can't wait for the store, so the links are collected first.
  const inHtml = collect('html', (replace) => replaceHtmlLinks(parts.html, replace));
  const inText = collect('text', (replace) => scanText(parts.text, replace));
  const origins = await originsOf(db, message, [...inHtml, ...inText]);
  const originOf = ({ href }: FoundLink): LinkRow | undefined => origins.get(ownLinkId(href, message) ?? 0);
  const wanted = new Map<string, Leading>();
  const want = (type: LinkType, found: readonly FoundLink[]): void => {
    for (const link of found) wanted.set(keyOf(type, link), leading(type, link, originOf(link)));
  };
  want('html', inHtml);
  if (options.trackText) want('text', inText);
  const ids = await idsOf(db, message, rows, [...wanted.values()]);
  const used = new Set<number>();
  const replacements = new Map<string, string>();
  for (const [key, link] of wanted) {
    const id = ids.get(nameOfRow(link)) ?? 0;
    replacements.set(key, marked(id));
    used.add(id);
  }
  if (!options.trackText)
    for (const link of inText) {
      const origin = originOf(link);
      if (origin) replacements.set(keyOf('text', link), origin.target);
    }
  await removeLinks(
    db,
    rows.map((row) => row.id).filter((id) => !used.has(id)),
  );
  return {
    html: replaceHtmlLinks(parts.html, (link) => replacements.get(keyOf('html', link))),
    text: scanText(parts.text, (link) => replacements.get(keyOf('text', link))),
  };
}

/** The stored part with the sandbox's address in it; `recipient` makes every link that recipient's own. */
export function withBase(part: string, trackingBase: string, recipient?: string): string {
  if (recipient === undefined) return part.replaceAll(BASE_MARK, trackingBase);
  return part.replace(MARKED_LINKS, (link) => `${trackingBase}${link.slice(1)}/${recipient}`);
}

const MARKED_LINKS = /\uE000\/t\/c\/[0-9]+/g;

/** Nobody writes as many. All others wait while they are written, at most a second for this number. */
const MOST_LINKS = 10_000;

function collect(type: LinkType, scan: (replace: ReplaceLink) => string): readonly FoundLink[] {
  const found: FoundLink[] = [];
  scan((link) => {
    if (!isTracked(link.href)) return undefined;
    if (found.length === MOST_LINKS)
      throw invalid([{ attribute: type, reason: `has more than ${MOST_LINKS} links` }]);
    found.push(link);
    return undefined;
  });
  return found;
}

/** What makes two links of a message one row. */
interface Leading {
  readonly type: LinkType;
  readonly target: string;
  readonly name: string | null;
}

const leading = (type: LinkType, link: FoundLink, origin: LinkRow | undefined): Leading => ({
  type,
  target: origin?.target ?? link.href,
  name: origin ? origin.name : nameOf(link),
});

/** No text holds U+0000 (wire, "Requests"). A name of null is another than an empty one. */
const nameOfRow = ({ type, target, name }: Pick<LinkRow, 'type' | 'target' | 'name'>): string =>
  name === null ? `${type}\0${target}` : `${type}\0${target}\0${name}`;

/** The ids of the links' rows, which are made where there are none: by what they lead to. */
async function idsOf(
  db: Db,
  { accountId: account_id, messageId: message_id, now: cdate }: LinkedMessage,
  rows: readonly LinkRow[],
  wanted: readonly Leading[],
): Promise<ReadonlyMap<string, number>> {
  // The first of several alike counts, as it always has.
  const ids = new Map(rows.toReversed().map((row) => [nameOfRow(row), row.id]));
  const missing = new Map<string, Leading>();
  for (const link of wanted) {
    const name = nameOfRow(link);
    if (!ids.has(name)) missing.set(name, link);
  }
  const made = await addLinks(
    db,
    [...missing.values()].map((link) => ({ ...link, account_id, message_id, cdate })),
  );
  for (const row of made) ids.set(nameOfRow(row), row.id);
  return ids;
}

/** The rows behind tracking URIs of ours, by id. */
async function originsOf(
  db: Db,
  message: LinkedMessage,
  links: readonly FoundLink[],
): Promise<ReadonlyMap<number, LinkRow>> {
  const ids = new Set(links.map(({ href }) => ownLinkId(href, message) ?? 0));
  ids.delete(0);
  const rows = await linksByIds(db, message.accountId, [...ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const marked = (id: number): string => `${BASE_MARK}${CLICK_PATH}${id}`;

const keyOf = (type: LinkType, { href, name }: FoundLink): string => nameOfRow({ type, target: href, name });

/** Only a personalised link has a name: its target says where each recipient goes, not what it is. */
const nameOf = ({ href, name }: FoundLink): string | null => (/\{[{%]/.test(href) ? name : null);

const isTracked = (href: string): boolean => /^(?:https?:\/\/|\uE000\/)/i.test(href);

/** Text parts hold marked links, which are no addresses to a scanner until they have a base. */
function scanText(text: string, replace: ReplaceLink): string {
  const bare = text.replace(MARKED_LINKS, (link) => `http://${BASE_MARK}${link.slice(1)}`);
  return replaceTextLinks(bare, (link) => {
    const href = link.href.replace(`http://${BASE_MARK}`, BASE_MARK);
    return replace({ ...link, href }) ?? (href === link.href ? undefined : href);
  });
}

/** The id in a tracking URI of ours: with the mark, the present base, or any loopback address (the port may differ). */
function ownLinkId(href: string, { trackingBase }: LinkedMessage): number | undefined {
  const base = [BASE_MARK, trackingBase].find((each) => href.startsWith(`${each}${CLICK_PATH}`));
  const path =
    base === undefined
      ? /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]+)?(\/.*)$/i.exec(href)?.[1]
      : href.slice(base.length);
  const id = /^\/t\/c\/([0-9]{1,15})$/.exec(path ?? '')?.[1];
  return id === undefined ? undefined : Number(id);
}
