import type { emailMessage as declaration } from '../email-message.ts';
import { type ExplanationOf, LOCKED_MESSAGE } from './explanation.ts';

const CHARACTERS =
  'It is converted to Windows-1252. A character outside that set, such as an emoji or a letter of another alphabet, is an error; svc email lint names it and where it stands.';
const DYNAMIC_ELSEWHERE =
  'The interface speaks of dynamic content in html alone. The sandbox reads it here too, and refuses an error in its syntax with 400 subcode 11.';
const DYNAMIC_CONTENT = 'An error in the syntax of dynamic content is refused with 400 subcode 11.';

const exampleWith = (more: string): string =>
  `email create --name "Spring sale" --subject "Spring sale" --from news@example.com --from-name Example --reply-to office@example.com --html-file sale.html --text-file sale.txt${more}`;

export const emailMessage: ExplanationOf<typeof declaration> = {
  sections: 'emailMessage; States and transitions; Endpoints, emailMessage; Errors; Limits',
  about: [
    'A message that tasks send by e-mail, and that rules answer with: an HTML part, a plain-text part, and who it is from.',
  ],
  traps: [
    'Deleting a message does not cancel the tasks that send it: they go out. Cancel the tasks first.',
    'A message cannot be changed from the moment a task is made with it, or a rule is: as the answer of an email_autoresponder, by message_id, or by a link of it in link_id. The interface shows nothing that makes it editable again.',
    'The links of html are rewritten to tracking URIs, and GET returns the rewritten HTML. Keep your own copy: what you get back is not what you sent.',
    'html, text and subject are converted to Windows-1252. A character that is not in it is an error.',
    'A message that was made with editor 2 or 3 (Classic Editor, Campaign Designer) cannot be changed by this interface.',
    'tracktextlinks can be written and never read: it is always returned as null.',
  ],
  states: [
    'Editable until a task or a rule is made with it; then editable is false, and a change is refused. With a task used is true as well.',
    'Deleted while a task refers to it: it is hidden from GET, and the task can still send it.',
  ],
  refusals: [LOCKED_MESSAGE, '400 subcode 11: a syntax error in the dynamic content of the message.'],
  fields: {
    customoptin: {
      traps: [
        'With it, html must hold an element svc_link with the attributes value="%svc_optin%" and name="opt-in" around the text of the link, and text an element svc_name with value="optin" and an empty alt. Without them the message is refused.',
      ],
      about: ['svc email lint checks both parts and shows the elements to write.'],
      example: exampleWith(' --customoptin'),
    },
    defaultoptin: { about: ['The interface says no more of it, and no request can set it.'] },
    editable: {
      traps: [
        'False also for a message that no task sends: a rule that works on it locks it, and so does editor 2 or 3.',
      ],
      about: [
        'A change of a message that was scheduled or sent is refused with 423 subcode 10. For SMS messages the field of that name is a number.',
      ],
    },
    editor: {
      traps: ['A message that is made with 2 or 3 cannot be changed by this interface.'],
      values: {
        '1': 'HTML input.',
        '2': 'Classic Editor; not editable by this interface.',
        '3': 'Campaign Designer; not editable by this interface.',
        '4': 'Email Editor.',
      },
      example: exampleWith(' --editor 1'),
    },
    fromemail: {
      traps: [
        'It has to be one of the sender addresses that were set up for the account. No request lists them or adds one.',
      ],
      about: [
        'It is required when a message is made, though it may be null; svc sends null where it is not given. Null is the default where the account has no sender address.',
        'The interface does not say from which address a message without it is sent. The sandbox takes replyemail.',
      ],
      example: exampleWith(''),
    },
    fromname: {
      about: ['svc checks that it fits Windows-1252, as the subject has to.'],
    },
    galinkdata: {
      about: ['A web analytics service tells by it where visitors came from.'],
      example: exampleWith(' --galinkdata'),
    },
    html: {
      traps: [
        'Its links are rewritten to tracking URIs by POST and PUT, and GET returns the rewritten HTML. Keep your own copy, and do not send what GET gave as another message.',
        CHARACTERS,
        DYNAMIC_CONTENT,
      ],
      about: [
        'It may hold personalisation and dynamic content. With customoptin it must hold the opt-in link.',
      ],
      example: 'email update 12 --html-file sale.html',
    },
    name: { about: ['Recipients see subject instead.'], flags: ['key'] },
    replyemail: {
      about: [
        'Unlike fromemail it need not be a sender address of the account, as far as the interface says.',
      ],
    },
    friendlink: {
      about: ['The recipient can send the message to a friend by it.'],
      example: exampleWith(' --friendlink'),
    },
    subject: {
      traps: [CHARACTERS],
      about: [DYNAMIC_ELSEWHERE],
      example: 'email update 12 --subject "Spring sale"',
    },
    text: {
      traps: [
        'A line must not be longer than 1000 octets, the CR LF at its end counted. A paragraph without line breaks is one line.',
        CHARACTERS,
      ],
      about: ['With customoptin it must hold the opt-in element.', DYNAMIC_ELSEWHERE],
      example: 'email update 12 --text-file sale.txt',
    },
    tracktextlinks: {
      traps: ['It is always returned as null, so no answer tells whether the links of the text are tracked.'],
      example: exampleWith(' --tracktextlinks'),
    },
    used: {
      traps: ['Deleting a message that is used cancels no task: cancel the tasks first.'],
      about: ['Rules that work on a message lock it too, but this field speaks of tasks alone.'],
    },
  },
};
