import type { smsAutomation as declaration } from '../sms-automation.ts';
import type { ExplanationOf } from './explanation.ts';

const CREATE = 'automation create --kind sms --name "Sale by SMS" --keyword SALE --list 7';
const ANSWERED = `${CREATE} --message "Spring sale"`;
const WITH_MESSAGE = 'It can be set only if message_id is set.';

export const smsAutomation: ExplanationOf<typeof declaration> = {
  sections:
    'smsAutomation (rule for inbound SMS, MO); States and transitions; Endpoints, smsAutomation; Events; Errors',
  about: [
    'A rule that acts when an SMS comes in on a destination of the company: it adds the sender to a list, may answer, and may tell the company.',
    'First the keyword of the destination decides whether an SMS is accepted (svc explain sms-destination), then the keyword of the rule whether it matches.',
  ],
  traps: [
    'A keyword of null catches every inbound SMS that no other rule matches.',
    'Every sender who matches is added to the list in list_id.',
    'message_actiontimediff is in seconds. It, message_actionhour and message_actiononweekend can be set only together with message_id.',
    'message_actionhour is a local time in the zone of the company, and a full hour.',
    'Deleting a rule aborts the actions that it has queued. Pausing it lets them finish, and nothing new matches.',
    'Deleting a list, or the folder of a list, pauses the rules that work on it.',
  ],
  permissions: [
    'Only the creator and an admin can change or delete a rule.',
    'message_id has to be an SMS message that the user can access. With folder restrictions the lists have to lie in folders that the user can access.',
  ],
  states: [
    'Active: paused is false. Inbound SMS match.',
    'From active to paused: PUT with paused true (svc automation pause), or the deletion of its list or of the folder of its list. Queued actions complete.',
    'From paused to active: PUT with paused false (svc automation resume). It is refused while the resource of list_id, email_list_id or message_id is gone or inaccessible, unless the request puts a valid one, or null, in its place.',
    'Removed by DELETE: queued actions are aborted.',
  ],
  refusals: [
    '409 subcode 12, "Automation Rule … cannot be unpaused: Dependent … resource … no longer exists": the resource of list_id, email_list_id or message_id was deleted, and the request does not name another.',
  ],
  fields: {
    id: {
      traps: [
        'Rules of several kinds can have the same number, so svc names a rule by kind and id, such as sms:12.',
      ],
      example: 'automation get sms:12',
    },
    email_list_id: {
      traps: [
        'Whoever writes an e-mail address in the SMS puts that address on the list, whether it is theirs or not.',
      ],
      about: ['Null adds none.'],
      example: `${CREATE} --email-list 8`,
    },
    keyword: {
      traps: [
        'Null catches every inbound SMS that no other rule matches.',
        'Leaving it out of svc automation create means null: such a rule catches everything. An empty value, as of an unset variable, is refused.',
        'It has other bounds than the keyword of a destination: 1 to 32 letters and digits here, 4 to 64 characters without spaces there.',
      ],
      about: [
        'It is compared once the destination has accepted the SMS; case does not matter. In the sandbox it is the word after the keyword of the destination, or the first word where the destination has none.',
        'It is required when a rule is made, though it may be null.',
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
      about: ['Null sends no answer. The user has to be able to access it.'],
      example: ANSWERED,
    },
    message_actionhour: {
      traps: [
        WITH_MESSAGE,
        'It is a local time in the zone of the company, not in UTC and not in yours.',
        'With it message_actiontimediff has to be 0 or a multiple of 1440, although its unit is the second: 1440 seconds are 24 minutes. A day, 86400, is such a multiple.',
      ],
      about: ['Full hours alone: 09:00:00 and not 09:30:00. Null means no particular hour.'],
      example: `${ANSWERED} --message-actionhour 09:00:00`,
    },
    message_actiontimediff: {
      traps: [
        'The unit is the second, as in click, open and date rules; the minutes of subscription rules do not hold here.',
        WITH_MESSAGE,
        'It must not be negative, and with message_actionhour it has to be 0 or a multiple of 1440. A day, 86400, is such a multiple.',
      ],
      about: ['svc automation create --after 10m writes it in seconds.'],
      example: `${ANSWERED} --after 10m`,
    },
    message_actiononweekend: {
      traps: [
        WITH_MESSAGE,
        'It can be false only if message_actionhour or message_actiontimediff is set beside message_id. With message_id alone it is true, whatever is left out, and without message_id it is null.',
      ],

      example: `${ANSWERED} --after 10m --no-message-actiononweekend`,
    },
    name: {
      about: ['Where several rules have the same, name the rule by kind and id.'],
      flags: ['key'],
      example: CREATE,
    },
    notifyemail: {
      about: ['Null tells nobody.'],
      example: `${CREATE} --notifyemail office@example.com`,
    },
    notifymsisdn: {
      traps: [
        'Every SMS that matches is forwarded. The interface does not say what that costs; the sandbox takes SMS credits for it.',
      ],
      about: ['Null forwards nothing.'],
      example: `${CREATE} --notifymsisdn 447700900123`,
    },
    notifyurl: {
      traps: [
        'What the request carries, and whether a failed one is repeated, is not shown. Do not rely on it as the only record. The sandbox calls once.',
      ],
      about: ['Null calls nothing.'],
      example: `${CREATE} --notifyurl https://example.com/inbound`,
    },
    paused: {
      traps: [
        'It is also set when the list of the rule, or the folder of that list, is deleted.',
        'It cannot be set to false while the resource of list_id, email_list_id or message_id is gone or inaccessible: 409 subcode 12, unless the same request puts a valid one, or null, in its place.',
      ],
      about: [
        'What a paused rule has queued is still done; deleting the rule would abort it.',
        'svc automation pause and svc automation resume set it.',
      ],
      example: 'automation pause sms:12',
    },
    summary: {
      about: [
        'It is for people. It is required when a rule is made, though it may be null; svc sends null where it is not given.',
      ],
      example: `${CREATE} --summary "Takes orders by SMS"`,
    },
    user_id: { about: ['Only that user and the admin can change or delete the rule.'] },
  },
};
