/**
 * The grammar of campaign tests: every statement that a test may have. The reader, the JSON Schema, `svc explain campaign-test` and
 * docs/testing.md follow from these tables.
 */

/** A part of a sentence that the writer chooses. */
export type SlotName =
  | 'person'
  | 'list'
  | 'message'
  | 'times'
  | 'count'
  | 'text'
  | 'number'
  | 'when'
  | 'within';

export const SLOTS: Readonly<Record<SlotName, { readonly means: string; readonly pattern: string }>> = {
  person: { means: 'a name of `people`', pattern: '[a-z][a-z0-9-]*' },
  list: { means: 'a list by its id: `list 2`', pattern: 'list +[0-9]+' },
  message: {
    means:
      'a key of the campaign file (a message, a task, a rule, or a step of a sequence such as `welcome/tips`), or a record of the account: `email 5`, `sms 3`, `task 12`, `click:4`',
    pattern: '(?:(?:email|sms|task|link) +[0-9]+|[a-z]+:[0-9]+|[a-z0-9-]+(?:/[a-z0-9-]+)?(?:@[0-9-]+)?)',
  },
  times: { means: 'how often: `once`, `twice`, `at most 3 times`', pattern: '(?:once|twice|.+ times)' },
  count: {
    means: 'a number: `3`, `2..5`, `exactly 3`, `at most 3`, `at least 3`',
    pattern: '(?:(?:at most|at least|exactly) +)?[0-9]+(?:\\.\\.[0-9]+)?',
  },
  text: { means: 'one word, or several in double quotes', pattern: '(?:"[^"]*"|\\S+)' },
  number: { means: 'a phone number or a short code', pattern: '\\+?[0-9]+' },
  when: {
    means:
      '`1h after newsletter` (after the person gets it), `2d after start`, or `at friday 09:00`; without it, at once: a minute after the message arrives or after the step above',
    pattern: '(?:\\S.* after +\\S+(?: +[0-9]+)?|at +.+)',
  },
  within: {
    means: '`within 2h`: counted from the step above the statement, or from the start',
    pattern: 'within +.+',
  },
};

export interface SentenceForm {
  /** Words, and slots in angle brackets. A slot in square brackets may be left out. */
  readonly form: string;
  /** A step is something that a person does. It fails if it is not possible. A check says what must be true. */
  readonly kind: 'step' | 'check';
  readonly means: string;
}

/** Longer forms come first if a shorter one begins in the same way. */
export const SENTENCES = {
  subscribe: {
    form: '<person> subscribes to <list> [<when>]',
    kind: 'step',
    means: 'The person joins the list, which triggers its subscription rules',
  },
  open: {
    form: '<person> opens <message> [<when>]',
    kind: 'step',
    means: 'The person opens the e-mail, which must have arrived',
  },
  click: {
    form: '<person> clicks <message> [<when>]',
    kind: 'step',
    means: 'The person clicks the first link of the e-mail, or a link by its id: `link 7`',
  },
  unsubscribe: {
    form: '<person> unsubscribes [<when>]',
    kind: 'step',
    means: 'The person unsubscribes in the newest message of a task, and is then on Do Not Contact',
  },
  complain: {
    form: '<person> complains [<when>]',
    kind: 'step',
    means: 'The person reports the newest message of a task as spam',
  },
  write: {
    form: '<person> writes <text> to <number> [<when>]',
    kind: 'step',
    means: "The person sends an SMS to one of the account's numbers",
  },
  'receives-nothing': {
    form: '<person> receives nothing [<within>]',
    kind: 'check',
    means: 'The person gets no message',
  },
  'receives-count': {
    form: '<person> receives <count> messages [<within>]',
    kind: 'check',
    means: 'The person gets this number of messages, of all tasks and rules together',
  },
  'receives-times': {
    form: '<person> receives <message> <times> [<within>]',
    kind: 'check',
    means: 'The person gets this message this many times',
  },
  receives: {
    form: '<person> receives <message> [<within>]',
    kind: 'check',
    means: 'The person gets this message',
  },
  'receives-not': {
    form: '<person> does not receive <message> [<within>]',
    kind: 'check',
    means: 'The person never gets this message',
  },
  'on-list': {
    form: '<person> is on <list> [<within>]',
    kind: 'check',
    means: 'The person is on the list at the end; with `within`, at some time by then',
  },
  'off-list': {
    form: '<person> is not on <list> [<within>]',
    kind: 'check',
    means: 'The person is not on the list at the end; with `within`, at no time until then',
  },
  'list-receives-nothing': {
    form: '<list> receives nothing',
    kind: 'check',
    means: 'The people on the list at the start get no message',
  },
  'list-receives-not': {
    form: '<list> does not receive <message>',
    kind: 'check',
    means: 'The people on the list at the start never get this message',
  },
} as const satisfies Readonly<Record<string, SentenceForm>>;

export type SentenceName = keyof typeof SENTENCES;

export type LimitKind = 'count' | 'count-or-share' | 'hours' | 'days' | 'least-time';

export const LIMITS: Readonly<
  Record<LimitKind, { readonly means: string; readonly pattern: string; readonly example: string }>
> = {
  count: { means: SLOTS.count.means, pattern: SLOTS.count.pattern, example: 'at most 2' },
  'count-or-share': {
    means: `${SLOTS.count.means}, or a share of the people who get another message: \`at least 5% of newsletter\``,
    pattern: `(?:${SLOTS.count.pattern}|(?:at most|at least) +[0-9]+(?:\\.[0-9]+)?% of +\\S.*)`,
    example: 'at least 5% of newsletter',
  },
  hours: {
    means: 'two local times of day, of which the last is excluded',
    pattern: '[0-9]{1,2}:[0-9]{2}-[0-9]{1,2}:[0-9]{2}',
    example: '08:00-20:00',
  },
  days: { means: '`mon-fri` or `mon,wed`', pattern: '[a-z, -]+', example: 'mon-fri' },
  'least-time': { means: '`at least` and a duration', pattern: 'at least +.+', example: 'at least 4h' },
};

export interface MeasureForm {
  /** Members by name. A single limit is the value of the statement itself. */
  readonly takes: LimitKind | Readonly<Record<string, LimitKind>>;
  /** Other members have names of this kind. */
  readonly others?: { readonly named: 'message' | 'duration'; readonly takes: LimitKind };
  readonly means: string;
}

export const MEASURES = {
  'messages-per-person': {
    takes: { day: 'count', week: 'count', test: 'count' },
    others: { named: 'duration', takes: 'count' },
    means:
      'Messages of each person who gets one: in a local day, in a local week from Monday, in the whole test, or in any span of a length such as `7d`',
  },
  recipients: {
    takes: {},
    others: { named: 'message', takes: 'count-or-share' },
    means: 'Different people who get a message',
  },
  credits: { takes: { email: 'count', sms: 'count' }, means: 'Credits that all messages cost' },
  sends: {
    takes: { count: 'count', between: 'hours', on: 'days' },
    means: 'Sends of tasks, from their first to their last message',
  },
  messages: {
    takes: { count: 'count', email: 'count', sms: 'count', between: 'hours', on: 'days' },
    means: 'Messages to people, of tasks and of rules',
  },
  'gap-between-messages': {
    takes: 'least-time',
    means: 'Time between two messages to the same person',
  },
  'gap-between-sends': {
    takes: 'least-time',
    means: 'Time between the starts of two tasks to the same list or search',
  },
} as const satisfies Readonly<Record<string, MeasureForm>>;

export type MeasureName = keyof typeof MEASURES;

/** Meanings of the members of a test file, in the order in which a file has them. */
export const TEST_FILE_MEMBERS = {
  version: '1',
  campaign: 'Campaign file that is tested, relative to the test file',
  account:
    "`demo` (the demo company), `profile` (a copy of the profile's account), or a snapshot file of `svc sandbox clone --to`, relative to the test file. Default: profile",
  starts:
    'Local time at which every test begins. Default: 12:00 on the last Sunday for `demo`, and the time of the copy otherwise',
  for: 'Length of a test, at most 90d. Default: 30d',
  audience:
    'How all other people react: shares such as `opens=40%,clicks=10%`, or lively, quiet, none. Default: none',
  seeds: 'Number of seeds. Every test must hold for each of them. Default: 1',
  people: 'People by name, who do only what a test says',
  tests: 'Lists of statements, each under a name that you choose',
} as const;

export const REQUIRED_TEST_FILE_MEMBERS = ['version', 'campaign', 'tests'] as const;

export const PERSON_MEMBERS = {
  list: 'List, or lists in brackets, on which the person is at the start',
  email: 'E-mail address',
  msisdn: 'Phone number',
  fields: 'Values of profile fields by name',
} as const;
