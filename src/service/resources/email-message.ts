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
} from '../../kit/schema/field.ts';
import { phrase } from '../../kit/schema/reason.ts';
import {
  type BodyOf,
  type ContentMarkupNames,
  defineResource,
  type Finding,
  type RecordOf,
} from '../../kit/schema/resource.ts';
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
    friendlink: bool('The footer has a send-to-a-friend link', { default: false }),
    subject: string('Subject of the message', { format: 'windows-1252' }),
    text: string('Text part of the message; lines have at most 1000 bytes', {
      format: 'text-body',
      fileFlag: 'text-file',
    }),
    tracktextlinks: orNull(
      bool('The service tracks clicks on links in the text part', { default: false, writeOnly: true }),
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
              reason: phrase`has no opt-in element, which ${'customoptin'} needs`,
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

/** Returns the finding for HTML without the opt-in link. */
export const missingOptInLink = (words: ContentMarkupNames): Finding => ({
  attribute: 'html',
  reason: phrase`has no opt-in link, which ${'customoptin'} needs`,
  instead: `add <${words.linkElement} value="${words.optInTag}" name="opt-in">Confirm</${words.linkElement}>`,
});

/**
 * Reports whether the HTML seems to have the opt-in link: a tag with the value and name that the interface requires, and content after it.
 * Only the service parses the HTML, because a parser is too large for the start of the command line. So a link in a comment passes here.
 */
function hasOptInLink(html: string, words: ContentMarkupNames): boolean {
  const closing = `</${words.linkElement.toLowerCase()}`;
  const lower = html.toLowerCase();
  for (const { attributes, end } of tagsNamed(html, lower, words.linkElement)) {
    if (attributes.get('value') !== words.optInTag || attributes.get('name') !== 'opt-in') continue;
    const close = lower.indexOf(closing, end);
    if (close === -1) return false;
    if (html.slice(end + 1, close).trim() !== '') return true;
  }
  return false;
}

function hasOptInName(text: string, words: ContentMarkupNames): boolean {
  for (const { attributes } of tagsNamed(text, text.toLowerCase(), words.nameElement))
    if (attributes.get('value') === 'optin' && attributes.get('alt') === '') return true;
  return false;
}

/** Tag with its attributes, and the position of the `>` that ends the tag. */
interface Tag {
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

/** Yields the opening tags with this name. The search uses no regular expressions, so that no text can make it slow. */
function* tagsNamed(source: string, lower: string, name: string): Generator<Tag> {
  const open = `<${name.toLowerCase()}`;
  for (let at = lower.indexOf(open); at !== -1; ) {
    const end = endOfTag(source, at);
    if (end !== undefined && /[\s/>]/.test(source.charAt(at + open.length)))
      yield { attributes: readAttributes(source.slice(at + open.length, end)), end };
    at = lower.indexOf(open, end ?? at + MAX_TAG_LENGTH);
  }
}

/** Maximum length of a tag, in UTF-16 units. Longer tags are not read, so that no text can make the search slow. */
const MAX_TAG_LENGTH = 2_000;

/** Returns the position of the `>` that ends the tag at `from`. A `>` in a quoted value does not end it. */
function endOfTag(source: string, from: number): number | undefined {
  let quote = '';
  for (let at = from; at < Math.min(source.length, from + MAX_TAG_LENGTH); at += 1) {
    const character = source.charAt(at);
    if (quote === '' && character === '>') return at;
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return undefined;
}

function readAttributes(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const match of source.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/g)) {
    found.set((match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? match[4] ?? '');
  }
  return found;
}

export type EmailMessageRecord = RecordOf<typeof emailMessage>;
export type EmailMessageBody = BodyOf<typeof emailMessage>;
