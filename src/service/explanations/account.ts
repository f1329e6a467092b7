import type { account as accountDeclaration } from '../resources/account.ts';
import type { accountFeatures as accountFeaturesDeclaration } from '../resources/account-features.ts';
import type { user as userDeclaration } from '../resources/user.ts';
import type { ExplanationOf } from './explanation.ts';

const UNLIMITED = 'If this limit is null, there is no limit. Null does not mean 0.';
const SAMPLE_ONLY =
  'The sample response in the interface document has this field, but the table of fields does not. A service may omit this field.';
const RESTRICTED =
  'Null does not mean 0 here. Sub-users get null while folder restrictions (category restrictions) apply to them. Sub-users are all users of the company except the admin.';
const SPENT_LATER =
  'Scheduled tasks have not been charged yet: credits are charged when a task is sent, so the balance does not include pending sends.';

export const account: ExplanationOf<typeof accountDeclaration> = {
  sections: 'account (one record per company); Endpoints, account; Limits',
  about: [
    'The one record of a company account: its balances, limits, counters and contact details. A company has exactly one admin, and may have sub-users.',
  ],
  traps: [
    'Scheduled tasks do not reduce the balance: credits are charged only when a task is sent.',
    'If a limit is null, there is no maximum. The limits list_limit and user_limit are never null: their defaults are 200 and 0.',
    'A company cannot change its account: the interface has no PUT and no DELETE for an account. Its partner sets the limits, contactemail and timezone (svc features set).',
    'A check whether the account exists (HEAD, svc account exists) is of no use, because the account always exists.',
  ],
  permissions: [
    'Only a partner can create an account. The POST request must not name a company or a user. The interface document does not list the fields of that request. svc and the sandbox accept all writable fields of an account, and require name and contactemail.',
  ],
  fields: {
    id: { about: ['Use this id as the value of --company and of SVC_COMPANY_ID.'], example: 'account get' },
    address: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --address "1 High Street, London"',
    },
    automation_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface document does not say which kinds of rule this limit counts. svc assumes click, open, subscription and date rules together, because rules of kind sms have their own limit, smsautomation_limit.',
      ],
    },
    blacklist_count: { traps: [RESTRICTED] },
    country: { about: ['Write the country as two capital letters, such as GB.'] },
    emailcreditbalance: {
      traps: [SPENT_LATER],
      about: [
        'The interface document does not say how many credits an e-mail costs. In the sandbox, each e-mail costs one credit.',
      ],
    },
    emailsuspended_count: { traps: [RESTRICTED] },
    folderrestrict: {
      traps: ['The field folderrestrict is deprecated. Do not use it in new code.'],
      about: ['The interface document does not say which field replaces folderrestrict.'],
    },
    folder_count: { about: ['The service sets folder_count to the number of folders.'] },

    list_count: { about: ['The service sets list_count to the number of lists. The maximum is list_limit.'] },
    list_limit: { about: ['The default of list_limit is 200. list_limit is never null.'] },
    name: {
      about: [
        'svc shows the name when it asks before a change, so that you do not change the wrong account.',
      ],
    },
    search_limit: { traps: [UNLIMITED] },
    smsautomation_limit: { traps: [UNLIMITED] },
    smscreditbalance: {
      traps: [SPENT_LATER, 'An SMS costs one credit for each of its parts and each recipient.'],
    },
    subscriber_count: {
      about: ['The interface allows null, but does not say when subscriber_count is null.'],
    },
    subscriber_limit: { traps: ['Null means no limit. The smallest limit is 1; the service rejects 0.'] },
    subscriberprofileattribute_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface document does not say how this limit is related to subscriberprofilefield_limit of accountFeatures.',
      ],
    },
    smssuspended_count: { traps: [RESTRICTED] },
    telephone: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --telephone "+44 20 7946 0000"',
    },
    timezone: {
      traps: [
        'Hours of rules (actionhour, message_actionhour) are local times in this time zone. They are not in UTC, and not in the time zone of the person who sets them.',
      ],
      about: [
        'svc reads local times such as "2026-12-01 09:00" in this time zone, unless --tz or the profile sets another one. Tables also show times in this time zone.',
      ],
    },
    user_count: { about: ['The field user_count counts only sub-users, not the admin.'] },
    user_limit: { traps: ['The default of user_limit is 0: such an account has only its admin.'] },
    website: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --website https://example.com',
    },
    custommaildomain: { traps: [SAMPLE_ONLY] },
    subscriberprofilefield_limit: {
      traps: [SAMPLE_ONLY],
      about: [
        'A partner sets this limit in the features of the account. To see the limit there, run svc features get.',
      ],
    },
  },
};

const CREATE = 'user create --username ada --firstname Ada --lastname Byron --email ada@example.com';

export const user: ExplanationOf<typeof userDeclaration> = {
  sections: 'user; States and transitions; Endpoints, user; Limits',
  about: [
    'A person who can work in the account: its one admin, or a sub-user. Every request of a company is made as one of its users. Responses contain only records that this user can access.',
  ],
  traps: [
    'A company can set password but not read it: responses always contain null.',
    'After three failed logins in a row, a user is locked. The interface does not show how to unlock a user.',
    'Only partners can create admins, and the first user of an account must be its admin.',
  ],
  permissions: [
    'The admin can read all users, create users, and change and delete the other users. Admins cannot delete themselves.',
    'A sub-user can read and change only their own record.',
  ],
  states: [
    'From unlocked to locked: three failed logins in a row. The interface document does not show how to unlock a user. In the sandbox, a new password by the admin or the partner does, and so does svc sandbox user unlock.',
  ],
  fields: {
    id: { about: ['Use this id as the value of --user and of SVC_USER_ID.'], example: 'user get 12' },
    active: {
      about: [
        'The interface document does not say which actions are forbidden for an inactive user. Inactive is not the same as locked.',
      ],
      example: 'user update 12 --active false',
    },
    currentuser: {
      about: ['To see the user who makes the request, run svc user whoami.'],
      example: 'user whoami',
    },
    isadmin: {
      traps: [
        'Only a partner can set isadmin, and only when creating the user: PUT does not accept it.',
        'A company has exactly one admin. The first user of an account must be the admin; the sandbox rejects a second admin with 409.',
      ],
      example: `${CREATE} --isadmin`,
    },
    lastlogon: { about: ['The interface allows null, but does not say when lastlogon is null.'] },
    locked: {
      traps: [
        'No request can set or clear the field named locked directly. The interface shows how a user gets locked, but not how to unlock a user.',
      ],
      about: [
        'A user has the fields "locked" and "active", and an account also has a field "locked". These three fields mean different things.',
      ],
    },
    msisdn: {
      about: ['Write the number as digits with the country code. svc removes a leading +.'],
      example: 'user update 12 --msisdn 447700900123',
    },
    password: {
      traps: [
        'In responses to a company, password is always null, even if a password is set.',
        'A password given with a flag is visible in ps and in the shell history. Use --data - to read the attributes from standard input instead.',
      ],
      about: [
        'The field password is required when you create a user, but can be null. svc sends null if you omit the password. The interface document does not say what null does.',
      ],
      example: 'user update 12 --data @new-password.json',
    },
    timezone: {
      traps: [
        'The time zone of a user is read-only, and rules do not use it: actionhour is a local time in the time zone of the company.',
      ],
    },
    username: {
      about: [
        'The interface document does not say that names are unique. In the sandbox, a second user with the same name is rejected with 409.',
      ],
    },
  },
};

const dependsOn = (condition: string): string =>
  `This field can have a value only while ${condition} is true. Otherwise this field is null.`;
const switches = (...dependents: readonly string[]): string =>
  `${dependents.join(' and ')} can have a value only while this feature is on. The interface document does not say what happens to the value when you switch the feature. In the sandbox, the value becomes null if you switch the feature off, and the default if you switch the feature on.`;
const whileOff = (refusal: string): string =>
  `The interface document does not describe the effect of switching this feature off. ${refusal}`;

export const accountFeatures: ExplanationOf<typeof accountFeaturesDeclaration> = {
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
    'From unlocked to locked: PUT with locked true. Users cannot log in to the account or call the API. The interface document does not show how to unlock an account. In the sandbox, the partner can still read and change its features, and so unlock it.',
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
        'The interface document does not say what the lock does to scheduled tasks. In the sandbox, tasks run, and the partner can set locked to false again without a user id.',
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
