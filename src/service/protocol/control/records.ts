/**
 * Operations that create records for which the interface has no POST: lists, subscribers, fields, searches, destinations, forms, senders;
 * and operations on companies: their keys, their credits, and the folders that users may see.
 */
import {
  AFTER_ID_PARAMETER,
  type ControlOperation,
  CREATED_COLUMN,
  ID_COLUMN,
  NAME_COLUMN,
  PAGE_LIMIT_PARAMETER,
} from './operation.ts';

const ITS_NAME = { kind: 'text', describe: 'Name', required: true } as const;

const LIST_COLUMNS = [
  ID_COLUMN,
  NAME_COLUMN,
  { name: 'folder_id', kind: 'number' },
  { name: 'permanent', kind: 'bool' },
  { name: 'subscriptions', kind: 'number' },
  CREATED_COLUMN,
] as const;

const SUBSCRIBER_COLUMNS = [
  ID_COLUMN,
  { name: 'email' },
  { name: 'msisdn' },
  { name: 'lists' },
  { name: 'emailsuspended', kind: 'bool' },
  { name: 'smssuspended', kind: 'bool' },
  CREATED_COLUMN,
] as const;

const ITS_LISTS = {
  kind: 'ids',
  nameInCommand: 'list',
  describe: 'List id; repeat for several',
  required: true,
} as const;

const FIELD_COLUMNS = [ID_COLUMN, NAME_COLUMN] as const;

const SEARCH_COLUMNS = [
  ID_COLUMN,
  NAME_COLUMN,
  { name: 'field_id', kind: 'number' },
  { name: 'equals' },
  CREATED_COLUMN,
] as const;

export const RECORD_OPERATIONS = {
  'list create': {
    summary: 'Create a list',
    example: 'list create --name Newsletter --folder 1',
    scope: 'company',
    parameters: {
      name: ITS_NAME,
      folder: { kind: 'id', describe: 'Folder id' },
      permanent: { kind: 'switch', describe: 'Prevent deletion of the list and of its folder' },
    },
    columns: LIST_COLUMNS,
  },
  'list list': {
    summary: 'Show all lists of subscribers',
    example: 'list list',
    scope: 'company',
    parameters: {},
    columns: LIST_COLUMNS,
    empty: 'There are no lists yet.',
    reads: true,
  },
  'list delete': {
    summary: 'Delete a list',
    about: 'Automation rules that use the list are paused',
    example: 'list delete 3',
    scope: 'company',
    parameters: { id: { kind: 'id', given: 'place', describe: 'List id', required: true } },
    columns: [ID_COLUMN],
    destroys: 'delete list {id} of the sandbox and all its subscriptions',
  },
  'subscriber create': {
    summary: 'Create a subscriber',
    about: 'Does not trigger automation rules; svc sandbox event subscribe does',
    example: 'subscriber create --list 1 --email amelia@example.com',
    scope: 'company',
    parameters: {
      lists: ITS_LISTS,
      email: { kind: 'email', placeholder: 'address', describe: 'E-mail address' },
      msisdn: { kind: 'msisdn', placeholder: 'number', describe: 'Mobile number' },
    },
    columns: SUBSCRIBER_COLUMNS,
  },
  'subscriber import': {
    summary: 'Import subscribers from a CSV file',
    about:
      'The header row names the columns: email, msisdn, and profile fields by name. svc subscribes existing subscribers to the list too, and updates their fields. If rows are rejected, svc lists them with their line numbers, imports the other rows, and exits 8. Does not trigger automation rules; svc sandbox event subscribe does',
    example: 'subscriber import --list 1 people.csv',
    scope: 'company',
    parameters: {
      lists: ITS_LISTS,
      // A larger batch would block all other requests for too long.
      rows: { kind: 'rows', max: 1000, given: 'computed', describe: 'Subscribers', required: true },
    },
    columns: [{ name: 'made', kind: 'number' }, { name: 'subscribed', kind: 'number' }, { name: 'rejected' }],
    long: true,
  },
  'subscriber list': {
    summary: 'List subscribers',
    example: 'subscriber list --list 1 --limit 20',
    scope: 'company',
    parameters: {
      list: { kind: 'id', describe: 'Only subscribers of this list' },
      after: AFTER_ID_PARAMETER,
      before: {
        kind: 'count',
        min: 1,
        max: 1e15,
        given: 'computed',
        describe:
          'Return the page of subscribers with ids just below this id. Cannot be combined with the parameter "after"',
      },
      limit: PAGE_LIMIT_PARAMETER,
    },
    columns: SUBSCRIBER_COLUMNS,
    empty: 'There are no subscribers yet.',
    reads: true,
  },
  'subscriber history': {
    summary: 'List what a person received, did and wrote, newest first',
    about:
      'Shows the messages that the person received, what they opened and clicked, unsubscriptions, complaints and bounces, the SMS that they wrote, and what automation rules did to them. ' +
      'Also finds a person whose subscriber was deleted, and any address that received a message. The sandbox records opens and clicks for messages of tasks',
    example: 'subscriber history 3',
    scope: 'company',
    parameters: {
      subscriber: {
        kind: 'reference',
        given: 'place',
        placeholder: 'id|address|number',
        describe: 'Subscriber: id, address or number',
        required: true,
      },
      before: {
        kind: 'text',
        given: 'computed',
        describe: 'Position of an event, copied from an earlier response: return only older events',
      },
      limit: { kind: 'count', min: 1, max: 1000, default: 20, describe: 'Maximum number of events to show' },
    },
    columns: [
      { name: 'time', kind: 'timestamp' },
      { name: 'event' },
      { name: 'title' },
      { name: 'target' },
      { name: 'cause' },
      { name: 'delivery' },
      { name: 'why' },
    ],
    empty: 'Nothing has happened to this person yet.',
    reads: true,
  },
  'field create': {
    summary: 'Create a subscriber profile field',
    example: 'field create --name Postcode',
    scope: 'company',
    parameters: { name: ITS_NAME },
    columns: FIELD_COLUMNS,
  },
  'field list': {
    summary: 'List subscriber profile fields',
    example: 'field list',
    scope: 'company',
    parameters: {},
    columns: FIELD_COLUMNS,
    empty: 'There are no profile fields yet.',
    reads: true,
  },
  'search create': {
    summary: 'Create a search for subscribers by the value of a field',
    example: 'search create --name Bristol --field 2 --equals Bristol',
    scope: 'company',
    parameters: {
      name: ITS_NAME,
      field: { kind: 'id', describe: 'Profile field id', required: true },
      equals: { kind: 'text', describe: 'Value of the field', required: true },
    },
    columns: SEARCH_COLUMNS,
  },
  'search list': {
    summary: 'List saved searches',
    example: 'search list',
    scope: 'company',
    parameters: {},
    columns: SEARCH_COLUMNS,
    empty: 'There are no saved searches yet.',
    reads: true,
  },
  'destination create': {
    summary: 'Create an SMS destination',
    example: 'destination create --destination 447700900123',
    scope: 'company',
    parameters: {
      destination: {
        kind: 'text',
        placeholder: 'number',
        describe: 'Phone number or shortcode that receives SMS',
        required: true,
      },
      shortcode: { kind: 'switch', describe: 'The destination is a shortcode' },
    },
    columns: [ID_COLUMN, { name: 'destination' }, { name: 'isshortcode', kind: 'bool' }, { name: 'keyword' }],
  },
  'form create': {
    summary: 'Create a form',
    about: 'The creator of the form is the user of --user, or else the admin of the company',
    example: 'form create --name "Website footer"',
    scope: 'company',
    parameters: {
      name: ITS_NAME,
      user: { kind: 'id', given: 'global', describe: 'Id of the user who creates the form' },
    },
    columns: [ID_COLUMN, NAME_COLUMN, { name: 'user_id', kind: 'number' }, CREATED_COLUMN],
  },
  'sender add': {
    summary: 'Add a sender address',
    example: 'sender add news@example.com',
    scope: 'company',
    parameters: { email: { kind: 'email', given: 'place', describe: 'E-mail address', required: true } },
    columns: [{ name: 'email' }],
  },
  'sender list': {
    summary: 'List sender addresses',
    example: 'sender list',
    scope: 'company',
    parameters: {},
    columns: [{ name: 'email' }],
    empty: 'There are no sender addresses yet.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

const MAX_CREDITS = 1_000_000_000;

export const COMPANY_OPERATIONS = {
  'company list': {
    summary: 'List companies',
    example: 'company list',
    scope: 'sandbox',
    parameters: {},
    columns: [
      ID_COLUMN,
      NAME_COLUMN,
      { name: 'adminUserId', title: 'ADMIN', kind: 'number' },
      { name: 'timezone' },
      { name: 'emailcreditbalance', title: 'EMAIL CREDITS', kind: 'number' },
      { name: 'smscreditbalance', title: 'SMS CREDITS', kind: 'number' },
      { name: 'locked', kind: 'bool' },
    ],
    empty: 'There are no companies yet.',
    reads: true,
  },
  'company key': {
    summary: 'Show the API key of a company',
    example: 'company key 2',
    scope: 'sandbox',
    parameters: { id: { kind: 'id', given: 'place', describe: 'Company id', required: true } },
    columns: [ID_COLUMN, NAME_COLUMN, { name: 'apiKey' }, { name: 'adminUserId', kind: 'number' }],
    reads: true,
  },
  'credits set': {
    summary: 'Set the credit balances of a company',
    about: 'Without --company, uses the first company of the sandbox',
    example: 'credits set --email 10000 --sms 500',
    scope: 'company',
    parameters: {
      email: { kind: 'count', min: 0, max: MAX_CREDITS, describe: 'E-mail credit balance' },
      sms: { kind: 'count', min: 0, max: MAX_CREDITS, describe: 'SMS credit balance' },
    },
    columns: [
      ID_COLUMN,
      { name: 'emailcreditbalance', kind: 'number' },
      { name: 'smscreditbalance', kind: 'number' },
    ],
  },
  'user restrict': {
    summary: 'Restrict a user to some folders',
    about: 'Without --folder the user sees all folders again',
    example: 'user restrict 2 --folder 1',
    scope: 'company',
    parameters: {
      id: { kind: 'id', given: 'place', describe: 'User id', required: true },
      folders: { kind: 'ids', nameInCommand: 'folder', describe: 'Folder id that the user can see' },
    },
    columns: [ID_COLUMN, { name: 'username' }, { name: 'folders' }],
  },
  'user unlock': {
    summary: 'Unlock a user after failed logins',
    about:
      'Three failed logins in a row lock a user. Without this command, the admin or the partner unlocks a user with a new password: svc user update ID --password-stdin',
    example: 'user unlock tom',
    scope: 'company',
    parameters: {
      user: { kind: 'reference', given: 'place', describe: 'User: id or username', required: true },
    },
    columns: [ID_COLUMN, { name: 'username' }, { name: 'locked', kind: 'bool' }],
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

const WHICH = { kind: 'id', given: 'place', describe: 'Task id', required: true } as const;

/** Reasons why a task leaves out a recipient, by name, with the most permanent reason first. */
export const LEFT_OUT_RECIPIENT_REASONS = {
  'no-address': 'the subscriber has no address for the channel',
  suspended: 'the subscriber is suspended for the channel',
  'do-not-contact': 'the address is on Do Not Contact',
  'sent-before': 'the address already received the message, when it belonged to a deleted subscriber',
  stopped: 'the task ended before it reached the subscriber',
  later: 'the subscriber could receive the message now, but could not when the task reached them',
} as const;

export type LeftOutRecipientReason = keyof typeof LEFT_OUT_RECIPIENT_REASONS;

/** Operations that show facts about the recipients of a task that the interface does not report. */
export const TASK_OPERATIONS = {
  'task show': {
    summary: 'Show how many recipients a task reached',
    about:
      'Shows how many recipients have received the message so far, and how many the task left out. Also shows the credits used and, if the task ended early, the reason. svc task get does not show these numbers, because the service does not report them',
    example: 'task show 2',
    scope: 'company',
    parameters: { id: WHICH },
    columns: [
      { name: 'id', kind: 'number' },
      { name: 'name' },
      { name: 'channel' },
      { name: 'size', kind: 'number' },
      { name: 'started', kind: 'bool' },
      { name: 'sent', kind: 'number' },
      { name: 'skipped', kind: 'number' },
      { name: 'credits', kind: 'number' },
      { name: 'stopped' },
    ],
    reads: true,
  },
  'task skipped': {
    summary: 'List the subscribers that a task leaves out, and why',
    about: `Lists the subscribers in the order of their ids. Each reason follows from the present data of the subscriber. The reasons are ${Object.entries(
      LEFT_OUT_RECIPIENT_REASONS,
    )
      .map(([reason, words]) => `${reason} (${words})`)
      .join('; ')}`,
    example: 'task skipped 2',
    scope: 'company',
    parameters: { id: WHICH, after: AFTER_ID_PARAMETER, limit: PAGE_LIMIT_PARAMETER },
    columns: [
      { name: 'subscriber', kind: 'number' },
      { name: 'email' },
      { name: 'msisdn' },
      { name: 'reason' },
      { name: 'entry' },
    ],
    empty: 'The task leaves out no subscribers.',
    reads: true,
  },
  'task clicks': {
    summary: 'List the links that recipients of a task clicked, most clicked first',
    about: 'Counts each recipient once for each link',
    example: 'task clicks 2',
    scope: 'company',
    parameters: {
      id: WHICH,
      limit: { kind: 'count', min: 1, max: 1000, default: 20, describe: 'Maximum number of links to show' },
    },
    columns: [
      { name: 'link', kind: 'number' },
      { name: 'name' },
      { name: 'target' },
      { name: 'clicks', kind: 'number' },
      { name: 'first', kind: 'timestamp' },
      { name: 'last', kind: 'timestamp' },
    ],
    empty: 'No recipient has clicked a link.',
    reads: true,
  },
  'task activity': {
    summary: 'Show when recipients of a task opened it, clicked, unsubscribed, complained and bounced',
    about:
      'Counts the first reaction of each recipient, in periods from the start of the task to the latest reaction. Without --every, svc chooses a period that gives at most 24 rows',
    example: 'task activity 2',
    scope: 'company',
    parameters: {
      id: WHICH,
      every: { kind: 'duration', unit: 'seconds', min: '1m', describe: 'Length of a period' },
    },
    columns: [
      { name: 'time', kind: 'timestamp' },
      { name: 'opened', kind: 'number' },
      { name: 'clicked', kind: 'number' },
      { name: 'unsubscribed', kind: 'number' },
      { name: 'complained', kind: 'number' },
      { name: 'bounced', kind: 'number' },
    ],
    empty: 'No recipient has reacted to this task yet.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
