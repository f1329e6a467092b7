/** Explains click, open, subscription and date rules: the parts that differ from kind to kind. */
import { forEachTimedKind, type TIMED_RULES, type TimedKind } from '../resources/rule-kinds.ts';
import type { Explanation, ExplanationOf } from './explanation.ts';
import { explainTimed } from './timed-automation.ts';

const NOTIFY = '--actiontype notify --actiontarget office@example.com';
const OPEN = `automation create --kind open --name "Opened sale" --message "Spring sale" ${NOTIFY}`;
const SUBSCRIPTION = `automation create --kind subscription --name "New on the list" --list 7 ${NOTIFY}`;

const EXPLANATIONS: { readonly [K in TimedKind]: ExplanationOf<(typeof TIMED_RULES)[K]['resource']> } = {
  click: explainTimed('click', {
    about: [
      'A rule that acts when a subscriber clicks a link: one particular link, or any link of one message.',
    ],
    create: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
    fields: {
      link_id: {
        traps: [
          'At most one of link_id and message_id holds a value. A rule with neither could never match, so svc and the sandbox reject it.',
          'It locks the e-mail message of the link: the message can no longer be changed.',
        ],
        about: [
          'Both keys are required when you create a rule, but can be null. svc sends null for the one you omit.',
          'The link must belong to a message that the user can access. svc link list shows the links of a message with their ids.',
        ],
        example: `automation create --kind click --name "Clicked sale" --link 12 ${NOTIFY}`,
      },
      message_id: {
        traps: [
          'At most one of link_id and message_id holds a value. A rule with neither could never match, so svc and the sandbox reject it.',
          'It locks the e-mail message: the message can no longer be changed.',
        ],
        about: [
          'The user must have access to the message.',
          'Both keys are required when you create a rule, but can be null. svc sends null for the one you omit.',
        ],
        example: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
      },
    },
  }),
  open: explainTimed('open', {
    about: ['A rule that acts when a subscriber opens an e-mail message.'],
    create: OPEN,
    fields: {
      message_id: {
        traps: ['It locks the e-mail message: the message can no longer be changed.'],
        about: ['Opening this message triggers the rule. The user must have access to the message.'],
        example: OPEN,
      },
    },
  }),
  subscription: explainTimed('subscription', {
    about: ['A rule that acts when a new subscription to a list is received.'],
    traps: [
      'removefromlist removes the subscription from the list in list_id, and its actiontarget must be 0. copytolist and movetolist need a different list.',
    ],
    create: SUBSCRIPTION,
    fields: {
      list_id: {
        traps: [
          'For removefromlist, people are removed from this list.',
          'For copytolist and movetolist, it must differ from actiontarget.',
          'Deleting the list, or its folder, pauses the rule.',
        ],
        about: [
          'A new subscription to it triggers the rule. With folder restrictions, it must be in a folder that the user can access.',
        ],
        example: SUBSCRIPTION,
      },
    },
  }),
  date: explainTimed('date', {
    about: [
      'A rule that acts before, on or after a date. actiontimediff says how long before (negative) or after.',
      'The interface does not say which date of a subscriber it is, and no field names one. In the sandbox, set it with svc sandbox event date.',
    ],
    traps: [
      'A negative actiontimediff acts before the date and a positive one after it: if you forget the minus sign, the rule acts on the wrong side of the date.',
    ],
    create:
      'automation create --kind date --name "Renewal" --actiontype notify --actiontarget office@example.com',
    fields: {},
  }),
};

/** Explanations by resource name. */
export const timedExplanations = forEachTimedKind((kind): Explanation => EXPLANATIONS[kind]);
