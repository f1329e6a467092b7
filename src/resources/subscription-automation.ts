import { int } from '../schema/field.ts';
import { readIdText } from '../schema/integer.ts';
import { defineRule } from '../schema/resource.ts';
import { timedRule } from './automation.ts';

const removalHasNoTarget = defineRule({
  section: 'Automation rules 10',
  text: 'For removefromlist, actiontarget must be 0: the list is list_id',
  attributes: ['actiontype', 'actiontarget'],
  check: ({ actiontype, actiontarget }) =>
    actiontype === 'removefromlist' && actiontarget !== undefined && actiontarget !== '0'
      ? {
          attribute: 'actiontarget',
          value: actiontarget,
          reason: 'must be 0 for removefromlist; the list is list_id',
          instead: 'set actiontarget to 0',
        }
      : undefined,
});

const targetIsAnother = defineRule({
  section: 'Automation rules 10',
  text: 'For copytolist and movetolist, actiontarget is another list than list_id',
  attributes: ['actiontype', 'actiontarget', 'list_id'],
  check: ({ actiontype, actiontarget, list_id }) =>
    (actiontype === 'copytolist' || actiontype === 'movetolist') &&
    actiontarget !== undefined &&
    readIdText(String(actiontarget)) === list_id
      ? {
          attribute: 'actiontarget',
          value: actiontarget,
          reason: `must differ from list_id for ${actiontype}`,
          instead: 'name the other list',
        }
      : undefined,
});

/** Declaration of subscription rules. Interface, "Automation rules": a new subscription is received. Its unit is the minute. */
export const subscriptionAutomation = timedRule(
  {
    name: 'subscriptionAutomation',
    variant: 'subscription',
    describe: 'Acts when a subscription to a list is received',
  },
  {
    unit: 'minutes',
    actions: [
      'copytolist',
      'email_autoresponder',
      'movetolist',
      'notify',
      'removefromlist',
      'sms_autoresponder',
    ],
    delayed: ['copytolist', 'movetolist', 'removefromlist'],
    own: { list_id: int('List that the rule is for', { refersTo: 'list', flag: 'list' }) },
    rules: [removalHasNoTarget, targetIsAnother],
  },
);
