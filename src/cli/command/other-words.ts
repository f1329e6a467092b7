/**
 * Words that people know from gh, stripe, aws and kubectl. A word with one clear meaning works as an alias, which help names. For an
 * ambiguous word, an error says what to type (`WHAT_TO_TYPE`, `VERBS_TO_TYPE`).
 */

/** Aliases of each verb, unless its noun has a verb of the same name. */
const VERB_ALIASES: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  get: ['view', 'show', 'describe'],
  show: ['view', 'get', 'describe'],
  create: ['new'],
  update: ['edit', 'rename'],
  set: ['edit', 'update'],
  delete: ['rm'],
  remove: ['rm', 'delete'],
  use: ['switch'],
  pause: ['disable'],
  resume: ['enable', 'unpause'],
};

/** Returns the aliases of a verb. @param beside the names of the noun's other verbs, which win over aliases */
export const aliasesOf = (verb: string, beside: readonly string[] = []): readonly string[] =>
  (VERB_ALIASES[verb] ?? []).filter((alias) => !beside.includes(alias));

/** Reports whether people type this word before a noun, as in kubectl: `get task 1`. */
export const isVerbWord = (word: string): boolean =>
  KUBECTL_VERBS.has(word) ||
  Object.entries(VERB_ALIASES).some(([verb, aliases]) => [verb, ...aliases].includes(word));

const KUBECTL_VERBS: ReadonlySet<string> = new Set([
  ...['exists', 'send', 'cancel', 'wait', 'watch', 'guard', 'report', 'add', 'check', 'import', 'export'],
  ...['lint', 'preview', 'estimate'],
]);

/** First words of a command line, joined by a space, with svc's words for them. The longest match wins. */
export const PHRASES: Readonly<Record<string, readonly string[]>> = {
  login: ['init'],
  configure: ['init'],
  setup: ['init'],
  'auth login': ['init'],
  status: ['doctor'],
  'auth status': ['doctor'],
  'auth list': ['profile', 'list'],
  'auth switch': ['profile', 'use'],
  whoami: ['user', 'whoami'],
  'auth whoami': ['user', 'whoami'],
  version: ['--version'],
  '-v': ['--version'],
  '-V': ['--version'],
  profiles: ['profile'],
  companies: ['company'],
  config: ['profile'],
  'config --list': ['profile', 'list'],
  'config view': ['profile', 'list'],
  'config get-contexts': ['profile', 'list'],
  'config current-context': ['profile', 'show'],
  'config use-context': ['profile', 'use'],
  'configure list': ['profile', 'list'],
  logs: ['log'],
};

/** Aliases of nouns: the plural, the interface's name of the resource, and everyday words. */
export const NOUN_ALIASES: Readonly<Record<string, string>> = {
  rule: 'automation',
  rules: 'automation',
  'do-not-contact': 'dnc',
  donotcontact: 'dnc',
  sms_message: 'sms-message',
  smsmessage: 'sms-message',
  emailmessage: 'email',
  smsdestination: 'sms-destination',
  emailmessagelink: 'link',
  accountfeatures: 'features',
  subscriberprofiledata: 'subscriber-data',
};

/** Ambiguous first words, with the advice what to type. */
export const WHAT_TO_TYPE: Readonly<Record<string, string>> = {
  auth: 'svc init sets up a profile, svc doctor checks it, svc profile list shows those there are',
  'auth logout': 'svc profile remove NAME removes a profile and its key',
  logout: 'svc profile remove NAME removes a profile and its key',
  'auth token': 'svc never prints a key; svc profile show says where it comes from',
  browse:
    'svc email preview ID --open shows a message in the browser; svc task report ID shows what became of a task',
  open: 'svc email preview ID --open shows a message in the browser; svc task report ID shows what became of a task',
  trigger: 'in a sandbox svc sandbox event does what a recipient would do: svc sandbox event --help',
  listen: 'in a sandbox svc sandbox outbox list shows what was delivered',
  broadcast: 'svc task list shows what is scheduled and sent; svc task create schedules a message',
  campaign: 'svc task list shows what is scheduled and sent; svc task create schedules a message',
  message: 'svc email list and svc sms-message list show the messages',
  contact:
    'svc dnc list shows who is never sent to; in a sandbox svc sandbox subscriber list shows subscribers',
  subscriber:
    'svc subscriber-data list shows profile fields; in a sandbox svc sandbox subscriber list shows subscribers',
  list: 'say of what: svc folder list, svc task list; in a sandbox svc sandbox list list shows its lists',
  lists: 'in a sandbox svc sandbox list list shows its lists; svc folder list shows folders',
  get: 'say of what: svc task get 1',
  send: 'svc task create schedules a message to a list; svc sms send sends one SMS',
  import: 'svc dnc import FILE puts a file on Do Not Contact',
  export: 'svc dnc export writes Do Not Contact as CSV',
};

/** Verbs that a noun does not have, with the advice what to type. A word without a noun applies to all nouns. */
export const VERBS_TO_TYPE: Readonly<Record<string, string>> = {
  'task delete': 'a task is cancelled: svc task cancel ID',
  'task rm': 'a task is cancelled: svc task cancel ID',
  'task remove': 'a task is cancelled: svc task cancel ID',
  'task stop': 'a task is cancelled: svc task cancel ID',
  'task send': 'svc task create schedules a task; --now sends at once',
  'task schedule': 'svc task create schedules a task',
  'sms create': 'svc sms send sends one SMS',
  'sms new': 'svc sms send sends one SMS',
  'sms delete': 'an SMS that was handed over cannot be taken back',
  'account update': 'svc features set changes limits and features, as a partner',
};

/** Flags that a command does not have, with the advice what to type. */
export const FLAGS_TO_TYPE: Readonly<Record<string, string>> = {
  '--format': 'write -o json, or another format: svc help flags',
  '--max-items': 'write --limit',
  '--max-results': 'write --limit',
  '--page-size': 'write --limit; svc walks the pages by itself',
  '--per-page': 'write --limit; svc walks the pages by itself',
  '--template': 'write --query with a JMESPath expression, or -o json and another program',
  '--watch': 'svc task watch ID shows the progress of a task; svc email lint --watch checks files',
  '-w': 'svc task watch ID shows the progress of a task',
  '-f': 'write --data @FILE for a body from a file',
  '--filename': 'write --data @FILE for a body from a file',
  '--force': 'write --yes to answer yes to what would be asked',
  '-p': 'write --profile NAME',
  '-v': 'svc --version prints the version; --debug traces requests',
  '--region': 'write --base-url, or --profile for one that was set up',
  '--filter': 'each filter is a flag of its own, such as --name; --query filters the output',
  '--select': 'write --fields a,b',
  '--columns': 'write --fields a,b',
};
