import { bool, creationTime, int, lastChangeTime, orNull, string } from '../../kit/schema/field.ts';
import { defineResource, type RecordOf } from '../../kit/schema/resource.ts';

/** Interface, "account (one record per company)". Partners create an account with POST (wire, "Authentication, where open"). */
export const account = defineResource({
  name: 'account',
  noun: 'account',
  describe: 'The company account: balances, limits, contact details',
  singular: 'a company account',
  plural: 'company accounts',
  single: true,
  fields: {
    id: int('Company account id'),
    address: string('Postal address of the company'),
    automation_limit: orNull(
      int('Maximum number of automation rules, not counting SMS rules', { default: null, min: 0 }),
    ),
    blacklist_count: orNull(int('Number of entries on the Do Not Contact list')),
    contactemail: string('E-mail address of the contact', { format: 'email' }),
    country: string('Country, two letters (ISO 3166-1)', { format: 'country' }),
    emailcreditbalance: int('E-mail credits left'),
    emailsuspended_count: orNull(int('Number of e-mail subscribers that are suspended')),
    folder_count: int('Number of folders'),
    folderrestrict: bool('Limit each sub-user to certain folders', { deprecated: true }),
    goaltrackingdomain: string('Domain for goal tracking', {
      format: 'domain',
    }),
    inboxtestcreditbalance: int('Number of credits left for inbox tests'),
    list_count: int('Number of lists'),
    list_limit: int('Maximum number of lists', { default: 200, min: 0 }),
    name: string('Name of the company'),
    search_limit: orNull(int('Maximum number of saved searches', { default: null, min: 0 })),
    smsautomation_limit: orNull(int('Maximum number of SMS rules', { default: null, min: 0 })),
    smscreditbalance: int('SMS credits left'),
    subscriber_count: orNull(int('Number of subscribers to e-mail or SMS')),
    subscriber_limit: orNull(int('Maximum number of subscribers', { default: null, min: 1 })),
    subscriberprofileattribute_limit: orNull(
      int('Maximum number of subscriber profile attributes', { default: null, min: 0 }),
    ),
    smssuspended_count: orNull(int('Number of SMS subscribers that are suspended')),
    telephone: orNull(string('Telephone number, with dialling code')),
    timezone: string("Time zone of the company (default: the partner's time zone)", { format: 'timezone' }),
    user_count: int('Number of sub-users'),
    user_limit: int('Maximum number of sub-users', { default: 0, min: 0 }),
    website: orNull(
      string('Address of the web site; begins with http', { default: null, format: 'website' }),
    ),
    cdate: creationTime({}),
    mdate: lastChangeTime(),
    custommaildomain: bool('Whether a custom mail domain is in use', { sampleOnly: true }),
    subscriberprofilefield_limit: orNull(
      int('Maximum number of subscriber profile fields', { sampleOnly: true }),
    ),
  },
  methods: {
    get: {},
    head: { attributes: [] },
    post: {
      only: 'partner',
      // Interface, "Partner hash": e.g. partner POST /account takes no CID or UID.
      withoutCompany: true,
      required: ['name', 'contactemail'],
      optional: [
        'address',
        'automation_limit',
        'country',
        'folderrestrict',
        'goaltrackingdomain',
        'list_limit',
        'search_limit',
        'smsautomation_limit',
        'subscriber_limit',
        'subscriberprofileattribute_limit',
        'telephone',
        'timezone',
        'user_limit',
        'website',
      ],
    },
  },
  identifiedBy: [],
  examples: { create: 'account create --name "Example Ltd" --contactemail office@example.com' },
  columns: [
    'id',
    'name',
    'country',
    'timezone',
    'emailcreditbalance',
    'smscreditbalance',
    'subscriber_count',
  ],
  keptColumns: ['emailcreditbalance', 'smscreditbalance'],
});

export type AccountRecord = RecordOf<typeof account>;
