/** Notifies the company of an inbound SMS: notifymsisdn, notifyemail, notifyurl. */

import { measureSms } from '../../../text/gsm.ts';
import { readUrl } from '../../../text/url.ts';
import type { SmsRuleRow } from '../../store/automations.ts';
import { insertRow } from '../../store/rows.ts';
import type { Effects } from '../due.ts';
import type { Step } from '../step.ts';
import type { Cause } from './cause.ts';
import { type OutgoingMessage, send } from './deliver.ts';
import { logSkipped } from './log.ts';
import { doneUnless, type RuleOutcome, smsOutcome } from './rule-outcome.ts';

export interface InboundSms {
  /** The destination: an MSISDN, with or without `+`, or a shortcode. */
  readonly to: string;
  /** The sender's MSISDN. */
  readonly from: string;
  readonly text: string;
}

/** Forwards the text as an SMS and as an e-mail, and calls the rule's URL, each if the rule asks for it. */
export async function notifyCompany(
  step: Step,
  cause: Cause,
  rule: SmsRuleRow,
  sms: InboundSms,
  effects: Effects,
): Promise<readonly RuleOutcome[]> {
  const { from, to, text } = sms;
  const outcomes: RuleOutcome[] = [];
  const forward = async (action: string, outgoing: OutgoingMessage, address: string): Promise<void> => {
    const channel = outgoing.channel === 'sms' ? 'sms' : 'email';
    const recipient = { address, isBlocked: await step.isBlocked(channel, address) };
    const obstacle = await send(step, cause, outgoing, recipient);
    if (obstacle !== undefined)
      logSkipped(step, cause, `SMS from ${from} not forwarded to ${address}: ${obstacle}`);
    outcomes.push(smsOutcome(rule, action, address, doneUnless(obstacle)));
  };
  if (rule.notifymsisdn !== null) {
    const { credits } = measureSms(text);
    const outgoing = { channel: 'sms', sender: to, subject: null, body: text, credits } as const;
    await forward('notifymsisdn', outgoing, rule.notifymsisdn);
  }
  if (rule.notifyemail !== null) {
    const subject = `SMS from ${from} to ${to}`;
    const outgoing = { channel: 'notification', sender: to, subject, body: text, credits: 0 } as const;
    await forward('notifyemail', outgoing, rule.notifyemail);
  }
  if (rule.notifyurl !== null) {
    await call(step, cause, urlFor(rule.notifyurl, rule, sms, cause.now), to, effects);
    outcomes.push(smsOutcome(rule, 'notifyurl', rule.notifyurl, { queued: cause.now }));
  }
  return outcomes;
}

/** Returns the URL with the SMS in its query, after any query it already has (src/protocol/README.md, "`notifyurl`"). */
function urlFor(text: string, rule: SmsRuleRow, sms: InboundSms, now: number): string {
  if (readUrl(text) === undefined) return text;
  const { to, from, text: message } = sms;
  const query = new URLSearchParams({
    to,
    from,
    text: message,
    keyword: rule.keyword ?? '',
    time: String(now),
  });
  const url = new URL(text);
  url.search = url.search === '' ? `?${query}` : `${url.search}&${query}`;
  url.hash = '';
  return url.href;
}

/** Records the HTTP GET (Interface, "Events") and requests it once the step is committed. The row shows that it was requested. */
async function call(step: Step, cause: Cause, url: string, sender: string, effects: Effects): Promise<void> {
  // The outbox shows earlier notices first.
  await step.write();
  const deliveryId = await insertRow(step.db, 'delivery', {
    account_id: cause.accountId,
    channel: 'notification',
    recipient: url,
    sender,
    subject: null,
    body: `GET ${url}`,
    time: cause.now,
    cause: 'rule',
    cause_id: cause.ruleId,
    rule_kind: cause.ruleKind,
  });
  effects.afterwards({ kind: 'get', accountId: cause.accountId, url, deliveryId });
}
