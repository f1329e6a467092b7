/**
 * Facts that help adds to every verb: its exit codes and its section of the interface. Every command can exit with 1 and 130, so these are
 * named only if they have a special meaning.
 */
import { catalogue } from '../../resources/catalogue.ts';
import type { Method } from '../../schema/resource.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import type { Verb } from './command.ts';

export interface VerbExit {
  readonly code: ExitCode;
  /** Meaning of the code for this verb, if it says more than the general one. */
  readonly meaning?: string | undefined;
}

interface Facts {
  readonly work: Work;
  /** Meanings of codes for this verb. A code that its kind of work does not have is added. */
  readonly means?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Methods of the noun's resource. Other commands name a heading of the interface in `section`. */
  readonly method?: Method | readonly Method[];
  readonly section?: string;
}

/** Exit codes that follow from each kind of work, besides 0 and 2. */
const WORK = {
  /** Makes no requests. */
  local: [],
  /** Sends requests that change nothing. */
  reads: [3, 7, 9],
  /** Reads one record. */
  finds: [3, 4, 7, 9],
  /** Sends one POST. */
  creates: [3, 5, 6, 7, 9, 10],
  /** Sends a POST for each row. A rejected row does not stop the others. */
  'sends rows': [3, 7, 8, 9, 10],
  /** Changes a record that is named by its id or by an attribute. */
  changes: [3, 4, 5, 6, 7, 9, 10],
  /** Sends requests to a sandbox's control plane, which needs no key. */
  'asks the sandbox': [7],
  'finds in the sandbox': [4, 7],
  'changes the sandbox': [4, 5, 6, 7, 10],
} as const satisfies Readonly<Record<string, readonly ExitCode[]>>;
type Work = keyof typeof WORK;

/** Facts of the verbs that nouns share. */
const SHARED: Readonly<Record<string, Facts>> = {
  list: { work: 'reads', method: 'GET' },
  get: { work: 'finds', method: 'GET' },
  exists: { work: 'finds', means: { 4: 'there is none' }, method: 'HEAD' },
  create: { work: 'creates', method: 'POST' },
  update: { work: 'changes', method: 'PUT' },
  set: { work: 'changes', method: 'PUT' },
  pause: { work: 'changes', method: 'PUT' },
  resume: { work: 'changes', method: 'PUT' },
  delete: { work: 'changes', method: 'DELETE' },
};

const PROOF = { 2: 'more than 10 subscriptions' };
const ROWS_FAILED = { 8: 'rows failed' };

/** Facts of all other verbs, by command path. A group's facts apply to its verbs without an entry. */
const OWN: Readonly<Record<string, Facts>> = {
  'user whoami': { work: 'finds', method: 'GET' },
  'sms send': { work: 'creates', means: ROWS_FAILED, method: 'POST' },
  'sms estimate': { work: 'local', means: { 11: 'more than 3 parts' }, section: 'smsMessage' },
  'sms-message lint': { work: 'finds', means: { 11: 'errors found' }, method: 'POST' },
  'email lint': { work: 'finds', means: { 11: 'errors found' }, method: 'POST' },
  'email preview': { work: 'finds', method: 'GET' },
  'email pull': {
    work: 'finds',
    means: { 5: 'a file was changed here', 11: 'errors found, with --watch' },
    method: 'GET',
  },
  'email proof': { work: 'changes', means: PROOF, method: 'POST' },
  'sms-message proof': { work: 'changes', means: PROOF, method: 'POST' },
  'email push': {
    work: 'changes',
    means: { 5: 'it was changed on the service', 11: 'errors found, with --watch' },
    method: ['PUT', 'POST'],
  },
  'task create': { work: 'changes', method: 'POST' },
  'task cancel': { work: 'changes', section: 'States and transitions' },
  'task undo': { work: 'changes', section: 'States and transitions' },
  'task wait': {
    work: 'finds',
    means: { 1: 'another end', 8: 'out of credits', 10: 'may have stopped' },
    method: 'GET',
  },
  'task watch': { work: 'finds', method: 'GET' },
  'task guard': { work: 'changes', means: { 1: 'a limit exceeded' }, method: ['GET', 'PUT'] },
  'task report': { work: 'finds', method: 'GET' },
  'task calendar': { work: 'reads', method: 'GET' },
  'dnc add': { work: 'creates', means: { 8: 'some were refused' }, method: 'POST' },
  'dnc remove': { work: 'changes', method: 'DELETE' },
  'dnc check': { work: 'reads', means: { 4: 'none listed', 8: 'faulty rows' }, method: 'GET' },
  'dnc diff': { work: 'reads', method: 'GET' },
  'dnc import': { work: 'sends rows', means: ROWS_FAILED, method: 'POST' },
  'dnc export': { work: 'reads', method: 'GET' },
  'subscriber-data set': { work: 'changes', means: ROWS_FAILED, method: 'PUT' },
  'features diff': { work: 'reads', means: { 11: 'it differs, with --check' }, method: 'GET' },
  'features apply': { work: 'changes', means: { 8: 'some companies failed' }, method: 'PUT' },
  'automation simulate': { work: 'finds', section: 'Events' },
  'automation graph': { work: 'reads', means: { 11: 'there is a loop, with --check' }, section: 'Events' },
  'automation create': { work: 'changes', method: 'POST' },

  init: { work: 'reads', section: 'Authentication' },
  profile: { work: 'local' },
  'profile add': { work: 'reads', section: 'Authentication' },
  company: { work: 'local' },
  'company add': { work: 'finds', section: 'account' },
  'company sync': { work: 'finds', means: { 8: 'some companies failed' }, section: 'account' },
  'plan make': { work: 'reads', means: { 11: 'something to do, with --check' }, section: 'task' },
  'plan show': { work: 'local', section: 'States and transitions' },
  approve: { work: 'local', section: 'States and transitions' },
  apply: {
    work: 'changes',
    means: { 5: 'drift, or a step is blocked' },
    section: 'States and transitions',
  },
  export: { work: 'reads', section: 'Resources and their fields' },
  forecast: { work: 'reads', means: { 11: 'a balance runs short' }, section: 'task' },
  usage: { work: 'reads', section: 'task' },
  why: { work: 'finds', section: 'States and transitions' },
  doctor: { work: 'reads', means: { 1: 'a check failed' }, section: 'Authentication' },
  demo: { work: 'local' },
  api: { work: 'changes', section: 'Endpoints' },
  log: { work: 'local' },
  'log show': { work: 'local', means: { 4: 'no such entry' } },
  undo: { work: 'changes', means: { 5: 'it has changed since' }, section: 'Endpoints' },
  explain: { work: 'local', section: 'Resources and their fields' },
  completion: { work: 'local' },
  alias: { work: 'local' },
  plugin: { work: 'local' },

  sandbox: { work: 'changes the sandbox' },
  'sandbox start': { work: 'local', means: { 5: 'port or data in use' } },
  'sandbox stop': { work: 'local' },
  'sandbox reset': { work: 'local', means: { 5: 'data in use' } },
  'sandbox status': { work: 'asks the sandbox' },
  'sandbox open': { work: 'asks the sandbox', means: { 1: 'no browser' } },
  'sandbox queue': { work: 'asks the sandbox' },
  'sandbox requests': { work: 'finds in the sandbox', section: 'Authentication' },
  'sandbox conformance': { work: 'reads', means: { 11: 'a check failed' }, section: 'Endpoints' },
  'sandbox event': { work: 'changes the sandbox', section: 'Events' },
  'sandbox outbox show': { work: 'finds in the sandbox' },
  'sandbox outbox export': { work: 'finds in the sandbox', means: { 8: 'some files are there' } },
  'sandbox subscriber import': { work: 'changes the sandbox', means: ROWS_FAILED },
  'sandbox company key': { work: 'finds in the sandbox', section: 'Authentication' },
  'sandbox clock show': { work: 'asks the sandbox' },
  ...Object.fromEntries(
    [
      'list',
      'subscriber',
      'field',
      'search',
      'company',
      'sender',
      'outbox',
      'fault',
      'log',
      'snapshot',
      'token',
    ].map((noun) => [`sandbox ${noun} list`, { work: 'asks the sandbox' } satisfies Facts]),
  ),
};

type Declared = Pick<Verb, 'companies' | 'flags'>;

/** Returns the exit codes of a verb in ascending order. @param path the words after `svc` */
export function exitsOf({ companies, flags }: Declared, path: readonly string[]): readonly VerbExit[] {
  const { work, means = {} } = factsOf(path) ?? { work: 'local' };
  const others = Object.keys(means).map((code) => Number(code) as ExitCode);
  // The record is looked up by name, so it may not exist.
  const namesRecord = flags.some(({ value }) => value === 'id-or-name');
  const codes = new Set<ExitCode>([
    ...([0, 2] as const),
    ...WORK[work],
    ...others,
    ...(namesRecord ? [4 as const] : []),
    ...(companies === undefined ? [] : [8 as const]),
  ]);
  return [...codes].sort((a, b) => a - b).map((code) => ({ code, meaning: means[code] }));
}

/** Returns the exit codes as text: `0, 2, 4 (there is none)`. */
export const exitsText = (verb: Declared, path: readonly string[]): string =>
  exitsOf(verb, path)
    .map(({ code, meaning }) => (meaning === undefined ? `${code}` : `${code} (${meaning})`))
    .join(', ');

export const exitNumbers = (verb: Declared, path: readonly string[]): string =>
  exitsOf(verb, path)
    .map(({ code }) => code)
    .join(', ');

/** Returns the headings of the interface, with the methods for a resource, or undefined if the interface does not cover the command. */
export function sectionOf(path: readonly string[]): string | undefined {
  const { section, method } = factsOf(path) ?? {};
  if (section !== undefined || method === undefined) return section;
  const methods = [method].flat().join(', ');
  return `${resourcesOf(path[0] ?? '')} (${methods})`;
}

/** Returns the facts of a verb, or undefined if it has no entry: `test/cli/command/verb-facts.test.ts` then names it. */
export function factsOf(path: readonly string[]): Facts | undefined {
  const own = ownFacts(path);
  if (own !== undefined || path.length !== 2) return own ?? aboveFacts(path);
  const [noun = '', verb = ''] = path;
  return resourcesOf(noun) === '' ? aboveFacts(path) : SHARED[verb];
}

const ownFacts = (path: readonly string[]): Facts | undefined => {
  const words = path.join(' ');
  return Object.hasOwn(OWN, words) ? OWN[words] : undefined;
};

const aboveFacts = (path: readonly string[]): Facts | undefined =>
  path.length === 0 ? undefined : (ownFacts(path) ?? aboveFacts(path.slice(0, -1)));

/** Returns the resources of a noun. The five kinds of rule share a section; SMS rules have their own. */
function resourcesOf(noun: string): string {
  const names = catalogue.filter((resource) => resource.noun === noun).map(({ name }) => name);
  return noun === 'automation' ? 'Automation rules, smsAutomation' : names.join(', ');
}
