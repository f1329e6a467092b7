import type { subscriberProfileData as declaration } from '../resources/subscriber-profile-data.ts';
import type { ExplanationOf } from './explanation.ts';

const WHOLE_RANGE =
  'DELETE with it alone is not about one value: it names every value that has it. svc subscriber-data delete asks first.';

export const subscriberProfileData: ExplanationOf<typeof declaration> = {
  sections: 'subscriberProfileData; Endpoints, subscriberProfileData',
  about: [
    'The value that a subscriber has in a custom profile field, one for each pair of subscriber and field. The interface describes subscribers and fields elsewhere, so they appear here as ids.',
  ],
  traps: [
    'DELETE needs only one of id, subscriber_id and subscriberprofilefield_id. With the id of a subscriber, or of a field, alone it names all the values of that subscriber or field.',
    'In the id, the field comes first: 3_17 is field 3 of subscriber 17.',
    'GET and HEAD need one of id, subscriber_id and subscriberprofilefield_id: the values of all subscribers in all fields cannot be listed.',
  ],
  fields: {
    id: {
      traps: ['The field comes first: 3_17 is field 3 of subscriber 17, and 17_3 is another value.'],
      about: [
        'It is text, and replaces both ids in PUT and DELETE.',
        'You cannot sort by it. In the sandbox, values are ordered by field, then by subscriber.',
      ],
      example: 'subscriber-data get 3_17',
    },
    subscriber_id: {
      traps: [WHOLE_RANGE],
      about: ['A PUT without id needs it together with subscriberprofilefield_id.'],
    },
    subscriberprofilefield_id: {
      traps: [WHOLE_RANGE],
      about: [
        'A PUT without id needs it together with subscriber_id. Filtering by it gives the value of each subscriber in that field.',
      ],
    },
    value: {
      traps: ['PUT replaces the stored value, and the interface cannot restore the earlier one.'],
      about: [
        'It is always text, even for numbers and dates. POST and PUT both require it. svc subscriber-data set creates or changes the value as needed.',
      ],
      example: 'subscriber-data set 3_17 --value blue',
    },
  },
};
