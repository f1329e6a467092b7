/**
 * Translates words of gh, stripe, aws and kubectl. A word with one clear meaning is an alias, and help shows it. For an ambiguous word, an
 * error says what to type (`WHAT_TO_TYPE`, `VERBS_TO_TYPE`).
 */

/** Aliases of each verb. An alias does not apply if the noun has a verb with that name. */
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

/** Returns the aliases of a verb. @param beside the names of the noun's other verbs, which are never used as aliases */
export const aliasesOf = (verb: string, beside: readonly string[] = []): readonly string[] =>
  (VERB_ALIASES[verb] ?? []).filter((alias) => !beside.includes(alias));

/** Reports whether the word is a verb that may stand before its noun, as in kubectl: `get task 1`. */
export const isVerbWord = (word: string): boolean =>
  KUBECTL_VERBS.has(word) ||
  Object.entries(VERB_ALIASES).some(([verb, aliases]) => [verb, ...aliases].includes(word));

const KUBECTL_VERBS: ReadonlySet<string> = new Set([
  ...['exists', 'send', 'cancel', 'wait', 'watch', 'guard', 'report', 'add', 'check', 'import', 'export'],
  ...['lint', 'preview', 'estimate'],
]);

/**
 * Maps the first words of other tools' command lines to svc's words. Words of a key are separated by a space, and the longest matching key
 * is used.
 */
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

/** Maps aliases to nouns. An alias may be a plural, the interface's name of the resource, or an everyday word. */
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

/** Commands of the sandbox that people type without `sandbox`. */
const SANDBOX_WORDS = [
  ...['outbox', 'clock', 'snapshot', 'requests', 'queue', 'fault', 'token', 'conformance', 'sender', 'field'],
  'destination',
] as const;

/** Maps ambiguous first words to advice on what to type. `{ID}` is replaced with the next word of the command line. */
export const WHAT_TO_TYPE: Readonly<Record<string, string>> = {
  auth: 'svc init sets up a profile, svc doctor checks it, svc profile list shows those there are',
  'auth logout': 'svc profile remove NAME removes a profile and its key',
  logout: 'svc profile remove NAME removes a profile and its key',
  'auth token': 'svc never prints a key; svc profile show says where it comes from',
  browse: 'svc sandbox open shows the pages of the sandbox; svc email preview {ID} --open shows a message',
  open: 'svc sandbox open shows the pages of the sandbox; svc email preview {ID} --open shows a message',
  dashboard:
    'svc sandbox open shows the pages of the sandbox; svc task list shows what is scheduled and sent',
  ls: 'svc task list lists tasks, svc folder list folders, svc email list messages',
  schedule: 'svc task create schedules a message to a list',
  stat: 'svc task report {ID} shows what became of a task; svc usage counts a month',
  report: 'svc task report {ID} shows what became of a task',
  cancel: 'svc task cancel {ID} cancels a task',
  watch: 'svc task watch {ID} shows the progress of a task',
  preview: 'svc email preview {ID} shows a message',
  lint: 'svc email lint {ID} checks a message',
  test: 'svc email proof {ID} sends a message to your proof list',
  proof: 'svc email proof {ID} sends a message to your proof list',
  start: 'svc sandbox start starts a sandbox',
  up: 'svc sandbox start starts a sandbox',
  stop: 'svc sandbox stop stops the sandbox; svc task cancel ID cancels a task',
  down: 'svc sandbox stop stops the sandbox',
  diff: 'svc plan {FILE} shows what a campaign file would change; --check exits with 11 if there is something',
  deploy: 'svc apply {FILE} applies a campaign file',
  destroy: 'svc apply FILE --prune deletes what a campaign file no longer has',
  state: 'svc plan FILE compares a campaign file with the service; svc export DIR writes the present state',
  event: 'svc log list shows what you changed; in a sandbox svc sandbox event does what a recipient would do',
  webhook: 'rules notify: svc automation create --action notify; for inbound SMS --notifyurl URL',
  switch: 'svc profile use {NAME} makes a profile the default',
  env: 'svc help environment lists the variables',
  balance: 'svc account get shows the credits; svc forecast shows how long they last',
  credit: 'svc account get shows the credits; svc forecast shows how long they last',
  template: 'svc email list shows the messages; svc email create makes one',
  workflow: 'svc automation list shows the rules; svc automation create makes one',
  flow: 'svc automation list shows the rules; svc automation create makes one',
  search: 'in a sandbox svc sandbox search create makes a saved search; lists take filters such as --name',
  find: 'lists take filters such as --name: svc task list --name Spring',
  me: 'svc user whoami shows your user, svc account get your company',
  suppress: 'svc dnc add {ADDRESS} puts an address on Do Not Contact',
  'suppress add': 'svc dnc add {ADDRESS} puts an address on Do Not Contact',
  suppression: 'svc dnc list shows Do Not Contact',
  unsubscribe: 'svc dnc add {ADDRESS} puts an address on Do Not Contact',
  'unsubscribe add': 'svc dnc add {ADDRESS} puts an address on Do Not Contact',
  block: 'svc dnc add {ADDRESS} puts an address on Do Not Contact',
  blocklist: 'svc dnc list shows Do Not Contact; svc dnc add ADDRESS adds to it',
  blacklist: 'svc dnc list shows Do Not Contact; svc dnc add ADDRESS adds to it',
  upgrade: 'install the new version the way you installed this one: npm install --global FILE',
  'self-update': 'install the new version the way you installed this one: npm install --global FILE',
  tutorial: 'svc demo shows a campaign from message to report',
  quickstart: 'svc demo shows a campaign from message to report; svc init sets up a profile',
  example: 'svc demo shows a campaign; each --help ends in an example, such as svc task create --help',
  feedback: 'report an issue to the person who gave you svc, with the output of svc doctor',
  update:
    'name what to update: svc task update 1. To update svc, install the new version as you installed this one',
  delete: 'name what to delete: svc folder delete 1',
  create: 'name what to create: svc task create, svc email create',
  man: 'svc help lists the pages; man svc-task-create after an installation with npm',
  doc: 'svc help lists the pages; svc explain task explains a resource',
  schema:
    'svc explain task explains a resource; svc explain campaign -o json writes the JSON Schema of campaign files',
  'logs tail': 'svc log list --follow shows your changes; svc sandbox requests --follow those of the sandbox',
  trigger: 'in a sandbox svc sandbox event does what a recipient would do: svc sandbox event --help',
  listen: 'in a sandbox svc sandbox outbox list shows what was delivered',
  broadcast: 'svc task list shows what is scheduled and sent; svc task create schedules a message',
  campaign:
    'svc plan FILE plans a campaign file, svc apply FILE applies it, svc explain campaign describes it; svc task list shows what is scheduled',
  message: 'svc email list and svc sms-message list show the messages',
  contact:
    'svc dnc list shows who is never sent to; in a sandbox svc sandbox subscriber list shows subscribers',
  subscriber:
    'svc subscriber-data list shows profile fields; in a sandbox svc sandbox subscriber list shows subscribers',
  list: 'name what to list: svc folder list, svc task list; svc sandbox list list shows the lists of a sandbox',
  ...Object.fromEntries(
    SANDBOX_WORDS.map((word) => [word, `svc sandbox ${word} belongs to the sandbox; see svc sandbox --help`]),
  ),
  lists: 'in a sandbox svc sandbox list list shows its lists; svc folder list shows folders',
  get: 'name what to get: svc task get 1',
  send: 'svc task create schedules a message to a list; svc sms send sends one SMS',
  import: 'svc dnc import FILE puts a file on Do Not Contact',
  export: 'svc dnc export writes Do Not Contact as CSV',
};

/** Maps verbs that do not exist to advice on what to type. A key is `noun verb`, or a verb alone for all nouns. */
export const VERBS_TO_TYPE: Readonly<Record<string, string>> = {
  'task delete': 'a task is cancelled: svc task cancel ID',
  'task rm': 'a task is cancelled: svc task cancel ID',
  'task remove': 'a task is cancelled: svc task cancel ID',
  'task stop': 'a task is cancelled: svc task cancel ID',
  'task send': 'svc task create schedules a task; --now sends at once',
  'task schedule': 'svc task create schedules a task',
  'email send': 'svc email proof {ID} sends it to your proof list; svc task create schedules it to a list',
  'email test': 'svc email proof {ID} sends it to your proof list',
  'sms-message send':
    'svc sms-message proof {ID} sends it to your proof list; svc task create schedules it to a list',
  'sms-message test': 'svc sms-message proof {ID} sends it to your proof list',
  'sandbox up': 'write svc sandbox start',
  'sandbox run': 'write svc sandbox start',
  'sandbox down': 'write svc sandbox stop',
  'sandbox restart': 'write svc sandbox stop, then svc sandbox start',
  'sandbox ps': 'write svc sandbox status',
  'sandbox logs':
    'svc sandbox outbox list shows what was delivered, svc sandbox requests the requests, svc sandbox log list what went wrong',
  'sms create': 'svc sms send sends one SMS',
  'sms new': 'svc sms send sends one SMS',
  'sms delete': 'an SMS cannot be cancelled after svc has sent it to the service',
  'account update': 'svc features set changes limits and features, as a partner',
};

/** Maps flags that a command lacks to advice on what to type. */
export const FLAGS_TO_TYPE: Readonly<Record<string, string>> = {
  '--format': 'write -o json, or another format: svc help flags',
  '--max-items': 'write --limit',
  '--max-results': 'write --limit',
  '--page-size': 'write --limit; svc gets all pages by itself',
  '--page': 'write --limit n, or --all; svc gets all pages by itself',
  '--offset': 'write --limit n, or --all; svc gets all pages by itself',
  '-n': 'write --limit n, or -L n',
  '--auto-approve': 'write --yes to skip confirmation prompts',
  '--out': 'write -o FORMAT, and redirect the output: > FILE',
  '--per-page': 'write --limit; svc gets all pages by itself',
  '--template': 'write --query with a JMESPath expression, or -o json and another program',
  '--watch': 'svc task watch ID shows the progress of a task; svc email lint --watch checks files',
  '-w': 'svc task watch ID shows the progress of a task',
  '-f': 'write --data @FILE for a body from a file',
  '--filename': 'write --data @FILE for a body from a file',
  '--force': 'write --yes to skip confirmation prompts',
  '-p': 'write --profile NAME',
  '-v': 'svc --version prints the version; --debug traces requests',
  '--region': 'write --base-url ADDRESS, or --profile NAME for a saved profile',
  '--filter': 'each filter is a flag of its own, such as --name; --query filters the output',
  '--select': 'write --fields a,b',
  '--columns': 'write --fields a,b',
};

/** Maps verbs that take flags instead of operands to advice on what to type. `{1}` and `{2}` are replaced with the given words. */
export const ARGUMENTS_TO_TYPE: Readonly<Record<string, string>> = {
  'svc automation create': 'write svc automation create --kind {1}',
  'svc sms send': 'write svc sms send --to {1} --text "{2}"',
};
