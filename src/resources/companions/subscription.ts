import { bool, cdate, F, id, int, mdate, oneOf, orNull, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

/** Sources of a subscription. */
const SUBSCRIPTION_SOURCES = ['api', 'form', 'import', 'sms'] as const;
export type SubscriptionSource = (typeof SUBSCRIPTION_SOURCES)[number];

const CHANGEABLE = ['confirmed', 'confirmationredirect', 'source'] as const;

/** Declaration of subscription, which is not in the interface: `src/protocol/README.md`, "Companions". */
export const subscription = defineResource({
  name: 'subscription',
  noun: 'subscription',
  describe: 'The subscription of one subscriber to one list',
  singular: 'a subscription',
  plural: 'subscriptions',
  fields: {
    id: id('Subscription id'),
    subscriber_id: int('Id of the subscriber', { ...F, refersTo: 'subscriber' }),
    list_id: int('List', { ...F, refersTo: 'list' }),
    confirmed: bool('Whether it was confirmed', { ...F, default: true }),
    confirmationredirect: orNull(string('URL that a confirmation link leads to')),
    source: orNull(oneOf(SUBSCRIPTION_SOURCES, 'Where it came from')),
    cdate: cdate(),
    mdate: mdate(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'subscriber_id', 'list_id', 'confirmed'] },
    post: { required: ['subscriber_id', 'list_id'], optional: CHANGEABLE },
    put: { optional: CHANGEABLE },
    delete: { by: ['id', 'subscriber_id', 'list_id'] },
  },
  identifiedBy: ['subscriber_id', 'list_id'],
  columns: ['id', 'subscriber_id', 'list_id', 'confirmed'],
});
