/**
 * Translates words of gh, stripe, aws and kubectl. A word with one clear meaning is an alias. `svc help aliases` lists the aliases. For a
 * word with several meanings, tables of advice say what to type, such as `ADVICE_BY_UNKNOWN_COMMAND`.
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

/** Returns the aliases of a verb. @param otherVerbs the names of the noun's other verbs, which are never used as aliases */
export const aliasesOfVerb = (verb: string, otherVerbs: readonly string[] = []): readonly string[] =>
  (VERB_ALIASES[verb] ?? []).filter((alias) => !otherVerbs.includes(alias));

/** Reports whether the word is a verb that may stand before its noun, as in kubectl: `get task 1`. */
export const isVerbOrVerbAlias = (word: string): boolean =>
  KUBECTL_VERBS.has(word) ||
  Object.entries(VERB_ALIASES).some(([verb, aliases]) => [verb, ...aliases].includes(word));

const KUBECTL_VERBS: ReadonlySet<string> = new Set([
  ...['exists', 'send', 'cancel', 'wait', 'watch', 'guard', 'report', 'add', 'check', 'import', 'export'],
  ...['lint', 'preview', 'estimate'],
]);

/** Maps commands of other tools, such as `auth login`, to the words of the same command of svc. The longest matching key is used. */
export const COMMANDS_OF_OTHER_TOOLS: Readonly<Record<string, readonly string[]>> = {
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

/** Returns the table with a row for each word of a key, whose words are separated by commas. */
const byWord = (rows: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([words, text]) => words.split(', ').map((word) => [word, text])),
  );

/** Maps unknown commands, such as `svc deploy`, to advice on what to type. `{ID}` is replaced with the next word of the command line. */
export const ADVICE_BY_UNKNOWN_COMMAND: Readonly<Record<string, string>> = byWord({
  auth: 'to set up a profile, run svc init; to check it, svc doctor; to see all profiles, svc profile list',
  'auth logout, logout': 'svc profile remove NAME removes a profile and its key',
  'auth token': 'svc never prints a key; svc profile show says where it comes from',
  'browse, open':
    'svc sandbox open shows the pages of the sandbox; svc email preview {ID} --open shows a message',
  dashboard:
    'svc sandbox open shows the pages of the sandbox; svc task list shows what is scheduled and sent',
  ls: 'to list tasks, run svc task list; for folders svc folder list, for messages svc email list',
  schedule: 'svc task create schedules a message to a list',
  stat: 'svc task report {ID} shows the results of a task; svc usage shows the sends of a month',
  report: 'svc task report {ID} shows the results of a task',
  cancel: 'svc task cancel {ID} cancels a task',
  watch: 'svc task watch {ID} shows the progress of a task',
  preview: 'svc email preview {ID} shows a message',
  'test, proof': 'svc email proof {ID} sends a message to your proof list',
  'start, up': 'svc sandbox start starts a sandbox',
  stop: 'to stop the sandbox, run svc sandbox stop; to cancel a task, run svc task cancel ID',
  down: 'svc sandbox stop stops the sandbox',
  diff: 'svc plan {FILE} shows what a campaign file would change; with --check, it exits with 11 if there are changes',
  deploy: 'svc apply {FILE} applies a campaign file',
  destroy: 'svc apply FILE --prune deletes the records that a campaign file no longer contains',
  state:
    'to compare a campaign file with the service, run svc plan FILE; to write the current records to a file, run svc export DIR',
  event:
    'to see what you changed, run svc log list; to act as a recipient in a sandbox, run svc sandbox event',
  webhook: 'a rule can notify a URL of inbound SMS: svc automation create --kind sms --notifyurl URL',
  switch: 'svc profile use {NAME} makes a profile the default',
  env: 'svc help environment lists the variables',
  'balance, credit': 'to see your credits, run svc account get; to see how long they last, run svc forecast',
  template: 'to see the messages, run svc email list; to create one, run svc email create',
  'workflow, flow': 'to see the rules, run svc automation list; to create one, run svc automation create',
  search:
    'list commands take filters such as --name; to create a saved search in a sandbox, run svc sandbox search create',
  find: 'list commands take filters such as --name, as in svc task list --name Spring',
  me: 'to see your user, run svc user whoami; to see your company, run svc account get',
  'suppress, suppress add, unsubscribe, unsubscribe add, block':
    'svc dnc add {ADDRESS} adds an address to Do Not Contact',
  suppression: 'svc dnc list shows the entries of Do Not Contact',
  'blocklist, blacklist':
    'to see the entries of Do Not Contact, run svc dnc list; to add an address, run svc dnc add ADDRESS',
  'upgrade, self-update': 'install the new version the way you installed this one: npm install --global FILE',
  tutorial: 'svc demo shows a campaign from message to report',
  quickstart: 'svc demo shows a campaign from message to report; svc init sets up a profile',
  example:
    'to see a whole campaign, run svc demo; to see an example of a command, add --help, as in svc task create --help',
  feedback: 'report an issue to the person who gave you svc, with the output of svc doctor',
  update:
    'say what to update, as in svc task update 1; to update svc itself, install the new version in the same way as this version',
  delete: 'say what to delete, as in svc folder delete 1',
  create: 'say what to create, as in svc task create or svc email create',
  man: 'to see all help pages, run svc help; after an installation with npm, man svc-task-create also works',
  doc: 'to see all help pages, run svc help; to learn about a resource such as task, run svc explain task',
  schema:
    'svc explain task explains a resource; svc explain campaign -o json writes the JSON Schema of campaign files',
  'logs tail':
    'svc log tail --follow shows your changes; svc sandbox requests --follow shows requests to the sandbox',
  trigger: 'to act as a recipient in a sandbox, run svc sandbox event; see svc sandbox event --help',
  listen: 'to see the messages that a sandbox has delivered, run svc sandbox outbox list',
  broadcast: 'svc task list shows what is scheduled and sent; svc task create schedules a message',
  campaign:
    'to plan a campaign file, run svc plan FILE; to apply it, svc apply FILE; to learn its format, svc explain campaign; to see what is scheduled, svc task list',
  message: 'svc email list and svc sms-message list show the messages',
  contact:
    'to see who must not be contacted, run svc dnc list; to see the subscribers of a sandbox, run svc sandbox subscriber list',
  subscriber:
    'to see profile fields, run svc subscriber-data list; to see the subscribers of a sandbox, run svc sandbox subscriber list',
  list: 'add what to list: svc folder list or svc task list; for the lists of a sandbox, use svc sandbox list list',
  lists: 'to see the lists of a sandbox, run svc sandbox list list; to see folders, run svc folder list',
  get: 'say what to get, as in svc task get 1',
  send: 'svc task create schedules a message to a list; svc sms send sends one SMS',
  import: 'svc dnc import FILE adds the addresses in a file to Do Not Contact',
  export: 'svc dnc export writes the entries of Do Not Contact as CSV',
  ...Object.fromEntries(
    SANDBOX_WORDS.map((word) => [
      word,
      `${word} is a command of the sandbox: svc sandbox ${word}; see svc sandbox --help`,
    ]),
  ),
});

/** Maps verbs that do not exist to advice on what to type. A key is `noun verb`, or a verb alone for all nouns. */
export const ADVICE_BY_UNKNOWN_VERB: Readonly<Record<string, string>> = byWord({
  'task delete, task rm, task remove': 'a task cannot be deleted; to cancel it, run svc task cancel ID',
  'task stop': 'to cancel a task, run svc task cancel ID',
  'task send': 'to schedule a task, run svc task create; to send at once, add --now',
  'task schedule': 'svc task create schedules a task',
  'email send':
    'svc email proof {ID} sends the message to your proof list; svc task create sends it to another list',
  'email test': 'svc email proof {ID} sends the message to your proof list',
  'sms-message send':
    'svc sms-message proof {ID} sends the message to your proof list; svc task create sends it to another list',
  'sms-message test': 'svc sms-message proof {ID} sends the message to your proof list',
  'sandbox up, sandbox run': 'to start the sandbox, run svc sandbox start',
  'sandbox down': 'to stop the sandbox, run svc sandbox stop',
  'sandbox restart': 'run svc sandbox stop, then svc sandbox start',
  'sandbox ps': 'to see whether a sandbox runs, run svc sandbox status',
  'sandbox logs':
    'to see delivered messages, run svc sandbox outbox list; to see requests, svc sandbox requests; to see what went wrong, svc sandbox log list',
  'sms create, sms new': 'svc sms send sends one SMS',
  'sms delete': 'an SMS cannot be cancelled after svc has sent it to the service',
  'account update': 'as a partner, run svc features set to change limits and features',
});

/** Maps flags that a command lacks to advice on what to type. */
export const ADVICE_BY_UNKNOWN_FLAG: Readonly<Record<string, string>> = byWord({
  '--format': 'write -o json; for other formats, see svc help output',
  '--max-items, --max-results': 'write --limit',
  '--page-size, --per-page': 'write --limit; svc requests as many pages as it needs',
  '--page, --offset': 'write --limit n, or --all; svc requests as many pages as it needs',
  '-n': 'write --limit n, or -L n',
  '--auto-approve, --force': 'write --yes to skip confirmation prompts',
  '--out': 'write -o FORMAT, and redirect the output: > FILE',
  '--template': 'write --query with a JMESPath expression, or pipe -o json into another program',
  '--watch':
    'svc task watch ID shows the progress of a task; svc email lint --watch checks files each time you save them',
  '-w': 'svc task watch ID shows the progress of a task',
  '-f, --filename': 'write --data @FILE to read the body of a request from a file',
  '-p': 'write --profile NAME',
  '-v': 'to see the version, run svc --version; to trace requests, add --debug',
  '--region': 'write --base-url ADDRESS, or --profile NAME for a saved profile',
  '--filter': 'each filter has its own flag, such as --name; to filter the output, use --query',
  '--select, --columns': 'write --fields a,b',
});

/** Advice for operands of a command that takes flags instead. svc replaces `{1}` and `{2}` with the first and the second operand. */
export const ADVICE_FOR_UNEXPECTED_OPERANDS: Readonly<Record<string, string>> = {
  'svc automation create': 'write svc automation create --kind {1}',
  'svc sms send': 'write svc sms send --to {1} --text "{2}"',
};
