import { id, int, orNull, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

/** Not in the interface: sends the confirmation message of a list to a subscriber. Only POST. */
export const emailOptIn = defineResource({
  name: 'emailOptIn',
  noun: 'email-opt-in',
  describe: 'A confirmation message that is sent to a subscriber',
  singular: 'a confirmation message',
  plural: 'confirmation messages',
  fields: {
    id: id('Number of the message in the outbox'),
    subscription_id: int('Subscription that the link in the message confirms', { refersTo: 'subscription' }),
    redirectionurl: orNull(string('URL that the confirmation link leads to', { format: 'url' })),
  },
  methods: { post: { required: ['subscription_id'], optional: ['redirectionurl'] } },
  identifiedBy: [],
  columns: ['id'],
});
