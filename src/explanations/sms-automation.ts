import type { smsAutomation as declaration } from '../resources/sms-automation.ts';
import type { ExplanationOf } from './explanation.ts';

const CREATE = 'automation create --kind sms --name "Sale by SMS" --keyword SALE --list 7';
const ANSWERED = `${CREATE} --message "Spring sale"`;
const WITH_MESSAGE =
  'message_actiontimediff, message_actionhour and message_actiononweekend can have a value only if message_id is set.';

export const smsAutomation: ExplanationOf<typeof declaration> = {
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
