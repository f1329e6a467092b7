/** Explains click, open, subscription and date rules: first the common parts, then the parts that differ from kind to kind. */

import type { Values } from '../../kit/schema/resource.ts';
import { mapTimedRuleKinds, TIMED_RULE_DEFINITIONS, type TimedKind } from '../resources/rule-kinds.ts';
import type { Explanation, ExplanationOf, FieldExplanation } from './explanation.ts';

interface OwnParts {
  readonly traps?: readonly string[];
  readonly about: readonly string[];
  readonly fields: Readonly<Record<string, FieldExplanation>>;
  /** Example that creates a rule with the action `notify`, to which examples of fields add flags. */
  readonly create: string;
}

const UNITS =
  'The unit of actiontimediff depends on the kind of rule: minutes for subscription rules, seconds for click, open and date rules. The same number means 60 times as long in a subscription rule. (A rule of kind sms has message_actiontimediff instead, in seconds.)';
const LOCKED = 'An e-mail message that a rule uses or sends is locked: it can no longer be changed.';

/** Returns the names of the actions with which rules of a kind can change lists: `addtolist and copytolist`. */
function listActions(kind: TimedKind): string {
  const { values = [] } = TIMED_RULE_DEFINITIONS[kind].resource.fields.actiontype;
  const actions = values.filter((action) => String(action).endsWith('list'));
  return [actions.slice(0, -1).join(', '), actions.at(-1)].filter((each) => each !== '').join(' and ');
}

function explainTimedRule(kind: TimedKind, ownParts: OwnParts): Explanation {
  return {
    sections:
      'Automation rules; States and transitions; Automation rules: common payload rules; Events; Errors',
    about: ownParts.about,
    traps: [
      UNITS,
      ...(ownParts.traps ?? []),
      'actionhour is a full hour, as a local time in the time zone of the company.',
      LOCKED,
      'If you delete a rule, its queued actions are cancelled. If you pause a rule, its queued actions still run, but new events no longer trigger it.',
      'If a list or its folder is deleted, the service pauses the rules that use the list.',
    ],
    permissions: [
      'A user can delete only the rules that they created; the admin can delete any.',
      'A user can use only messages that they can access, and links of such messages. If folders are restricted, a rule can use only lists in folders that the user can access.',
    ],
    states: [
      'Active: paused is false. Events trigger the rule.',
      'From active to paused: you pause the rule with svc automation pause (PUT with paused true). The service also pauses a rule if its list, or the folder of that list, is deleted. Queued actions still run.',
      'From paused to active: PUT with paused false (svc automation resume), if every list, message and link that the rule uses exists.',
      'Deleted (DELETE): queued actions are cancelled.',
    ],
    refusals: [
      '409 subcode 12, "Automation Rule … cannot be unpaused: Dependent … resource … no longer exists": a list, message or link that the rule uses was deleted, and the request does not replace it.',
    ],
    fields: { ...sharedFields(kind, ownParts.create), ...ownParts.fields },
  };
}

function sharedFields(kind: TimedKind, create: string): Readonly<Record<string, FieldExplanation>> {
  const timed = `${create} ${kind === 'date' ? '--before 1d' : '--after 1d'}`;
  return {
    id: {
      traps: [
        'Rules of different kinds can have the same id, so svc names a rule by kind and id, such as click:12.',
      ],
      example: `automation get ${kind}:12`,
    },
    actiononweekend: {
      traps: [
        'The field actiononweekend is required if actionhour is set, or if actiontimediff is set and is not 0.',
        'If actionhour and actiontimediff both have no value, actiononweekend is true and cannot be set to false.',
      ],
      about: [
        'The interface document does not say what happens if actiononweekend is false and an action is due on a Saturday or Sunday. In the sandbox, the action runs on Monday at the same time.',
      ],
      example: `${timed} --no-actiononweekend`,
    },
    actiontarget: {
      traps: [
        'The field actiontarget is text. Its meaning depends on actiontype.',
        'The actiontype and actiontarget of an email_autoresponder or sms_autoresponder rule can never be changed. In other rules, some combinations of actiontype and actiontarget cannot be changed later.',
        ...(kind === 'subscription'
          ? [
              'For removefromlist, actiontarget must be 0: the subscriber is removed from the list in list_id.',
              'For copytolist and movetolist, actiontarget must be a different list from the one in list_id.',
            ]
          : []),
      ],
      about: [
        'The id of a list if the action changes lists, or the id of a message if the rule is an autoresponder. The interface document does not say what actiontarget is for notify; svc and the sandbox use an e-mail address.',
        'The user who sets actiontarget must be able to access the message or the list.',
      ],
      example: create,
    },
    actionhour: {
      traps: [
        'The hour in actionhour is a local time in the time zone of the company, not in UTC and not in your time zone.',
        'The unit of actiontimediff is minutes in subscription rules, and seconds in other rules. If actionhour is set, actiontimediff must be 0 or a multiple of 1440. For one day, write 1440 in a subscription rule, and 86400 (60 × 1440) in other rules.',
        'If actionhour is set, actiononweekend must also be set.',
      ],
      about: [
        'Only full hours are allowed: 09:00:00, not 09:30:00. If actionhour is null, the rule can act at any hour.',
        'The interface document does not say on which day the rule acts. In the sandbox, the rule first waits for the delay in actiontimediff. Then the rule acts as soon as the clock shows the hour in actionhour.',
      ],
      example: `${timed} --actionhour 09:00:00 --actiononweekend`,
    },
    actiontimediff: {
      traps: [
        UNITS,
        ...(kind === 'date'
          ? ['If actiontimediff is negative, the rule acts before the date: -86400 is a day before the date.']
          : [
              'The delay in actiontimediff must not be negative. Only a date rule can act before its event, the date.',
            ]),
        `The delay in actiontimediff must not be 0 for ${listActions(kind)}.`,
        'The unit of actiontimediff is minutes in subscription rules, and seconds in other rules. If actionhour is set, actiontimediff must be 0 or a multiple of 1440. For one day, write 1440 in a subscription rule, and 86400 (60 × 1440) in other rules.',
        'If actiontimediff is not 0, actiononweekend is required.',
      ],
      about: [
        'If actiontimediff is 0 and there is no actionhour, the rule acts as soon as possible. Some action types do not allow a delay of 0. svc and the sandbox use 0 if actiontimediff is omitted.',
        'svc automation create --after 2d converts the delay to the unit of the kind. For a date rule, you can also use --before 1d.',
      ],
      example: `${timed} --actiononweekend`,
    },
    actiontype: {
      traps: [
        `${listActions(kind)}: actiontimediff must not be 0.`,
        'The actiontype and actiontarget of an email_autoresponder or sms_autoresponder rule can never be changed. In other rules, some combinations of actiontype and actiontarget cannot be changed later.',
      ],
      values: kind === 'subscription' ? SUBSCRIPTION_VALUES : VALUES,
      example: create,
    },
    name: {
      about: ['If several rules have the same name, give the kind and the id of the rule, such as click:12.'],
      flags: ['key'],
      example: create,
    },
    paused: {
      traps: [
        'The service also sets paused to true if the list of the rule, or the folder of that list, is deleted.',
        'If a list, message or link that the rule uses was deleted, a PUT with paused false fails with 409 subcode 12. To resume the rule, give the id of another list, message or link in the same request.',
      ],
      about: [
        'If you pause a rule, its queued actions still run. If you delete a rule, its queued actions are cancelled.',
        'To pause or resume a rule, run svc automation pause or svc automation resume.',
      ],
      example: `automation pause ${kind}:12`,
    },
    summary: {
      about: [
        'A description of the rule for people. A request that creates a rule must contain summary, but its value can be null. svc sends null if you give no summary.',
      ],
      example: `${create} --summary "Tells the office"`,
    },
    user_id: { about: ['Only the user who created the rule and the admin can delete it.'] },
  };
}

const NOTIFY_TEXT =
  'Sends a notification. In the sandbox, the notification says who did what and when, and goes to the e-mail address in actiontarget.';
const EMAIL = 'Sends the e-mail message whose id is actiontarget.';
const SMS = 'Sends the SMS message whose id is actiontarget.';

const VALUES: Readonly<Record<string, string>> = {
  addtolist: 'Adds the subscriber to the list whose id is actiontarget.',
  email_autoresponder: EMAIL,
  notify: NOTIFY_TEXT,
  sms_autoresponder: SMS,
};

const SUBSCRIPTION_VALUES: Readonly<Record<string, string>> = {
  copytolist: 'Copies the subscription to the list whose id is actiontarget.',
  email_autoresponder: EMAIL,
  movetolist: 'Moves the subscription to the list whose id is actiontarget.',
  notify: NOTIFY_TEXT,
  removefromlist: 'Removes the subscription from the list in list_id; actiontarget is 0.',
  sms_autoresponder: SMS,
};

const NOTIFY = '--actiontype notify --actiontarget office@example.com';
const OPEN = `automation create --kind open --name "Opened sale" --message "Spring sale" ${NOTIFY}`;
const SUBSCRIPTION = `automation create --kind subscription --name "New on the list" --list 7 ${NOTIFY}`;

const JOIN_CLUB = {
  actiontype: 'addtolist',
  actiontarget: '2',
  actiontimediff: 86_400,
  actionhour: '09:00:00',
  actiononweekend: true,
  summary: null,
} as const;

/** Body of a POST for each kind. It works in the sandbox's demo company, and the OpenAPI document shows it as an example. */
export const TIMED_RULE_BODIES: Readonly<Record<TimedKind, Values>> = {
  click: { ...JOIN_CLUB, name: 'Add people to a list if they click a link', link_id: 1, message_id: null },
  open: {
    actiontype: 'notify',
    actiontarget: 'office@harbourcoffee.example',
    summary: 'Tells the office',
    paused: false,
    name: 'Tell the office when somebody opens the news',
    message_id: 1,
  },
  subscription: {
    name: 'Welcome after a day',
    actiontype: 'email_autoresponder',
    actiontarget: '3',
    actiontimediff: 1440,
    actionhour: null,
    actiononweekend: true,
    list_id: 1,
    summary: null,
  },
  date: {
    name: 'The day before a birthday',
    actiontype: 'email_autoresponder',
    actiontarget: '4',
    actiontimediff: -1440,
    actionhour: '09:00:00',
    actiononweekend: true,
    summary: null,
  },
};

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

export const timedRuleExplanations = mapTimedRuleKinds((kind): Explanation => EXPLANATIONS[kind]);
