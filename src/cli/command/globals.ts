/** Flags that every command takes, before and after its noun and verb (contract, "Global flags"). */
import type { Parsed } from '../../kit/schema/parameter.ts';
import { UsageError } from '../errors/errors.ts';
import { FORMAT_NAMES, formatNamed, type OutputFormat } from '../output/result.ts';
import { type Environment, isForAgent, wantsPlainOutput } from '../outside/context.ts';
import type { GlobalFlagValues } from '../session/globals.ts';
import type { Input, Verb } from './command.ts';
import { checkCompaniesFlags, companiesFlag } from './companies-flags.ts';
import {
  choiceFlag,
  durationFlag,
  type Flag,
  type FlagShape,
  parsedFlag,
  switchFlag,
  textFlag,
  wholeNumberFlag,
  zoneFlag,
} from './flag.ts';
import { tokenizeCommandLine } from './tokens.ts';

/** Some verbs list this flag among their own. */
export const profileFlag: Flag<string | undefined> = {
  ...textFlag('profile', { describe: 'Profile to use', value: 'name', group: 'Global flags' }),
  completes: 'profile',
};
export const baseUrlFlag = textFlag('base-url', {
  describe: 'Address of the service',
  value: 'url',
  group: 'Global flags',
});
export const companyFlag: Flag<string | undefined> = {
  ...textFlag('company', {
    describe: 'Company to act for: its id, or its name in svc company list',
    value: 'id',
    group: 'Global flags',
  }),
  completes: 'company',
};
export const userFlag: Flag<string | undefined> = {
  ...textFlag('user', { describe: 'User id to act as', value: 'id', group: 'Global flags' }),
  completes: 'user',
};
const outputFlag = formatFlag('output', { describe: 'Output format', short: 'o' });
const jsonFlag = switchFlag('json', {
  describe: 'Print JSON, like -o json; --json a,b selects attributes',
});
const fieldsFlag = parsedFlag('fields', { describe: 'Show only these attributes', value: 'a,b' }, namesIn);
const queryFlag = textFlag('query', {
  describe: 'Filter the output by a JMESPath expression',
  value: 'expression',
});
const jqFlag = textFlag('jq', {
  describe: 'Print the results of a jq program. The whole list is kept in memory',
  value: 'program',
});
const noHeaderFlag = switchFlag('no-header', { describe: 'Omit the header line' });
const csvRawFlag = switchFlag('csv-raw', { describe: 'Do not escape cells that look like formulas' });
const yesFlag = switchFlag('yes', { describe: 'Skip confirmation prompts', short: 'y' });
const noInputFlag = switchFlag('no-input', { describe: 'Never prompt' });
const dryRunFlag = switchFlag('dry-run', { describe: 'Show what would be sent; change nothing' });
const noValidateFlag = switchFlag('no-validate', { describe: 'Skip local validation' });
const noJournalFlag = switchFlag('no-journal', {
  describe: 'Do not record changes in the journal; svc undo then cannot undo them',
});
/** A verb with `ownsTimeout` uses the flag for another limit. */
export const timeoutFlag = durationFlag('timeout', {
  describe: 'Time limit for a request and its retries, such as 30s',
  unit: 'milliseconds',
});
const settleFlag = durationFlag('settle', {
  describe: 'After a lost response, how long svc checks whether the service created the record',
  unit: 'milliseconds',
  defaultText: 'the timeout plus 2s',
});
const retriesFlag = wholeNumberFlag('retries', {
  describe: 'Maximum number of retries',
  max: 99,
  defaultText: '2',
});
const tzFlag = zoneFlag('tz', { describe: 'Time zone for local times you type' });
const quietFlag = switchFlag('quiet', { describe: 'Hide notes on stderr', short: 'q' });
const verboseFlag = switchFlag('verbose', { describe: 'Show the whole record after a write' });
const debugFlag = switchFlag('debug', { describe: 'Trace requests on stderr, without secrets' });
const explainSignatureFlag = switchFlag('explain-signature', {
  describe: 'Show the signed string of each request on stderr, without the key',
});
const noColorFlag = switchFlag('no-color', { describe: 'No color' });
const wideFlag = switchFlag('wide', { describe: 'Show all columns of a table, and never cut text' });
const plainFlag = switchFlag('plain', {
  describe: 'Output for screen readers: plain lines, no color, no pager',
});
const pagerFlag = switchFlag('pager', { describe: 'Show help in the pager, like other long output' });
const noPagerFlag = switchFlag('no-pager', { describe: 'Show long output without a pager' });

export const globalFlags: readonly FlagShape[] = [
  ...[profileFlag, baseUrlFlag, companyFlag, userFlag, outputFlag, jsonFlag, fieldsFlag, queryFlag, jqFlag],
  ...[noHeaderFlag, csvRawFlag, yesFlag, noInputFlag, dryRunFlag, noValidateFlag, noJournalFlag],
  ...[timeoutFlag, settleFlag, retriesFlag, tzFlag, quietFlag, verboseFlag, debugFlag, explainSignatureFlag],
  ...[noColorFlag, wideFlag, plainFlag, pagerFlag, noPagerFlag],
];

export const takesValue = (word: string, verbFlags: readonly FlagShape[] = []): boolean =>
  [...globalFlags, ...verbFlags].some(
    ({ name, friendly, short, value, bool }) =>
      value !== undefined && !bool && [`--${name}`, `--${friendly}`, `-${short}`].includes(word),
  );

export function formatFlag(
  name: string,
  described: { readonly describe: string; readonly short?: string },
): Flag<OutputFormat | undefined> {
  const flag = choiceFlag(name, FORMAT_NAMES, {
    ...described,
    value: 'format',
    what: 'output format',
    near: { text: 'tsv', yml: 'yaml', plain: 'table', name: 'id' },
  });
  return {
    ...flag,
    read: (given) => {
      const parsed = flag.read(given);
      return 'value' in parsed ? { value: parsed.value && formatNamed(parsed.value) } : parsed;
    },
  };
}

/** A flag wins over a variable. */
export function readGlobalFlags(
  verb: Pick<Verb, 'positionals' | 'flags' | 'runForCompanies'>,
  input: Input,
  env: Environment,
): GlobalFlagValues {
  const plain = input.get(plainFlag) || wantsPlainOutput(env);
  const output = chosenFormat(input) ?? formatIn(env);
  const company = companyIn(verb, input);
  const companies = input.find(companiesFlag);
  checkCompaniesFlags({
    has: input.has,
    company: company !== undefined,
    user: input.has(userFlag),
    own: verb.flags.map(({ name }) => name),
    isOneRun: verb.runForCompanies !== undefined,
  });
  return {
    ...given('profile', input.get(profileFlag)),
    ...given('baseUrl', input.get(baseUrlFlag)),
    ...given('company', company),
    ...given('companies', companies),
    ...given('user', input.get(userFlag)),
    ...given('output', output),
    ...given('fields', withCompany(input.get(fieldsFlag), companies)),
    ...given('query', input.get(queryFlag)),
    ...given('jq', jqOf(input)),
    header: !input.get(noHeaderFlag),
    csvRaw: input.get(csvRawFlag),
    yes: input.get(yesFlag),
    input: !input.get(noInputFlag),
    dryRun: input.get(dryRunFlag),
    validate: !input.get(noValidateFlag),
    journal: !input.get(noJournalFlag),
    ...given('timeout', input.get(timeoutFlag)),
    ...given('settle', input.get(settleFlag)),
    ...given('retries', input.get(retriesFlag)),
    ...given('tz', input.get(tzFlag)),
    quiet: input.get(quietFlag),
    verbose: input.get(verboseFlag),
    debug: input.get(debugFlag),
    explainSignature: input.get(explainSignatureFlag),
    color: !input.get(noColorFlag) && !plain,
    wide: input.get(wideFlag),
    plain,
    pager: !input.get(noPagerFlag) && !plain,
  };
}

function withCompany(
  fields: readonly string[] | undefined,
  companies: string | undefined,
): readonly string[] | undefined {
  if (fields === undefined || companies === undefined) return fields;
  const own = ['company_id', 'company'];
  return fields.some((field) => own.includes(field)) ? fields : [...own, ...fields];
}

/** Reads the environment, and the arguments before svc parses them. */
export function readDisplaySettings(argv: readonly string[], env: Environment) {
  const plain = argv.includes('--plain') || wantsPlainOutput(env);
  const pagesHelp = (argv.includes('--pager') || Boolean(env.SVC_PAGER)) && !argv.includes('--no-pager');
  return { color: !argv.includes('--no-color') && !plain, pagesHelp: pagesHelp && !plain };
}

/** The arguments may be invalid, because errors need an output format too. */
export function wantsJson(argv: readonly string[], env: Environment): boolean {
  const flags = [...tokenizeCommandLine(argv, takesValue)].filter(({ kind }) => kind === 'flag');
  const outputs = flags.filter(({ text }) => text === '-o' || text === '--output');
  const formats = outputs.length === 0 ? [env.SVC_OUTPUT] : outputs.map(({ value }) => value);
  return isForAgent({ env }) || formats.includes('json') || flags.some(({ text }) => text === '--json');
}

function companyIn({ positionals = [] }: Pick<Verb, 'positionals'>, input: Input): string | undefined {
  const flag = input.get(companyFlag);
  const at = positionals.findIndex(({ isCompany }) => isCompany);
  const operand = at < 0 ? undefined : input.positionals[at];
  if (operand === undefined) return flag;
  if (!/^[0-9]{1,40}$/.test(operand))
    throw new UsageError(`${JSON.stringify(operand)} is not a company id`, {
      suggestions: ['give a whole number'],
    });
  if (flag !== undefined && flag !== operand)
    throw new UsageError(`the argument ${operand} and --company ${flag} name different companies`, {
      hint: 'leave out the argument or --company',
    });
  return operand;
}

function chosenFormat(input: Input): OutputFormat | undefined {
  const format = input.get(outputFlag);
  if (!input.get(jsonFlag)) return format;
  if (format === undefined || format === 'json') return 'json';
  throw new UsageError(`cannot combine --json with -o ${format}`, { hint: 'leave out --json or -o' });
}

function given<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}

function formatIn(env: Environment): OutputFormat | undefined {
  const text = env.SVC_OUTPUT || undefined;
  const parsed = outputFlag.read(text);
  if ('value' in parsed) return parsed.value;
  throw new UsageError(`SVC_OUTPUT: unknown output format ${text}`, {
    hint: `formats: ${FORMAT_NAMES.join(', ')}`,
  });
}

function jqOf(input: Input): string | undefined {
  const program = input.get(jqFlag);
  if (program !== undefined && input.get(queryFlag) !== undefined)
    throw new UsageError('cannot combine --jq with --query');
  return program;
}

function namesIn(text: string): Parsed<readonly string[]> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > 0) return { value: names };
  return { fault: { reason: 'has no attributes', instead: 'write names, such as id,name' } };
}
