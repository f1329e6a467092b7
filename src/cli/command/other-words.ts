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

/** @param otherVerbs the names of the noun's other verbs, which are never used as aliases */
export const aliasesOfVerb = (verb: string, otherVerbs: readonly string[] = []): readonly string[] =>
  (VERB_ALIASES[verb] ?? []).filter((alias) => !otherVerbs.includes(alias));

export const isVerbOrVerbAlias = (word: string): boolean =>
  KUBECTL_VERBS.has(word) ||
  Object.entries(VERB_ALIASES).some(([verb, aliases]) => [verb, ...aliases].includes(word));

const KUBECTL_VERBS: ReadonlySet<string> = new Set([
  ...['exists', 'send', 'cancel', 'wait', 'watch', 'guard', 'report', 'add', 'check', 'import', 'export'],
  ...['lint', 'preview', 'estimate'],
]);

/** The longest matching key is used. */
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
  'configure set': ['profile', 'set'],
  logs: ['log'],
};

/** An alias may be a plural, the interface's name of the resource, or an everyday word. */
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
