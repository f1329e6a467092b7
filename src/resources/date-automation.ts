import { ACTIONS, timedRule } from './automation.ts';

/** Declaration of date rules. Interface, "Automation rules": a date is reached; a negative offset acts before it. */
export const dateAutomation = timedRule(
  {
    name: 'dateAutomation',
    variant: 'date',
    describe: 'Acts before, on or after a date of a subscriber',
  },
  {
    unit: 'seconds',
    actions: ACTIONS,
    delayed: ['addtolist'],
    mayPrecede: true,
  },
);
