/** Operations that show the state of the sandbox, its outbox and its log, and save snapshots. */

import { type ControlOperation, NAME_COLUMN, PAGE_LIMIT_PARAMETER } from './operation.ts';

const DELIVERY_COLUMNS = [
  { name: 'id' },
  { name: 'time', kind: 'timestamp' },
  { name: 'channel' },
  { name: 'to' },
  { name: 'subject' },
  { name: 'state' },
  { name: 'cause' },
  { name: 'from' },
] as const;

const WHICH = {
  kind: 'text',
  given: 'place',
  describe: 'Id from svc sandbox outbox list',
  required: true,
} as const;

export const SANDBOX_PAGE_NAMES: readonly string[] = [
  ...['outbox', 'messages', 'tasks', 'automations', 'lists', 'subscribers', 'dnc', 'account', 'requests'],
  'clock',
];

const SNAPSHOT = {
  kind: 'text',
  given: 'place',
  describe: 'Name: lower-case letters, digits, - and _',
  required: true,
} as const;

const SNAPSHOT_COLUMNS = [
  NAME_COLUMN,
  { name: 'octets', kind: 'number' },
  { name: 'saved', kind: 'timestamp' },
] as const;

export const OUTBOX_OPERATIONS = {
  'outbox list': {
    summary: 'List delivered messages, newest first',
    example: 'outbox list --channel sms --limit 20',
    scope: 'company',
    parameters: {
      to: { kind: 'recipient', describe: 'Only messages to this e-mail address, phone number or URL' },
      task: { kind: 'id', describe: 'Only messages of this task' },
      channel: {
        kind: 'choice',
        choices: ['email', 'sms', 'notification'],
        placeholder: 'channel',
        describe: 'Only messages of this channel',
      },
      rule: { kind: 'rule', describe: 'Only messages of this automation rule, such as click:12' },
      state: {
        kind: 'choice',
        choices: ['delivered', 'bounced', 'failed', 'pending'],
        placeholder: 'state',
        describe: 'Only messages in this state; only calls to URLs fail or are pending',
      },
      subject: {
        kind: 'text',
        given: 'computed',
        describe: 'Only e-mails with this text in the subject',
      },
      until: {
        kind: 'time',
        given: 'computed',
        describe: 'Only messages that were delivered before this time',
      },
      search: {
        kind: 'text',
        describe:
          'Only messages with this text in the subject, the body or a name (message, task, rule), ' +
          'or with a recipient that begins with this text',
      },
      before: {
        kind: 'text',
        mayBeEmpty: true,
        given: 'computed',
        describe:
          'Id of a delivery: return only the newest deliveries before that delivery. Cannot be combined with the parameter "after"',
      },
      after: {
        kind: 'text',
        mayBeEmpty: true,
        given: 'computed',
        describe:
          'Id of a delivery: return only deliveries after that delivery. An empty value starts at the first delivery (default: the newest deliveries)',
      },
      snippets: {
        kind: 'switch',
        given: 'computed',
        describe: 'Also return the beginning of the text of each e-mail',
      },
      limit: PAGE_LIMIT_PARAMETER,
    },
    // This column holds the text of an SMS in a table.
    columns: DELIVERY_COLUMNS.map((column) =>
      column.name === 'subject' ? { ...column, title: 'SUBJECT OR TEXT' } : column,
    ),
    empty: 'Nothing has been delivered yet.',
    reads: true,
  },
  'outbox send list': {
    summary: 'List the sends (tasks, rules and single messages), each with its newest message',
    example: 'open outbox',
    scope: 'company',
    parameters: {
      channel: {
        kind: 'choice',
        choices: ['email', 'sms', 'notification'],
        placeholder: 'channel',
        describe: 'Only messages of this channel',
      },
      task: { kind: 'id', given: 'computed', describe: 'Only the send of this task' },
      rule: { kind: 'rule', given: 'computed', describe: 'Only the send of this automation rule' },
      before: {
        kind: 'text',
        mayBeEmpty: true,
        given: 'computed',
        describe: 'Position of a send, copied from the previous response: return only older sends',
      },
      limit: PAGE_LIMIT_PARAMETER,
    },
    columns: [{ name: 'total', kind: 'number' }, { name: 'sends' }],
    reads: true,
    usedBy: 'open',
  },
  'outbox show': {
    summary: 'Show a delivered message in full',
    example: 'outbox show t2-12',
    scope: 'company',
    parameters: { id: WHICH },
    columns: DELIVERY_COLUMNS,
    reads: true,
  },
  'outbox clear': {
    summary: 'Remove all messages from the outbox',
    about: 'Results of tasks, what rules did, and the links in messages stay. Lists show only later messages',
    example: 'outbox clear',
    scope: 'company',
    parameters: {},
    columns: [{ name: 'messages', kind: 'number' }],
    destroys: 'remove all messages from the outbox',
  },
  'outbox eml': {
    summary: 'Show an e-mail as it was sent, with headers and body',
    example: 'outbox show t2-12 --eml',
    scope: 'company',
    parameters: { id: WHICH },
    columns: [{ name: 'id' }, { name: 'eml' }],
    reads: true,
    usedBy: 'outbox export',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

const MESSAGE_CHANNEL = {
  kind: 'choice',
  choices: ['email', 'sms'],
  placeholder: 'channel',
  describe: 'Channel of the message',
  required: true,
} as const;

export const MESSAGE_OPERATIONS = {
  'message list': {
    summary: 'List the messages of the company, sent or not, each with its tasks',
    example: 'open messages',
    scope: 'company',
    parameters: {
      channel: MESSAGE_CHANNEL,
      unsent: { kind: 'switch', describe: 'Only messages that no task has begun to send' },
      search: { kind: 'text', describe: 'Only messages with this text in the name or the subject' },
      after: {
        kind: 'count',
        min: 0,
        max: 1e15,
        given: 'computed',
        describe: 'Return only messages with ids above this id (default: the newest messages)',
      },
      before: {
        kind: 'count',
        min: 1,
        max: 1e15,
        given: 'computed',
        describe:
          'Return only the newest messages with ids below this id. Cannot be combined with the parameter "after"',
      },
      limit: PAGE_LIMIT_PARAMETER,
    },
    columns: [
      { name: 'id', kind: 'number' },
      NAME_COLUMN,
      { name: 'subject' },
      { name: 'mdate', kind: 'timestamp' },
      { name: 'next', kind: 'timestamp' },
      { name: 'last', kind: 'timestamp' },
      { name: 'sent', kind: 'number' },
    ],
    empty: 'There are no messages yet.',
    reads: true,
    usedBy: 'open',
  },
  'message show': {
    summary: 'Show a message as a subscriber would get it',
    example: 'open messages',
    scope: 'company',
    parameters: {
      channel: MESSAGE_CHANNEL,
      id: { kind: 'id', given: 'place', describe: 'Message id', required: true },
      subscriber: {
        kind: 'id',
        describe: 'Subscriber whose data the message contains (default: a subscriber without data)',
      },
    },
    columns: [
      { name: 'id', kind: 'number' },
      { name: 'from' },
      { name: 'subject' },
      { name: 'html' },
      { name: 'text' },
    ],
    reads: true,
    usedBy: 'open',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const QUEUE_OPERATIONS = {
  queue: {
    summary: 'List queued tasks, SMS and actions, by due time',
    about:
      'Lists tasks, single SMS and queued actions of automation rules. If several are due at the same time, tasks run first, ' +
      'then single SMS, then rules',
    example: 'queue --until +2d',
    scope: 'company',
    parameters: {
      until: { kind: 'time', describe: 'Only entries due by this time' },
      rule: { kind: 'rule', describe: 'Only actions of this automation rule, such as click:12' },
      after: {
        kind: 'text',
        mayBeEmpty: true,
        given: 'computed',
        describe:
          'Position of an entry: return only entries after that position. An empty value starts at the first entry',
      },
      limit: PAGE_LIMIT_PARAMETER,
    },
    columns: [
      { name: 'at', kind: 'timestamp' },
      { name: 'in', kind: 'number' },
      { name: 'kind' },
      { name: 'id', kind: 'number' },
      { name: 'rule' },
      { name: 'name' },
      { name: 'action' },
      { name: 'target' },
      { name: 'subscriber', kind: 'number' },
      { name: 'size', kind: 'number' },
    ],
    empty: 'The queue is empty. To add entries, use svc task create, svc sms send --at or svc sandbox event.',
    reads: true,
  },
  'rule done': {
    summary: 'List the latest actions of an automation rule, newest first',
    about: 'Shows what each action sent and changed, or why it did nothing',
    example: 'rule done subscription:1',
    scope: 'company',
    parameters: {
      rule: { kind: 'rule', given: 'place', describe: 'Rule, such as click:12', required: true },
      limit: { kind: 'count', min: 1, max: 1000, default: 20, describe: 'Maximum number of actions to show' },
    },
    columns: [
      { name: 'time', kind: 'timestamp' },
      { name: 'action' },
      { name: 'target' },
      { name: 'subscriber', kind: 'number' },
      { name: 'why' },
      { name: 'delivery' },
    ],
    empty: 'The rule has done nothing yet.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const RECEIVED_REQUEST_OPERATIONS = {
  requests: {
    summary: 'List requests that the sandbox received, newest first',
    about:
      'For a 401, shows which check failed and the string that the client had to sign, with a placeholder for the key. ' +
      '--explain shows each wrong header or attribute of one request, and in JSON its headers and bodies without secrets. ' +
      'The sandbox keeps the last 10,000 requests, and the bodies of the last 1,000',
    example: 'requests --status 401',
    scope: 'sandbox',
    parameters: {
      status: {
        kind: 'count',
        min: 100,
        max: 599,
        placeholder: 'code',
        describe: 'Only requests with this response status',
      },
      group: {
        kind: 'choice',
        choices: ['2xx', '4xx', '5xx'],
        placeholder: 'group',
        describe: 'Only requests with a response status of this group',
      },
      path: { kind: 'text', describe: 'Only requests whose path or query contains this text' },
      explain: {
        kind: 'id',
        describe: 'Id of the request to explain, part by part',
      },
      people: {
        kind: 'switch',
        given: 'computed',
        describe: 'Leave out the requests of svc doctor and of shell completion',
      },
      after: {
        kind: 'count',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
        given: 'computed',
        describe: 'Return only requests with ids above this id (default: the newest requests)',
      },
      before: {
        kind: 'count',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
        given: 'computed',
        describe:
          'Return only the newest requests with ids below this id. Cannot be combined with the parameter "after"',
      },
      limit: PAGE_LIMIT_PARAMETER,
    },
    columns: [
      { name: 'id', kind: 'number' },
      // Seconds matter here, and times in tables have none.
      { name: 'time', kind: 'number' },
      { name: 'who' },
      { name: 'method' },
      { name: 'path' },
      { name: 'status', kind: 'number' },
      { name: 'milliseconds', kind: 'number' },
      { name: 'check' },
      { name: 'why' },
      { name: 'signed' },
      { name: 'signature' },
      { name: 'expected' },
    ],
    empty: 'No requests yet.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const SANDBOX_LOG_OPERATIONS = {
  'log list': {
    summary: 'List the newest lines of the sandbox log',
    about: 'Shows which rules, tasks, single SMS and notifications were skipped or stopped, and why',
    example: 'log list',
    scope: 'sandbox',
    parameters: {
      limit: { kind: 'count', min: 1, max: 10_000, default: 100, describe: 'Maximum number of lines' },
    },
    columns: [{ name: 'time', kind: 'timestamp' }, { name: 'kind' }, { name: 'text' }],
    empty: 'The log is empty.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const SNAPSHOT_OPERATIONS = {
  'snapshot save': {
    summary: 'Save a snapshot of the whole sandbox',
    about: 'Saves all data, including API keys and the clock',
    example: 'snapshot save before-campaign',
    scope: 'sandbox',
    parameters: { name: SNAPSHOT },
    columns: SNAPSHOT_COLUMNS,
    long: true,
  },
  'snapshot restore': {
    summary: 'Replace the current data with a snapshot',
    example: 'snapshot restore before-campaign',
    scope: 'sandbox',
    parameters: { name: SNAPSHOT },
    columns: [NAME_COLUMN, { name: 'time', kind: 'timestamp' }],
    long: true,
    destroys: 'replace all data of the sandbox with the snapshot {name}',
  },
  'snapshot list': {
    summary: 'List snapshots',
    example: 'snapshot list',
    scope: 'sandbox',
    parameters: {},
    columns: SNAPSHOT_COLUMNS,
    empty: 'There are no snapshots yet.',
    reads: true,
  },
  'snapshot delete': {
    summary: 'Delete a snapshot',
    example: 'snapshot delete before-campaign',
    scope: 'sandbox',
    parameters: { name: SNAPSHOT },
    columns: [NAME_COLUMN],
    destroys: 'delete the snapshot {name}',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const STATUS_OPEN_AND_STOP_OPERATIONS = {
  status: {
    summary: 'Show whether a sandbox is running, and what data it has',
    example: 'status',
    scope: 'sandbox',
    parameters: {},
    columns: [
      { name: 'running', kind: 'bool' },
      { name: 'baseUrl' },
      { name: 'pid' },
      { name: 'dataDir' },
      { name: 'clock' },
      { name: 'time', kind: 'timestamp' },
    ],
    reads: true,
  },
  open: {
    summary: "Open the sandbox's pages in the browser",
    about:
      'Shows the outbox, messages and clock, and lets you act as a recipient. The link works once, within a minute; the session lasts a week',
    example: 'open',
    scope: 'sandbox',
    parameters: {
      page: {
        kind: 'text',
        given: 'place',
        placeholder: 'page',
        describe: 'Page, such as outbox or clock, or its address (default: outbox)',
      },
      company: { kind: 'id', given: 'global', describe: 'Company whose data the page shows' },
    },
    columns: [{ name: 'url' }, { name: 'expires', kind: 'timestamp' }],
  },
  stop: {
    summary: 'Stop the sandbox',
    example: 'stop',
    scope: 'sandbox',
    parameters: {},
    columns: [{ name: 'stopping', kind: 'bool' }, { name: 'pid' }],
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
