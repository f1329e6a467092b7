/** Rules for inbound SMS (interface, "smsAutomation") and timed rules (interface, "Automation rules: common payload rules"). */

import type { Scalar } from '../../kit/schema/field.ts';
import { readIdText } from '../../kit/schema/integer.ts';
import type { Values } from '../../kit/schema/resource.ts';
import { createConflictError, createLimitReachedError } from '../../service/protocol/service-errors.ts';
import { AUTOMATION_RULE_DEFAULTS } from '../../service/resources/automation.ts';
import type { TimedKind } from '../../service/resources/rule-kinds.ts';
import { type Call, requireCallerUserId, requireFeature } from '../request/call.ts';
import { countTimedRules, smsRuleIdByKeyword, timedRuleTable } from '../store/automations.ts';
import { abortActions } from '../store/due-work.ts';
import type { Db } from '../store/open.ts';
import { countRowsOfAccount, deleteRow } from '../store/rows.ts';
import { type BehaviourOf, insertRecord, type SentValues, updateRecord } from './behaviour.ts';
import {
  type AutomationDependency,
  checkDependencies,
  findAddedDependencies,
  lockEmailsUsedByRule,
  readDependenciesFromAttribute,
  requireCallerIsRuleCreatorOrAdmin,
  requireExistingDependencies,
} from './references.ts';

type SmsSent = SentValues<'smsAutomation'>;

export const smsAutomation: BehaviourOf<'smsAutomation', 'sms_automation'> = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    const rule = { ...values, ...answerDefaults(values, values) };
    await checkDependencies(call, dependenciesOfSmsRule(rule));
    await requireFreeKeyword(call, rule);
    await requireRoom(call, 'smsautomation_limit', (db, accountId) =>
      countRowsOfAccount(db, 'sms_automation', accountId),
    );
    return insertRecord(call, 'sms_automation', rule, { user_id: requireCallerUserId(call) });
  },
  adjust: (current, sent) => {
    if (sent.message_id === null) return { ...NO_ANSWER, ...sent };
    return { ...sent, ...answerDefaults({ ...current, ...sent }, sent) };
  },
  // "only the creator or an admin can modify or delete a rule"
  update: async (call, row, values) => {
    requireCallerIsRuleCreatorOrAdmin(call, row);
    const after = dependenciesOfSmsRule({ ...row, ...values });
    await checkDependencies(call, findAddedDependencies(dependenciesOfSmsRule(row), after));
    // "cannot be unpaused while its list_id, email_list_id or message_id resource is gone or inaccessible"
    if (row.paused === 1 && values.paused === false)
      await requireExistingDependencies(call, row.id, after, true);
    await requireFreeKeyword(call, values, row.id);
    await updateRecord(call, 'sms_automation', row, values);
  },
  remove: async (call, row) => {
    requireCallerIsRuleCreatorOrAdmin(call, row);
    await abortActions(call.db, 'sms', row.id);
    await deleteRow(call.db, 'sms_automation', row.id);
  },
};

/** Values of an sms rule without an automatic answer: they say when the message message_id is sent. */
const NO_ANSWER: Values = {
  message_actionhour: null,
  message_actiontimediff: null,
  message_actiononweekend: null,
};

/**
 * Returns the values that an automatic answer needs. Interface: message_actiontimediff "must be 0 or greater", so null becomes 0;
 * message_actiononweekend is "implicitly true" if only message_id is sent.
 */
function answerDefaults(rule: SmsSent, sent: SmsSent): Values {
  if (typeof rule.message_id !== 'number') return {};
  const offset = rule.message_actiontimediff ?? 0;
  const isAtOnce = typeof rule.message_actionhour !== 'string' && offset === 0;
  return {
    message_actiontimediff: offset,
    ...(isAtOnce && sent.message_actiononweekend !== false ? { message_actiononweekend: true } : {}),
  };
}

function dependenciesOfSmsRule(rule: Values): readonly AutomationDependency[] {
  return [
    ...readDependenciesFromAttribute(rule, 'list_id', 'list'),
    ...readDependenciesFromAttribute(rule, 'email_list_id', 'list'),
    ...readDependenciesFromAttribute(rule, 'message_id', 'smsMessage'),
  ];
}

/** Checks that no other sms rule has the sub-keyword (docs/wire.md, "unique"). Several rules may have none. */
async function requireFreeKeyword(call: Call, { keyword }: SmsSent, ownId?: number): Promise<void> {
  if (typeof keyword !== 'string') return;
  const existing = await smsRuleIdByKeyword(call.db, call.caller.accountId, keyword);
  if (existing !== undefined && existing !== ownId)
    throw createConflictError(`Keyword ${keyword} belongs to automation rule ${existing}`, existing);
}

type TimedSent = SentValues<`${TimedKind}Automation`>;

/** Returns the behaviour of all rules of one kind: click, open, subscription or date. Each kind has its own database table. */
export function timedAutomation(
  kind: TimedKind,
): BehaviourOf<`${TimedKind}Automation`, `${TimedKind}_automation`> {
  const table = timedRuleTable(kind);
  return {
    create: async (call, values) => {
      const rule = { ...AUTOMATION_RULE_DEFAULTS, ...values, ...plainTarget(values, values) };
      requireChannel(call, rule.actiontype);
      const dependencies = dependenciesOfTimedRule(rule);
      await checkDependencies(call, dependencies);
      await requireRoom(call, 'automation_limit', countTimedRules);
      const id = await insertRecord(call, table, rule, { user_id: requireCallerUserId(call) });
      await lockEmailsUsedByRule(call, dependencies);
      return id;
    },
    adjust: (current, sent) => {
      const moved = {
        ...weekendDefault(current, sent),
        ...sent,
        ...plainTarget(sent, { ...current, ...sent }),
      };
      requireSameAnswer(current, moved);
      return moved;
    },
    update: async (call, row, values) => {
      const after = dependenciesOfTimedRule({ ...row, ...values });
      const changed = findAddedDependencies(dependenciesOfTimedRule(row), after);
      if (changed.some(({ attribute }) => attribute === 'actiontarget'))
        requireChannel(call, values.actiontype ?? row.actiontype);
      await checkDependencies(call, changed);
      // Interface, "States": a paused rule becomes active when all dependent resources exist.
      if (row.paused === 1 && values.paused === false)
        await requireExistingDependencies(call, row.id, after, false);
      await updateRecord(call, table, row, values);
      await lockEmailsUsedByRule(call, changed);
    },
    // Rule 11: a user can delete only rules they created; the admin can delete any.
    remove: async (call, row) => {
      requireCallerIsRuleCreatorOrAdmin(call, row);
      await abortActions(call.db, kind, row.id);
      await deleteRow(call.db, table, row.id);
    },
  };
}

const ANSWERS: readonly unknown[] = ['email_autoresponder', 'sms_autoresponder'];

/** Returns a sent `actiontarget` as ids are stored: `07` becomes `7`. The target of `notify` is no id. */
function plainTarget({ actiontarget }: TimedSent, { actiontype }: TimedSent): TimedSent {
  if (actiontarget === undefined || actiontype === 'notify') return {};
  return { actiontarget: String(readIdText(actiontarget) ?? actiontarget) };
}

/**
 * Throws a 409 if a PUT changes action or message of an auto-responder (interface, "Automation rules" 8; docs/wire.md, "a state
 * that forbids a change").
 */
function requireSameAnswer(current: TimedSent, sent: TimedSent): void {
  if (!ANSWERS.includes(current.actiontype)) return;
  for (const attribute of ['actiontype', 'actiontarget'] as const) {
    if (sent[attribute] !== undefined && sent[attribute] !== current[attribute])
      throw createConflictError(`${attribute} of an ${current.actiontype} rule cannot be changed`);
  }
}

/** Returns `actiononweekend: true` if the PUT leaves the rule without hour and offset (interface, "Automation rules" 1). */
function weekendDefault(current: TimedSent, sent: TimedSent): TimedSent {
  const { actionhour, actiontimediff } = { ...current, ...sent };
  const moves = sent.actionhour !== undefined || sent.actiontimediff !== undefined;
  return moves && actionhour === null && actiontimediff === 0 ? { actiononweekend: true } : {};
}

/** Values of a timed rule of any kind, as sent or as stored. */
type RuleValues = Values & { readonly actiontype?: Scalar };

function dependenciesOfTimedRule(rule: RuleValues): readonly AutomationDependency[] {
  return [
    ...readDependenciesFromAttribute(rule, 'link_id', 'emailMessageLink'),
    ...readDependenciesFromAttribute(rule, 'message_id', 'emailMessage'),
    ...readDependenciesFromAttribute(rule, 'list_id', 'list'),
    ...targetOf(rule),
  ];
}

/** Returns the message or list in `actiontarget`. `notify` and `removefromlist` have none (interface, "Automation rules" 10). */
function targetOf(rule: RuleValues): readonly AutomationDependency[] {
  switch (rule.actiontype) {
    case 'email_autoresponder':
      return readDependenciesFromAttribute(rule, 'actiontarget', 'emailMessage');
    case 'sms_autoresponder':
      return readDependenciesFromAttribute(rule, 'actiontarget', 'smsMessage');
    case 'addtolist':
    case 'copytolist':
    case 'movetolist':
      return readDependenciesFromAttribute(rule, 'actiontarget', 'list');
    default:
      return [];
  }
}

/** Throws if the account may not send on the channel of the action (docs/wire.md, "features"). */
function requireChannel(call: Call, actiontype: string | undefined): void {
  if (actiontype === 'email_autoresponder') requireFeature(call.caller.account, 'enableemail');
  if (actiontype === 'sms_autoresponder') requireFeature(call.caller.account, 'enablesms');
}

/** Throws a 409 if the account has as many rules as the attribute `limit` allows. */
async function requireRoom(
  { db, caller: { account } }: Call,
  limit: 'automation_limit' | 'smsautomation_limit',
  count: (db: Db, accountId: number) => Promise<number>,
): Promise<void> {
  const most = account[limit];
  if (most !== null && (await count(db, account.id)) >= most) throw createLimitReachedError(limit, most);
}
