/** Commands that list records for completion, with functions that convert each record to an id and a name. */

export interface CandidateListCommand {
  /** Words of the command that lists the records. It sends one request, or one for each of the five kinds of rule. */
  readonly command: readonly string[];
  /** Command that lists the records of a sandbox. A sandbox can list records that the service does not list. */
  readonly sandboxCommand?: readonly string[];
  /** Returns the id, or undefined if the record has none. */
  readonly id: (record: CandidateRecord) => unknown;
  readonly name: (record: CandidateRecord) => unknown;
}

interface CandidateRecord {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly target?: unknown;
  readonly [attribute: string]: unknown;
}

const NEWEST = ['--sort', 'id', '--reverse', '--limit', '100'];

const listOf = (noun: string, name: string, more: readonly string[] = NEWEST): CandidateListCommand => ({
  command: [noun, 'list', ...more],
  id: ({ id }) => id,
  name: (record) => record[name],
});

/** Returns a source for records that the interface does not list, such as subscriber lists. Collects their ids from the newest tasks. */
const usedByTasks = (attribute: string, sandboxCommand: readonly string[]): CandidateListCommand => ({
  command: ['task', 'list', ...NEWEST],
  sandboxCommand,
  id: (record) => (Object.hasOwn(record, attribute) ? record[attribute] : record.id),
  name: (record) => (Object.hasOwn(record, attribute) ? `used by task ${String(record.name)}` : record.name),
});

/** Commands that list the candidates, by the kind of value that operands and flags declare in `completes`. */
export const CANDIDATE_LIST_COMMANDS: Readonly<Record<string, CandidateListCommand>> = {
  user: listOf('user', 'username'),
  sms: listOf('sms', 'message'),
  'sms-message': listOf('sms-message', 'name'),
  'sms-destination': listOf('sms-destination', 'destination'),
  // E-mails include their HTML, so the list is short.
  email: listOf('email', 'name', ['--sort', 'id', '--reverse', '--limit', '50']),
  link: { ...listOf('link', 'name'), name: ({ name, target }) => name ?? target },
  task: listOf('task', 'name'),
  folder: listOf('folder', 'name'),
  form: listOf('form', 'name'),
  automation: {
    // The list is not sorted, because sorting would read all pages of all kinds.
    command: ['automation', 'list', '--limit', '200'],
    id: ({ kind, id }) => `${String(kind)}:${String(id)}`,
    name: ({ name }) => name,
  },
  list: usedByTasks('list_id', ['sandbox', 'list', 'list']),
  search: usedByTasks('search_id', ['sandbox', 'search', 'list']),
};

/** Names of all sources of candidates: records of the service, messages of either channel, and values from the profiles. */
export const COMPLETION_CANDIDATE_SOURCES: readonly string[] = [
  ...Object.keys(CANDIDATE_LIST_COMMANDS),
  'message',
  'profile',
  'company',
  'companies',
  'company-tag',
];
