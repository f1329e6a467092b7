import type { sms as smsDeclaration } from '../resources/sms.ts';
import type { smsAutomation as smsAutomationDeclaration } from '../resources/sms-automation.ts';
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
    fromaddress: { example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --now' },
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

const CREATE = 'automation create --kind sms --name "Sale by SMS" --keyword SALE --list 7';
const ANSWERED = `${CREATE} --message "Spring sale"`;
const WITH_MESSAGE =
  'message_actiontimediff, message_actionhour and message_actiononweekend can have a value only if message_id is set.';

export const smsAutomation: ExplanationOf<typeof smsAutomationDeclaration> = {
  sections:
    'smsAutomation (rule for inbound SMS, MO); States and transitions; Endpoints, smsAutomation; Events; Errors',
  about: [
    'A rule that acts when a destination of the company receives an SMS. It adds the sender to a list, and can reply and notify the company.',
    'The keyword of the destination decides whether an SMS is accepted (svc explain sms-destination). Then the keyword of the rule decides whether the SMS triggers the rule.',
  ],
  traps: [
    'A rule with a null keyword matches every inbound SMS that no other rule matches.',
    'If an SMS matches the rule, its sender is added to the list in list_id.',
    'message_actiontimediff is in seconds. message_actiontimediff, message_actionhour and message_actiononweekend can be set only together with message_id.',
    'message_actionhour is a full hour, as a local time in the time zone of the company.',
    'If you delete a rule, its queued actions are cancelled. If you pause a rule, its queued actions still run, but new events no longer trigger it.',
    'If a list or its folder is deleted, the service pauses the rules that use the list.',
  ],
  permissions: [
    'Only the creator and an admin can change or delete a rule.',
    'message_id must be an SMS message that the user can access. If folders are restricted, the lists in list_id and email_list_id must be in folders that the user can access.',
  ],
  states: [
    'Active: paused is false. Inbound SMS can trigger the rule.',
    'From active to paused: you pause the rule with svc automation pause (PUT with paused true). The service also pauses a rule if its list, or the folder of that list, is deleted. Queued actions still run.',
    'From paused to active: PUT with paused false (svc automation resume). The service refuses the request if the record in list_id, email_list_id or message_id is deleted or inaccessible. To resume the rule, give the id of another record in the same request. You can also set email_list_id and message_id to null.',
    'Deleted (DELETE): queued actions are cancelled.',
  ],
  refusals: [
    '409 subcode 12, "Automation Rule … cannot be unpaused: Dependent … resource … no longer exists": the record in list_id, email_list_id or message_id was deleted, and the request does not replace it.',
  ],
  fields: {
    id: {
      traps: [
        'Rules of different kinds can have the same id, so svc names a rule by kind and id, such as sms:12.',
      ],
      example: 'automation get sms:12',
    },
    email_list_id: {
      traps: [
        'Any e-mail address in the SMS is added to the list in email_list_id, even one that does not belong to the sender.',
      ],
      about: ['If email_list_id is null, the rule adds no e-mail addresses.'],
      example: `${CREATE} --email-list 8`,
    },
    keyword: {
      traps: [
        'A rule with a null keyword matches every inbound SMS that no other rule matches.',
        'If you give no keyword, svc automation create sets it to null, and the rule matches every SMS that no other rule matches. svc rejects an empty keyword, such as the value of an unset shell variable.',
        'The keyword of a rule has 1 to 32 letters and digits. The keyword of a destination has other limits: 4 to 64 characters without spaces.',
      ],
      about: [
        'After the destination accepts an SMS, the service looks for the keyword of the rule in the SMS, ignoring case. In the sandbox, the keyword of the rule must be the first word of the SMS. If the destination has its own keyword, the keyword of the rule must be the word after it.',
        'The field keyword is required when you create a rule, but can be null.',
      ],
      example: CREATE,
    },
    list_id: {
      traps: ['If the list in list_id or its folder is deleted, the service pauses the rule.'],
      about: ['If an SMS matches the rule, its sender is added to the list in list_id.'],
      example: CREATE,
    },
    message_id: {
      traps: [
        'In a rule of kind sms, message_id is the id of an SMS message. In rules of other kinds, it is the id of an e-mail message.',
      ],
      about: [
        'If message_id is null, the rule sends no reply. The user who sets message_id must have access to the message.',
      ],
      example: ANSWERED,
    },
    message_actionhour: {
      traps: [
        WITH_MESSAGE,
        'The hour in message_actionhour is a local time in the time zone of the company, not in UTC and not in your time zone.',
        'The unit of message_actiontimediff is seconds: 86400 is one day, and 1440 is only 24 minutes. If message_actionhour is set, message_actiontimediff must be 0 or a multiple of 1440, such as 86400 (60 × 1440).',
      ],
      about: [
        'Only full hours are allowed: 09:00:00, not 09:30:00. If message_actionhour is null, the rule can reply at any hour.',
      ],
      example: `${ANSWERED} --message-actionhour 09:00:00`,
    },
    message_actiontimediff: {
      traps: [
        'The unit of message_actiontimediff is seconds, as in click, open and date rules, not minutes as in subscription rules.',
        WITH_MESSAGE,
        'The delay in message_actiontimediff must not be negative. Its unit is seconds: 86400 is one day, and 1440 is only 24 minutes. If message_actionhour is set, the delay must be 0 or a multiple of 1440, such as 86400 (60 × 1440).',
      ],
      about: ['svc automation create --after 10m writes it in seconds.'],
      example: `${ANSWERED} --after 10m`,
    },
    message_actiononweekend: {
      traps: [
        WITH_MESSAGE,
        'Without message_id, message_actiononweekend is null. With only message_id, message_actiononweekend is true. It can be false only if message_actionhour or message_actiontimediff is also set.',
      ],

      example: `${ANSWERED} --after 10m --no-message-actiononweekend`,
    },
    name: {
      about: ['If several rules have the same name, give the kind and the id of the rule, such as sms:12.'],
      flags: ['key'],
      example: CREATE,
    },
    notifyemail: {
      about: ['If notifyemail is null, the rule sends no copy of the SMS by e-mail.'],
      example: `${CREATE} --notifyemail office@example.com`,
    },
    notifymsisdn: {
      traps: [
        'If notifymsisdn is set, the rule sends a copy of every SMS that triggers the rule. The copy goes to the number in notifymsisdn. The interface document does not say how much a forwarded SMS costs. The sandbox charges SMS credits.',
      ],
      about: ['Null forwards nothing.'],
      example: `${CREATE} --notifymsisdn 447700900123`,
    },
    notifyurl: {
      traps: [
        'The interface document does not describe the request to notifyurl, or say whether a failed request is repeated. Do not use these requests as your only record of the SMS. The sandbox sends each request once.',
      ],
      about: ['Null calls nothing.'],
      example: `${CREATE} --notifyurl https://example.com/inbound`,
    },
    paused: {
      traps: [
        'The service also sets paused to true if the list of the rule, or the folder of that list, is deleted.',
        'If the record in list_id, email_list_id or message_id is deleted or inaccessible, a PUT with paused false fails with 409 subcode 12. To resume the rule, give the id of another record in the same request, or null if the attribute can be null.',
      ],
      about: [
        'If you pause a rule, its queued actions still run. If you delete a rule, its queued actions are cancelled.',
        'To pause or resume a rule, run svc automation pause or svc automation resume.',
      ],
      example: 'automation pause sms:12',
    },
    summary: {
      about: [
        'A description of the rule for people. A request that creates a rule must contain summary, but its value can be null. svc sends null if you give no summary.',
      ],
      example: `${CREATE} --summary "Takes orders by SMS"`,
    },
    user_id: { about: ['Only the user who created the rule and the admin can change or delete it.'] },
  },
};
