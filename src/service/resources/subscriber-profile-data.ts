import { filterable, filterableAndSortable, int, string } from '../../kit/schema/field.ts';
import { phrase } from '../../kit/schema/reason.ts';
import { defineResource } from '../../kit/schema/resource.ts';

const KEYS = ['id', 'subscriber_id', 'subscriberprofilefield_id'] as const;

/** Interface, "subscriberProfileData". The id of a record is `<subscriberprofilefield_id>_<subscriber_id>`. */
export const subscriberProfileData = defineResource({
  name: 'subscriberProfileData',
  noun: 'subscriber-data',
  describe: "A subscriber's value in a custom profile field",
  singular: "a subscriber's value in a custom profile field",
  plural: "subscribers' values in custom profile fields",
  fields: {
    id: string('Ids of the profile field and the subscriber, such as 3_17', filterable),
    subscriber_id: int('Id of the subscriber', {
      ...filterableAndSortable,
      refersTo: 'subscriber',
      flag: 'subscriber',
    }),
    subscriberprofilefield_id: int('Id of the profile field', {
      ...filterableAndSortable,
      refersTo: 'subscriberProfileField',
      flag: 'field',
    }),
    value: string('Value of the profile field for the subscriber'),
  },
  methods: {
    get: { oneOf: KEYS },
    head: { attributes: KEYS, oneOf: KEYS },
    post: { required: ['subscriber_id', 'subscriberprofilefield_id', 'value'] },
    put: { required: ['value'], optional: ['subscriber_id', 'subscriberprofilefield_id'] },
    delete: { by: KEYS },
  },
  rules: [
    {
      section: 'Endpoints, subscriberProfileData PUT',
      text: 'subscriber_id and subscriberprofilefield_id are required unless id is given',
      attributes: ['id', 'subscriber_id', 'subscriberprofilefield_id'],
      needs: [],
      schema: () => ({
        anyOf: [{ required: ['id'] }, { required: ['subscriber_id', 'subscriberprofilefield_id'] }],
      }),
      check: (values) => {
        if (values.id !== undefined) return undefined;
        const missing = KEYS.find((key) => key !== 'id' && values[key] === undefined);
        return missing && { attribute: missing, reason: phrase`is required unless ${'id'} is given` };
      },
    },
  ],
  order: ['subscriberprofilefield_id', 'subscriber_id'],
  identifiedBy: ['subscriber_id', 'subscriberprofilefield_id'],
  inDoubt: 'send-again',
  compositeId: ['subscriberprofilefield_id', 'subscriber_id'],
  examples: {
    get: 'subscriber-data get 3_1',
    exists: 'subscriber-data exists 3_1',
    create: 'subscriber-data create --subscriber 402 --field 3 --value espresso',
  },
  columns: ['id', 'subscriberprofilefield_id', 'subscriber_id', 'value'],
});
