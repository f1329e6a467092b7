/** Implements click, open, subscription and date rules (interface, "Automation rules: common payload rules"). */
import { createConflictError, createLimitReachedError } from '../../protocol/service-errors.ts';
import { AUTOMATION_RULE_DEFAULTS } from '../../resources/automation.ts';
import type { TimedKind } from '../../resources/rule-kinds.ts';
import type { Scalar } from '../../schema/field.ts';
import { readIdText } from '../../schema/integer.ts';
import type { Values } from '../../schema/resource.ts';
import { type Call, requireCallerUserId } from '../request/call.ts';
import { rowToAttributeValues } from '../request/present.ts';
import { countTimedRules, timedRuleTable } from '../store/automations.ts';
import { abortActions } from '../store/due-work.ts';
import { deleteRow } from '../store/rows.ts';
import {
  type AutomationDependency,
  checkDependencies,
  findAddedDependencies,
  lockEmailsUsedByRule,
  readDependenciesFromAttribute,
  requireCallerIsRuleCreatorOrAdmin,
  requireChannelsEnabled,
  requireExistingDependencies,
} from './automation-dependencies.ts';
import type { ResourceBehaviour } from './behaviour.ts';
import { insertRecord, updateRecord } from './records.ts';

/** Returns the behaviour of all rules of one kind: click, open, subscription or date. Each kind has its own database table. */
export function timedAutomation(kind: TimedKind): ResourceBehaviour {
  const table = timedRuleTable(kind);
  return {
    create: async (call, values) => {
      const rule = { ...AUTOMATION_RULE_DEFAULTS, ...values, ...plainTarget(values, values) };
      requireChannel(call, rule);
      const dependencies = dependenciesOf(rule);
      await checkDependencies(call, dependencies);
      await requireRoom(call);
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
      const current = rowToAttributeValues(call.resource, row);
      const before = dependenciesOf(current);
      const after = dependenciesOf({ ...current, ...values });
      const changed = findAddedDependencies(before, after);
      if (changed.some(({ attribute }) => attribute === 'actiontarget'))
        requireChannel(call, { ...current, ...values });
      await checkDependencies(call, changed);
      // Interface, "States": a paused rule becomes active when all dependent resources exist.
      if (current['paused'] === true && values['paused'] === false)
        await requireExistingDependencies(call, Number(row['id']), after, false);
      await updateRecord(call, table, row, values);
      await lockEmailsUsedByRule(call, changed);
    },
    // Rule 11: a user can delete only rules they created; the admin can delete any.
    remove: async (call, row) => {
      requireCallerIsRuleCreatorOrAdmin(call, row);
      await abortActions(call.db, kind, Number(row['id']));
      await deleteRow(call.db, table, Number(row['id']));
    },
  };
}

const ANSWERS: readonly unknown[] = ['email_autoresponder', 'sms_autoresponder'];

/**
 * Returns the attribute `actiontarget`, the id of the list or message that the action of a rule uses. The id has the form in which ids are
 * stored and compared: `07` becomes `7`. Returns no attribute if the first argument has no `actiontarget`. Also returns no attribute for
 * the action `notify`, whose target is not an id.
 */
function plainTarget({ actiontarget }: Values, { actiontype }: Values): Values {
  if (actiontarget === undefined || actiontype === 'notify') return {};
  return { actiontarget: String(readIdText(String(actiontarget)) ?? actiontarget) };
}

/**
 * Throws a 409 if a PUT changes the action (actiontype) or the message (actiontarget) of an auto-responder. An auto-responder is a rule
 * that answers with a message (interface, "Automation rules" 8; docs/wire.md, "a state that forbids a change").
 */
function requireSameAnswer(current: Values, sent: Values): void {
  if (!ANSWERS.includes(current['actiontype'])) return;
  for (const attribute of ['actiontype', 'actiontarget']) {
    if (sent[attribute] !== undefined && sent[attribute] !== current[attribute])
      throw createConflictError(`${attribute} of an ${current['actiontype']} rule cannot be changed`);
  }
}

/**
 * Returns `actiononweekend: true` for a PUT after which the rule has no hour (`actionhour` is null) and no offset (`actiontimediff` is 0).
 * The interface requires the value true for such a rule (interface, "Automation rules" 1). Returns no attributes if the rule keeps an hour
 * or an offset, or if the PUT omits both attributes.
 */
function weekendDefault(current: Values, sent: Values): Values {
  const { actionhour, actiontimediff } = { ...current, ...sent };
  const moves = sent['actionhour'] !== undefined || sent['actiontimediff'] !== undefined;
  return moves && actionhour === null && actiontimediff === 0 ? { actiononweekend: true } : {};
}

function dependenciesOf(rule: Values): readonly AutomationDependency[] {
  return [
    ...readDependenciesFromAttribute(rule, 'link_id', 'emailMessageLink'),
    ...readDependenciesFromAttribute(rule, 'message_id', 'emailMessage'),
    ...readDependenciesFromAttribute(rule, 'list_id', 'list'),
    ...targetOf(rule['actiontype'], rule),
  ];
}

/**
 * Returns the message or list that the action names in `actiontarget`. Returns none for `notify`, which names an address, and for
 * `removefromlist`, which uses list_id (interface, "Automation rules" 10).
 */
function targetOf(actiontype: Scalar | undefined, rule: Values): readonly AutomationDependency[] {
  switch (actiontype) {
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

function requireChannel(call: Call, { actiontype }: Values): void {
  requireChannelsEnabled(call, {
    email: actiontype === 'email_autoresponder',
    sms: actiontype === 'sms_autoresponder',
  });
}

async function requireRoom(call: Call): Promise<void> {
  const most = call.caller.account.automation_limit;
  if (most !== null && (await countTimedRules(call.db, call.caller.accountId)) >= most)
    throw createLimitReachedError('automation_limit', most);
}
