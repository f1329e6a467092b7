/**
 * Resources that a sandbox with `--companions` serves in addition to the interface's (`src/service/protocol/README.md`, "Companions"). The command
 * line has no nouns for them.
 */
import {
  bool,
  creationTime,
  filterable,
  filterableAndSortable,
  id,
  int,
  lastChangeTime,
  oneOf,
  orNull,
  string,
} from '../../kit/schema/field.ts';
import { defineResource, type Resource } from '../../kit/schema/resource.ts';
import { atLeastOne } from '../../kit/schema/rules.ts';
import { keysOf } from '../../kit/text/json-object.ts';
import type { CatalogueResource, Declaration, ResourceName } from './catalogue.ts';

const LIST_CHANGEABLE = ['folder_id', 'note', 'optin', 'smsdefault'] as const;

/** Declares the resource `list`. The interface does not describe this resource (`src/service/protocol/README.md`, "Companions"). */
const list = defineResource({
  name: 'list',
  noun: 'list',
  describe: 'A list that subscribers are on',
  singular: 'a list',
  plural: 'lists',
  fields: {
    id: id('List id'),
    name: string('Name', { ...filterableAndSortable, octets: [1, 255] }),
    folder_id: orNull(int('Folder it is in', { ...filterable, refersTo: 'folder' })),
    note: orNull(string('Note about the list')),
    optin: bool('Whether new subscriptions must be confirmed', { default: false }),
    smsdefault: bool('Whether the list is the default list for phone numbers', {
      ...filterable,
      default: false,
    }),
    deletable: bool('Whether the list can be deleted; false for a permanent list'),
    subscription_count: int('Subscriptions to it'),
    automation_count: int('Number of click, open, subscription and date rules that use the list'),
    smsautomation_count: int('Number of SMS rules that use the list'),
    form_count: int('Number of forms that use the list'),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'name', 'folder_id', 'smsdefault'] },
    post: { required: ['name'], optional: LIST_CHANGEABLE },
    put: { optional: ['name', ...LIST_CHANGEABLE] },
    delete: { by: ['id'] },
  },
  identifiedBy: ['name'],
  columns: ['id', 'name', 'folder_id', 'subscription_count'],
});

const text = (describe: string) => orNull(string(describe, { octets: [0, 255] }));

/** Fields that describe the person. Clients can change these fields. */
const PERSON = {
  firstname: text('First name'),
  lastname: text('Last name'),
  title: text('Title'),
  companyname: text('Company'),
  gender: text('Gender'),
  housenumber: text('House number'),
  streetname: text('Street'),
  town: text('Town'),
  county: text('County'),
  postcode: text('Postcode'),
  country: text('Country'),
  daybirth: orNull(int('Day of birth', { min: 1, max: 31 })),
  monthbirth: orNull(int('Month of birth', { min: 1, max: 12 })),
  yearbirth: orNull(int('Year of birth', { min: 1800, max: 2200 })),
};
const SUBSCRIBER_CHANGEABLE = ['email', 'msisdn', ...keysOf(PERSON)] as const;

/** Declares the resource `subscriber`. The interface does not describe this resource (`src/service/protocol/README.md`, "Companions"). */
const subscriber = defineResource({
  name: 'subscriber',
  noun: 'subscriber',
  describe: 'A person who is on one or more lists',
  singular: 'a subscriber',
  plural: 'subscribers',
  fields: {
    id: id('Subscriber id'),
    email: orNull(string('E-mail address', { ...filterableAndSortable, format: 'email' })),
    msisdn: orNull(string('Mobile number', { ...filterableAndSortable, format: 'msisdn' })),
    list_id: orNull(
      int(
        'Lists that a new subscriber joins. As a filter: one list that the subscriber is on. Always null in responses',
        { ...filterable, refersTo: 'list', writeOnly: true, several: true },
      ),
    ),
    ...PERSON,
    emailsuspended: bool('Suspended for e-mail'),
    smssuspended: bool('Suspended for SMS'),
    confirmed: orNull(
      bool(
        'Whether the person has confirmed a subscription. A POST sets it for the subscriptions that list_id makes; null is true',
      ),
    ),
    emailmd5: orNull(string('MD5 of the lower-case e-mail address, in hexadecimal')),
    bounce_exists: bool('Whether a message to the person has bounced'),
    contact_exists: bool('Whether a task has sent a message to the person'),
    subscription_count: int('Number of lists that the subscriber is on'),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'email', 'msisdn', 'list_id'] },
    post: { optional: [...SUBSCRIBER_CHANGEABLE, 'list_id', 'confirmed'] },
    put: { optional: [...SUBSCRIBER_CHANGEABLE, 'emailsuspended', 'smssuspended'] },
    delete: { by: ['id'] },
  },
  rules: [
    {
      section: 'Companions',
      text: 'email or msisdn is required',
      attributes: ['email', 'msisdn'],
      check: ({ email = null, msisdn = null }) =>
        email === null && msisdn === null ? atLeastOne('email', 'msisdn') : undefined,
    },
  ],
  identifiedBy: ['email', 'msisdn'],
  columns: ['id', 'email', 'msisdn', 'subscription_count'],
});

const SUBSCRIPTION_SOURCES = ['api', 'form', 'import', 'sms'] as const;
export type SubscriptionSource = (typeof SUBSCRIPTION_SOURCES)[number];

const SUBSCRIPTION_CHANGEABLE = ['confirmed', 'confirmationredirect', 'source'] as const;

/** Declares the resource `subscription`. The interface does not describe this resource (`src/service/protocol/README.md`, "Companions"). */
const subscription = defineResource({
  name: 'subscription',
  noun: 'subscription',
  describe: 'The subscription of one subscriber to one list',
  singular: 'a subscription',
  plural: 'subscriptions',
  fields: {
    id: id('Subscription id'),
    subscriber_id: int('Id of the subscriber', { ...filterable, refersTo: 'subscriber' }),
    list_id: int('List', { ...filterable, refersTo: 'list' }),
    confirmed: bool('Whether the subscription was confirmed', { ...filterable, default: true }),
    confirmationredirect: orNull(string('URL that a confirmation link leads to')),
    source: orNull(oneOf(SUBSCRIPTION_SOURCES, 'How the subscription was made')),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'subscriber_id', 'list_id', 'confirmed'] },
    post: { required: ['subscriber_id', 'list_id'], optional: SUBSCRIPTION_CHANGEABLE },
    put: { optional: SUBSCRIPTION_CHANGEABLE },
    delete: { by: ['id', 'subscriber_id', 'list_id'] },
  },
  identifiedBy: ['subscriber_id', 'list_id'],
  columns: ['id', 'subscriber_id', 'list_id', 'confirmed'],
});

/** Sends the confirmation message of a list to a subscriber. */
const emailOptIn = defineResource({
  name: 'emailOptIn',
  noun: 'email-opt-in',
  describe: 'A message that asks a subscriber to confirm a subscription',
  singular: 'a confirmation message',
  plural: 'confirmation messages',
  fields: {
    id: id('Id of the message in the outbox'),
    subscription_id: int('Subscription that the link in the message confirms', { refersTo: 'subscription' }),
    redirectionurl: orNull(string('URL that the confirmation link leads to', { format: 'url' })),
  },
  methods: { post: { required: ['subscription_id'], optional: ['redirectionurl'] } },
  identifiedBy: [],
  columns: ['id'],
});

/** Profile fields (`src/service/protocol/README.md`, "Companions"). */
const subscriberProfileField = defineResource({
  name: 'subscriberProfileField',
  noun: 'field',
  describe: 'A custom field that subscribers have values in',
  singular: 'a profile field',
  plural: 'profile fields',
  fields: {
    id: id('Field id'),
    name: string('Name', { ...filterableAndSortable, octets: [1, 255] }),
    columnheader: string('Unique column heading of the field in CSV files (default: the name of the field)', {
      ...filterableAndSortable,
      octets: [1, 255],
    }),
    type: string('Type of the values in the field', { default: 'text', octets: [1, 40] }),
    goaltracking: bool(
      'Whether the service uses this field for goal tracking (what readers do on your website after a click)',
      { default: false },
    ),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'name', 'columnheader'] },
    post: { required: ['name'], optional: ['columnheader', 'type', 'goaltracking'] },
    put: { optional: ['name', 'columnheader', 'type', 'goaltracking'] },
    delete: { by: ['id'] },
  },
  identifiedBy: ['name'],
  columns: ['id', 'name', 'columnheader', 'type'],
});

/** Returns a session token for a user's name and password. */
export const token = defineResource({
  name: 'token',
  noun: 'token',
  describe: 'A session token, accepted instead of a signature',
  singular: 'a token',
  plural: 'tokens',
  fields: {
    username: string('Login name', { format: 'username' }),
    password: string('Password of the user', { writeOnly: true }),
    token: string('The token: 96 characters of A-Z a-z 0-9 + /'),
    expiry: int('When it ends', { format: 'timestamp' }),
  },
  methods: { post: { required: ['username', 'password'] } },
  identifiedBy: [],
  columns: ['token', 'expiry'],
});

const resources = [list, subscriber, subscription, subscriberProfileField, token, emailOptIn] as const;

type SandboxOnlyDeclaration = (typeof resources)[number];
export type SandboxOnlyResourceName = SandboxOnlyDeclaration['name'];
type SandboxOnlyResource = Resource<string, SandboxOnlyResourceName>;

/** All resources that only a sandbox with `--companions` serves. */
export const sandboxOnlyResources: readonly SandboxOnlyResource[] = resources;

/** Names of all resources that a sandbox may serve. */
export type SandboxResourceName = ResourceName | SandboxOnlyResourceName;
export type SandboxResource = CatalogueResource | SandboxOnlyResource;
export type ResourceNamed<N extends SandboxResourceName> = Extract<
  Declaration | SandboxOnlyDeclaration,
  { readonly name: N }
>;
