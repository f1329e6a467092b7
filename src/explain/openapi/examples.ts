/** Requests that work in the sandbox's demo company. The OpenAPI document shows these requests as examples, and a test sends them. */
import { TIMED_RULE_BODIES } from '../../explanations/timed-kinds.ts';
import type { ResourceName } from '../../resources/catalogue.ts';
import { mapTimedRuleKinds } from '../../resources/rule-kinds.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import type { Resource, Values } from '../../schema/resource.ts';

interface Examples {
  /** Id of the record in the examples. It exists in the demo company, or a POST with the values of `create` creates it. */
  readonly id: number | string;
  readonly create?: Values;
  readonly update?: Values;
  /** Example values of attributes that no request sets. Omitted where the default value for the type is a clear example. */
  readonly record?: Values;
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
      goaltrackingdomain: 'track.harbourcoffee.example',
      subscriber_limit: 50_000,
      telephone: '441174960000',
      timezone: 'Europe/London',
      user_limit: 10,
      website: 'https://www.harbourcoffee.example',
    },
  },
  accountFeatures: {
    id: 1,
    update: {
      enablecustommaildomain: true,
      custommaildomaintype: 'domain',
      maildomainprimary: 'mail.harbourcoffee.example',
      enablesubscriptionmo: true,
      subscriber_limit: 50_000,
      user_limit: 10,
    },
    record: { contactemail: 'office@harbourcoffee.example', timezone: 'Europe/London' },
  },
  user: {
    id: 2,
    create: {
      username: 'ada',
      firstname: 'Ada',
      lastname: 'Byron',
      email: 'ada@harbourcoffee.example',
      password: 'analytical1',
      msisdn: '447700900123',
      active: true,
    },
    update: { lastname: 'Lovelace' },
    record: { timezone: 'Europe/London', lastlogon: 1_796_115_600, logins: 12 },
  },
  sms: {
    id: 1,
    create: {
      msisdn: '447700900123',
      fromaddress: 'Harbour',
      message: 'Your order is ready.',
      senddate: 1_796_202_000,
    },
  },
  smsMessage: {
    id: 2,
    create: { name: 'Spring sale', fromname: 'Harbour', message: 'Spring sale until Sunday', subinfo: true },
    update: { message: 'Spring sale until Monday' },
    record: { editable: 1 },
  },
  smsDestination: {
    id: 2,
    update: { keyword: 'SALE' },
    record: { destination: '60990', isshortcode: true },
  },
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
      editor: 1,
      galinkdata: true,
      tracktextlinks: true,
    },
    update: { subject: 'Our spring coffee is back' },
    record: { editable: true },
  },
  emailMessageLink: {
    id: 1,
    record: { target: 'https://www.harbourcoffee.example/spring', name: null, type: 'html' },
  },
  task: {
    id: 5,
    create: {
      name: 'Spring sale',
      channel: 'email',
      message_id: 1,
      scheduledtime: 1_796_202_000,
      list_id: 1,
      search_id: null,
      rate: 1000,
    },
    update: { name: 'Spring sale, again', scheduledtime: 1_796_205_600 },
    record: { endtime: null, splittest_id: null },
  },
  folder: { id: 2, create: { name: 'News' }, update: { name: 'Archive' } },
  doNotContact: { id: 1, create: { contactdata: 'no.more@example.com' } },
  form: { id: 2, record: { name: 'Tasting sign-up', gacode: 'UA-0000-1', suppressoptin: 1 } },
  subscriberProfileData: {
    id: '4_2',
    create: { subscriber_id: 2, subscriberprofilefield_id: 4, value: '1 May' },
    update: { value: '2 May' },
  },
  ...mapTimedRuleKinds((kind) => ({ id: 1, create: TIMED_RULE_BODIES[kind], update: RENAMED })),
  smsAutomation: {
    id: 1,
    create: {
      name: 'Spring by SMS',
      keyword: 'SPRING',
      list_id: 1,
      email_list_id: 1,
      message_id: 1,
      message_actiontimediff: 600,
      message_actionhour: null,
      message_actiononweekend: true,
      notifyemail: 'office@harbourcoffee.example',
      notifymsisdn: '447700900123',
      notifyurl: 'https://www.harbourcoffee.example/inbound',
      summary: null,
    },
    update: RENAMED,
  },
};

/** Returns an example of the attribute's value: the value in an example request, or otherwise any value of the attribute's type. */
export function exampleValue(
  resource: Resource<string, ResourceName>,
  attribute: string,
  field: Field,
): Scalar {
  const { id, create, update, record } = REQUEST_EXAMPLES[resource.name];
  const known = { id, ...record, ...update, ...create }[attribute];
  return known === undefined ? valueOfKind(field) : known;
}

function valueOfKind({ kind, format, values, nullable, refersTo }: Field): Scalar {
  switch (kind) {
    case 'bool':
      return false;
    case 'enum':
      return values?.[0] ?? null;
    case 'decimal':
      return format === 'timestamp' ? 1_796_115_600 : 0;
    case 'int':
      return refersTo === undefined ? (nullable ? null : 0) : 1;
    case 'string':
      return nullable ? null : '';
  }
}

/** Returns an example of a record, as GET shows it. */
export const exampleRecord = (resource: Resource<string, ResourceName>): Values =>
  Object.fromEntries(
    Object.entries(resource.fields).map(([attribute, field]) => [
      attribute,
      field.writeOnly ? null : exampleValue(resource, attribute, field),
    ]),
  );
