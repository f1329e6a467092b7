import type { account as declaration } from '../resources/account.ts';
import type { ExplanationOf } from './explanation.ts';

const UNLIMITED = 'Null means no limit. It does not mean that none are allowed.';
const SAMPLE_ONLY =
  'The sample response of the interface has it, but the table of fields does not. A service can omit it.';
const RESTRICTED = 'Null is not 0: sub-users get null while category restrictions are enabled.';
const SPENT_LATER =
  'Scheduled tasks have not been charged yet: credits are charged when a task is sent, so the balance does not include pending sends.';

export const account: ExplanationOf<typeof declaration> = {
  sections: 'account (one record per company); Endpoints, account; Limits',
  about: [
    'The one record of a company account: its balances, limits, counters and contact details. A company has exactly one admin, and may have sub-users.',
  ],
  traps: [
    'A balance does not show what scheduled tasks will take: they are charged when they are sent.',
    'A null limit means no limit. list_limit and user_limit are never null: they are 200 and 0 unless set otherwise.',
    'A company can change nothing in it: there is neither PUT nor DELETE. Limits, contactemail and timezone are among the features that its partner sets (svc features set).',
    'HEAD gives no information: the record always exists, so svc account exists always finds it.',
  ],
  permissions: [
    'Only a partner can create an account, with a POST that names neither a company nor a user. The interface does not show what it takes and returns. svc and the sandbox take the fields of this table that can be written, and require name and contactemail.',
  ],
  fields: {
    id: { about: ['Use it for --company and SVC_COMPANY_ID.'], example: 'account get' },
    address: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --address "1 High Street, London"',
    },
    automation_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface does not say which kinds count. svc assumes click, open, subscription and date rules together, because rules of kind sms have smsautomation_limit.',
      ],
    },
    blacklist_count: { traps: [RESTRICTED] },
    country: { about: ['Both letters are capitals, as in GB.'] },
    emailcreditbalance: {
      traps: [SPENT_LATER],
      about: [
        'The interface does not say how many credits an e-mail costs. In the sandbox, each one costs one credit.',
      ],
    },
    emailsuspended_count: { traps: [RESTRICTED] },
    folderrestrict: {
      traps: ['It is deprecated. Do not build on it.'],
      about: ['The interface does not say what replaces it.'],
    },
    folder_count: { about: ['The service counts them.'] },

    list_count: { about: ['The service counts them; list_limit is the maximum.'] },
    list_limit: { about: ['It is 200 unless set otherwise, and never null.'] },
    name: {
      about: ['svc shows it when it asks before a change, so that you do not change the wrong account.'],
    },
    search_limit: { traps: [UNLIMITED] },
    smsautomation_limit: { traps: [UNLIMITED] },
    smscreditbalance: {
      traps: [SPENT_LATER, 'An SMS takes one credit for each of its parts, and each recipient.'],
    },
    subscriber_count: { about: ['The interface allows null but does not say when.'] },
    subscriber_limit: { traps: ['Null means no limit. The smallest limit is 1; the service rejects 0.'] },
    subscriberprofileattribute_limit: {
      traps: [UNLIMITED],
      about: [
        'accountFeatures has a field subscriberprofilefield_limit. The interface does not say how the two go together.',
      ],
    },
    smssuspended_count: { traps: [RESTRICTED] },
    telephone: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --telephone "+44 20 7946 0000"',
    },
    timezone: {
      traps: [
        'Hours of rules (actionhour, message_actionhour) are local times in this zone, not in UTC and not in the zone of the person who writes them.',
      ],
      about: [
        'svc reads local times such as "2026-12-01 09:00" in it unless --tz or the profile sets another zone, and shows times of tables in it.',
      ],
    },
    user_count: { about: ['Counts only sub-users, not the admin.'] },
    user_limit: {
      traps: ['It is 0 unless set otherwise: the account then has only its admin.'],
    },
    website: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --website https://example.com',
    },
    custommaildomain: {
      traps: [SAMPLE_ONLY],
    },
    subscriberprofilefield_limit: {
      traps: [SAMPLE_ONLY],
      about: ['svc features get shows the field that can be set.'],
    },
  },
};
