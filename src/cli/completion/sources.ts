/** Commands that list records for completion, with functions that convert each record to an id and a name. */

export interface CandidateListCommand {
  /** Sends one request, or one for each of the five kinds of rule. */
  readonly command: readonly string[];
  /** A sandbox can list records that the service does not list. */
  readonly sandboxCommand?: readonly string[];
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

/** The interface does not list these records, so their ids come from the newest tasks. */
const usedByTasks = (attribute: string, sandboxCommand: readonly string[]): CandidateListCommand => ({
  command: ['task', 'list', ...NEWEST],
  sandboxCommand,
  id: (record) => (Object.hasOwn(record, attribute) ? record[attribute] : record.id),
  name: (record) => (Object.hasOwn(record, attribute) ? `used by task ${String(record.name)}` : record.name),
});

/** The keys are the kinds of value that operands and flags declare in `completes`. */
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

export const COMPLETION_CANDIDATE_SOURCES: readonly string[] = [
  ...Object.keys(CANDIDATE_LIST_COMMANDS),
  'message',
  'profile',
  'company',
  'companies',
  'company-tag',
];
