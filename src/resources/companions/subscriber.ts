import { bool, cdate, F, FS, id, int, mdate, orNull, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

const text = (describe: string) => orNull(string(describe, { octets: [0, 255] }));

/** Fields of the person, which clients can change. */
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
const CHANGEABLE = ['email', 'msisdn', ...(Object.keys(PERSON) as (keyof typeof PERSON)[])] as const;

/** Declaration of subscriber, which is not in the interface: `src/protocol/README.md`, "Companions". */
export const subscriber = defineResource({
  name: 'subscriber',
  noun: 'subscriber',
  describe: 'A person on lists',
  singular: 'a subscriber',
  plural: 'subscribers',
  fields: {
    id: id('Subscriber id'),
    email: orNull(string('E-mail address', { ...FS, format: 'email' })),
    msisdn: orNull(string('Mobile number', { ...FS, format: 'msisdn' })),
    list_id: orNull(
      int('As a filter, one of their lists; on POST, one or several; always returned as null', {
        ...F,
        refersTo: 'list',
        writeOnly: true,
        several: true,
      }),
    ),
    ...PERSON,
    emailsuspended: bool('Suspended for e-mail'),
    smssuspended: bool('Suspended for SMS'),
    confirmed: bool('Whether they have confirmed'),
    emailmd5: orNull(string('MD5 of the lower-case e-mail address, in hexadecimal')),
    bounce_exists: bool('Whether a message to them has bounced'),
    contact_exists: bool('Whether a task has sent to them'),
    subscription_count: int('Lists that they are on'),
    cdate: cdate(),
    mdate: mdate(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'email', 'msisdn', 'list_id'] },
    post: { optional: [...CHANGEABLE, 'list_id'] },
    put: { optional: CHANGEABLE },
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
