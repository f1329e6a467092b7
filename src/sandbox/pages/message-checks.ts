/** Lints a message as `email lint` and `sms-message lint` do, with the place of each finding. */

import { replaceTextLinks } from '../../kit/text/html-links.ts';
import { lintEmail } from '../../service/lint/email.ts';
import type { LintFinding } from '../../service/lint/finding.ts';
import { parseHtml } from '../../service/lint/html-parts.ts';
import { findLinkAddressProblem, LINK_ADDRESS_PROBLEM_TEXTS } from '../../service/lint/links.ts';
import { lintSms } from '../../service/lint/sms.ts';
import type { RecordNamed } from '../request/present.ts';
import type { CompanyPageRequest, ShownMessage } from './page.ts';
import { badge, formatCount, type Html, html, nameIn } from './parts.ts';
import { MAX_RULES_PER_KIND } from './rules.ts';

export const LINTED_MESSAGE_FIELDS = ['subject', 'fromname', 'html', 'text'] as const;

export type MessageLink = RecordNamed<'emailMessageLink'>;
type ClickRule = RecordNamed<'clickAutomation'>;

export interface LintedMessage {
  readonly findings: readonly LintFinding[];
  readonly isEmail: boolean;
  /** The svc command that gives the same findings. Undefined for a single SMS, which no command lints. */
  readonly command: Html | undefined;
}

/** Lints a message. Returns undefined if it was deleted, or never stored: a notification, the sandbox's own opt-in. */
export async function lintMessage(
  call: CompanyPageRequest,
  message: ShownMessage,
): Promise<LintedMessage | undefined> {
  const id = message.message;
  if (message.channel === 'email' && id !== null) {
    const stored = await findStoredEmail(call, id);
    if (!stored) return undefined;
    const links = await call.find('emailMessageLink', { message_id: id, count: 1000 });
    const targets = links.map(({ type, target }) => ({ part: type, target }));
    const names = CONTENT.filter((name) => stored[name] !== null && stored[name] !== undefined);
    const content = Object.fromEntries(names.map((name) => [name, stored[name]]));
    const findings = lintEmail(content, {
      files: Object.fromEntries(LINTED_MESSAGE_FIELDS.map((part) => [part, part])),
      stored: new Set(names),
      words: call.naming,
      postalAddress: call.company.address ?? '',
      targets,
    });
    return { findings, isEmail: true, command: call.command`email lint ${id}` };
  }
  if (message.channel !== 'sms') return undefined;
  if (id !== null) {
    const [stored] = await call.find('smsMessage', { id });
    if (!stored) return undefined;
    return {
      findings: lintSms(stored, { file: 'text' }),
      isEmail: false,
      command: call.command`sms-message lint ${id}`,
    };
  }
  const single = { message: message.text, fromaddress: message.from, msisdn: message.to };
  return { findings: lintSms(single, { file: 'text' }), isEmail: false, command: undefined };
}

/** Attributes of a stored message that `svc email lint` checks. The others are not content. */
const CONTENT = [
  ...['customoptin', 'fromemail', 'fromname', 'html', 'name', 'replyemail', 'subject', 'text'],
] as const;

export async function findStoredEmail(call: CompanyPageRequest, id: number) {
  return (await call.find('emailMessage', { id }))[0];
}

const KINDS = { error: 'bad', warning: 'warn', info: 'plain' } as const;

/** Separates the findings about features that mail clients do not show from all others. */
export function splitFindings(linted: LintedMessage | undefined) {
  const all = linted?.findings ?? [];
  return {
    findings: all.filter(({ rule }) => !CLIENT_RULES.has(rule)),
    clients: all.filter(({ rule }) => CLIENT_RULES.has(rule)),
  };
}

export const renderLintFindings = (
  call: CompanyPageRequest,
  path: string,
  linted: LintedMessage | undefined,
): Html => section(call, path, linted, 'Checks', splitFindings(linted).findings, 'No problems.');

export const renderClientFindings = (
  call: CompanyPageRequest,
  path: string,
  linted: LintedMessage | undefined,
): Html =>
  section(
    ...([call, path, linted, 'Mail clients', splitFindings(linted).clients] as const),
    'The HTML uses nothing that Gmail, Outlook, Yahoo Mail or Thunderbird is known not to support.',
  );

function section(
  call: CompanyPageRequest,
  path: string,
  linted: LintedMessage | undefined,
  title: string,
  findings: readonly LintFinding[],
  none: string,
): Html {
  if (linted === undefined)
    return html`<p class="soft">The message from which this delivery was made was deleted.</p>`;
  const rows = findings.map(
    (each) =>
      html`<li>${badge(each.severity, KINDS[each.severity])} ${each.message}${
        each.instead === null ? null : html` <span class="soft">${each.instead}</span>`
      } ${place(call.pathOf(path), linted.isEmail, each)}</li>`,
  );
  return html`<section class="card checks"><h2>${title}</h2>
${rows.length === 0 ? html`<p class="soft">${none}</p>` : html`<ul class="findings">${rows}</ul>`}
${linted.command ?? null}</section>`;
}

/** Rules of lint about features that mail clients do not show. */
const CLIENT_RULES: ReadonlySet<string> = new Set([
  'unrendered-html',
  'unrendered-css',
  'active-content',
  'large-html',
]);

function place(page: string, isEmail: boolean, { file, line, column, rule }: LintFinding): Html {
  if (file === null || line === null) return html`<code class="rule">${rule}</code>`;
  // The page shows the text of an SMS beside its findings; an SMS has no source view.
  if (!isEmail) return html`<code class="rule">${rule} ${line}:${column ?? 1}</code>`;
  return html`<a class="rule" href="${page}?view=source#${file}-${line}">${file} ${line}:${column ?? 1}</a>`;
}

/** Maximum number of links shown. More rows would make the page slow. */
const MAX_LINKS = 200;

interface Link {
  readonly part: 'HTML' | 'Text';
  readonly text: string;
  readonly href: string;
}

/** Returns a table of the links. `trackedLinks`: as the service lists them. */
export async function renderLinkTable(
  call: CompanyPageRequest,
  message: ShownMessage,
  trackedLinks: readonly MessageLink[],
): Promise<Html> {
  const links = linksIn(message);
  if (links.length === 0) return html`<p class="soft">There are no links in this message.</p>`;
  const byId = new Map(trackedLinks.map((link) => [link.id, link]));
  const rules = await call.find('clickAutomation', { count: MAX_RULES_PER_KIND });
  const rows = links.slice(0, MAX_LINKS).map((link) => row(call, link, byId, rules));
  return html`<div class="wide" tabindex="0" role="group" aria-label="Links"><table><thead><tr><th scope="col">Link</th><th scope="col">Part</th><th scope="col">In the sandbox</th><th scope="col">Leads to</th><th scope="col">Check</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${links.length > MAX_LINKS ? html`<p class="soft">${formatCount(links.length - MAX_LINKS)} more links are not shown.</p>` : null}
<p class="soft small">The check looks at the address only. Nothing leaves the sandbox, so it does not test whether the page answers.</p>
${message.message === null ? null : html`<p>${call.command`link list --message ${message.message}`}</p>`}`;
}

export const countLinks = (shown: ShownMessage): number => linksIn(shown).length;

function linksIn(shown: ShownMessage): readonly Link[] {
  const links: Link[] = [];
  if (shown.html !== null)
    for (const { href = '', text } of parseHtml(shown.html).links)
      links.push({ part: 'HTML', text: text.replace(/\s+/g, ' ').trim(), href });
  if (shown.text !== null)
    replaceTextLinks(shown.text, ({ href }) => {
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
  byId: ReadonlyMap<number, MessageLink>,
  rules: readonly ClickRule[],
): Html {
  const own = href.startsWith(`${call.baseUrl}/t/`) ? href.slice(`${call.baseUrl}/t/`.length).split('/') : [];
  const [letter = '', id = ''] = own;
  const link = letter === 'c' ? byId.get(Number(id)) : undefined;
  const target = link === undefined ? (letter === '' ? href : '') : link.target;
  const does =
    link === undefined
      ? (OWN[letter] ?? (letter === 'c' ? 'Counts a click' : 'Not tracked'))
      : html`Counts a click on link ${id}${rulesFor(call, link, rules)}`;
  return html`<tr><th scope="row">${text || nameIn(link) || (part === 'Text' ? 'Address in the text' : 'No text')}</th><td>${part}</td><td>${does}</td><td class="break">${target}</td><td>${check(target)}</td></tr>`;
}

/** Returns the click rules that a click triggers: those for this link, and those for all links of its message. */
function rulesFor(call: CompanyPageRequest, link: MessageLink, rules: readonly ClickRule[]): Html {
  const own = rules.filter((rule) => rule.link_id === link.id || rule.message_id === link.message_id);
  return html`${own.map((rule) => {
    const name = `click:${rule.id}`;
    return html`<br>triggers <a href="${call.pathOf(`automations/${name}`)}">${nameIn(rule) ?? name}</a>`;
  })}`;
}

function check(target: string): Html | null {
  if (target === '') return null;
  const problem = findLinkAddressProblem(target);
  return problem === undefined
    ? badge('ok', 'good')
    : html`${badge('problem', 'warn')} ${LINK_ADDRESS_PROBLEM_TEXTS[problem].message}`;
}
