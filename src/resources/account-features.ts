import { bool, cdate, int, mdate, oneOf, orNull, string } from '../schema/field.ts';
import { attributesOf, defineResource } from '../schema/resource.ts';
import { onlyWhile } from '../schema/rules.ts';

const PUT = 'Endpoints, accountFeatures PUT';

const fields = {
  id: int('Company account id'),
  automation_limit: orNull(
    int('How many click, open, subscription and date rules', {
      default: null,
      min: 0,
    }),
  ),
  contactemail: string('E-mail address of the contact', { format: 'email' }),
  custommaildomaintype: orNull(
    oneOf(['fixed_email', 'domain'], 'What the custom sender is; null while custom mail domains are off', {
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
  enablehttpapi: bool('This interface over plain HTTP', { default: true }),
  enableinboxtest: bool('Inbox tests', { default: false }),
  enablecrm: bool('Integration with a CRM product', { default: true }),
  enablesendbulkemail: bool('Tasks that send e-mail', { default: true }),
  enablesendbulksms: bool('Tasks that send SMS', { default: true }),
  enablesms: bool('SMS', { default: true }),
  enablesplittest: orNull(bool('Split tests; null unless bulk e-mail is on', { default: false })),
  enablesubscriberprofilefields: bool('Custom subscriber profile fields', {
    default: true,
  }),
  enablesubscriptionmo: orNull(
    bool('Subscription by inbound SMS; null unless SMS is on', {
      default: true,
    }),
  ),
  enabletimezonepremium: bool('Time zones of subscribers', { default: false }),
  enablesocialnetworkb: bool('Integration with a second social network', {
    default: false,
  }),
  enablecms: bool('Integration with a content management product', {
    default: false,
  }),
  list_limit: int('How many lists', { default: 200, min: 0 }),
  locked: bool('Users can neither enter the account nor call the API'),
  maildomainprimary: orNull(
    string('Custom sending address or domain; null while custom mail domains are off'),
  ),
  search_limit: orNull(int('How many searches', { default: null, min: 0 })),
  smsautomation_limit: orNull(int('How many SMS rules', { default: null, min: 0 })),
  subscriber_limit: orNull(int('How many subscribers', { default: null, min: 1 })),
  subscriberprofilefield_limit: orNull(
    int('How many subscriber profile fields; null unless those are on', {
      default: null,
      min: 0,
    }),
  ),
  timezone: string("TZ name of the time zone; the partner's where none is set", { format: 'timezone' }),
  user_limit: int('How many sub-users in all', { min: 0 }),
  cdate: cdate({}),
  mdate: mdate(),
};

const readOnly: readonly (keyof typeof fields)[] = ['id', 'cdate', 'mdate', 'enablesubscriptionmo'];

/** Interface, "accountFeatures (partner-auth; one record per company)". */
export const accountFeatures = defineResource({
  name: 'accountFeatures',
  noun: 'features',
  describe: 'What a company account may do: features and limits, set by its partner',
  singular: 'the features of a company account',
  plural: 'the features of company accounts',
  single: true,
  partnerOnly: true,
  fields,
  methods: {
    get: {},
    put: {
      only: 'partner',
      // The interface lists enablesubscriptionmo with presence 'Yes'; wire.md: sent always, taken without it too.
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
  examples: { get: 'features get --company 42' },
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
