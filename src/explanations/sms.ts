import type { sms as smsDeclaration } from '../resources/sms.ts';
import type { smsDestination as smsDestinationDeclaration } from '../resources/sms-destination.ts';
import type { smsMessage as smsMessageDeclaration } from '../resources/sms-message.ts';
import { type ExplanationOf, LOCKED_MESSAGE } from './explanation.ts';

export const sms: ExplanationOf<typeof smsDeclaration> = {
  sections: 'sms; States and transitions; Endpoints, sms; Limits',
  about: [
    'One SMS to one number, sent at once or at a set time. It is not part of a task, and needs no list and no stored message.',
  ],
  traps: [
    'If senddate is null or missing, the service sends the SMS at once.',
    'An SMS cannot be recalled, even before its send time: the interface has no PUT and no DELETE for an SMS.',
    'A text of more than 160 GSM characters is sent in several parts, and each part costs a credit: about 306 characters cost 2 credits, about 459 cost 3.',
    'The service keeps no bounce record for a single SMS, and no record that the recipient was contacted. Only the field "failed" shows that an SMS was not delivered. If a valid number cannot be reached, this field becomes true only after two weeks.',
    'The interface document does not say whether the service checks Do Not Contact for a single SMS. In the sandbox, an SMS to a number on the list fails. Check the number first with svc dnc check.',
  ],
  permissions: ['The admin sees the SMS of all users. A sub-user sees only their own SMS.'],
  states: [
    'Waiting: dispatched is false.',
    'A waiting SMS becomes dispatched or failed. The interface document does not say how or when. An SMS that cannot be delivered to a valid number fails after two weeks.',
  ],
  fields: {
    msisdn: {
      traps: [
        'The interface document does not say whether Do Not Contact applies to a single SMS. In the sandbox, an SMS to a number on that list fails.',
      ],
      about: ['Write the number as digits with the country code. svc removes a leading +.'],
      example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --now',
    },
    dispatched: {
      traps: [
        'A dispatched SMS is not necessarily delivered: an SMS that cannot be delivered to a valid number fails only after two weeks.',
      ],
      about: ['The interface document does not say when dispatched becomes true.'],
    },
    failed: {
      traps: [
        'If the field "failed" is false, this does not prove that the SMS was delivered. An SMS that cannot be delivered to a valid number fails only after two weeks.',
      ],
      about: ['The service records no bounce for a single SMS.'],
    },
    fromaddress: {
      example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --now',
    },
    message: {
      traps: [
        'Each part costs a credit: about 160 GSM characters fit one part, about 306 two, about 459 three.',
        'The interface document says only how GSM characters are counted. If a text has a character outside the GSM alphabet, such as an emoji, the sandbox counts it in UCS-2: 70 characters for one part, or 67 for each part of a longer text. svc sms estimate counts the parts of a text.',
      ],
      example: 'sms estimate --text "Your parcel is here"',
    },
    senddate: {
      traps: [
        'If senddate is null or omitted, the service sends the SMS at once. svc sms send requires --now to send at once.',
        'The interface document does not say what happens with a time in the past. The sandbox sends the SMS at once. svc rejects a time in the past, as for tasks.',
        'The send time cannot be changed later, and the SMS cannot be recalled.',
      ],
      about: [
        'svc reads a local time in the time zone of --tz, or else of the profile or the company. It never uses the time zone of this machine.',
      ],
      flags: ['now'],
      example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --at "tomorrow 9:00"',
    },
    user_id: { about: ['The service sets user_id to the id of the user who makes the request.'] },
  },
};

export const smsMessage: ExplanationOf<typeof smsMessageDeclaration> = {
  sections: 'smsMessage; States and transitions; Endpoints, smsMessage; Errors; Limits',
  about: [
    'A text that tasks and autoresponder rules send by SMS. It is stored once and sent to many people; svc sms send is for one SMS to one number.',
  ],
  traps: [
    'If you delete a message, the tasks that send it are not cancelled, and still send the message. Cancel the tasks first.',
    'A message cannot be changed once a task uses it. No request makes the message editable again.',
    'Each part costs a credit for every recipient: about 160 GSM characters are 1 credit, about 306 are 2, about 459 are 3.',
    'Personalisation is not supported in SMS messages.',
  ],
  states: [
    'A message is editable until a task uses it. Then the service rejects changes, and the field "used" is true.',
    'If you delete a message that a task uses, GET no longer returns the message, but the task can still send it.',
  ],
  refusals: [LOCKED_MESSAGE],
  fields: {
    editable: {
      traps: [
        'The value of editable is a number, not true or false as in e-mail messages.',
        'Creating a task locks the message of the task. The service then rejects changes to the message with 423 subcode 10.',
      ],

      values: { '1': 'The message can be changed.', '0': 'The message is locked.' },
      example: 'sms-message list --editable 1',
    },
    fromname: {
      traps: [
        'In a sender name, some SMS networks ignore characters other than unaccented letters and digits.',
        'If a sender name contains characters other than unaccented letters and digits, a network in Australia shows a random local number instead.',
      ],

      example: 'sms-message create --name "Spring sale" --from Example --text "Everything must go"',
    },
    message: {
      traps: [
        'Each part costs a credit for every recipient: about 160 GSM characters fit one part, about 306 two, about 459 three. The maximum is three parts.',
        'If subinfo is true, the service adds 30 bytes to the text. These bytes can add a part to the SMS.',
        'Personalisation is not supported in SMS messages.',
        'The interface document says only how GSM characters are counted. If a text has a character outside the GSM alphabet, such as an emoji, the sandbox counts it in UCS-2: 70 characters for one part, or 67 for each part of a longer text.',
      ],
      example: 'sms-message lint --text "Everything must go" --from Example',
    },
    name: { flags: ['key'] },
    subinfo: {
      traps: [
        'If subinfo is true, the service adds 30 bytes to the text, which tell people how to unsubscribe. These bytes can add a part, and so one credit for every recipient.',
      ],

      example: 'sms-message create --name "Spring sale" --from Example --text "Everything must go" --subinfo',
    },
    used: {
      about: [
        'A message that a task uses is locked. If you delete the message, GET no longer returns it, but its tasks still send it.',
      ],
    },
  },
};

export const smsDestination: ExplanationOf<typeof smsDestinationDeclaration> = {
  sections: 'smsDestination; Endpoints, smsDestination; Limits',
  about: [
    'A number or shortcode that receives SMS for the company. Rules of kind sms (svc explain automation sms) act on the SMS that the destination accepts.',
  ],
  traps: [
    'A destination that has a keyword accepts only SMS that begin with this keyword.',
    'This interface cannot create or delete a destination (a number that receives SMS). You can change only its keyword.',
  ],
  permissions: ['Only the admin can set the keyword.'],
  fields: {
    keyword: {
      traps: [
        'The destination accepts only SMS that begin with the keyword. If you change the keyword, SMS with the old keyword are no longer accepted.',
        'The keyword of a destination has 4 to 64 characters without spaces. The keyword of a rule has other limits: 1 to 32 letters and digits.',
      ],
      about: [
        'The service ignores case in the keyword. A new destination has no keyword (null).',
        'The interface document does not say which SMS a destination (a phone number of the company) without a keyword accepts. In the sandbox, it accepts every SMS. A rule compares its keyword with the first word of the SMS.',
      ],
      example: 'sms-destination update 12 --keyword SALE',
    },
    destination: {
      about: [
        'A phone number with its country code (MSISDN), or a shortcode. The field isshortcode says whether it is a shortcode.',
      ],
    },
    isshortcode: { about: ['The field isshortcode is false if the destination is a phone number (MSISDN).'] },
    mdate: { about: ['The field mdate is null until the destination is changed for the first time.'] },
  },
};
