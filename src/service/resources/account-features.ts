import { bool, creationTime, int, lastChangeTime, oneOf, orNull, string } from '../../kit/schema/field.ts';
import { type BodyOf, defineResource, type RecordOf } from '../../kit/schema/resource.ts';
import { allowedOnlyIfTrue } from '../../kit/schema/rules.ts';
import { keysOf } from '../../kit/text/json-object.ts';

const PUT = 'Endpoints, accountFeatures PUT';

const fields = {
  id: int('Company account id'),
  automation_limit: orNull(
    int('Maximum number of automation rules, not counting SMS rules', { default: null, min: 0 }),
  ),
  contactemail: string('E-mail address of the contact', { format: 'email' }),
  custommaildomaintype: orNull(
    oneOf(
      ['fixed_email', 'domain'],
      'Kind of custom sender (address or domain); null if custom senders are off',
      { default: 'fixed_email' },
    ),
  ),
  enableanalyse: bool('Enables the analysis of campaigns', { default: false }),
  enableaudienceinsights: bool('Enables audience insights', { default: true }),
  enablechangepassword: bool('Lets users change their passwords', { default: true }),
  enablecustommaildomain: bool('Enables a custom sending address or domain', { default: false }),
  enabledkim: bool('Enables DKIM signatures', { default: true }),
  enabledynamiccontent: bool('Enables dynamic content in messages', { default: false }),
  enableemail: bool('Enables e-mail', { default: true }),
  enableemailcredits: bool('Charges credits for e-mail', { default: true }),
  enablesocialnetworka: bool('Enables the integration with a social network', { default: false }),
  enablehttpapi: bool('Allows access to this API over plain HTTP', { default: true }),
  enableinboxtest: bool('Lets users run inbox tests, which use inbox test credits', { default: false }),
  enablecrm: bool('Enables the integration with a CRM product', { default: true }),
  enablesendbulkemail: bool('Enables tasks that send e-mail', { default: true }),
  enablesendbulksms: bool('Enables tasks that send SMS', { default: true }),
  enablesms: bool('Enables SMS', { default: true }),
  enablesplittest: orNull(bool('Enables split tests; null if bulk e-mail is off', { default: false })),
  enablesubscriberprofilefields: bool('Enables custom subscriber profile fields', { default: true }),
  enablesubscriptionmo: orNull(
    bool('Lets people subscribe by SMS; null if SMS is off', {
      default: true,
    }),
  ),
  enabletimezonepremium: bool('Enables time zones of subscribers', { default: false }),
  enablesocialnetworkb: bool('Enables the integration with a second social network', { default: false }),
  enablecms: bool('Enables the integration with a CMS product', { default: false }),
  list_limit: int('Maximum number of lists', { default: 200, min: 0 }),
  locked: bool('Lock all users out of the account and the API'),
  maildomainprimary: orNull(string('Custom sender (address or domain); null if custom senders are off')),
  search_limit: orNull(int('Maximum number of saved searches', { default: null, min: 0 })),
  smsautomation_limit: orNull(int('Maximum number of SMS rules', { default: null, min: 0 })),
  subscriber_limit: orNull(int('Maximum number of subscribers', { default: null, min: 1 })),
  subscriberprofilefield_limit: orNull(
    int('Maximum number of profile fields; null if profile fields are off', {
      default: null,
      min: 0,
    }),
  ),
  timezone: string("Time zone of the company (default: the partner's time zone)", { format: 'timezone' }),
  user_limit: int('Maximum number of sub-users', { min: 0 }),
  cdate: creationTime({}),
  mdate: lastChangeTime(),
};

const readOnly: readonly (keyof typeof fields)[] = ['id', 'cdate', 'mdate', 'enablesubscriptionmo'];

/** Declares the resource `accountFeatures` (interface, "accountFeatures (partner-auth; one record per company)"). */
export const accountFeatures = defineResource({
  name: 'accountFeatures',
  noun: 'features',
  describe: 'Features and limits of an account, set by its partner',
  singular: 'the features of a company account',
  plural: 'the features of company accounts',
  single: true,
  partnerOnly: true,
  fields,
  methods: {
    get: {},
    put: {
      only: 'partner',
      // The interface lists enablesubscriptionmo with presence 'Yes'. wire.md: it is always returned, and a PUT may omit it.
      optional: ['enablesubscriptionmo', ...keysOf(fields).filter((name) => !readOnly.includes(name))],
    },
  },
  rules: [
    ...allowedOnlyIfTrue(PUT, 'enablecustommaildomain', ['custommaildomaintype', 'maildomainprimary']),
    ...allowedOnlyIfTrue(PUT, 'enablesendbulkemail', ['enablesplittest']),
    ...allowedOnlyIfTrue(PUT, 'enablesubscriberprofilefields', ['subscriberprofilefield_limit']),
    ...allowedOnlyIfTrue(PUT, 'enablesms', ['enablesubscriptionmo']),
  ],
  verbs: { put: 'set' },
  identifiedBy: [],
  examples: { get: 'features get 1' },
  columns: [
    'id',
    'contactemail',
    'locked',
    'enableemail',
    'enablesms',
    'list_limit',
    'user_limit',
    'timezone',
  ],
  keptColumns: ['locked', 'enableemail', 'enablesms'],
});

export type AccountFeaturesRecord = RecordOf<typeof accountFeatures>;
export type AccountFeaturesBody = BodyOf<typeof accountFeatures>;
