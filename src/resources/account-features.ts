import { bool, cdate, int, mdate, oneOf, orNull, string } from '../schema/field.ts';
import { attributesOf, defineResource } from '../schema/resource.ts';
import { onlyWhile } from '../schema/rules.ts';

const PUT = 'Endpoints, accountFeatures PUT';

const fields = {
  id: int('Company account id'),
  automation_limit: orNull(
    int('Limit of automation rules, without SMS rules', {
      default: null,
      min: 0,
    }),
  ),
  contactemail: string('E-mail address of the contact', { format: 'email' }),
  custommaildomaintype: orNull(
    oneOf(['fixed_email', 'domain'], 'Kind of custom sender; null if that is off', {
      default: 'fixed_email',
    }),
  ),
  enableanalyse: bool('Analysis of campaigns', { default: false }),
  enableaudienceinsights: bool('Audience insights', { default: true }),
  enablechangepassword: bool('Users may change their passwords', {
    default: true,
  }),
  enablecustommaildomain: bool('A custom sending address or domain', {
    default: false,
  }),
  enabledkim: bool('DKIM signatures', { default: true }),
  enabledynamiccontent: bool('Dynamic content in messages', { default: false }),
  enableemail: bool('E-mail', { default: true }),
  enableemailcredits: bool('E-mail is paid from credits', { default: true }),
  enablesocialnetworka: bool('Integration with a social network', {
    default: false,
  }),
  enablehttpapi: bool('Access to this API over plain HTTP', { default: true }),
  enableinboxtest: bool('Inbox tests', { default: false }),
  enablecrm: bool('Integration with a CRM product', { default: true }),
  enablesendbulkemail: bool('Tasks that send e-mail', { default: true }),
  enablesendbulksms: bool('Tasks that send SMS', { default: true }),
  enablesms: bool('SMS', { default: true }),
  enablesplittest: orNull(bool('Split tests; null if bulk e-mail is off', { default: false })),
  enablesubscriberprofilefields: bool('Custom subscriber profile fields', {
    default: true,
  }),
  enablesubscriptionmo: orNull(
    bool('Subscription by SMS; null if SMS is off', {
      default: true,
    }),
  ),
  enabletimezonepremium: bool('Time zones of subscribers', { default: false }),
  enablesocialnetworkb: bool('Integration with a second social network', {
    default: false,
  }),
  enablecms: bool('Integration with a CMS product', {
    default: false,
  }),
  list_limit: int('Limit of lists', { default: 200, min: 0 }),
  locked: bool('Lock all users out of the account and the API'),
  maildomainprimary: orNull(string('Custom sender; null if that is off')),
  search_limit: orNull(int('Limit of searches', { default: null, min: 0 })),
  smsautomation_limit: orNull(int('Limit of SMS rules', { default: null, min: 0 })),
  subscriber_limit: orNull(int('Limit of subscribers', { default: null, min: 1 })),
  subscriberprofilefield_limit: orNull(
    int('Limit of profile fields; null if those are off', {
      default: null,
      min: 0,
    }),
  ),
  timezone: string("Time zone (default: the partner's)", { format: 'timezone' }),
  user_limit: int('Limit of sub-users', { min: 0 }),
  cdate: cdate({}),
  mdate: mdate(),
};

const readOnly: readonly (keyof typeof fields)[] = ['id', 'cdate', 'mdate', 'enablesubscriptionmo'];

/** Declaration of accountFeatures. Interface, "accountFeatures (partner-auth; one record per company)". */
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
      optional: ['enablesubscriptionmo', ...attributesOf(fields).filter((name) => !readOnly.includes(name))],
    },
  },
  rules: [
    ...onlyWhile(PUT, 'enablecustommaildomain', ['custommaildomaintype', 'maildomainprimary']),
    ...onlyWhile(PUT, 'enablesendbulkemail', ['enablesplittest']),
    ...onlyWhile(PUT, 'enablesubscriberprofilefields', ['subscriberprofilefield_limit']),
    ...onlyWhile(PUT, 'enablesms', ['enablesubscriptionmo']),
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
});
