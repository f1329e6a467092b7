/** Receives an SMS: finds its destination, its keyword and its rules (interface, "Events": smsAutomation). */

import { isEmailAddress, normaliseMsisdn, readUrl } from '../../../kit/text/address.ts';
import { measureSms } from '../../../kit/text/gsm.ts';
import { computeActionTime } from '../../../service/automations/action-time.ts';
import {
  computeActionTimingOfSmsReply,
  type TriggeringRuleChain,
} from '../../../service/automations/rules.ts';
import { ServiceError } from '../../../service/protocol/service-errors.ts';
import type { SmsNotificationUrlParameters } from '../../../service/protocol/wire.ts';
import type { Account } from '../../request/call.ts';
import { accountById } from '../../store/accounts.ts';
import { findMatchingSmsRules, findSmsDestination, type SmsRuleRow } from '../../store/automations.ts';
import { isBlocked } from '../../store/do-not-contact.ts';
import type { Db } from '../../store/open.ts';
import { findRowOfAccount, insertRow } from '../../store/rows.ts';
import { type Contact, createSubscriber, findSubscriber } from '../../store/subscribers.ts';
import type { EngineStepOptions } from '../due.ts';
import {
  type AccountWorkStep,
  formatRuleReference,
  logListChangeByRule,
  logSkippedAction,
  type RuleActionCause,
  runAccountWorkStep,
} from '../step.ts';
import { addSubscriberToList } from './actions.ts';
import { deliverRuleMessage, type OutgoingMessage } from './deliver.ts';
import { createRuleOutcome, queueRuleAction, type RuleOutcome, toActionOutcome } from './triggers.ts';

interface InboundSmsOutcome {
  /** Company that owns the destination. Undefined if no company has this destination. */
  readonly accountId: number | undefined;
  readonly ruleIds: readonly number[];
  /** Outcomes of the matched rules' actions, and of the subscription rules that those actions triggered. */
  readonly outcomes: readonly RuleOutcome[];
  /** Word of the SMS that was compared with the sub-keyword of each sms rule. Undefined if the sandbox did not look for matching rules. */
  readonly word?: string;
  /** Reason why the sandbox did not look for matching rules. Null if the sandbox looked for matching rules. */
  readonly why: string | null;
}

/**
 * Runs the sms rules of the company whose destination received the SMS, and logs an SMS that triggers none. Auto-responders are only queued.
 * Without `accountId`, searches the destinations of all companies. `now`: Unix seconds.
 */
export async function receiveSms(
  db: Db,
  sms: InboundSms,
  accountId: number | undefined,
  now: number,
  context: EngineStepOptions,
): Promise<InboundSmsOutcome> {
  const given = { ...sms, to: bare(sms.to), from: bare(sms.from) };
  const [first = '', second = ''] = splitWords(sms.text);
  const destination = await findSmsDestination(db, { to: given.to, word: first, accountId });
  const account = destination && (await accountById(db, destination.account_id));
  if (account) {
    const written = { sender: given.from, destination: given.to, text: sms.text, time: now };
    await insertRow(db, 'inbound_sms', { account_id: account.id, ...written });
  }
  const end = async (why: string): Promise<InboundSmsOutcome> => {
    await logUnmatchedSms(db, now, given, why);
    return { accountId: account?.id, ruleIds: [], outcomes: [], why };
  };
  if (!destination || !account) return end('no destination matches');
  if (account.enablesms !== 1 || account.enablesubscriptionmo !== 1)
    return end('the feature enablesubscriptionmo is off');
  // The sub-keyword follows the destination's keyword, if it has one.
  const word = destination.keyword === null ? first : second;
  const rules = await findMatchingSmsRules(db, account.id, word);
  if (rules.length === 0) await logUnmatchedSms(db, now, given, 'no rule matches');
  const outcomes: RuleOutcome[] = [];
  await runAccountWorkStep(db, account.id, async (step) => {
    for (const rule of rules) outcomes.push(...(await follow(step, account, rule, given, now, context)));
  });
  return { accountId: account.id, ruleIds: rules.map(({ id }) => id), outcomes, word, why: null };
}

const bare = (number: string): string => normaliseMsisdn(number) ?? number.trim();

const splitWords = (text: string): readonly string[] => text.trim().split(/\s+/u);

async function follow(
  step: AccountWorkStep,
  account: Account,
  rule: SmsRuleRow,
  sms: InboundSms,
  now: number,
  context: EngineStepOptions,
): Promise<readonly RuleOutcome[]> {
  const cause: RuleActionCause = { accountId: account.id, ruleKind: 'sms', ruleId: rule.id, now };
  const chain = [formatRuleReference(cause)];
  const sender = await addSender(step, cause, rule, rule.list_id, { msisdn: sms.from }, chain);
  const outcomes = [...sender.outcomes];
  const email = addressIn(sms.text);
  if (rule.email_list_id !== null && email !== undefined)
    outcomes.push(...(await addSender(step, cause, rule, rule.email_list_id, { email }, chain)).outcomes);
  if (rule.message_id !== null && sender.id !== undefined) {
    const due = answerTime(rule, account.timezone, now);
    queueRuleAction(
      step,
      { kind: 'sms', rule, subscriberId: sender.id, due },
      { happening: { kind: 'sms', to: sms.to, text: sms.text }, time: now, chain },
    );
    outcomes.push(createRuleOutcome('sms', rule, 'sms_autoresponder', rule.message_id, { queued: due }));
  }
  outcomes.push(...(await notifyCompany(step, cause, rule, sms, context)));
  return outcomes;
}

interface Added {
  /** Id of the subscriber. Undefined if no subscriber could be added. */
  readonly id?: number;
  readonly outcomes: readonly RuleOutcome[];
}

/** Subscribes the number that sent the SMS, or an e-mail address in its text, to a list of the rule. Creates a missing subscriber. */
async function addSender(
  step: AccountWorkStep,
  cause: RuleActionCause,
  rule: SmsRuleRow,
  listId: number,
  contact: Contact,
  chain: TriggeringRuleChain,
): Promise<Added> {
  const { db, accountId } = step;
  const { now } = cause;
  const outcome = (obstacle?: string) =>
    createRuleOutcome('sms', rule, 'addtolist', listId, toActionOutcome(obstacle));
  const skip = (why: string): Added => {
    const text = `${contact.email ?? contact.msisdn} not added to list ${listId}: ${why}`;
    logSkippedAction(step, cause, text);
    return { outcomes: [outcome(why)] };
  };
  if (!(await findRowOfAccount(db, 'list', accountId, listId))) return skip('the list is gone');
  if (await isBlocked(db, accountId, contact)) return skip('on Do Not Contact');
  try {
    const known = await findSubscriber(db, accountId, contact);
    const id = known?.id ?? (await createSubscriber(db, accountId, contact, now));
    const triggered = await addSubscriberToList({ step, now }, listId, id, chain, 'sms');
    if (triggered)
      logListChangeByRule(step, cause, { action: 'addtolist', target: String(listId), subscriberId: id });
    return {
      id,
      outcomes: triggered ? [outcome(), ...triggered] : [outcome(`was already on list ${listId}`)],
    };
  } catch (error) {
    // An error such as a reached subscriber_limit of the account.
    if (error instanceof ServiceError) return skip(error.message);
    throw error;
  }
}

/** Returns the first e-mail address in the text, without surrounding punctuation. */
function addressIn(text: string): string | undefined {
  return splitWords(text)
    .map((word) => word.replace(/^[<("'[]+/, '').replace(/(?<![>)"'\].,;:!?])[>)"'\].,;:!?]+$/, ''))
    .find(isEmailAddress);
}

function answerTime(rule: SmsRuleRow, zone: string, now: number): number {
  const weekend = rule.message_actiononweekend;
  const attributes = { ...rule, message_actiononweekend: weekend === null ? null : weekend !== 0 };
  return computeActionTime(computeActionTimingOfSmsReply(attributes, { event: now, now, zone }));
}

interface InboundSms {
  /** The destination: an MSISDN, with or without `+`, or a shortcode. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
}

/** Forwards the text as an SMS and as an e-mail, and calls a URL. Does only those of the three for which the rule has a target. */
async function notifyCompany(
  step: AccountWorkStep,
  cause: RuleActionCause,
  rule: SmsRuleRow,
  sms: InboundSms,
  context: EngineStepOptions,
): Promise<readonly RuleOutcome[]> {
  const { from, to, text } = sms;
  const outcomes: RuleOutcome[] = [];
  const forward = async (action: string, outgoing: OutgoingMessage, address: string): Promise<void> => {
    const channel = outgoing.channel === 'sms' ? 'sms' : 'email';
    const recipient = { address, isBlocked: await step.isBlocked(channel, address) };
    const obstacle = await deliverRuleMessage(step, cause, outgoing, recipient);
    if (obstacle !== undefined)
      logSkippedAction(step, cause, `SMS from ${from} not forwarded to ${address}: ${obstacle}`);
    outcomes.push(createRuleOutcome('sms', rule, action, address, toActionOutcome(obstacle)));
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
    await call(step, cause, urlFor(rule.notifyurl, rule, sms, cause.now), to, context);
    outcomes.push(createRuleOutcome('sms', rule, 'notifyurl', rule.notifyurl, { queued: cause.now }));
  }
  return outcomes;
}

/** Adds parameters that describe the SMS to a valid URL (src/service/protocol/README.md, "`notifyurl`"). */
function urlFor(text: string, rule: SmsRuleRow, sms: InboundSms, now: number): string {
  if (readUrl(text) === undefined) return text;
  const { to, from, text: message } = sms;
  const parameters: SmsNotificationUrlParameters = {
    to,
    from,
    text: message,
    keyword: rule.keyword ?? '',
    time: String(now),
  };
  const query = new URLSearchParams(parameters);
  const url = new URL(text);
  url.search = url.search === '' ? `?${query}` : `${url.search}&${query}`;
  url.hash = '';
  return url.href;
}

/** Stores an HTTP GET in the outbox (Interface, "Events"), and sends it after the commit, or never if the process ends before that. */
async function call(
  step: AccountWorkStep,
  cause: RuleActionCause,
  url: string,
  sender: string,
  context: EngineStepOptions,
): Promise<void> {
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
  context.requestAfterCommit({ url, deliveryId });
}

async function logUnmatchedSms(
  db: Db,
  now: number,
  sms: { readonly to: string; readonly from: string },
  reason: string,
): Promise<void> {
  const text = `SMS from ${sms.from} to ${sms.to}: ${reason}`;
  await insertRow(db, 'log', { time: now, kind: 'sms-in', text });
}
