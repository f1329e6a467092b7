import { bool, cdate, F, FS, id, int, mdate, orNull, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

/** Declaration of subscriber, which is not in the interface: `src/protocol/README.md`, "Companions". */
export const subscriber = defineResource({
  name: 'subscriber',
  noun: 'subscriber',
  describe: 'Somebody who is on lists',
  singular: 'a subscriber',
  plural: 'subscribers',
  fields: {
    id: id('Subscriber id'),
    email: orNull(string('E-mail address', { ...FS, format: 'email' })),
    msisdn: orNull(string('Mobile number', { ...FS, format: 'msisdn' })),
    list_id: orNull(
      int('As a filter, and on POST, a list that they are on; always returned as null', {
        ...F,
        refersTo: 'list',
        writeOnly: true,
      }),
    ),
    emailsuspended: bool('Gets no e-mail', { default: false }),
    smssuspended: bool('Gets no SMS', { default: false }),
    confirmed: bool('Whether they have confirmed', { default: true }),
    subscription_count: int('Lists that they are on'),
    cdate: cdate(),
    mdate: mdate(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'email', 'msisdn', 'list_id'] },
    post: { optional: ['email', 'msisdn', 'list_id', 'emailsuspended', 'smssuspended', 'confirmed'] },
    put: { optional: ['email', 'msisdn', 'emailsuspended', 'smssuspended', 'confirmed'] },
    delete: { by: ['id'] },
  },
  rules: [
    {
      section: 'Companions',
      text: 'email or msisdn is required',
      attributes: ['email', 'msisdn'],
      check: ({ email = null, msisdn = null }) =>
        email === null && msisdn === null
          ? { attribute: 'email', reason: 'or msisdn is required' }
          : undefined,
    },
  ],
  identifiedBy: ['email', 'msisdn'],
  columns: ['id', 'email', 'msisdn', 'subscription_count'],
});
