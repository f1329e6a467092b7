/** Lists the links of a delivered message: what each does in the sandbox, where it leads, and what is wrong with its address. */
import { parseHtml } from '../../lint/html-parts.ts';
import { findLinkAddressProblem, LINK_ADDRESS_PROBLEM_TEXTS } from '../../lint/links.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { replaceTextLinks } from '../../text/html-links.ts';
import { nameIn } from './causes.ts';
import type { CompanyPageRequest, DeliveredMessage } from './page.ts';
import { badge, copyableCommand, EMPTY_HTML, formatCount, type Html, html } from './parts.ts';
import { MAX_RULES_PER_KIND } from './rules.ts';

/** Maximum number of links shown. More rows would make the page slow. */
const MAX_LINKS = 200;

interface Link {
  readonly part: 'HTML' | 'Text';
  readonly text: string;
  readonly href: string;
}

/** Returns a table of the message's links. @param trackedLinks the tracked links of the message, as the service lists them */
export async function renderLinkTable(
  call: CompanyPageRequest,
  message: DeliveredMessage,
  trackedLinks: readonly JsonObject[],
): Promise<Html> {
  const links = linksIn(message);
  if (links.length === 0) return html`<p class="soft">There are no links in this message.</p>`;
  const byId = new Map(trackedLinks.map((link) => [Number(link['id']), link]));
  const rules = await call.find('clickAutomation', { count: MAX_RULES_PER_KIND });
  const rows = links.slice(0, MAX_LINKS).map((link) => row(call, link, byId, rules));
  return html`<div class="wide" tabindex="0" role="group" aria-label="Links"><table><thead><tr><th scope="col">Link</th><th scope="col">Part</th><th scope="col">In the sandbox</th><th scope="col">Leads to</th><th scope="col">Check</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${links.length > MAX_LINKS ? html`<p class="soft">${formatCount(links.length - MAX_LINKS)} more links are not shown.</p>` : EMPTY_HTML}
<p class="soft small">The check looks at the address only. Nothing leaves the sandbox, so it does not test whether the page answers.</p>
${typeof message['message'] === 'number' ? html`<p>${copyableCommand(call, 'link', 'list', '--message', message['message'])}</p>` : EMPTY_HTML}`;
}

function linksIn(shown: DeliveredMessage): readonly Link[] {
  const links: Link[] = [];
  if (typeof shown['html'] === 'string')
    for (const { href = '', text } of parseHtml(shown['html']).links)
      links.push({ part: 'HTML', text: text.replace(/\s+/g, ' ').trim(), href });
  if (typeof shown['text'] === 'string')
    replaceTextLinks(shown['text'], ({ href }) => {
      links.push({ part: 'Text', text: '', href });
      return undefined;
    });
  return links;
}

/** Names of the service's own links, by the letter in their path: `u` in `/t/u/…`. */
const OWN: Readonly<Record<string, string>> = {
  u: 'Unsubscribes the recipient',
  f: 'Send to a friend (does nothing here)',
  i: 'Confirms the opt-in',
};

function row(
  call: CompanyPageRequest,
  { part, text, href }: Link,
  byId: ReadonlyMap<number, JsonObject>,
  rules: readonly JsonObject[],
): Html {
  const own = href.startsWith(`${call.baseUrl}/t/`) ? href.slice(`${call.baseUrl}/t/`.length).split('/') : [];
  const [letter = '', id = ''] = own;
  const link = letter === 'c' ? byId.get(Number(id)) : undefined;
  const target = link === undefined ? (letter === '' ? href : '') : String(link['target']);
  const does =
    link === undefined
      ? (OWN[letter] ?? (letter === 'c' ? 'Counts a click' : 'Not tracked'))
      : html`Counts a click on link ${id}${rulesFor(call, link, rules)}`;
  return html`<tr><th scope="row">${text || nameIn(link) || (part === 'Text' ? 'Address in the text' : 'No text')}</th><td>${part}</td><td>${does}</td><td class="break">${target}</td><td>${check(target)}</td></tr>`;
}

/**
 * Returns HTML with the names of the click rules that a click on this link triggers. These are the rules for this link, and the rules for
 * all links of the message that contains this link.
 */
function rulesFor(call: CompanyPageRequest, link: JsonObject, rules: readonly JsonObject[]): Html {
  const own = rules.filter(
    (rule) => rule['link_id'] === link['id'] || rule['message_id'] === link['message_id'],
  );
  return html`${own.map((rule) => {
    const name = `click:${String(rule['id'])}`;
    return html`<br>triggers <a href="${call.pathOf(`automations/${name}`)}">${nameIn(rule) ?? name}</a>`;
  })}`;
}

function check(target: string): Html {
  if (target === '') return EMPTY_HTML;
  const problem = findLinkAddressProblem(target);
  return problem === undefined
    ? badge('ok', 'good')
    : html`${badge('problem', 'warn')} ${LINK_ADDRESS_PROBLEM_TEXTS[problem].message}`;
}
