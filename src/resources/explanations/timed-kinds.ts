/** Explains click, open, subscription and date rules: the parts that differ from kind to kind. */
import { forEachTimedKind, type TIMED_RULES, type TimedKind } from '../rule-kinds.ts';
import type { Explanation, ExplanationOf } from './explanation.ts';
import { explainTimed } from './timed-automation.ts';

const NOTIFY = '--actiontype notify --actiontarget office@example.com';
const OPEN = `automation create --kind open --name "Opened sale" --message "Spring sale" ${NOTIFY}`;
const SUBSCRIPTION = `automation create --kind subscription --name "New on the list" --list 7 ${NOTIFY}`;

const EXPLANATIONS: { readonly [K in TimedKind]: ExplanationOf<(typeof TIMED_RULES)[K]['resource']> } = {
  click: explainTimed('click', {
    about: [
      'A rule that acts when a subscriber clicks a link: one certain link, or any link of one message.',
    ],
    create: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
    fields: {
      link_id: {
        traps: [
          'At most one of link_id and message_id holds a value. With neither the rule could match nothing, so svc and the sandbox refuse it.',
          'It locks the e-mail message of the link: from then on the message cannot be changed.',
        ],
        about: [
          'Both keys are required when a rule is made, though they may be null; svc sends null for the one that is not given.',
          'The link has to belong to a message that the user can access. svc link list shows the links of a message with their ids.',
        ],
        example: `automation create --kind click --name "Clicked sale" --link 12 ${NOTIFY}`,
      },
      message_id: {
        traps: [
          'At most one of link_id and message_id holds a value. With neither the rule could match nothing, so svc and the sandbox refuse it.',
          'It locks the e-mail message: from then on the message cannot be changed.',
        ],
        about: [
          'The user has to be able to access the message.',
          'Both keys are required when a rule is made, though they may be null; svc sends null for the one that is not given.',
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
        traps: ['It locks the e-mail message: from then on the message cannot be changed.'],
        about: ['Its opening sets the rule off. The user has to be able to access the message.'],
        example: OPEN,
      },
    },
  }),
  subscription: explainTimed('subscription', {
    about: ['A rule that acts when a new subscription to a list is received.'],
    traps: [
      'removefromlist takes the subscription off the list in list_id, and its actiontarget has to be 0. copytolist and movetolist need another list than that one.',
    ],
    create: SUBSCRIPTION,
    fields: {
      list_id: {
        traps: [
          'For removefromlist this is the list that people are removed from.',
          'For copytolist and movetolist it has to differ from actiontarget.',
          'Deleting the list, or its folder, pauses the rule.',
        ],
        about: [
          'A new subscription to it sets the rule off. With folder restrictions it has to lie in a folder that the user can access.',
        ],
        example: SUBSCRIPTION,
      },
    },
  }),
  date: explainTimed('date', {
    about: [
      'A rule that acts before, on or after a date. actiontimediff says how long before (negative) or after.',
      'The interface does not say which date of a subscriber it is, and no field names one. In the sandbox svc sandbox event date sets it.',
    ],
    traps: [
      'A negative actiontimediff acts before the date and a positive one after it: a forgotten minus sign acts on the wrong side of the date.',
    ],
    create:
      'automation create --kind date --name "Renewal" --actiontype notify --actiontarget office@example.com',
    fields: {},
  }),
};

/** Explanations by resource name. */
export const timedExplanations = forEachTimedKind((kind): Explanation => EXPLANATIONS[kind]);
