import type { account as declaration } from '../account.ts';
import type { ExplanationOf } from './explanation.ts';

const UNLIMITED = 'Null is no limit. It does not mean that none are allowed.';
const SAMPLE_ONLY =
  'The sample answer of the interface carries it, but its table of fields does not: a service may leave it out.';
const RESTRICTED = 'Null is not 0: sub-users get null while category restrictions are enabled.';
const SPENT_LATER =
  'Scheduled tasks have not been charged yet: credits are taken when a task is sent, so the balance does not show what is about to go.';

export const account: ExplanationOf<typeof declaration> = {
  sections: 'account (one record per company); Endpoints, account; Limits',
  about: [
    'The one record of a company account: its balances, limits, counters and contact details. A company has exactly one admin, and may have sub-users.',
  ],
  traps: [
    'A balance does not show what scheduled tasks will take: they are charged when they are sent.',
    'A limit that is null is no limit. list_limit and user_limit are never null: they are 200 and 0 unless set otherwise.',
    'A company can change nothing in it: there is neither PUT nor DELETE. Limits, contactemail and timezone are among the features that its partner sets (svc features set).',
    'HEAD tells nothing: the record is always there, so svc account exists always finds it.',
  ],
  permissions: [
    'Only a partner makes an account, by a POST that names neither a company nor a user. What it takes and returns is not shown; svc and the sandbox take the fields of this table that can be written, and require name and contactemail.',
  ],
  fields: {
    id: { about: ['It is what --company and SVC_COMPANY_ID name.'], example: 'account get' },
    address: {
      example:
        'account create --name "Example Ltd" --contactemail office@example.com --address "1 High Street, London"',
    },
    automation_limit: {
      traps: [UNLIMITED],
      about: [
        'The interface does not say which kinds count. svc takes it for click, open, subscription and date rules together, since rules of kind sms have smsautomation_limit.',
      ],
    },
    blacklist_count: { traps: [RESTRICTED] },
    country: { about: ['Both letters are capitals, as in GB.'] },
    emailcreditbalance: {
      traps: [SPENT_LATER],
      about: [
        'The interface does not say how many credits an e-mail takes. In the sandbox it is one for each.',
      ],
    },
    emailsuspended_count: { traps: [RESTRICTED] },
    folderrestrict: {
      traps: ['It is deprecated. Do not build on it.'],
      about: ['The interface does not say what takes its place.'],
    },
    folder_count: { about: ['The service counts them.'] },

    list_count: { about: ['The service counts them; list_limit is the most that there can be.'] },
    list_limit: { about: ['It is 200 unless set otherwise, and never null.'] },
    name: {
      about: ['svc says it in its questions before a change, so that nobody changes the wrong account.'],
    },
    search_limit: { traps: [UNLIMITED] },
    smsautomation_limit: { traps: [UNLIMITED] },
    smscreditbalance: {
      traps: [SPENT_LATER, 'An SMS takes one credit for each of its parts, and each recipient.'],
    },
    subscriber_count: { about: ['The interface lets it be null and does not say when.'] },
    subscriber_limit: { traps: ['Null is no limit, and the smallest limit is 1: 0 is refused.'] },
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
        'Hours of rules (actionhour, message_actionhour) are local times in this zone, not in UTC and not in that of whoever writes them.',
      ],
      about: [
        'svc reads local times such as "2026-12-01 09:00" in it unless --tz or the profile says otherwise, and shows times of tables in it.',
      ],
    },
    user_count: { about: ['Sub-users alone: the admin is not among them.'] },
    user_limit: {
      traps: ['It is 0 unless set otherwise: the account has its admin then and can have no other user.'],
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
      about: ['svc features get shows the one that can be set.'],
    },
  },
};
