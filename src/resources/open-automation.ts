import { int } from '../schema/field.ts';
import { ACTIONS, timedRule } from './automation.ts';

/** Declaration of open rules. Interface, "Automation rules": a subscriber opens a message. */
export const openAutomation = timedRule(
  {
    name: 'openAutomation',
    variant: 'open',
    describe: 'Acts when a subscriber opens a message',
  },
  {
    unit: 'seconds',
    actions: ACTIONS,
    delayed: ['addtolist'],
    own: {
      message_id: int('The message', {
        refersTo: 'emailMessage',
        flag: 'message',
      }),
    },
  },
);
