/** Explains click, open, subscription and date rules: the parts that differ from kind to kind. */
import { mapTimedRuleKinds, type TIMED_RULE_DEFINITIONS, type TimedKind } from '../resources/rule-kinds.ts';
import type { Explanation, ExplanationOf } from './explanation.ts';
import { explainTimedRule } from './timed-automation.ts';

const NOTIFY = '--actiontype notify --actiontarget office@example.com';
const OPEN = `automation create --kind open --name "Opened sale" --message "Spring sale" ${NOTIFY}`;
const SUBSCRIPTION = `automation create --kind subscription --name "New on the list" --list 7 ${NOTIFY}`;

const EXPLANATIONS: {
  readonly [K in TimedKind]: ExplanationOf<(typeof TIMED_RULE_DEFINITIONS)[K]['resource']>;
} = {
  click: explainTimedRule('click', {
    about: [
      'A rule that acts when a subscriber clicks a link: one particular link, or any link of one message.',
    ],
    create: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
    fields: {
      link_id: {
        traps: [
          'A click rule has either a link_id or a message_id, never both. svc and the sandbox reject a rule that has no link_id and no message_id, because no click could trigger the rule.',
          'The rule locks the e-mail message of the link: the message can no longer be changed.',
        ],
        about: [
          'A request that creates a rule must contain both link_id and message_id, and one of them must be null. Give svc only one of them: svc sends null for the other.',
          'The link must belong to a message that the user can access. svc link list shows the links of a message with their ids.',
        ],
        example: `automation create --kind click --name "Clicked sale" --link 12 ${NOTIFY}`,
      },
      message_id: {
        traps: [
          'A click rule has either a link_id or a message_id, never both. svc and the sandbox reject a rule that has no link_id and no message_id, because no click could trigger the rule.',
          'A rule locks its e-mail message: the message can no longer be changed.',
        ],
        about: [
          'The user who sets message_id must have access to the message.',
          'A request that creates a rule must contain both link_id and message_id, and one of them must be null. Give svc only one of them: svc sends null for the other.',
        ],
        example: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
      },
    },
  }),
  open: explainTimedRule('open', {
    about: ['A rule that acts when a subscriber opens an e-mail message.'],
    create: OPEN,
    fields: {
      message_id: {
        traps: ['A rule locks its e-mail message: the message can no longer be changed.'],
        about: [
          'Opening the message in message_id triggers the rule. The user who sets message_id must have access to the message.',
        ],
        example: OPEN,
      },
    },
  }),
  subscription: explainTimedRule('subscription', {
    about: ['A rule that acts when someone subscribes to a list.'],
    traps: [
      'removefromlist removes the subscription from the list in list_id, and its actiontarget must be 0. For copytolist and movetolist, actiontarget must be a list other than the one in list_id.',
    ],
    create: SUBSCRIPTION,
    fields: {
      list_id: {
        traps: [
          'If the action is removefromlist, the rule removes people from the list in list_id.',
          'For copytolist and movetolist, list_id must differ from actiontarget.',
          'If the list in list_id or its folder is deleted, the service pauses the rule.',
        ],
        about: [
          'A new subscription to the list in list_id triggers the rule. If folders are restricted, the list must be in a folder that the user can access.',
        ],
        example: SUBSCRIPTION,
      },
    },
  }),
  date: explainTimedRule('date', {
    about: [
      'A rule that acts before, on or after a date. actiontimediff is the number of seconds after the date, or before the date if it is negative.',
      'The interface document does not say which date of a subscriber triggers the rule, and a rule has no field for this choice. In the sandbox, set the date with svc sandbox event date.',
    ],
    traps: [
      'If actiontimediff is negative, the rule acts before the date. If actiontimediff is positive, the rule acts after the date. Do not forget the minus sign.',
    ],
    create:
      'automation create --kind date --name "Renewal" --actiontype notify --actiontarget office@example.com',
    fields: {},
  }),
};

/** Explanations by resource name. */
export const timedRuleExplanations = mapTimedRuleKinds((kind): Explanation => EXPLANATIONS[kind]);
