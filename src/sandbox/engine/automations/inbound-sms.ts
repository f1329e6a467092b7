/** An SMS comes in: destination, keyword, rules (interface, "Events": smsAutomation). */
import { ServiceError } from '../../../protocol/service-errors.ts';
import { isEmailAddress } from '../../../text/address.ts';
import { normaliseMsisdn } from '../../../text/msisdn.ts';
import type { Account } from '../../request/call.ts';
import { destinationFor, matchingSmsRules, type SmsRuleRow } from '../../store/automations.ts';
import { isBlocked } from '../../store/do-not-contact.ts';
import { accountById } from '../../store/identity.ts';
import { listById } from '../../store/lists.ts';
import type { Db } from '../../store/open.ts';
import { type Contact, createSubscriber, findSubscriber } from '../../store/subscribers.ts';
import type { Effects } from '../due.ts';
import { actionTime } from './action-time.ts';
import { type Cause, nameOf } from './cause.ts';
import { addToList } from './change-lists.ts';
import { type InboundSms, tellCompany } from './inbound-notices.ts';
import { logSkipped, logUnmatched } from './log.ts';
import { type Chain, hourOf, queue } from './triggers.ts';

export interface Received {
  /** The company whose destination it was for; undefined where no destination takes it. */
  readonly accountId: number | undefined;
  /** The sms rules that matched. */
  readonly ruleIds: readonly number[];
}

/**
 * Does what the matching rules say, but for their answers, which are queued. What set off nothing is logged.
 * @param accountId the company whose destinations are looked at; all where undefined
 * @param now Unix seconds
 */
export async function receiveSms(
  db: Db,
  sms: InboundSms,
  accountId: number | undefined,
  now: number,
  effects: Effects,
): Promise<Received> {
  const given = { ...sms, to: bare(sms.to), from: bare(sms.from) };
  const [first = '', second = ''] = wordsOf(sms.text);
  const destination = await destinationFor(db, { to: given.to, word: first, accountId });
  const account = destination && (await accountById(db, destination.account_id));
  if (!destination || !account) {
    await logUnmatched(db, now, given, 'no destination takes it');
    return { accountId: undefined, ruleIds: [] };
  }
  if (account.enablesms !== 1 || account.enablesubscriptionmo !== 1) {
    await logUnmatched(db, now, given, 'the feature enablesubscriptionmo is off');
    return { accountId: account.id, ruleIds: [] };
  }
  // The sub-keyword comes after the destination's keyword, where that has one.
  const rules = await matchingSmsRules(db, account.id, destination.keyword === null ? first : second);
  if (rules.length === 0) await logUnmatched(db, now, given, 'no rule matches');
  for (const rule of rules) await follow(db, account, rule, given, now, effects);
  return { accountId: account.id, ruleIds: rules.map(({ id }) => id) };
}

const bare = (number: string): string => normaliseMsisdn(number) ?? number.trim();

const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/u);

async function follow(
  db: Db,
  account: Account,
  rule: SmsRuleRow,
  sms: InboundSms,
  now: number,
  effects: Effects,
): Promise<void> {
  const cause: Cause = { accountId: account.id, ruleKind: 'sms', ruleId: rule.id, now };
  const chain = [nameOf(cause)];
  const sender = await addSender(db, cause, rule.list_id, { msisdn: sms.from }, chain);
  const email = addressIn(sms.text);
  if (rule.email_list_id !== null && email !== undefined)
    await addSender(db, cause, rule.email_list_id, { email }, chain);
  if (rule.message_id !== null && sender !== undefined)
    await queue(
      db,
      { kind: 'sms', rule, subscriberId: sender, due: answerTime(rule, account.timezone, now) },
      { happening: { kind: 'sms', to: sms.to, text: sms.text }, time: now, chain },
    );
  await tellCompany(db, cause, rule, sms, effects);
}

/** Subscribes who has this address, making the subscriber where there is none. Returns the id, or logs why not. */
async function addSender(
  db: Db,
  cause: Cause,
  listId: number,
  contact: Contact,
  chain: Chain,
): Promise<number | undefined> {
  const { accountId, now } = cause;
  const skip = async (why: string): Promise<undefined> => {
    const text = `${contact.email ?? contact.msisdn} not added to list ${listId}: ${why}`;
    await logSkipped(db, cause, text);
  };
  if (!(await listById(db, accountId, listId))) return skip('the list is gone');
  if (await isBlocked(db, accountId, contact)) return skip('on Do Not Contact');
  try {
    const known = await findSubscriber(db, accountId, contact);
    const id = known?.id ?? (await createSubscriber(db, accountId, contact, now));
    await addToList({ db, ...cause }, listId, id, chain);
    return id;
  } catch (error) {
    // The account's subscriber_limit, say.
    if (error instanceof ServiceError) return skip(error.message);
    throw error;
  }
}

/** The first e-mail address in the text, without what punctuation stands around it. */
function addressIn(text: string): string | undefined {
  return wordsOf(text)
    .map((word) => word.replaceAll(/^[<("'[]+|[>)"'\].,;:!?]+$/g, ''))
    .find(isEmailAddress);
}

function answerTime(rule: SmsRuleRow, zone: string, now: number): number {
  return actionTime({
    event: now,
    offset: rule.message_actiontimediff ?? 0,
    now,
    hour: hourOf(rule.message_actionhour),
    onWeekend: rule.message_actiononweekend !== 0,
    zone,
  });
}
