/** Lists the attributes of a rule that refer to records, and resolves them. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import type { RuleKind } from '../../resources/automation.ts';
import type { Identity } from '../content.ts';
import type { Channel } from '../model.ts';

/** Attributes that hold the id of a message, with its channel where the rule says it. */
export function messageAttributes(
  rule: RuleKind,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Channel>> {
  if (rule === 'sms') return { message_id: 'sms' };
  const { actiontype } = values;
  return {
    ...(rule === 'click' || rule === 'open' ? { message_id: 'email' as const } : {}),
    ...(actiontype === 'email_autoresponder' ? { actiontarget: 'email' as const } : {}),
    ...(actiontype === 'sms_autoresponder' ? { actiontarget: 'sms' as const } : {}),
  };
}

/** All attributes of a rule that refer to a record. */
const REFERRING: Readonly<Record<RuleKind, readonly string[]>> = {
  click: ['link_id', 'message_id'],
  open: ['message_id'],
  subscription: ['list_id'],
  date: [],
  sms: ['email_list_id', 'list_id', 'message_id'],
};

export function refersIn(rule: RuleKind, values: Readonly<Record<string, unknown>>): readonly string[] {
  const { actiontype } = values;
  const hasTarget = rule !== 'sms' && actiontype !== 'notify' && actiontype !== 'removefromlist';
  return [...REFERRING[rule], ...(hasTarget ? ['actiontarget'] : [])];
}

export function identitiesIn(
  rule: RuleKind,
  record: JsonObject,
  identityOf: (channel: Channel, id: Json | undefined) => Identity,
): Readonly<Record<string, Identity>> {
  const channels = messageAttributes(rule, record);
  const named = refersIn(rule, record).filter((attribute) => record[attribute] != null);
  return Object.fromEntries(
    named.map((attribute) => {
      const channel = channels[attribute];
      const id = record[attribute];
      return [attribute, channel ? identityOf(channel, id) : `id:${String(id)}`];
    }),
  );
}
