import type { emailMessage as declaration } from '../resources/email-message.ts';
import { type ExplanationOf, LOCKED_MESSAGE } from './explanation.ts';

const CHARACTERS =
  'It is converted to Windows-1252. A character outside that set, such as an emoji or a letter of another alphabet, is an error; svc email lint names it and its position.';
const DYNAMIC_ELSEWHERE =
  'The interface mentions dynamic content only in html. The sandbox reads it here too, and rejects a syntax error with 400 subcode 11.';
const DYNAMIC_CONTENT = 'The service rejects a syntax error in dynamic content with 400 subcode 11.';

const exampleWith = (more: string): string =>
  `email create --name "Spring sale" --subject "Spring sale" --from news@example.com --from-name Example --reply-to office@example.com --html-file sale.html --text-file sale.txt${more}`;

export const emailMessage: ExplanationOf<typeof declaration> = {
  sections: 'emailMessage; States and transitions; Endpoints, emailMessage; Errors; Limits',
  about: [
    'A message that tasks and autoresponder rules send by e-mail: an HTML part, a plain-text part, and the sender.',
  ],
  traps: [
    'Deleting a message does not cancel the tasks that send it: they still go out. Cancel the tasks first.',
    'A message cannot be changed once a task or rule uses it. A rule uses it as the reply of an email_autoresponder, by message_id, or by one of its links in link_id. Nothing in the interface makes it editable again.',
    'The links of html are rewritten to tracking URIs, and GET returns the rewritten HTML. Keep your own copy: the HTML you get back differs from the HTML you sent.',
    'html, text and subject are converted to Windows-1252. A character outside that set is an error.',
    'A message created with editor 2 or 3 (Classic Editor, Campaign Designer) cannot be changed through this interface.',
    'tracktextlinks is write-only: it is always returned as null.',
  ],
  states: [
    'Editable until a task or rule uses it. Then editable is false, and the service rejects changes. With a task, used is also true.',
    'Deleted while a task refers to it: it is hidden from GET, but the task can still send it.',
  ],
  refusals: [LOCKED_MESSAGE, '400 subcode 11: a syntax error in the dynamic content of the message.'],
  fields: {
    customoptin: {
      traps: [
        'With it, html needs an element svc_link with value="%svc_optin%" and name="opt-in" around the text of the link. The text part needs an element svc_name with value="optin" and an empty alt. The service refuses a message without them.',
      ],
      about: ['svc email lint checks both parts and shows the elements to write.'],
      example: exampleWith(' --customoptin'),
    },
    defaultoptin: { about: ['The interface says nothing more about it, and no request can set it.'] },
    editable: {
      traps: [
        'It can be false even if no task sends the message: a rule that uses it locks it, and so does editor 2 or 3.',
      ],
      about: [
        'The service rejects changes to a scheduled or sent message with 423 subcode 10. For SMS messages, the field of this name is a number.',
      ],
    },
    editor: {
      traps: ['A message created with 2 or 3 cannot be changed through this interface.'],
      values: {
        '1': 'HTML input.',
        '2': 'Classic Editor; not editable through this interface.',
        '3': 'Campaign Designer; not editable through this interface.',
        '4': 'Email Editor.',
      },
      example: exampleWith(' --editor 1'),
    },
    fromemail: {
      traps: ['It must be one of the sender addresses of the account. No request lists or adds them.'],
      about: [
        'It is required when you create a message, but can be null. svc sends null if you omit it. Null is the default if the account has no sender address.',
        'The interface does not say which sender a message without it has. The sandbox uses replyemail.',
      ],
      example: exampleWith(''),
    },
    fromname: {
      about: ['svc checks that it fits Windows-1252, like the subject.'],
    },
    galinkdata: {
      about: ['A web analytics service uses it to see where visitors came from.'],
      example: exampleWith(' --galinkdata'),
    },
    html: {
      traps: [
        'POST and PUT rewrite its links to tracking URIs, and GET returns the rewritten HTML. Keep your own copy, and do not reuse the HTML from GET in another message.',
        CHARACTERS,
        DYNAMIC_CONTENT,
      ],
      about: [
        'It can contain personalisation and dynamic content. With customoptin, it must contain the opt-in link.',
      ],
      example: 'email update 12 --html-file sale.html',
    },
    name: { about: ['Recipients see subject instead.'], flags: ['key'] },
    replyemail: {
      about: [
        'Unlike fromemail, it does not need to be a sender address of the account, as far as the interface says.',
      ],
    },
    friendlink: {
      about: ['Lets the recipient forward the message to a friend.'],
      example: exampleWith(' --friendlink'),
    },
    subject: {
      traps: [CHARACTERS],
      about: [DYNAMIC_ELSEWHERE],
      example: 'email update 12 --subject "Spring sale"',
    },
    text: {
      traps: [
        'A line can have at most 1000 octets, including the CR LF at its end. A paragraph without line breaks is one line.',
        CHARACTERS,
      ],
      about: ['With customoptin it must hold the opt-in element.', DYNAMIC_ELSEWHERE],
      example: 'email update 12 --text-file sale.txt',
    },
    tracktextlinks: {
      traps: ['It is always returned as null, so no response shows whether the text links are tracked.'],
      example: exampleWith(' --tracktextlinks'),
    },
    used: {
      traps: ['Deleting a used message does not cancel its tasks: cancel the tasks first.'],
      about: ['Rules that use a message lock it too, but this field covers only tasks.'],
    },
  },
};
