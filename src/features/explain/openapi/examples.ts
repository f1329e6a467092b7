/** Requests that work in the sandbox's demo company. The OpenAPI document shows these requests as examples, and a test sends them. */

import type { Values } from '../../../kit/schema/resource.ts';
import { TIMED_RULE_BODIES } from '../../../service/explanations/timed-kinds.ts';
import type { ResourceName } from '../../../service/resources/catalogue.ts';
import { mapTimedRuleKinds } from '../../../service/resources/rule-kinds.ts';

interface Examples {
  /** Id of the record in the examples. It exists in the demo company, or a POST with the values of `create` creates it. */
  readonly id: number | string;
  readonly create?: Values;
  readonly update?: Values;
}

const RENAMED = { name: 'Spring readers', paused: true } as const;

export const REQUEST_EXAMPLES: Readonly<Record<ResourceName, Examples>> = {
  account: {
    id: 1,
    create: {
      name: 'Harbour Coffee Roasters',
      contactemail: 'office@harbourcoffee.example',
      address: '12 Quayside, Bristol',
      country: 'GB',
      timezone: 'Europe/London',
    },
  },
  accountFeatures: { id: 1, update: { subscriber_limit: 50_000, user_limit: 10 } },
  user: {
    id: 2,
    create: {
      username: 'ada',
      firstname: 'Ada',
      lastname: 'Byron',
      email: 'ada@harbourcoffee.example',
      password: 'analytical1',
    },
    update: { lastname: 'Lovelace' },
  },
  sms: { id: 1, create: { msisdn: '447700900123', fromaddress: 'Harbour', message: 'Your order is ready.' } },
  smsMessage: {
    id: 2,
    create: { name: 'Spring sale', fromname: 'Harbour', message: 'Spring sale until Sunday' },
    update: { message: 'Spring sale until Monday' },
  },
  smsDestination: { id: 2, update: { keyword: 'SALE' } },
  emailMessage: {
    id: 6,
    create: {
      name: 'Spring sale',
      subject: 'Spring coffee offers',
      fromname: 'Harbour Coffee',
      fromemail: 'news@harbourcoffee.example',
      replyemail: 'hello@harbourcoffee.example',
      html: '<p>Hello. <a href="https://www.harbourcoffee.example/spring">See the new roast</a></p>',
      text: 'Hello. See the new roast: https://www.harbourcoffee.example/spring',
    },
    update: { subject: 'Our spring coffee is back' },
  },
  emailMessageLink: { id: 1 },
  task: {
    id: 5,
    create: {
      name: 'Spring sale',
      channel: 'email',
      message_id: 1,
      scheduledtime: 1_796_202_000,
      list_id: 1,
      search_id: null,
    },
    update: { name: 'Spring sale, again', scheduledtime: 1_796_205_600 },
  },
  folder: { id: 2, create: { name: 'News' }, update: { name: 'Archive' } },
  doNotContact: { id: 1, create: { contactdata: 'no.more@example.com' } },
  form: { id: 2 },
  subscriberProfileData: {
    id: '4_2',
    create: { subscriber_id: 2, subscriberprofilefield_id: 4, value: '1 May' },
    update: { value: '2 May' },
  },
  ...mapTimedRuleKinds((kind) => ({ id: 1, create: TIMED_RULE_BODIES[kind], update: RENAMED })),
  smsAutomation: {
    id: 1,
    create: { name: 'Spring by SMS', keyword: 'SPRING', list_id: 1, message_id: 1, summary: null },
    update: RENAMED,
  },
};
