import {
  bool,
  creationTime,
  filterable,
  filterableAndSortable,
  id,
  int,
  lastChangeTime,
  string,
} from '../../kit/schema/field.ts';
import { phrase } from '../../kit/schema/reason.ts';
import { type DeleteWarning, defineResource } from '../../kit/schema/resource.ts';
import { MAX_SMS_PARTS, measureSms } from '../../kit/text/gsm.ts';

/** Warns that the tasks that send a message are not cancelled (interface, "emailMessage" and "smsMessage"). */
export const messageDeleteWarning: DeleteWarning<'used'> = {
  about: 'If you delete a message, the tasks that send it are not cancelled: cancel the tasks first',
  consequence: ({ used }) => (used === true ? ', whose tasks are not cancelled' : ''),
};

/** Octets that unsubscribe instructions take. Interface, smsMessage: subinfo "adds 30 bytes to the message length". */
export const OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS = 30;

/** Declares the resource `smsMessage` (interface, "smsMessage"). */
export const smsMessage = defineResource({
  name: 'smsMessage',
  noun: 'sms-message',
  describe: 'A text that tasks send by SMS',
  singular: 'an SMS message',
  plural: 'SMS messages',
  fields: {
    id: id('SMS message id'),
    editable: int(
      'Whether the message can still be changed: 1 = yes, 0 = no, because a task uses the message',
      filterable,
    ),
    fromname: string('Sender: phone number or up to 11 letters and digits', {
      format: 'sender',
      flag: 'from',
    }),
    message: string('Text of the message', { format: 'sms-text', flag: 'text', fileFlag: 'text-file' }),
    name: string('Internal name that recipients do not see', filterableAndSortable),
    subinfo: bool('Each SMS gets unsubscribe instructions (30 bytes)', { default: false }),
    used: bool('A scheduled task uses the message', filterable),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'editable', 'name', 'used'] },
    post: { required: ['fromname', 'message', 'name'], optional: ['subinfo'] },
    put: { optional: ['fromname', 'message', 'name', 'subinfo'] },
    delete: { by: ['id'] },
  },
  rules: [
    {
      section: 'Limits, subinfo overhead',
      text: 'message must fit in 3 SMS parts, including the 30 bytes of unsubscribe information that subinfo adds',
      attributes: ['message', 'subinfo'],
      check: ({ message, subinfo }) => {
        if (typeof message !== 'string' || subinfo !== true) return undefined;
        // A text that is too long by itself is reported by its own format.
        if (measureSms(message).parts > MAX_SMS_PARTS) return undefined;
        const { parts } = measureSms(message, OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS);
        if (parts <= MAX_SMS_PARTS) return undefined;
        return {
          attribute: 'message',
          value: message,
          reason: phrase`takes ${parts} parts with ${'subinfo'}; the maximum is ${MAX_SMS_PARTS}`,
          instead: phrase`shorten the message, or set ${'subinfo'} to false`,
        };
      },
    },
  ],
  calledBy: 'name',
  identifiedBy: ['name', 'fromname', 'message'],
  inDoubt: 'note-first',
  examples: {
    create: 'sms-message create --name "Spring sale" --from Example --text "Everything must go"',
    delete: 'sms-message delete 2 --yes',
    update: 'sms-message update 2 --text "Everything must go"',
  },
  deleteWarning: messageDeleteWarning,
  newestBy: 'id',
  columns: ['id', 'name', 'editable', 'used', 'message', 'fromname', 'cdate'],
});
