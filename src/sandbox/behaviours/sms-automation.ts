/** Implements rules for inbound SMS (interface, "smsAutomation"). */
import { createConflictError, createLimitReachedError } from '../../protocol/service-errors.ts';
import type { Values } from '../../schema/resource.ts';
import { type Call, requireCallerUserId } from '../request/call.ts';
import { rowToAttributeValues } from '../request/present.ts';
import { smsRuleIdByKeyword } from '../store/automations.ts';
import { abortActions } from '../store/due-work.ts';
import { countRowsOfAccount, deleteRow } from '../store/rows.ts';
import {
  type AutomationDependency,
  checkDependencies,
  findAddedDependencies,
  readDependenciesFromAttribute,
  requireCallerIsRuleCreatorOrAdmin,
  requireChannelsEnabled,
  requireExistingDependencies,
} from './automation-dependencies.ts';
import type { ResourceBehaviour } from './behaviour.ts';
import { insertRecord, updateRecord } from './records.ts';

export const smsAutomation: ResourceBehaviour = {
  create: async (call, values) => {
    requireChannelsEnabled(call, { email: false, sms: true });
    const rule = { ...values, ...answerDefaults(values, values) };
    await checkDependencies(call, dependenciesOf(rule));
    await requireFreeKeyword(call, rule);
    await requireRoom(call);
    return insertRecord(call, 'sms_automation', rule, { user_id: requireCallerUserId(call) });
  },
  adjust: (current, sent) => {
    if (sent['message_id'] === null) return { ...NO_ANSWER, ...sent };
    return { ...sent, ...answerDefaults({ ...current, ...sent }, sent) };
  },
  // "only the creator or an admin can modify or delete a rule"
  update: async (call, row, values) => {
    requireCallerIsRuleCreatorOrAdmin(call, row);
    const current = rowToAttributeValues(call.resource, row);
    const after = dependenciesOf({ ...current, ...values });
    await checkDependencies(call, findAddedDependencies(dependenciesOf(current), after));
    // "cannot be unpaused while its list_id, email_list_id or message_id resource is gone or inaccessible"
    if (current['paused'] === true && values['paused'] === false)
      await requireExistingDependencies(call, Number(row['id']), after, true);
    await requireFreeKeyword(call, values, Number(row['id']));
    await updateRecord(call, 'sms_automation', row, values);
  },
  remove: async (call, row) => {
    requireCallerIsRuleCreatorOrAdmin(call, row);
    await abortActions(call.db, 'sms', Number(row['id']));
    await deleteRow(call.db, 'sms_automation', Number(row['id']));
  },
};

/**
 * Values of an sms rule without an automatic answer. These attributes say when the message with the id message_id is sent, so they are null
 * if message_id is null.
 */
const NO_ANSWER: Values = {
  message_actionhour: null,
  message_actiontimediff: null,
  message_actiononweekend: null,
};

/**
 * Returns the values that an automatic answer (message_id) needs. Interface: message_actiontimediff "must be 0 or greater", so null becomes
 * 0; message_actiononweekend is "implicitly true" if only message_id is sent.
 */
function answerDefaults(rule: Values, sent: Values): Values {
  if (typeof rule['message_id'] !== 'number') return {};
  const offset = rule['message_actiontimediff'] ?? 0;
  const isAtOnce = typeof rule['message_actionhour'] !== 'string' && offset === 0;
  return {
    message_actiontimediff: offset,
    ...(isAtOnce && sent['message_actiononweekend'] !== false ? { message_actiononweekend: true } : {}),
  };
}

function dependenciesOf(rule: Values): readonly AutomationDependency[] {
  return [
    ...readDependenciesFromAttribute(rule, 'list_id', 'list'),
    ...readDependenciesFromAttribute(rule, 'email_list_id', 'list'),
    ...readDependenciesFromAttribute(rule, 'message_id', 'smsMessage'),
  ];
}

/**
 * Checks that no other sms rule has the sub-keyword `keyword` (docs/wire.md, "unique"). A sub-keyword is the word in an SMS that triggers
 * the rule. Several rules may have no sub-keyword. These rules match each SMS that no sub-keyword matches.
 */
async function requireFreeKeyword(call: Call, { keyword }: Values, ownId?: number): Promise<void> {
  if (typeof keyword !== 'string') return;
  const existing = await smsRuleIdByKeyword(call.db, call.caller.accountId, keyword);
  if (existing !== undefined && existing !== ownId)
    throw createConflictError(`Keyword ${keyword} belongs to automation rule ${existing}`, existing);
}

async function requireRoom(call: Call): Promise<void> {
  const most = call.caller.account.smsautomation_limit;
  if (most !== null && (await countRowsOfAccount(call.db, 'sms_automation', call.caller.accountId)) >= most)
    throw createLimitReachedError('smsautomation_limit', most);
}
