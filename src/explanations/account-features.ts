import type { accountFeatures as declaration } from '../resources/account-features.ts';
import type { ExplanationOf } from './explanation.ts';

const UNLIMITED = 'If this limit is null, there is no limit. Null does not mean 0.';
const dependsOn = (condition: string): string =>
  `This field can have a value only while ${condition} is true. Otherwise this field is null.`;
const switches = (...dependents: readonly string[]): string =>
  `${dependents.join(' and ')} can have a value only while this feature is on. The interface document does not say what happens to the value when you switch the feature. In the sandbox, the value becomes null if you switch the feature off, and the default if you switch the feature on.`;
const whileOff = (refusal: string): string =>
  `The interface document does not describe the effect of switching this feature off. ${refusal}`;

export const accountFeatures: ExplanationOf<typeof declaration> = {
  sections: 'accountFeatures (partner-auth; one record per company); Endpoints, accountFeatures; Limits',
  about: [
    'The features and limits of one company account. The partner of the company sets them. svc features set changes only the features and limits that you name.',
  ],
  traps: [
    'If the field locked is true, no user of the company can use the account or the API, not even the admin.',
    'If a limit is null, there is no maximum. A field is also null if the feature that it belongs to is off.',
    'Some fields can hold a value only while another field is true: see the rules below. The service rejects a change that breaks a rule.',
    'enablesubscriptionmo is the only field that every update (PUT) must contain. svc therefore sends this field with every change: your value, or the current value, or null if SMS is off.',
  ],
  permissions: [
    'Only a partner can read and change the features of a company. The interface mentions access for companies, but does not describe that access. In the sandbox, the admin of a company can read its features, but not change them.',
  ],
  states: [
    'From unlocked to locked: PUT with locked true. Users cannot log in to the account or call the API. The interface document does not show how to unlock an account. In the sandbox, the partner can still use the account and unlock it.',
  ],
  fields: {
    id: {
      about: [
        'The id of the features is the id of the account. A partner selects the account with --company.',
      ],
      example: 'features get --company 42',
    },
    automation_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface document does not say which kinds of rule this limit counts. svc assumes click, open, subscription and date rules together, because rules of kind sms have their own limit, smsautomation_limit.',
      ],
    },
    custommaildomaintype: {
      traps: [dependsOn('enablecustommaildomain')],
      about: ['The default of custommaildomaintype is fixed_email.'],
      values: { fixed_email: 'One fixed address.', domain: 'A domain.' },
      example: 'features set --company 42 --enablecustommaildomain --custommaildomaintype domain',
    },
    enablechangepassword: {
      about: [
        whileOff('While this feature is off, the sandbox responds with 403 to a change of a password.'),
      ],
    },
    enablecustommaildomain: {
      about: [switches('custommaildomaintype', 'maildomainprimary')],
      example: 'features set --company 42 --enablecustommaildomain',
    },
    enabledynamiccontent: {
      traps: [
        'The default of enabledynamiccontent is false. The interface document does not say what the service does with dynamic content while the field is false. The sandbox always accepts dynamic content.',
      ],
    },
    enableemail: {
      about: [
        whileOff(
          'While this feature is off, the sandbox responds with 403 to new and changed e-mail messages and new tasks that send e-mail.',
        ),
        'In the sandbox, scheduled tasks and SMS still go out while this feature is off.',
      ],
    },
    enableemailcredits: {
      about: ['In the sandbox, e-mail costs no credits while enableemailcredits is false.'],
    },
    enablehttpapi: {
      traps: [
        'The field enablehttpapi allows access to the API over plain HTTP, and its default is true. The interface nevertheless requires HTTPS for all requests. svc rejects http:// except to this machine.',
      ],
    },
    enablesendbulkemail: {
      about: [
        switches('enablesplittest'),
        whileOff('While this feature is off, the sandbox responds with 403 to new tasks that send e-mail.'),
      ],
      example: 'features set --company 42 --enablesendbulkemail',
    },
    enablesendbulksms: {
      about: [
        whileOff('While this feature is off, the sandbox responds with 403 to new tasks that send SMS.'),
      ],
    },
    enablesms: {
      about: [
        switches('enablesubscriptionmo'),
        whileOff(
          'While this feature is off, the sandbox responds with 403 to new and changed SMS messages, new tasks that send SMS, and single SMS.',
        ),
        'In the sandbox, scheduled tasks and SMS still go out while this feature is off.',
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
        'An update (PUT) must contain this field, so svc sends the field with every change: your value, or the current value, or null if SMS is off.',
      ],
      about: [
        'If enablesubscriptionmo is true, people can subscribe by SMS: they send an SMS to a number of the company (smsDestination). The sandbox accepts inbound SMS only while this field is true.',
      ],
      example: 'features set --company 42 --enablesms --enablesubscriptionmo',
    },
    list_limit: { about: ['The default of list_limit is 200. list_limit is never null.'] },
    locked: {
      traps: [
        'If locked is true, no user of the company can log in or call the API, not even the admin. Before svc sets locked to true, it asks you to type the name of the company; without a terminal, use --yes --lock-ok.',
      ],
      about: [
        'The interface document does not say what the lock does to scheduled tasks. In the sandbox, the partner can still use the account and set locked to false again.',
      ],
      example: 'features set --company 42 --locked false',
    },
    maildomainprimary: {
      traps: [dependsOn('enablecustommaildomain')],
      about: [
        'The field custommaildomaintype says whether maildomainprimary is a sending address or a domain.',
      ],
      example: 'features set --company 42 --enablecustommaildomain --maildomainprimary news.example.com',
    },
    search_limit: { traps: [UNLIMITED] },
    smsautomation_limit: { traps: [UNLIMITED] },
    subscriber_limit: { traps: ['Null means no limit. The smallest limit is 1; the service rejects 0.'] },
    subscriberprofilefield_limit: {
      traps: [
        'Null in this field has two meanings: there is no limit, or profile fields are off because enablesubscriberprofilefields is false.',
      ],
      example: 'features set --company 42 --enablesubscriberprofilefields --subscriberprofilefield-limit 20',
    },
    timezone: {
      traps: [
        'If you change the time zone, automation rules act at other times: actionhour and message_actionhour are local times in the time zone of the company.',
      ],
    },
    user_limit: { about: ['The admin does not count towards this limit.'] },
  },
};
