import type { smsAutomation as declaration } from '../resources/sms-automation.ts';
import type { ExplanationOf } from './explanation.ts';

const CREATE = 'automation create --kind sms --name "Sale by SMS" --keyword SALE --list 7';
const ANSWERED = `${CREATE} --message "Spring sale"`;
const WITH_MESSAGE = 'It can be set only if message_id is set.';

export const smsAutomation: ExplanationOf<typeof declaration> = {
  sections:
    'smsAutomation (rule for inbound SMS, MO); States and transitions; Endpoints, smsAutomation; Events; Errors',
  about: [
    'A rule that acts when a destination of the company receives an SMS. It adds the sender to a list, and can reply and notify the company.',
    'The keyword of the destination decides whether an SMS is accepted (svc explain sms-destination). Then the keyword of the rule decides whether it matches.',
  ],
  traps: [
    'A null keyword catches every inbound SMS that no other rule matches.',
    'Every sender who matches is added to the list in list_id.',
    'message_actiontimediff is in seconds. It, message_actionhour and message_actiononweekend can be set only together with message_id.',
    'message_actionhour is a local time in the zone of the company, and a full hour.',
    'Deleting a rule aborts its queued actions. Pausing it lets them finish, and no new events match.',
    'Deleting a list or its folder pauses the rules that use the list.',
  ],
  permissions: [
    'Only the creator and an admin can change or delete a rule.',
    'message_id must be an SMS message that the user can access. With folder restrictions, the lists must be in folders that the user can access.',
  ],
  states: [
    'Active: paused is false. Inbound SMS match.',
    'From active to paused: PUT with paused true (svc automation pause), or the deletion of its list or of the folder of its list. Queued actions complete.',
    'From paused to active: PUT with paused false (svc automation resume). It is refused while the resource of list_id, email_list_id or message_id is gone or inaccessible, unless the request puts a valid one, or null, in its place.',
    'Removed by DELETE: queued actions are aborted.',
  ],
  refusals: [
    '409 subcode 12, "Automation Rule … cannot be unpaused: Dependent … resource … no longer exists": the resource of list_id, email_list_id or message_id was deleted, and the request does not replace it.',
  ],
  fields: {
    id: {
      traps: [
        'Rules of several kinds can have the same number, so svc names a rule by kind and id, such as sms:12.',
      ],
      example: 'automation get sms:12',
    },
    email_list_id: {
      traps: ['Any e-mail address in the SMS is added to the list, whether it belongs to the sender or not.'],
      about: ['Null adds none.'],
      example: `${CREATE} --email-list 8`,
    },
    keyword: {
      traps: [
        'Null catches every inbound SMS that no other rule matches.',
        'Without it, svc automation create sends null, and the rule catches everything. svc rejects an empty value, such as an unset variable.',
        'Its limits differ from those of a destination keyword: 1 to 32 letters and digits here, 4 to 64 characters without spaces there.',
      ],
      about: [
        'It is compared after the destination accepts the SMS, ignoring case. In the sandbox, it is the word after the keyword of the destination, or the first word if the destination has none.',
        'It is required when you create a rule, but can be null.',
      ],
      example: CREATE,
    },
    list_id: {
      traps: ['Deleting the list, or its folder, pauses the rule.'],
      about: ['Every sender who matches is added.'],
      example: CREATE,
    },
    message_id: {
      traps: ['It is an SMS message, not an e-mail message as in the rules of other kinds.'],
      about: ['Null sends no reply. The user must have access to the message.'],
      example: ANSWERED,
    },
    message_actionhour: {
      traps: [
        WITH_MESSAGE,
        'It is a local time in the zone of the company, not in UTC and not in yours.',
        'With it message_actiontimediff must be 0 or a multiple of 1440, although its unit is the second: 1440 seconds are 24 minutes. A day, 86400, is such a multiple.',
      ],
      about: ['Only full hours: 09:00:00, not 09:30:00. Null means no particular hour.'],
      example: `${ANSWERED} --message-actionhour 09:00:00`,
    },
    message_actiontimediff: {
      traps: [
        'The unit is seconds, as in click, open and date rules, not minutes as in subscription rules.',
        WITH_MESSAGE,
        'It must not be negative. With message_actionhour, it must be 0 or a multiple of 1440. A day, 86400, is such a multiple.',
      ],
      about: ['svc automation create --after 10m writes it in seconds.'],
      example: `${ANSWERED} --after 10m`,
    },
    message_actiononweekend: {
      traps: [
        WITH_MESSAGE,
        'It can be false only if message_id is set together with message_actionhour or message_actiontimediff. With only message_id it is true, and without message_id it is null.',
      ],

      example: `${ANSWERED} --after 10m --no-message-actiononweekend`,
    },
    name: {
      about: ['If several rules have the same name, use kind and id, such as click:12.'],
      flags: ['key'],
      example: CREATE,
    },
    notifyemail: {
      about: ['Null notifies no one.'],
      example: `${CREATE} --notifyemail office@example.com`,
    },
    notifymsisdn: {
      traps: [
        'Every SMS that matches is forwarded. The interface does not say what that costs. The sandbox charges SMS credits for it.',
      ],
      about: ['Null forwards nothing.'],
      example: `${CREATE} --notifymsisdn 447700900123`,
    },
    notifyurl: {
      traps: [
        'The interface does not show the content of the request, or whether a failed one is retried. Do not rely on it as the only record. The sandbox calls once.',
      ],
      about: ['Null calls nothing.'],
      example: `${CREATE} --notifyurl https://example.com/inbound`,
    },
    paused: {
      traps: [
        'It is also set when the list of the rule, or the folder of that list, is deleted.',
        'It cannot be set to false while the resource of list_id, email_list_id or message_id is gone or inaccessible: 409 subcode 12, unless the same request sets a valid one, or null.',
      ],
      about: [
        'Queued actions of a paused rule still run; deleting the rule aborts them.',
        'svc automation pause and svc automation resume set it.',
      ],
      example: 'automation pause sms:12',
    },
    summary: {
      about: [
        'A description for people. It is required when you create a rule, but can be null. svc sends null if you omit it.',
      ],
      example: `${CREATE} --summary "Takes orders by SMS"`,
    },
    user_id: { about: ['Only that user and the admin can change or delete the rule.'] },
  },
};
