/** Collects every explanation. Only `svc explain` loads them. */
import type { ResourceName } from '../resources/catalogue.ts';
import type { doNotContact as doNotContactDeclaration } from '../resources/do-not-contact.ts';
import type { folder as folderDeclaration } from '../resources/folder.ts';
import type { form as formDeclaration } from '../resources/form.ts';
import type { subscriberProfileData as subscriberProfileDataDeclaration } from '../resources/subscriber-profile-data.ts';
import { account, accountFeatures, user } from './account.ts';
import { emailMessage, emailMessageLink } from './email-message.ts';
import type { Explanation, ExplanationOf, FieldExplanation } from './explanation.ts';
import { sms, smsAutomation, smsDestination, smsMessage } from './sms.ts';
import { task } from './task.ts';
import { timedRuleExplanations } from './timed-kinds.ts';

const WHOLE_RANGE =
  'A DELETE with only subscriber_id or only subscriberprofilefield_id removes all values with that id, not only one value. svc subscriber-data delete asks for confirmation first.';

const subscriberProfileData: ExplanationOf<typeof subscriberProfileDataDeclaration> = {
  sections: 'subscriberProfileData; Endpoints, subscriberProfileData',
  about: [
    'A record holds the value that one subscriber has in one custom profile field. The record gives only the ids of the subscriber and of the field. The interface document does not describe subscribers and fields any further.',
  ],
  traps: [
    'A DELETE can use the id of a value, of a subscriber or of a field. With only the id of a subscriber or of a field, it removes all values of that subscriber or field.',
    'In the id, the profile field comes first: 3_17 is the value of field 3 for subscriber 17.',
    'GET and HEAD need one of id, subscriber_id and subscriberprofilefield_id: the values of all subscribers in all fields cannot be listed.',
  ],
  fields: {
    id: {
      traps: [
        'The id of the profile field comes first: 3_17 is the value of field 3 for subscriber 17, and 17_3 is a different value.',
      ],
      about: [
        'The id is text. PUT and DELETE accept either this id, or subscriber_id and subscriberprofilefield_id.',
        'You cannot sort by this id. In the sandbox, values are ordered by field, then by subscriber.',
      ],
      example: 'subscriber-data get 3_17',
    },
    subscriber_id: {
      traps: [WHOLE_RANGE],
      about: ['A PUT without id needs both subscriber_id and subscriberprofilefield_id.'],
    },
    subscriberprofilefield_id: {
      traps: [WHOLE_RANGE],
      about: [
        'A PUT without id needs both subscriber_id and subscriberprofilefield_id. If you filter by subscriberprofilefield_id, you get the values of all subscribers in this profile field.',
      ],
    },
    value: {
      traps: ['PUT replaces the stored value, and no request can restore the earlier value.'],
      about: [
        'The value is always text, even for numbers and dates. POST and PUT both require a value. svc subscriber-data set creates or changes the value as needed.',
      ],
      example: 'subscriber-data set 3_17 --value blue',
    },
  },
};

const doNotContact: ExplanationOf<typeof doNotContactDeclaration> = {
  sections: 'doNotContact; Endpoints, doNotContact',
  about: [
    'The list of e-mail addresses, domain names and phone numbers that the company must not contact. If someone unsubscribes, the service adds that person to this list.',
    'The service checks the Do Not Contact list whenever a subscriber is added or imported. It rejects a subscriber whose e-mail address, number or domain is on the list.',
  ],
  traps: [
    'If you add an entry to Do Not Contact, the service deletes every subscriber who matches the entry. A domain name deletes every subscriber with an address in that domain.',
    'If you remove an entry of Do Not Contact, the service does not restore the subscribers that it deleted. You can add them again yourself; the service then also accepts people who had unsubscribed.',
    'An entry of Do Not Contact cannot be changed. Remove the entry and add a new one; the service then deletes the subscribers who match the new entry.',
    'A DELETE request takes id or contactdata, never both.',
  ],
  fields: {
    id: {
      traps: ['A DELETE request takes either id or contactdata, not both.'],
      about: [
        'svc dnc remove reads a plain number as a phone number if it has 7 or more digits, and otherwise as an id. The value of --id is always an id.',
      ],
      example: 'dnc remove --id 12 --yes',
    },
    contactdata: {
      traps: [
        'If you add an entry, the service deletes every subscriber with this e-mail address or number, or with an address in this domain. Before svc adds a domain, it asks you to type the domain; without a terminal, use --yes and --domain-ok.',
        'If you remove an entry, the service does not restore the subscribers that it deleted when the entry was added.',
      ],
      about: [
        'While the address, domain or number is on the Do Not Contact list, matching subscribers cannot be added or imported.',
        'The interface document does not say how domains match. In the sandbox they match exactly, ignoring case: example.com does not match mail.example.com.',
      ],
      flags: ['domain-ok'],
      example: 'dnc add someone@example.com --yes',
    },
  },
};

const folder: ExplanationOf<typeof folderDeclaration> = {
  sections: 'folder; Endpoints, folder; Errors; Limits',
  about: [
    'A folder groups any number of lists, and may be empty. Lists and subscriptions can be moved between folders, but not through this interface, which does not cover lists.',
    'A user can be restricted to some folders. That user cannot see lists in other folders. The restriction also affects subscriptions, forms and rules that refer to these lists.',
  ],
  traps: [
    'If you delete a folder, the service deletes all lists in the folder, and pauses the rules that use these lists.',
    'Never make the name of a folder public.',
    'A folder with a permanent list (a list that can never be deleted) cannot be deleted. A folder also cannot be deleted if a task is scheduled to one of its lists, or was sent to such a list in the last 72 hours.',
  ],
  refusals: [
    '423 subcode 4, "Folder … or one of its lists is to be or has been targeted": a task is scheduled to a list of the folder, or was sent to such a list in the last 72 hours.',
    '423 subcode 5, "Folder contains List … which is permanent": the folder holds a permanent list, which can never be deleted.',
  ],
  fields: {
    id: { example: 'folder get 12' },
    list_count: { about: ['If you delete the folder, the service deletes all lists in the folder.'] },
    name: {
      traps: [
        'Never make the name of a folder public.',
        'The length of the name is counted in bytes, not in characters: an é takes two bytes in UTF-8, an emoji four.',
      ],
      about: [
        'The interface document does not say that names are unique. In the sandbox, several folders can have the same name.',
      ],
      flags: ['key'],
    },
    subscription_count: {
      traps: [
        'The field subscription_count counts subscriptions, not people: a person on two lists of the folder counts twice.',
      ],
    },
  },
};

const form: ExplanationOf<typeof formDeclaration> = {
  sections: 'form (limited attributes); Endpoints, form; Versioning',
  about: [
    'A form that people subscribe with. The interface shows few of its attributes. You can read and delete forms; POST and PUT are announced but not described.',
  ],
  traps: [
    'The service does not return legacy forms. A company can therefore have forms even if svc form list shows none.',
  ],
  permissions: [
    'A user who is not the admin can delete only the forms that they created.',
    'If folders are restricted, a user who is not the admin gets only the forms that they created.',
  ],
  fields: {
    suppressoptin: {
      traps: ['The value of suppressoptin is a number, not true or false.'],
      about: ['If suppressoptin is 1, people with an existing subscription get no opt-in e-mail.'],
    },
    user_id: {
      traps: [
        'The overview of the interface says that forms can be filtered by user_id. The table of fields does not mark user_id as a filter, and HEAD does not accept user_id.',
      ],
      about: ['Only the user who created the form and the admin can delete it.'],
    },
  },
};

/** Explanations by resource name. The compiler reports a missing explanation. */
export const explanations: Readonly<Record<ResourceName, Explanation>> = {
  account,
  accountFeatures,
  user,
  sms,
  smsMessage,
  smsDestination,
  emailMessage,
  emailMessageLink,
  task,
  folder,
  doNotContact,
  form,
  subscriberProfileData,
  ...timedRuleExplanations,
  smsAutomation,
};

/** Returns the explanation of a field. The explanation is empty if the description in the field's declaration is enough. */
export function fieldExplanationOf(resource: ResourceName, attribute: string): FieldExplanation {
  const { fields } = explanations[resource];
  return (Object.hasOwn(fields, attribute) ? fields[attribute] : undefined) ?? {};
}

/** Facts about the service that surprise people and cost them money, mail or data. The most costly fact comes first. */
export const generalServiceTraps: readonly string[] = [
  'If a send time is in the past, the service sends at once. svc rejects such a time (svc explain task.scheduledtime).',
  'If you add an entry to Do Not Contact, the service deletes every matching subscriber. A domain matches every address in that domain (svc explain dnc).',
  'A single SMS without a time is sent at once and cannot be recalled (svc explain sms.senddate).',
  'Deleting a message does not cancel the tasks that send it; deleting a folder deletes its lists (svc explain email, svc explain folder).',
  'The delay of a rule (actiontimediff) is in minutes for subscription rules, and in seconds for the others (svc explain automation.actiontimediff).',
  'Hours of rules are local times in the time zone of the company (svc explain account.timezone).',
  'Null often means "all" or "no limit" rather than "nothing". For example, a rule with a null keyword matches every SMS that no other rule matches (svc explain automation.keyword).',
];
