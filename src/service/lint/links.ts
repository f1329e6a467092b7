import { readUrl } from '../../kit/text/address.ts';
import { replaceTextLinks } from '../../kit/text/html-links.ts';
import { type FindingDraft, quoted } from './drafts.ts';
import type { LinkTarget } from './finding.ts';
import type { ParsedHtml } from './html-parts.ts';

/** @param isStored true if tracking addresses have replaced the addresses that begin with http */
export function linkFindings({ links }: ParsedHtml, isStored: boolean): readonly FindingDraft[] {
  const found: FindingDraft[] = [];
  for (const { href = '', text, at } of links) {
    const isTracked = isStored && /^https?:/i.test(href);
    if (href === '' || href === '#')
      found.push({ rule: 'empty-link', part: 'html', at, message: 'This link has no address.' });
    else if (!isTracked) found.push(...addressFindings('html', 'link', href, at));
    if (text.trim() === '')
      found.push({
        ...{ rule: 'empty-link', part: 'html', at },
        message: 'This link has no text and no image with alt text.',
        instead: 'Add text, or alt text that says where the link leads.',
      });
    if (!isTracked) found.push(...misleadingLink(href, text, at));
  }
  return isStored ? found : [...found, ...duplicateLinks(links.map(({ href, at }) => ({ href, at })))];
}

export function linkTargetFindings(targets: readonly LinkTarget[]): readonly FindingDraft[] {
  return targets.flatMap(({ part, target }) => addressFindings(part, 'link', target, undefined));
}

export function imageFindings({ tags }: ParsedHtml): readonly FindingDraft[] {
  const found: FindingDraft[] = [];
  for (const tag of tags) {
    const { start: at } = tag;
    if (tag.name === 'img') {
      const source = tag.attribute('src')?.trim() ?? '';
      found.push(...addressFindings('html', 'image', source, tag.spanOf('src')?.start ?? at));
      if (tag.attribute('alt') === undefined && tag.attribute('role') !== 'presentation')
        found.push({
          ...{ rule: 'image-without-alt', part: 'html', at },
          message: `The image ${quoted(source.replace(/^data:.*/is, 'data:'))} has no alt text.`,
          instead: 'Add alt="…" with a description, or alt="" for decoration.',
        });
    }
    for (const name of tag.attributeNames.filter((each) => /^on[a-z]+$/.test(each)))
      found.push({
        ...{ rule: 'active-content', part: 'html', at: tag.spanOf(name)?.start ?? at },
        message: `The attribute ${name} runs a script. Mail clients do not run scripts.`,
      });
    if (ACTIVE.has(tag.name))
      found.push({
        ...{ rule: 'active-content', part: 'html', at },
        message: `Mail clients remove the element <${tag.name}>, and spam filters distrust it.`,
      });
  }
  return found;
}

const ACTIVE: ReadonlySet<string> = new Set(['applet', 'embed', 'frame', 'frameset', 'iframe', 'script']);

/** @param isTracked true if tracking addresses have replaced the addresses in the text */
export function findTextPartLinkProblems(text: string, isTracked: boolean): readonly FindingDraft[] {
  if (isTracked) return [];
  const found: FindingDraft[] = [];
  let from = 0;
  replaceTextLinks(text, ({ href }) => {
    const at = text.indexOf(href, from);
    from = at + href.length;
    found.push(...addressFindings('text', 'link', href, at));
    return undefined;
  });
  return found;
}

function addressFindings(
  part: 'html' | 'text',
  what: 'link' | 'image',
  address: string,
  at: number | undefined,
): readonly FindingDraft[] {
  const problem = findLinkAddressProblem(address);
  if (problem === undefined) return [];
  const { message, instead } = LINK_ADDRESS_PROBLEM_TEXTS[problem];
  const sentence = `The ${what} ${quoted(address)} ${message}.`;
  return [{ rule: problem, part, message: sentence, instead, ...(at === undefined ? {} : { at }) }];
}

/** Texts that continue a sentence that starts with `The link`. */
export const LINK_ADDRESS_PROBLEM_TEXTS: Readonly<
  Record<AddressProblem, { readonly message: string; readonly instead?: string }>
> = {
  'local-address': {
    message: 'is on this machine or in a private network. Readers cannot reach it',
    instead: 'Use a public web address, which all readers can open.',
  },
  'relative-address': {
    message: 'is incomplete: it has no https:// or no host name',
    instead: 'Use a complete address, with https:// and a host name.',
  },
  'plain-http': { message: 'is not encrypted', instead: 'Use https://.' },
  'active-content': { message: 'runs a script, and mail clients run no scripts' },
};

/** Reports a link whose text is itself an address, but on another host. */
function misleadingLink(href: string, text: string, at: number): readonly FindingDraft[] {
  const shown = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/?#:]\S*)?$/i.exec(text.trim())?.[1];
  const host = /^https?:/i.test(href) ? hostOf(href) : undefined;
  if (shown === undefined || host === undefined || isSame(shown.toLowerCase(), host)) return [];
  return [
    {
      ...{ rule: 'misleading-link', part: 'html', at },
      message: `This link shows ${quoted(text)} but leads to ${host}.`,
      instead: `Write ${host} as the text of the link, or use a text that is not an address.`,
    },
  ];
}

const isSame = (shown: string, host: string): boolean =>
  shown === host || host.endsWith(`.${shown}`) || shown.endsWith(`.${host}`);

function duplicateLinks(
  links: readonly { readonly href: string | undefined; readonly at: number }[],
): readonly FindingDraft[] {
  const byAddress = new Map<string, number[]>();
  for (const { href = '', at } of links)
    if (/^https?:/i.test(href)) byAddress.set(href, [...(byAddress.get(href) ?? []), at]);
  return [...byAddress]
    .filter(([, places]) => places.length > 1)
    .map(([href, places]) => ({
      ...{ rule: 'duplicate-link', part: 'html', at: places[1] ?? 0 },
      message: `${places.length} links lead to ${quoted(href)}. The service may count their clicks together.`,
    }));
}

type AddressProblem = 'local-address' | 'relative-address' | 'plain-http' | 'active-content';

/**
 * Returns undefined for a good address, and for an address that personalisation completes when the message is sent.
 * @param href the address, as a browser reads it from the HTML
 */
export function findLinkAddressProblem(href: string): AddressProblem | undefined {
  const address = href.trim();
  if (address === '' || address.startsWith('#') || beginsWithPersonalisation(address)) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'relative-address';
  if (scheme === 'javascript' || scheme === 'vbscript') return 'active-content';
  // Example: `C:\images\cup.png`
  if (scheme === 'file' || scheme.length === 1) return 'local-address';
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  const host = hostOf(address);
  if (host === undefined) return 'relative-address';
  if (isLocal(host)) return 'local-address';
  return scheme === 'http' ? 'plain-http' : undefined;
}

/** Returns undefined for an address without a host, and an empty text if personalisation provides the host. */
function hostOf(address: string): string | undefined {
  const plain = address.replace(/\{\{[^{}]{0,1000}\}\}|\{%[^%]{0,1000}%\}/g, 'x');
  return readUrl(plain)?.hostname.toLowerCase();
}

const beginsWithPersonalisation = (address: string): boolean => /^(\{\{|\{%|%[a-z_]+%)/i.test(address);

function isLocal(host: string): boolean {
  if (/^(localhost|\[::1?\])$/.test(host) || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host))
    return true;
  if (/^\[f[cde]/.test(host)) return true;
  const [a = -1, b = -1, ...rest] = host.split('.').map(Number);
  const isIpv4 = rest.length === 2 && [a, b, ...rest].every((octet) => octet >= 0 && octet <= 255);
  if (isIpv4)
    return (
      a === 0 ||
      a === 10 ||
      a === 127 ||
      (a === 172 && b >= 16 && b <= 31) ||
      (a === 192 && b === 168) ||
      (a === 169 && b === 254)
    );
  // A name without a dot is resolved in the local network.
  return !host.includes('.') && !host.startsWith('[');
}
