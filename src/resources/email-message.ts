import {
  bool,
  creationTime,
  filterable,
  filterableAndSortable,
  id,
  lastChangeTime,
  oneOf,
  orNull,
  string,
} from '../schema/field.ts';
import { type BodyOf, defineResource, type RecordOf } from '../schema/resource.ts';
import { hasOptInLink, hasOptInName, missingOptInLink } from './opt-in-elements.ts';
import { messageDeleteWarning } from './sms-message.ts';

/** Numbers that the interface gives to the message editors. The API can't edit messages from the Classic Editor and Campaign Designer. */
export const EMAIL_EDITOR_NUMBERS = { html: 1, classic: 2, designer: 3, email: 4 } as const;

/** Declares the resource `emailMessage` (interface, "emailMessage"). */
export const emailMessage = defineResource({
  name: 'emailMessage',
  noun: 'email',
  describe: 'A message that tasks and rules send by e-mail',
  singular: 'an e-mail message',
  plural: 'e-mail messages',
  fields: {
    id: id('E-mail message id'),
    customoptin: bool('The message asks for an opt-in confirmation', { ...filterable, default: false }),
    defaultoptin: bool('The message is the default opt-in message'),
    editable: bool('The message can still be changed', filterable),
    editor: oneOf(
      Object.values(EMAIL_EDITOR_NUMBERS),
      'Editor of the message: 1 (HTML), 2 (Classic), 3 (Campaign Designer) or 4 (Email)',
    ),
    fromemail: orNull(
      string('Address of the sender; must be a sender address of the account', {
        default: null,
        format: 'email',
        flag: 'from',
      }),
    ),
    fromname: string('Name of the sender', { flag: 'from-name' }),
    galinkdata: bool('Adds utm_ parameters for web analytics to tracked links', { default: false }),
    html: string('HTML part of the message; links in it are tracked', {
      format: 'html',
      fileFlag: 'html-file',
    }),
    name: string('Internal name that recipients do not see', filterableAndSortable),
    replyemail: string('Address for replies', {
      format: 'email',
      flag: 'reply-to',
    }),
    friendlink: bool('The footer has a send-to-a-friend link', {
      default: false,
    }),
    subject: string('Subject of the message', { format: 'windows-1252' }),
    text: string('Text part of the message; lines have at most 1000 bytes', {
      format: 'text-body',
      fileFlag: 'text-file',
    }),
    tracktextlinks: orNull(
      bool('The service tracks clicks on links in the text part', {
        default: false,
        writeOnly: true,
      }),
    ),
    used: bool('A scheduled task uses the message', filterable),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'customoptin', 'editable', 'name', 'used'] },
    post: {
      required: ['fromemail', 'fromname', 'html', 'name', 'replyemail', 'subject', 'text'],
      optional: ['customoptin', 'editor', 'galinkdata', 'friendlink', 'tracktextlinks'],
    },
    put: {
      optional: [
        'customoptin',
        'editor',
        'fromemail',
        'fromname',
        'galinkdata',
        'html',
        'name',
        'replyemail',
        'friendlink',
        'subject',
        'text',
        'tracktextlinks',
      ],
    },
    delete: { by: ['id'] },
  },
  rules: [
    {
      section: 'Content rules, customoptin',
      text: 'If customoptin is true, html must contain the opt-in link element around the text of the link',
      attributes: ['customoptin', 'html'],
      check: ({ customoptin, html }, words) =>
        customoptin !== true || typeof html !== 'string' || hasOptInLink(html, words)
          ? undefined
          : missingOptInLink(words),
    },
    {
      section: 'Content rules, customoptin',
      text: 'If customoptin is true, text must contain <svc_name value="optin" alt="">, the place for the confirmation link',
      attributes: ['customoptin', 'text'],
      check: ({ customoptin, text }, words) =>
        customoptin !== true || typeof text !== 'string' || hasOptInName(text, words)
          ? undefined
          : {
              attribute: 'text',
              reason: `has no opt-in element, which customoptin needs`,
              instead: `add <${words.nameElement} value="optin" alt="">`,
            },
    },
  ],
  calledBy: 'name',
  identifiedBy: ['name', 'subject', 'fromname', 'replyemail'],
  inDoubt: 'note-first',
  examples: {
    create:
      'email create --name "Spring sale" --subject "Spring sale" --from news@harbourcoffee.example --from-name Harbour --reply-to news@harbourcoffee.example --html-file sale.html --text-file sale.txt',
    delete: 'email delete 6 --yes',
    update: 'email update 6 --subject "Spring sale"',
  },
  deleteWarning: messageDeleteWarning,
  newestBy: 'id',
  columns: ['id', 'name', 'editable', 'used', 'subject', 'fromname', 'fromemail', 'cdate'],
});

export type EmailMessageRecord = RecordOf<typeof emailMessage>;
export type EmailMessageBody = BodyOf<typeof emailMessage>;
