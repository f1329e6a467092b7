/** The flags that every command takes, before and after its noun and verb (contract, "Global flags"). */
import { parseDuration } from '../../text/duration.ts';
import { isTimezone } from '../../text/timezone.ts';
import { UsageError } from '../errors/errors.ts';
import { type Flag, type Input, isOn, textOf } from './command.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type Format = (typeof FORMATS)[number];

const global = (name: string, describe: string, more: Partial<Flag> = {}): Flag => ({
  name,
  describe,
  group: 'Global flags',
  ...more,
});

export const globalFlags: readonly Flag[] = [
  global('profile', 'Use this profile', { value: 'name' }),
  global('base-url', 'Address of the service', { value: 'url' }),
  global('company', 'Company id to act for', { value: 'id' }),
  global('user', 'User id to act as', { value: 'id' }),
  global('output', `Format: ${FORMATS.join(', ')}`, { short: 'o', value: 'format', choices: FORMATS }),
  global('json', 'Same as -o json'),
  global('fields', 'Show only these attributes', { value: 'a,b' }),
  global('query', 'Filter the output by a JMESPath expression', { value: 'expression' }),
  global('no-header', 'Leave out the header line'),
  global('csv-raw', 'Leave cells as they are that a spreadsheet would run as formulas'),
  global('yes', 'Answer yes to what would be asked'),
  global('no-input', 'Never ask'),
  global('dry-run', 'Show what would be sent, and change nothing'),
  global('no-validate', 'Leave checking to the service'),
  global('no-journal', 'Record nothing in the journal; nothing can be undone then'),
  global('timeout', 'Time for a whole call, such as 30s', { value: 'duration' }),
  global('settle', 'After a lost answer, wait so long until it counts as lost; the time-out plus 2s', {
    value: 'duration',
  }),
  global('retries', 'How often to try again at most', { value: 'n' }),
  global('tz', 'Time zone of local times that are given', { value: 'zone' }),
  global('quiet', 'No notes on stderr'),
  global('debug', 'Trace requests on stderr, secrets left out'),
  global('no-color', 'No colour'),
];

export interface Globals {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly company?: string;
  readonly user?: string;
  /** Undefined: the profile says, else a table. */
  readonly output?: Format;
  readonly fields?: readonly string[];
  readonly query?: string;
  readonly header: boolean;
  readonly csvRaw: boolean;
  readonly yes: boolean;
  readonly input: boolean;
  readonly dryRun: boolean;
  readonly validate: boolean;
  readonly journal: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly settle?: number;
  readonly retries?: number;
  readonly tz?: string;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly color: boolean;
}

/** Reads the global flags; those from the environment that the contract names come second. */
export function readGlobals(input: Input, env: Readonly<Record<string, string | undefined>>): Globals {
  const text = (flag: string): string | undefined => textOf(input, flag);
  const output = isOn(input, 'json')
    ? 'json'
    : readFormat(text('output') ?? (env['SVC_OUTPUT'] || undefined));
  return {
    ...given('profile', text('profile')),
    ...given('baseUrl', text('base-url')),
    ...given('company', text('company')),
    ...given('user', text('user')),
    ...given('output', output),
    ...given('fields', readFields(text('fields'))),
    ...given('query', text('query')),
    header: !isOn(input, 'no-header'),
    csvRaw: isOn(input, 'csv-raw'),
    yes: isOn(input, 'yes'),
    input: !isOn(input, 'no-input'),
    dryRun: isOn(input, 'dry-run'),
    validate: !isOn(input, 'no-validate'),
    journal: !isOn(input, 'no-journal'),
    ...given('timeout', readSpan('timeout', text('timeout'))),
    ...given('settle', readSpan('settle', text('settle'))),
    ...given('retries', readRetries(text('retries'))),
    ...given('tz', readZone(text('tz'))),
    quiet: isOn(input, 'quiet'),
    debug: isOn(input, 'debug'),
    color: !isOn(input, 'no-color'),
  };
}

/** Whether JSON was asked for, from arguments that may be faulty: an error has to know before they are read. */
export function wantsJson(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const joined = argv.some((each) => ['--json', '-ojson', '--output=json'].includes(each));
  const apart = argv.some(
    (each, index) => (each === '-o' || each === '--output') && argv[index + 1] === 'json',
  );
  const other = argv.some((each) => /^(-o|--output)/.test(each));
  return joined || apart || (!other && env['SVC_OUTPUT'] === 'json');
}

function given<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}

function readFormat(text: string | undefined): Format | undefined {
  if (text === undefined) return undefined;
  const found = FORMATS.find((format) => format === text);
  if (found) return found;
  throw new UsageError(`there is no output format ${text}`, { hint: `formats: ${FORMATS.join(', ')}` });
}

function readFields(text: string | undefined): readonly string[] | undefined {
  const names = text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names?.length === 0) throw new UsageError('--fields is empty', { hint: 'write --fields id,name' });
  return names;
}

function readSpan(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds > 0) return seconds * 1000;
  throw new UsageError(`--${flag}: ${text} is not a length of time`, { hint: 'write 30s or 2m' });
}

function readRetries(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,2}$/.test(text)) return Number(text);
  throw new UsageError(`--retries: ${text} is not a number from 0 to 99`);
}

function readZone(text: string | undefined): string | undefined {
  if (text === undefined || isTimezone(text)) return text;
  throw new UsageError(`--tz: there is no time zone ${text}`, { hint: 'write Europe/London' });
}
