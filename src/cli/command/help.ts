import {
  type CommandHelpSection,
  type Group,
  HEADINGS,
  isGroup,
  type Positional,
  type TopLevelCommandEntry,
  type Verb,
} from './command.ts';
import { companiesFlags } from './companies-flags.ts';
import { describeFlag, type FlagShape } from './flag.ts';
import { globalFlags } from './globals.ts';
import { type HelpItem, type HelpPage, type HelpSection, withFinalPunctuation } from './help-page.ts';
import { aliasesOfVerb } from './other-words.ts';
import {
  formatApiDocSectionTitles,
  formatExitCodeNumbers,
  formatExitCodesWithMeanings,
} from './verb-exits.ts';
import { TOPIC_NAMES } from './words.ts';

export function groupHelp(group: Group, path: readonly string[]): HelpPage {
  const { summary, commands, defaultCommand } = group;
  const shown = commands.filter((each) => isGroup(each) || each.announced === undefined);
  const line = ['svc', ...path].join(' ');
  const first = commands.find((each): each is Verb => !isGroup(each));
  return {
    summary,
    usage: `${line} <${shown.some(isGroup) ? 'command' : 'verb'}> [flags]`,
    sections: group.sections
      ? shortSections(group.sections, shown)
      : [
          {
            heading: 'Commands',
            items: shown.map((each) => ({
              term: termOfCommand(each, each.name === defaultCommand),
              text: each.summary,
            })),
          },
        ],
    examples: first && !group.sections ? [`svc ${first.example}`] : [],
    notes: [`Run ${line} ${shown[0]?.name ?? '<verb>'} --help to see the flags of a command.`],
  };
}

/** The last section names the commands that no other section describes. */
function shortSections(
  sections: readonly CommandHelpSection[],
  commands: readonly (Verb | Group)[],
): readonly HelpSection[] {
  const described = new Set(sections.flatMap(({ rows }) => rows.flatMap(({ names }) => names)));
  const rest = commands.map(({ name }) => name).filter((name) => !described.has(name));
  return [
    ...sections.map(({ heading, rows }) => ({
      heading,
      items: rows.map(({ names, text }) => ({ term: names.join(', '), text })),
    })),
    { heading: 'More commands', paragraphs: rest.length === 0 ? [] : [rest.join(', ')] },
  ];
}

/** The name of a group's default command is optional: `[list]`. */
function termOfCommand(command: Verb | Group, isNameOptional: boolean): string {
  if (isGroup(command)) return command.name;
  const name = isNameOptional ? `[${command.name}]` : command.name;
  return [name, ...(command.positionals ?? []).map(formatPositionalUsage)].join(' ');
}

interface VerbHelpOptions {
  readonly siblings: readonly string[];
  readonly variant: string | undefined;
  /** Short output of the example on a terminal. */
  readonly exampleOutput?: string | undefined;
}

export function verbHelp(
  verb: Verb,
  path: readonly string[],
  { siblings, variant, exampleOutput }: VerbHelpOptions,
): HelpPage {
  const { summary, about, positionals = [], example, flags, variants } = verb;
  const own = variants?.of(variant) ?? { flags, example };
  return {
    summary,
    usage: formatUsageLine(path, positionals, own.flags),
    sections: [
      {
        heading: 'Arguments',
        items: positionals.map((each) => ({ term: formatPositionalUsage(each), text: each.describe })),
      },
      ...flagSections(own.flags),
    ],
    examples: [`svc ${own.example}`],
    exampleOutput: variant === undefined ? exampleOutput?.split('\n') : undefined,
    ...factLines(verb, path, siblings),
    notes: [
      ...(variants && variant === undefined ? [variants.note] : []),
      ...(about === undefined ? [] : [withFinalPunctuation(about)]),
    ],
  };
}

function factLines(
  verb: Verb,
  path: readonly string[],
  siblings: readonly string[],
): Pick<HelpPage, 'facts' | 'factsInShort'> {
  const exitLines = [formatExitCodesWithMeanings(verb), formatExitCodeNumbers(verb)].map(
    (text) => `Exit codes: ${text}; see svc help exit-codes`,
  );
  const exits = exitLines.find((line) => line.length <= MIN_TERMINAL_WIDTH) ?? exitLines[1] ?? '';
  const section = formatApiDocSectionTitles(verb, path[0] ?? '');
  const sections = section === undefined ? [] : [`Interface: ${section}`];
  const others = aliasesOfVerb(verb.name, siblings);
  const aliases = others.length === 0 ? [] : [`Aliases: ${others.join(', ')}`];
  const globals = `Global flags (${verb.companies === undefined ? '-o, --profile' : '-o, --companies'} …): svc help flags`;
  return {
    facts: [exits, ...sections, [...aliases, globals].join('. ')],
    factsInShort: [exits, [...sections, ...aliases, 'Global flags: svc help flags'].join('. ')],
  };
}

const MIN_TERMINAL_WIDTH = 80;

export function flagsHelp(): HelpPage {
  const shown = [...globalFlags, SHOW_HELP];
  return {
    summary: 'Flags that every command takes, before or after its noun and verb',
    usage: 'svc <noun> <verb> [flags]',
    sections: [
      { heading: 'Global flags', items: itemsOf(shown) },
      { heading: 'Flags of commands that can run for many companies', items: itemsOf(companiesFlags) },
    ],
    examples: ['svc --profile prod task list -o json --fields id,name'],
    notes: [
      'For selecting and confirming companies, see svc help companies.',
      'Flags override environment variables, which override the profile. See svc help environment.',
      'Every attribute also has a flag with its full name: --list-id is the same as --list.',
    ],
  };
}

export const SHOW_HELP: FlagShape = { name: 'help', short: 'h', describe: 'Show help', group: 'Options' };

function flagSections(flags: readonly FlagShape[]): readonly HelpSection[] {
  const required = flags.filter((flag) => flag.required);
  const filters = flags.filter((flag) => !flag.required && flag.group === 'Filters');
  const others = flags.filter((flag) => !flag.required && flag.group !== 'Filters');
  return [
    { heading: 'Required flags', items: itemsOf(required) },
    { heading: 'Filters', items: itemsOf(filters) },
    { heading: 'Flags', items: itemsOf(others) },
  ];
}

/** If `[true|false]` is too long for one boolean flag, no boolean flag shows it. */
function itemsOf(flags: readonly FlagShape[]): readonly HelpItem[] {
  const omitsPlaceholder = flags.some(
    (flag) => flag.bool && termOf(flag, placeholderOf(flag).text).length > MAX_TERM_LENGTH,
  );
  return flags.map((flag) => {
    const placeholder = flag.bool && omitsPlaceholder ? NO_PLACEHOLDER : placeholderOf(flag);
    return {
      term: termOf(flag, placeholder.text),
      // The section's heading already says that the flag is required.
      text: describeFlag({ ...flag, required: false }, placeholder),
    };
  });
}

const NO_PLACEHOLDER = { text: '', listed: false };

/** Omits the full name if both names do not fit. */
function termOf({ name, friendly, short }: FlagShape, placeholder: string): string {
  const first = short !== undefined ? `-${short}, ` : '';
  const long = friendly === undefined ? `--${name}` : `--${friendly}`;
  const both = friendly === undefined ? long : `${long}, --${name}`;
  const ways = [`${first}${both}${placeholder}`, `${first}${long}${placeholder}`];
  return ways.find((way) => way.length <= MAX_TERM_LENGTH) ?? `${first}${long}${placeholder}`;
}

const MAX_TERM_LENGTH = 30;

function placeholderOf({ value, bool, choices = [] }: FlagShape): {
  readonly text: string;
  readonly listed: boolean;
} {
  if (bool) return { text: ' [true|false]', listed: false };
  if (value === undefined) return NO_PLACEHOLDER;
  const joined = choices.join('|');
  if (choices.length === 0 || value === 'attribute' || joined.length > MAX_CHOICES_LENGTH)
    return { text: ` <${value}>`, listed: false };
  return { text: ` <${joined}>`, listed: true };
}

const MAX_CHOICES_LENGTH = 18;

export function formatPositionalUsage({ name, optional, variadic }: Positional): string {
  const inner = `${name}${variadic ? '...' : ''}`;
  return optional ? `[${inner}]` : `<${inner}>`;
}

export const formatUsageLine = (
  path: readonly string[],
  positionals: readonly Positional[],
  flags: readonly FlagShape[],
): string =>
  ['svc', ...path, ...positionals.map(formatPositionalUsage), ...(flags.length > 0 ? ['[flags]'] : [])].join(
    ' ',
  );

export function formatFlagSpellings({ name, friendly, short, value, bool }: FlagShape): string {
  const ways = [short && `-${short}`, friendly && `--${friendly}`, `--${name}`, bool && `--no-${name}`];
  return `${ways.filter(Boolean).join(', ')}${bool ? ' [true|false]' : value === undefined ? '' : ` <${value}>`}`;
}

const START: readonly HelpItem[] = [
  { term: 'demo', text: 'Watch a campaign go out in a temporary sandbox' },
  { term: 'init', text: 'Connect to the service or to a sandbox, step by step' },
  { term: 'sandbox start', text: 'Run a simulated service on this machine, to rehearse' },
];

const EVERYDAY: readonly HelpItem[] = [
  { term: 'email, link', text: 'Write, check and preview e-mail messages and their links' },
  { term: 'task', text: 'Schedule a send, watch it, cancel it, read its report' },
  { term: 'plan, apply', text: 'Show what a campaign file would change, then apply it' },
  { term: 'automation', text: 'Manage rules that act on clicks, opens, dates and SMS' },
  { term: 'dnc', text: 'Manage addresses, domains and numbers you must not contact' },
  { term: 'log, undo, why', text: 'Show your changes, undo the last one, see what locks a record' },
];

const HELP: HelpItem = { term: 'help', text: 'Show help for a command or a topic, such as budget or time' };

/** Fits a terminal of 80 by 24, and names every command. */
export function helpFrontPage(entries: readonly TopLevelCommandEntry[]): HelpPage {
  const described = new Set(
    [...START, ...EVERYDAY].flatMap(({ term }) => term.split(', ').map((name) => name.split(' ')[0])),
  );
  const more = HEADINGS.map((heading): HelpItem => {
    const names = entries
      .filter((entry) => entry.heading === heading && !described.has(entry.name))
      .map(({ name }) => name);
    return { term: heading, text: names.join(', ') };
  });
  return {
    summary: 'Send permission-based e-mail and SMS, and rehearse sends in a sandbox',
    usage: 'svc <command> [id] [flags]',
    sections: [
      { heading: 'Start here', items: START },
      { heading: 'Everyday commands', items: EVERYDAY },
      { heading: 'More commands', items: more.filter(({ text }) => text !== '') },
    ],
    examples: [],
    notes: ['Help: svc <command> --help, svc help commands, or a topic: svc help budget.'],
  };
}

export function commandsHelp(entries: readonly TopLevelCommandEntry[]): HelpPage {
  const sections = HEADINGS.map((heading): HelpSection => {
    const items = entries
      .filter((entry) => entry.heading === heading)
      .map(({ name, summary }) => ({ term: name, text: summary }));
    return { heading, items: heading === 'Tools' ? [...items, HELP] : items };
  });
  return {
    summary: 'All commands and help topics',
    usage: 'svc <command> [id] [flags]',
    sections,
    examples: ['svc folder list'],
    notes: [
      'Get started with svc init or svc demo. svc help flags lists the flags that every command takes.',
      `Help topics: ${TOPIC_NAMES.join(', ')}.`,
    ],
  };
}
