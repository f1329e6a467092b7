import type { accountFeatures as declaration } from '../resources/account-features.ts';
import type { ExplanationOf } from './explanation.ts';

const UNLIMITED = 'Null means no limit. It does not mean that none are allowed.';
const dependsOn = (condition: string): string =>
  `It can hold a value only while ${condition} is true, and is null otherwise.`;
const switches = (dependent: string): string =>
  `${dependent} can hold a value only while it is true. The interface does not say what a change does to that value; in the sandbox, switching off sets it to null, and switching on sets its default.`;
const refuses = (what: string): string =>
  `The interface does not say what happens while it is false. The sandbox refuses ${what} with 403.`;

export const accountFeatures: ExplanationOf<typeof declaration> = {
  sections: 'accountFeatures (partner-auth; one record per company); Endpoints, accountFeatures; Limits',
  about: [
    'What one company account may do: its features and limits. Its partner sets them. svc features set changes only the ones you name.',
  ],
  traps: [
    'locked keeps all users of the company out of the account and the API, including the admin.',
    'A null limit means no limit. A null that depends on a feature that is off means no value.',
    'Some fields hold a value only while another one is true: see the rules below. The service rejects a change that breaks a rule.',
    'PUT lists enablesubscriptionmo as a field that is present, unlike all others. svc therefore sends it with every change: the value now in force, or null where SMS is switched off, unless you give one.',
  ],
  permissions: [
    'It is for partners. A version for companies exists, but the interface does not show it. In the sandbox, the admin of the company can read the record, and only the partner can change it.',
  ],
  states: [
    'From unlocked to locked: PUT with locked true. Users can neither log in to the account nor call the API. The interface does not show how to unlock an account; in the sandbox, the partner can still act and unlock it.',
  ],
  fields: {
    id: {
      about: ['The same as the id of the account. A partner selects it with --company.'],
      example: 'features get --company 42',
    },
    automation_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface does not say which kinds count. svc assumes click, open, subscription and date rules together, because rules of kind sms have smsautomation_limit.',
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
        'It is false unless set. The interface does not say what happens to dynamic content then. The sandbox rejects nothing because of it.',
      ],
    },
    enableemail: {
      about: [
        refuses('new and changed e-mail messages and new tasks that send e-mail'),
        'In the sandbox, scheduled sends still go out.',
      ],
    },
    enableemailcredits: { about: ['In the sandbox, e-mail costs nothing while it is false.'] },
    enablehttpapi: {
      traps: [
        'It says that the API can be called over plain HTTP, and is true unless set otherwise. The interface still requires HTTPS for all requests. svc rejects http:// except to this machine.',
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
        'In the sandbox, scheduled sends still go out.',
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
        'True locks out every user of the company, including the admin: they can neither log in nor call the API. svc asks you to type the name of the company; without a terminal, use --yes --lock-ok.',
      ],
      about: [
        'The interface does not say what the lock does to tasks that are scheduled. In the sandbox, the partner can still act and set it to false again.',
      ],
      example: 'features set --company 42 --locked false',
    },
    maildomainprimary: {
      traps: [dependsOn('enablecustommaildomain')],
      about: ['custommaildomaintype says whether it is a sending address or a domain.'],
      example: 'features set --company 42 --enablecustommaildomain --maildomainprimary news.example.com',
    },
    search_limit: { traps: [UNLIMITED] },
    smsautomation_limit: { traps: [UNLIMITED] },
    subscriber_limit: { traps: ['Null means no limit. The smallest limit is 1; the service rejects 0.'] },
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
