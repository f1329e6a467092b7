import type { accountFeatures as declaration } from '../account-features.ts';
import type { ExplanationOf } from './explanation.ts';

const UNLIMITED = 'Null is no limit. It does not mean that none are allowed.';
const dependsOn = (condition: string): string =>
  `It can hold a value only while ${condition} is true, and is null otherwise.`;
const switches = (dependent: string): string =>
  `${dependent} can hold a value only while it is true. The interface does not say what a change does to that value; in the sandbox switching off makes it null, and switching on gives it its default.`;
const refuses = (what: string): string =>
  `The interface does not say what happens while it is false. The sandbox refuses ${what} with 403.`;

export const accountFeatures: ExplanationOf<typeof declaration> = {
  sections: 'accountFeatures (partner-auth; one record per company); Endpoints, accountFeatures; Limits',
  about: [
    'What one company account may do: its features and limits. Its partner sets them; svc features set changes those that are named and leaves the others.',
  ],
  traps: [
    'locked keeps all users of the company out of the account and of the API, the admin too.',
    'A limit that is null is no limit. Where a null depends on a feature that is off, it is no value at all.',
    'Some fields hold a value only while another one is true: see the rules below. A change that breaks one is refused.',
    'PUT lists enablesubscriptionmo as a field that is present, unlike all others. svc therefore sends it with every change: the value now in force, or null where SMS is switched off, unless you give one.',
  ],
  permissions: [
    'It is made for partners. A version for companies exists, and the interface does not show it; in the sandbox the admin of the company can read the record, and only the partner can change it.',
  ],
  states: [
    'From unlocked to locked: PUT with locked true. Users can neither enter the account nor call the API. The interface shows nothing of the way back; in the sandbox the partner can still act and unlock it.',
  ],
  fields: {
    id: {
      about: ['The same as the id of the account. A partner names it by --company.'],
      example: 'features get --company 42',
    },
    automation_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface does not say which kinds count. svc takes it for click, open, subscription and date rules together, since rules of kind sms have smsautomation_limit.',
      ],
    },
    custommaildomaintype: {
      traps: [dependsOn('enablecustommaildomain')],
      about: ['It is fixed_email unless set otherwise.'],
      values: { fixed_email: 'One fixed address.', domain: 'A domain.' },
      example: 'features set --company 42 --enablecustommaildomain --custommaildomaintype domain',
    },
    enablechangepassword: { about: [refuses('a change of a password')] },
    enablecustommaildomain: {
      about: [switches('Each of custommaildomaintype and maildomainprimary')],
      example: 'features set --company 42 --enablecustommaildomain',
    },
    enabledynamiccontent: {
      traps: [
        'It is false unless set. The interface does not say what becomes of dynamic content then; the sandbox refuses nothing by it.',
      ],
    },
    enableemail: {
      about: [
        refuses('new and changed e-mail messages and new tasks that send e-mail'),
        'In the sandbox what is scheduled already is sent.',
      ],
    },
    enableemailcredits: { about: ['In the sandbox e-mail costs nothing while it is false.'] },
    enablehttpapi: {
      traps: [
        'It says that the API can be called over plain HTTP, and is true unless set otherwise. The interface demands HTTPS of all requests all the same; svc refuses http:// but to this machine.',
      ],
    },
    enablesendbulkemail: {
      about: [switches('enablesplittest'), refuses('new tasks that send e-mail')],
      example: 'features set --company 42 --enablesendbulkemail',
    },
    enablesendbulksms: { about: [refuses('new tasks that send SMS')] },
    enablesms: {
      about: [
        switches('enablesubscriptionmo'),
        refuses('new and changed SMS messages, new tasks that send SMS, and single SMS'),
        'In the sandbox what is scheduled already is sent.',
      ],
      example: 'features set --company 42 --enablesms',
    },
    enablesplittest: {
      traps: [dependsOn('enablesendbulkemail')],
      example: 'features set --company 42 --enablesendbulkemail --enablesplittest',
    },
    enablesubscriberprofilefields: {
      about: [switches('subscriberprofilefield_limit')],
      example: 'features set --company 42 --enablesubscriberprofilefields',
    },
    enablesubscriptionmo: {
      traps: [
        dependsOn('enablesms'),
        'PUT lists it as present, so svc sends it with every change: the value now in force, or null where SMS is switched off, unless you give one.',
      ],
      about: [
        'People can subscribe by sending an SMS to a destination. In the sandbox no inbound SMS is accepted while it is not true.',
      ],
      example: 'features set --company 42 --enablesms --enablesubscriptionmo',
    },
    list_limit: { about: ['It is 200 unless set otherwise, and never null.'] },
    locked: {
      traps: [
        'True keeps every user of the company out, the admin too: they can neither enter the account nor call the API. svc asks for the name of the company to be typed; elsewhere --yes --lock-ok.',
      ],
      about: [
        'The interface does not say what the lock does to tasks that are scheduled. In the sandbox the partner can still act, and sets it to false again.',
      ],
      example: 'features set --company 42 --locked false',
    },
    maildomainprimary: {
      traps: [dependsOn('enablecustommaildomain')],
      about: ['custommaildomaintype says which of the two it is.'],
      example: 'features set --company 42 --enablecustommaildomain --maildomainprimary news.example.com',
    },
    search_limit: { traps: [UNLIMITED] },
    smsautomation_limit: { traps: [UNLIMITED] },
    subscriber_limit: { traps: ['Null is no limit, and the smallest limit is 1: 0 is refused.'] },
    subscriberprofilefield_limit: {
      traps: [
        'Null has two meanings: no limit, or no value at all because enablesubscriberprofilefields is false.',
      ],
      example: 'features set --company 42 --enablesubscriberprofilefields --subscriberprofilefield-limit 20',
    },
    timezone: {
      traps: [
        'Changing it moves the hours of rules: actionhour and message_actionhour are local times in the zone of the company.',
      ],
    },
    user_limit: { about: ['The admin is not one of them.'] },
  },
};
