import type { smsMessage as declaration } from '../resources/sms-message.ts';
import { type ExplanationOf, LOCKED_MESSAGE } from './explanation.ts';

export const smsMessage: ExplanationOf<typeof declaration> = {
  sections: 'smsMessage; States and transitions; Endpoints, smsMessage; Errors; Limits',
  about: [
    'A text that tasks and autoresponder rules send by SMS. It is stored once and sent to many people; svc sms send is for one SMS to one number.',
  ],
  traps: [
    'Deleting a message does not cancel the tasks that send it: they still go out. Cancel the tasks first.',
    'A message cannot be changed once a task uses it. Nothing in the interface makes it editable again.',
    'Each part costs a credit for every recipient: about 160 GSM characters are 1 credit, about 306 are 2, about 459 are 3.',
    'Personalisation is not supported in SMS messages.',
  ],
  states: [
    'Editable until a task uses it. Then used is true, and the service rejects changes.',
    'Deleted while a task refers to it: it is hidden from GET, but the task can still send it.',
  ],
  refusals: [LOCKED_MESSAGE],
  fields: {
    editable: {
      traps: [
        'It is a number here, not true or false as for e-mail messages.',
        'Creating a task locks its message: a PUT of the message is refused with 423 subcode 10.',
      ],

      values: { '1': 'The message can be changed.', '0': 'The message is locked.' },
      example: 'sms-message list --editable 1',
    },
    fromname: {
      traps: [
        'Some SMS networks ignore characters other than unaccented letters and digits.',
        'One network in Australia goes further: a name that holds any such character is replaced by a random local number.',
      ],

      example: 'sms-message create --name "Spring sale" --from Example --text "Everything must go"',
    },
    message: {
      traps: [
        'Each part costs a credit for every recipient: about 160 GSM characters fit one part, about 306 two, about 459 three. The maximum is three parts.',
        'subinfo adds 30 bytes, which can add a part.',
        'Personalisation is not supported in SMS messages.',
        'The interface counts only GSM characters. One character outside the GSM alphabet, such as an emoji, makes the sandbox count in UCS-2: 70 characters for one part, 67 for each of several.',
      ],
      example: 'sms-message lint --text "Everything must go" --from Example',
    },
    name: { flags: ['key'] },
    subinfo: {
      traps: [
        'It adds 30 bytes to the message, which can add a part, and so one credit for every recipient.',
      ],

      example: 'sms-message create --name "Spring sale" --from Example --text "Everything must go" --subinfo',
    },
    used: { about: ['Such a message is locked. Deleting it hides it, and its tasks still send it.'] },
  },
};
