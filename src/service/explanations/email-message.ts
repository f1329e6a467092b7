import type { emailMessage as emailMessageDeclaration } from '../resources/email-message.ts';
import type { emailMessageLink as emailMessageLinkDeclaration } from '../resources/email-message-link.ts';
import { type ExplanationOf, LOCKED_MESSAGE } from './explanation.ts';

const CHARACTERS =
  'The service converts this text to Windows-1252. A character outside that set, such as an emoji or a letter of another alphabet, is an error. svc email lint shows the character and its position.';
const DYNAMIC_ELSEWHERE =
  'The interface mentions dynamic content only for the field html. The sandbox also reads dynamic content in subject and text, and rejects a syntax error there with 400 subcode 11.';
const DYNAMIC_CONTENT = 'The service rejects a syntax error in dynamic content with 400 subcode 11.';

const exampleWith = (more: string): string =>
  `email create --name "Spring sale" --subject "Spring sale" --from news@example.com --from-name Example --reply-to office@example.com --html-file sale.html --text-file sale.txt${more}`;

export const emailMessage: ExplanationOf<typeof emailMessageDeclaration> = {
  sections: 'emailMessage; States and transitions; Endpoints, emailMessage; Errors; Limits',
  about: [
    'A message that tasks and autoresponder rules send by e-mail: an HTML part, a plain-text part, and the sender.',
  ],
  traps: [
    'If you delete a message, the tasks that send it are not cancelled, and still send the message. Cancel the tasks first.',
    'A message cannot be changed once a task or rule uses it. No request makes the message editable again. A rule uses the message that it sends (email_autoresponder), and the message whose clicks or opens trigger the rule (message_id, link_id).',
    'The service replaces the links in html with tracking URIs, and GET returns the rewritten HTML. Keep your own copy: the HTML you get back differs from the HTML you sent.',
    'html, text and subject are converted to Windows-1252. A character outside that set is an error.',
    'A message created with editor 2 or 3 (Classic Editor, Campaign Designer) cannot be changed through this interface.',
    'You can set tracktextlinks but not read it: in responses, it is always null.',
  ],
  states: [
    'A message is editable until a task or rule uses it. Then the service rejects changes, and the field "editable" is false. If a task uses the message, the field "used" is also true.',
    'If you delete a message that a task uses, GET no longer returns the message, but the task can still send it.',
  ],
  refusals: [LOCKED_MESSAGE, '400 subcode 11: a syntax error in the dynamic content of the message.'],
  fields: {
    customoptin: {
      traps: [
        'If customoptin is true, html must contain an element svc_link with value="%svc_optin%" and name="opt-in". This element contains the text of the confirmation link. The text part must contain an element svc_name with value="optin" and an empty alt. The service refuses a message without these elements.',
      ],
      about: [
        'If customoptin is true, html and text must each contain an opt-in element, which the service turns into the confirmation link. To see whether an opt-in element is missing, run svc email lint.',
      ],
      example: exampleWith(' --customoptin'),
    },
    defaultoptin: {
      about: ['No request can set defaultoptin, and the interface does not describe this field further.'],
    },
    editable: {
      traps: [
        'The field editable can be false even if no task sends the message: a rule that uses the message locks it. A message made with editor 2 (Classic Editor) or 3 (Campaign Designer) can never be changed.',
      ],
      about: [
        'The service rejects changes to a scheduled or sent message with 423 subcode 10. In SMS messages, the field "editable" is 1 or 0 instead of true or false.',
      ],
    },
    editor: {
      traps: [
        'A message created with editor 2 or 3 cannot be changed through this interface. Editor 2 is the Classic Editor, and editor 3 is the Campaign Designer.',
      ],
      values: {
        '1': 'HTML input.',
        '2': 'Classic Editor; not editable through this interface.',
        '3': 'Campaign Designer; not editable through this interface.',
        '4': 'Email Editor.',
      },
      example: exampleWith(' --editor 1'),
    },
    fromemail: {
      traps: [
        'The sender must be one of the sender addresses of the account. No request lists or adds sender addresses.',
      ],
      about: [
        'A request that creates a message must contain fromemail, but its value can be null. svc sends null if you give no sender. The interface document has null as the default for accounts without a sender address.',
        'The interface document does not say who the sender of a message without fromemail is. The sandbox uses replyemail.',
      ],
      example: exampleWith(''),
    },
    fromname: {
      about: [
        'svc checks that fromname contains only characters of Windows-1252. It checks the subject in the same way.',
      ],
    },
    galinkdata: {
      about: [
        'If galinkdata is true, the service adds utm_ parameters to links. A web analytics service uses them to see where visitors came from.',
      ],
      example: exampleWith(' --galinkdata'),
    },
    html: {
      traps: [
        'The service replaces the links of the HTML with tracking URIs, and GET returns the rewritten HTML. Keep your own copy, and do not reuse the HTML from GET in another message.',
        CHARACTERS,
        DYNAMIC_CONTENT,
      ],
      about: [
        'The HTML can contain personalisation and dynamic content. If customoptin is true, the HTML must contain the opt-in link.',
      ],
      example: 'email update 12 --html-file sale.html',
    },
    name: { about: ['Recipients do not see this name; they see the subject.'], flags: ['key'] },
    replyemail: {
      about: [
        'fromemail must be a sender address of the account. The interface does not require this of replyemail.',
      ],
    },
    friendlink: {
      about: ['If friendlink is true, recipients can forward the message to a friend.'],
      example: exampleWith(' --friendlink'),
    },
    subject: {
      traps: [CHARACTERS],
      about: [DYNAMIC_ELSEWHERE],
      example: 'email update 12 --subject "Spring sale"',
    },
    text: {
      traps: [
        'A line of the text part can have at most 1000 bytes, including the CR LF at its end. A paragraph without line breaks is one line.',
        CHARACTERS,
      ],
      about: [
        'If customoptin is true, the text must contain an opt-in element, which the service turns into the confirmation link.',
        DYNAMIC_ELSEWHERE,
      ],
      example: 'email update 12 --text-file sale.txt',
    },
    tracktextlinks: {
      traps: [
        'In responses, tracktextlinks is always null, so you cannot see whether the links of the text part are tracked.',
      ],
      example: exampleWith(' --tracktextlinks'),
    },
    used: {
      traps: ['If you delete a message, the tasks that send it are not cancelled: cancel the tasks first.'],
      about: [
        'This field (used) is true only if a task uses the message. A rule that uses the message also locks the message, but does not change this field.',
      ],
    },
  },
};

export const emailMessageLink: ExplanationOf<typeof emailMessageLinkDeclaration> = {
  sections: 'emailMessageLink (read-only); Endpoints, emailMessageLink',
  about: [
    'A tracked link in an e-mail message. Links are read-only: the service creates them when it rewrites the content of a message.',
  ],
  traps: [
    'A click rule is for one link (link_id) or for all links of a message (message_id), never both. Get the ids with svc link list, and not from the HTML.',
  ],
  fields: {
    id: {
      about: ['Use this id as the link_id of a click rule.'],
      example: 'link list --message "Spring sale"',
    },
    message_id: {
      about: ['To create a click rule for all links of a message, use this message id.'],
      example: 'link list --message "Spring sale"',
    },
    name: { about: ['According to the interface, the name is null if the link is not personalised.'] },
    target: {
      about: [
        'The original address of the link, to which a click leads. In the HTML that GET returns, a tracking URI replaces this address.',
      ],
    },
    task_id: {
      about: [
        'The id of the newest task that sends the message of this link. Cancelled tasks do not count. 0 means that there is no such task. A filter by an older task of the same message also finds this link.',
      ],
    },
    type: {
      values: {
        html: 'The link is in the HTML part of the message.',
        text: 'The link is in the plain-text part of the message.',
      },
      example: 'link list --message "Spring sale" --type html',
    },
  },
};
