import {
  bool,
  creationTime,
  decimal,
  filterable,
  id,
  int,
  lastChangeTime,
  orNull,
  string,
} from '../../kit/schema/field.ts';
import { type BodyOf, defineResource, type RecordOf } from '../../kit/schema/resource.ts';

/** Declares the resource `sms` (interface, "sms (single immediate or scheduled send)"). */
export const sms = defineResource({
  name: 'sms',
  noun: 'sms',
  describe: 'One SMS to one number, sent at once or at a set time',
  singular: 'an SMS',
  plural: 'single SMS',
  fields: {
    id: id('SMS id'),
    msisdn: string('Phone number of the recipient', { ...filterable, format: 'msisdn', flag: 'to' }),
    dispatched: bool('Whether the SMS was dispatched; false while it waits'),
    failed: bool('Whether delivery failed'),
    fromaddress: string('Sender: phone number or up to 11 letters and digits', {
      ...filterable,
      format: 'sender',
      flag: 'from',
    }),
    message: string('Text of the SMS; a long text is sent in parts, and each part costs 1 credit', {
      format: 'sms-text',
      fileFlag: 'text-file',
      flag: 'text',
    }),
    senddate: orNull(decimal('Time to send, such as "tomorrow 09:00"', { format: 'timestamp', flag: 'at' })),
    user_id: int('User who sent the SMS', { ...filterable, refersTo: 'user', byName: true }),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'msisdn', 'fromaddress', 'user_id'] },
    post: { required: ['msisdn', 'fromaddress', 'message'], optional: ['senddate'] },
  },
  verbs: { post: 'send' },
  identifiedBy: ['msisdn', 'fromaddress', 'message', 'senddate'],
  inDoubt: 'note-first',
  undo: { create: { never: 'an SMS cannot be recalled: the service has no request that recalls an SMS' } },
  newestBy: 'cdate',
  columns: ['id', 'msisdn', 'senddate', 'dispatched', 'failed', 'message', 'fromaddress'],
});

export type SmsRecord = RecordOf<typeof sms>;
export type SmsBody = BodyOf<typeof sms>;
