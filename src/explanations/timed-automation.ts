/** Explains the common parts of click, open, subscription and date rules. Each kind's own parts are in its own file. */
import { TIMED_RULES, type TimedKind } from '../resources/rule-kinds.ts';
import type { Explanation, FieldExplanation } from './explanation.ts';

interface Own {
  readonly traps?: readonly string[];
  readonly about: readonly string[];
  readonly fields: Readonly<Record<string, FieldExplanation>>;
  /** Command that creates a rule of the kind with the action notify, without the flags that explain a single field. */
  readonly create: string;
}

const UNITS =
  'The unit depends on the kind: minutes for subscription rules, seconds for click, open and date rules. The same number means 60 times as long in a subscription rule. (A rule of kind sms has message_actiontimediff instead, in seconds.)';
const LOCKED = 'An e-mail message that a rule uses or sends is locked: it can no longer be changed.';

/** Returns the actions that change lists, for a kind of rule. */
function listActions(kind: TimedKind): string {
  const { values = [] } = TIMED_RULES[kind].resource.fields.actiontype;
  const actions = values.filter((action) => String(action).endsWith('list'));
  return [actions.slice(0, -1).join(', '), actions.at(-1)].filter((each) => each !== '').join(' and ');
}

/** Builds the explanation of one of these kinds from the common parts and the kind's own parts. */
export function explainTimed(kind: TimedKind, own: Own): Explanation {
  return {
    sections:
      'Automation rules; States and transitions; Automation rules: common payload rules; Events; Errors',
    about: own.about,
    traps: [
      UNITS,
      ...(own.traps ?? []),
      'Hours (actionhour) are local times in the zone of the company, and full hours only.',
      LOCKED,
      'Deleting a rule aborts its queued actions. Pausing it lets them finish, and no new events match.',
      'Deleting a list or its folder pauses the rules that use the list.',
    ],
    permissions: [
      'A user can delete only the rules that they created; the admin can delete any.',
      'A user can name only messages that they can access, and links of such messages. With folder restrictions, rules about lists can name only lists in folders that the user can access.',
    ],
    states: [
      'Active: paused is false. Events match.',
      'From active to paused: PUT with paused true (svc automation pause), or the deletion of its list or of the folder of its list. Queued actions complete.',
      'From paused to active: PUT with paused false (svc automation resume), if everything that the rule depends on exists.',
      'Removed by DELETE: queued actions are aborted.',
    ],
    refusals: [
      '409 subcode 12, "Automation Rule … cannot be unpaused: Dependent … resource … no longer exists": something that the rule depends on was deleted, and the request does not replace it.',
    ],
    fields: { ...sharedFields(kind, own.create), ...own.fields },
  };
}

function sharedFields(kind: TimedKind, create: string): Readonly<Record<string, FieldExplanation>> {
  const timed = `${create} ${kind === 'date' ? '--before 1d' : '--after 1d'}`;
  return {
    id: {
      traps: [
        'Rules of several kinds can have the same number, so svc names a rule by kind and id, such as click:12.',
      ],
      example: `automation get ${kind}:12`,
    },
    actiononweekend: {
      traps: [
        'It is required when actionhour is given, or when actiontimediff is given and is not 0.',
        'With neither of them it is true and cannot be set to false.',
      ],
      about: [
        'The interface does not say what happens to an action that is due on a Saturday or Sunday while it is false. In the sandbox, it runs on Monday at the same time.',
      ],
      example: `${timed} --no-actiononweekend`,
    },
    actiontarget: {
      traps: [
        'It is text, and its meaning depends on actiontype: read both together.',
        'An email_autoresponder or sms_autoresponder rule can never change its actiontype and actiontarget. For other rules, some combinations cannot be changed later.',
        ...(kind === 'subscription'
          ? [
              'For removefromlist, it must be 0: the list is the one in list_id.',
              'For copytolist and movetolist, it must be a different list from the one in list_id.',
            ]
          : []),
      ],
      about: [
        'A list for list actions, or the message for an autoresponder. The interface does not say what it is for notify; svc and the sandbox use an e-mail address.',
        'The user who sets it must be able to access the message or the list.',
      ],
      example: create,
    },
    actionhour: {
      traps: [
        'It is a local time in the zone of the company, not in UTC and not in yours.',
        'With it actiontimediff must be 0 or a multiple of 1440, whatever the unit of the kind. 1440 minutes are a day; 1440 seconds are 24 minutes. A day in seconds, 86400, is such a multiple.',
        'With it actiononweekend has to be given.',
      ],
      about: [
        'Only full hours: 09:00:00, not 09:30:00. Null means no particular hour.',
        'The interface does not say which day it is. The sandbox uses the first such hour at or after the time from actiontimediff.',
      ],
      example: `${timed} --actionhour 09:00:00 --actiononweekend`,
    },
    actiontimediff: {
      traps: [
        UNITS,
        ...(kind === 'date'
          ? ['A negative number means before the date: -86400 is a day before it.']
          : ['It must not be negative. Only date rules may act before their date.']),
        `It must not be 0 for ${listActions(kind)}.`,
        'With actionhour it has to be 0 or a multiple of 1440, whatever the unit. 1440 minutes are a day; 1440 seconds are 24 minutes. A day in seconds, 86400, is such a multiple.',
        'If it is not 0, actiononweekend is required.',
      ],
      about: [
        '0 without an actionhour acts as soon as possible, for action types that allow it. svc and the sandbox use 0 if it is omitted.',
        'svc automation create --after 2d writes the number in the unit of the kind; for a date rule --before 1d does too.',
      ],
      example: `${timed} --actiononweekend`,
    },
    actiontype: {
      traps: [
        `${listActions(kind)}: actiontimediff must not be 0.`,
        'An email_autoresponder or sms_autoresponder rule can never change its actiontype and actiontarget. For other rules, some combinations cannot be changed later.',
      ],
      values: kind === 'subscription' ? SUBSCRIPTION_VALUES : VALUES,
      example: create,
    },
    name: {
      about: ['If several rules have the same name, use kind and id, such as click:12.'],
      flags: ['key'],
      example: create,
    },
    paused: {
      traps: [
        'It is also set when the list of the rule, or the folder of that list, is deleted.',
        'It cannot be set to false while something that the rule depends on no longer exists: 409 subcode 12, unless the same request replaces it.',
      ],
      about: [
        'Queued actions of a paused rule still run; deleting the rule aborts them.',
        'svc automation pause and svc automation resume set it.',
      ],
      example: `automation pause ${kind}:12`,
    },
    summary: {
      about: [
        'A description for people. It is required when you create a rule, but can be null. svc sends null if you omit it.',
      ],
      example: `${create} --summary "Tells the office"`,
    },
    user_id: { about: ['Only that user and the admin can delete the rule.'] },
  };
}

const NOTIFY =
  'Sends a notification. In the sandbox, it sends who did what and when to the e-mail address in actiontarget.';
const EMAIL = 'Sends the e-mail message whose id is actiontarget.';
const SMS = 'Sends the SMS message whose id is actiontarget.';

const VALUES: Readonly<Record<string, string>> = {
  addtolist: 'Adds the subscriber to the list whose id is actiontarget.',
  email_autoresponder: EMAIL,
  notify: NOTIFY,
  sms_autoresponder: SMS,
};

const SUBSCRIPTION_VALUES: Readonly<Record<string, string>> = {
  copytolist: 'Copies the subscription to the list whose id is actiontarget.',
  email_autoresponder: EMAIL,
  movetolist: 'Moves the subscription to the list whose id is actiontarget.',
  notify: NOTIFY,
  removefromlist: 'Removes the subscription from the list in list_id; actiontarget is 0.',
  sms_autoresponder: SMS,
};
