/** Declares the kinds of rule that have an action and an offset. `rule-kinds.ts` has a table of all other differences between the kinds. */
import { int, orNull } from '../../kit/schema/field.ts';
import { readIdText } from '../../kit/schema/integer.ts';
import { phrase } from '../../kit/schema/reason.ts';
import { defineValidationRule } from '../../kit/schema/resource.ts';
import { createRequiredAttributesSchema, exactlyOne, when } from '../../kit/schema/rules.ts';
import { CLICK_OPEN_DATE_ACTIONS, defineTimedAutomation } from './automation.ts';

/** Rules that act at a click on one link, or on any link of one message (interface, "Automation rules"). */
export const clickAutomation = defineTimedAutomation(
  { name: 'clickAutomation', variant: 'click', describe: 'Acts when a subscriber clicks a link' },
  {
    unit: 'seconds',
    actions: CLICK_OPEN_DATE_ACTIONS,
    delayed: ['addtolist'],
    own: {
      link_id: orNull(int('Link that triggers the rule', { refersTo: 'emailMessageLink', flag: 'link' })),
      message_id: orNull(
        int('Message in which a click on any link triggers the rule', {
          refersTo: 'emailMessage',
          byName: true,
          flag: 'message',
        }),
      ),
    },
    // Only one may be non-null (interface). A rule with neither could match nothing (wire, "click rule with neither id").
    rules: [exactlyOne('Automation rules, click', 'link_id', 'message_id')],
  },
);

/** Declaration of open rules, which act when a subscriber opens a message (interface, "Automation rules"). */
export const openAutomation = defineTimedAutomation(
  { name: 'openAutomation', variant: 'open', describe: 'Acts when a subscriber opens a message' },
  {
    unit: 'seconds',
    actions: CLICK_OPEN_DATE_ACTIONS,
    delayed: ['addtolist'],
    own: {
      message_id: int('Message that triggers the rule when someone opens it', {
        refersTo: 'emailMessage',
        byName: true,
        flag: 'message',
      }),
    },
  },
);

/** Rules that act before (with a negative offset), on or after a date of a subscriber (interface, "Automation rules"). */
export const dateAutomation = defineTimedAutomation(
  { name: 'dateAutomation', variant: 'date', describe: 'Acts before, on or after a date of a subscriber' },
  { unit: 'seconds', actions: CLICK_OPEN_DATE_ACTIONS, delayed: ['addtolist'], mayPrecede: true, own: {} },
);

const removalHasNoTarget = defineValidationRule({
  section: 'Automation rules 10',
  text: 'For removefromlist, actiontarget must be 0: the rule uses the list in list_id',
  attributes: ['actiontype', 'actiontarget'],
  schema: () =>
    when(createRequiredAttributesSchema({ actiontype: { const: 'removefromlist' } }), {
      properties: { actiontarget: { const: '0' } },
    }),
  check: ({ actiontype, actiontarget }) =>
    actiontype === 'removefromlist' && actiontarget !== undefined && actiontarget !== '0'
      ? {
          attribute: 'actiontarget',
          value: actiontarget,
          reason: { kind: 'form', form: '0 for removefromlist' },
          instead: phrase`set ${'actiontarget'} to 0, because ${'list_id'} already names the list`,
        }
      : undefined,
});

const targetIsAnother = defineValidationRule({
  section: 'Automation rules 10',
  text: 'For copytolist and movetolist, actiontarget must be a different list from list_id',
  attributes: ['actiontype', 'actiontarget', 'list_id'],
  check: ({ actiontype, actiontarget, list_id }) =>
    (actiontype === 'copytolist' || actiontype === 'movetolist') &&
    actiontarget !== undefined &&
    readIdText(String(actiontarget)) === list_id
      ? {
          attribute: 'actiontarget',
          value: actiontarget,
          reason: phrase`must differ from ${'list_id'}`,
          instead: 'give the id of another list',
        }
      : undefined,
});

/** Rules that act when a list gets a subscription (interface, "Automation rules"). The offset is in minutes. */
export const subscriptionAutomation = defineTimedAutomation(
  {
    name: 'subscriptionAutomation',
    variant: 'subscription',
    describe: 'Acts when someone subscribes to a list',
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
    own: {
      list_id: int('List to watch: each new subscription to this list triggers the rule', {
        refersTo: 'list',
        flag: 'list',
      }),
    },
    rules: [removalHasNoTarget, targetIsAnother],
  },
);
