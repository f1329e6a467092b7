/** Lints a message as `email lint` and `sms-message lint` do, with the place of each finding. */
import { lintEmail } from '../../lint/email.ts';
import type { LintFinding } from '../../lint/finding.ts';
import { lintSms } from '../../lint/sms.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { CompanyPageRequest, DeliveredMessage } from './page.ts';
import { badge, copyableCommand, EMPTY_HTML, formatCountWithNoun, type Html, html } from './parts.ts';

export const LINTED_MESSAGE_FIELDS = ['subject', 'fromname', 'html', 'text'] as const;

export interface LintedMessage {
  readonly findings: readonly LintFinding[];
  readonly isEmail: boolean;
  /** The svc command that gives the same findings. Undefined for a single SMS, which no command lints. */
  readonly command: Html | undefined;
}

/**
 * Lints a delivered message, and returns the findings. Returns undefined if the stored message was deleted. Also returns undefined for the
 * notification of a rule (channel `notification`) and for the sandbox's own opt-in e-mail, because neither has a stored message.
 */
export async function lintDeliveredMessage(
  call: CompanyPageRequest,
  message: DeliveredMessage,
): Promise<LintedMessage | undefined> {
  const id = message['message'];
  if (message['channel'] === 'email' && typeof id === 'number') {
    const stored = await findStoredEmail(call, id);
    if (!stored) return undefined;
    const links = await call.find('emailMessageLink', { message_id: id, count: 1000 });
    const targets = links.flatMap(({ type, target }) =>
      type === 'html' || type === 'text' ? [{ part: type, target: String(target) } as const] : [],
    );
    const names = CONTENT.filter((name) => stored[name] !== null && stored[name] !== undefined);
    const content = Object.fromEntries(names.map((name) => [name, stored[name]]));
    const findings = lintEmail(content, {
      files: Object.fromEntries(LINTED_MESSAGE_FIELDS.map((part) => [part, part])),
      stored: new Set(names),
      words: call.naming,
      postalAddress: call.company.address ?? '',
      targets,
    });
    return { findings, isEmail: true, command: copyableCommand(call, 'email', 'lint', id) };
  }
  if (message['channel'] !== 'sms') return undefined;
  if (typeof id === 'number') {
    const [stored] = await call.find('smsMessage', { id });
    if (!stored) return undefined;
    return {
      findings: lintSms(stored, { file: 'text' }),
      isEmail: false,
      command: copyableCommand(call, 'sms-message', 'lint', id),
    };
  }
  const single = { message: message['text'], fromaddress: message['from'], msisdn: message['to'] };
  return { findings: lintSms(single, { file: 'text' }), isEmail: false, command: undefined };
}

/** Attributes of a stored message that `svc email lint` checks. The others are not content. */
const CONTENT = [
  ...['customoptin', 'fromemail', 'fromname', 'html', 'name', 'replyemail', 'subject', 'text'],
] as const;

export async function findStoredEmail(call: CompanyPageRequest, id: number): Promise<JsonObject | undefined> {
  return (await call.find('emailMessage', { id }))[0];
}

const KINDS = { error: 'bad', warning: 'warn', info: 'plain' } as const;

export function renderLintFindings(call: CompanyPageRequest, linted: LintedMessage | undefined): Html {
  if (!linted) return EMPTY_HTML;
  const { isEmail } = linted;
  const clients = linted.findings.filter(({ rule }) => CLIENT_RULES.has(rule));
  const findings = linted.findings.filter(({ rule }) => !CLIENT_RULES.has(rule));
  const worst = findings.filter(({ severity }) => severity !== 'info').length;
  const list = (some: readonly LintFinding[]): Html =>
    html`<ul class="findings">${some.map(
      (each) =>
        html`<li>${badge(each.severity, KINDS[each.severity])} ${each.message}${
          each.instead === null ? EMPTY_HTML : html` <span class="soft">${each.instead}</span>`
        } ${place(call, isEmail, each)}</li>`,
    )}</ul>`;
  const folded = (some: readonly LintFinding[], isOpen: boolean): Html =>
    html`<details${isOpen ? html` open` : EMPTY_HTML}><summary>${formatCountWithNoun(some.length, 'finding')}</summary>${list(some)}</details>`;
  return html`<section class="card"><h2>Checks</h2>
${findings.length === 0 ? html`<p class="soft">No problems.</p>` : folded(findings, worst > 0 && worst <= 5)}
${isEmail ? html`<h2 class="second">Mail clients</h2>${clients.length === 0 ? html`<p class="soft">The HTML uses nothing that Gmail, Outlook, Yahoo Mail or Thunderbird is known not to support.</p>` : folded(clients, clients.length <= 5)}` : EMPTY_HTML}
${linted.command ?? EMPTY_HTML}</section>`;
}

/** Rules of lint about features that mail clients do not show. */
const CLIENT_RULES: ReadonlySet<string> = new Set([
  'unrendered-html',
  'unrendered-css',
  'active-content',
  'large-html',
]);

function place(call: CompanyPageRequest, isEmail: boolean, { file, line, column, rule }: LintFinding): Html {
  if (file === null || line === null) return html`<code class="rule">${rule}</code>`;
  // The page shows the text of an SMS beside its findings; an SMS has no source view.
  if (!isEmail) return html`<code class="rule">${rule} ${line}:${column ?? 1}</code>`;
  const path = call.pathOf(`outbox/${call.params['id']}?view=source#${file}-${line}`);
  return html`<a class="rule" href="${path}">${file} ${line}:${column ?? 1}</a>`;
}
