/** What completion asks the service for: a list of one kind of record, made into ids and what they are called. */

export interface LiveSource {
  /** A command that only reads, without `svc`; of one request, but for rules, which are five kinds. */
  readonly command: readonly string[];
  /** The same of a sandbox, which knows more than the service tells. */
  readonly inSandbox?: readonly string[];
  /** Undefined where the record has none. */
  readonly id: (record: Listed) => unknown;
  readonly name: (record: Listed) => unknown;
}

export type Listed = Readonly<Record<string, unknown>>;

const NEWEST = ['--sort', 'id', '--reverse', '--limit', '100'];

const listOf = (noun: string, name: string, more: readonly string[] = NEWEST): LiveSource => ({
  command: [noun, 'list', ...more],
  id: ({ id }) => id,
  name: (record) => record[name],
});

/** No call of the interface lists them: the newest tasks tell which there are. */
const usedByTasks = (attribute: string, inSandbox: readonly string[]): LiveSource => ({
  command: ['task', 'list', ...NEWEST],
  inSandbox,
  id: (record) => (Object.hasOwn(record, attribute) ? record[attribute] : record['id']),
  name: (record) =>
    Object.hasOwn(record, attribute) ? `used by task ${String(record['name'])}` : record['name'],
});

/** By the word that a positional or a flag says in `completes`. */
export const LIVE_SOURCES: Readonly<Record<string, LiveSource>> = {
  user: listOf('user', 'username'),
  sms: listOf('sms', 'message'),
  'sms-message': listOf('sms-message', 'name'),
  'sms-destination': listOf('sms-destination', 'destination'),
  // They bring their HTML along.
  email: listOf('email', 'name', ['--sort', 'id', '--reverse', '--limit', '50']),
  link: { ...listOf('link', 'name'), name: ({ name, target }) => name ?? target },
  task: listOf('task', 'name'),
  folder: listOf('folder', 'name'),
  form: listOf('form', 'name'),
  automation: {
    // In an order of its own all pages of all kinds would be read.
    command: ['automation', 'list', '--limit', '200'],
    id: ({ kind, id }) => `${String(kind)}:${String(id)}`,
    name: ({ name }) => name,
  },
  list: usedByTasks('list_id', ['sandbox', 'list', 'list']),
  search: usedByTasks('search_id', ['sandbox', 'search', 'list']),
};

/** All that `svc __complete` can be asked for: records, messages of either kind, and what the profiles tell. */
export const SOURCES: readonly string[] = [
  ...Object.keys(LIVE_SOURCES),
  'message',
  'profile',
  'company',
  'companies',
  'company-tag',
  'alias',
];
