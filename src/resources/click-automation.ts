import { int, orNull } from '../schema/field.ts';
import { exactlyOne } from '../schema/rules.ts';
import { ACTIONS, timedRule } from './automation.ts';

/** Declaration of click rules. Interface, "Automation rules": a subscriber clicks a link, or any link of a message. */
export const clickAutomation = timedRule(
  {
    name: 'clickAutomation',
    variant: 'click',
    describe: 'Acts when a subscriber clicks a link',
  },
  {
    unit: 'seconds',
    actions: ACTIONS,
    delayed: ['addtolist'],
    own: {
      link_id: orNull(int('Link that triggers the rule', { refersTo: 'emailMessageLink', flag: 'link' })),
      message_id: orNull(
        int('Message; a click on any of its links triggers the rule', {
          refersTo: 'emailMessage',
          flag: 'message',
        }),
      ),
    },
    // Only one may be non-null (interface). A rule with neither could match nothing (wire, "click rule with neither id").
    rules: [exactlyOne('Automation rules, click', 'link_id', 'message_id')],
  },
);
