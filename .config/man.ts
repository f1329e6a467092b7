/** Makes the manual pages from the declarations of the commands. The help and the reference come from the same declarations. */
import {
  type Group,
  HEADINGS,
  isGroup,
  type TopLevelCommandEntry,
  type Verb,
} from '../src/cli/command/command.ts';
import { companiesFlags } from '../src/cli/command/companies-flags.ts';
import { describeFlag, type FlagShape } from '../src/cli/command/flag.ts';
import { globalFlags } from '../src/cli/command/globals.ts';
import {
  commandsHelp,
  formatFlagSpellings,
  formatPositionalUsage,
  formatUsageLine,
  helpFrontPage,
} from '../src/cli/command/help.ts';
import { type HelpPage, type HelpSection, withFinalPunctuation } from '../src/cli/command/help-page.ts';
import { topicHelp } from '../src/cli/command/help-topics.ts';
import { aliasesOfVerb } from '../src/cli/command/other-words.ts';
import { EXIT_CODE_MEANINGS } from '../src/cli/command/topics/command-line.ts';
import { formatApiDocSectionTitles, listVerbExitCodes } from '../src/cli/command/verb-exits.ts';
import { TOPIC_NAMES } from '../src/cli/command/words.ts';
import type { ExitCode } from '../src/cli/errors/exit-codes.ts';
import { catalogue } from '../src/service/resources/catalogue.ts';
import { type Command, commandsOf } from './commands.ts';
import { bold, entry, heading, marked, prose, roffText, subheading, title, verbatim } from './roff.ts';

type Lines = readonly string[];

/** Returns the pages by file name, such as `svc-task-create.1` and `svc-time.7`. */
export async function manPages(
  entries: readonly TopLevelCommandEntry[],
): Promise<ReadonlyMap<string, string>> {
  const commands = await commandsOf(entries);
  const pages: [string, Lines][] = [['svc.1', rootPage(entries)]];
  for (const { path, tree } of commands)
    pages.push([
      `${nameOf(path)}.1`,
      isGroup(tree) ? groupPage(path, tree) : verbPage(path, tree, verbsOfGroup(path, commands)),
    ]);
  for (const topic of TOPIC_NAMES)
    pages.push([`svc-${topic}.7`, topicPage(topic, await topicHelp(topic, entries))]);
  return new Map(pages.map(([file, lines]) => [file, pageText([GENERATED, ...lines])]));
}

const GENERATED = '.\\" Written by npm run docs, from the declarations of the commands.';

/** Joins the lines of a page. Drops `.PP` after a heading, which starts a paragraph by itself. */
const pageText = (lines: Lines): string =>
  `${lines.filter((line, at) => line !== '.PP' || !/^\.S[HS] /.test(lines[at - 1] ?? '')).join('\n')}\n`;

/** Returns the name of a page: `svc-task-create` for `task create`. */
const nameOf = (path: string): string => ['svc', ...path.split(' ')].join('-');

/** Returns the names of all verbs in the group of a command. */
const verbsOfGroup = (path: string, commands: readonly Command[]): Lines => {
  const above = path.split(' ').slice(0, -1).join(' ');
  const group = commands.find((each) => each.path === above)?.tree;
  return group !== undefined && isGroup(group) ? group.commands.map(({ name }) => name) : [];
};

function rootPage(entries: readonly TopLevelCommandEntry[]): Lines {
  const { usage, notes } = commandsHelp(entries);
  const { summary } = helpFrontPage(entries);
  return [
    ...head('svc', 1, summary, [usage]),
    heading('Description'),
    ...paragraphs(notes),
    ...HEADINGS.flatMap((each) => [
      heading(each),
      ...entries
        .filter((one) => one.heading === each)
        .flatMap(({ name, summary: text }) =>
          entry(`svc ${name}`, `${withFinalPunctuation(text)} See svc-${name}(1).`),
        ),
    ]),
    heading('Global flags'),
    ...flagEntries(globalFlags),
    ...entry('-h, --help', 'Show help.'),
    ...entry('--version', 'Print the version.'),
    subheading('Flags of verbs that a partner can run over many companies'),
    ...flagEntries(companiesFlags),
    heading('Exit status'),
    ...Object.entries(EXIT_CODE_MEANINGS).flatMap(([code, meaning]) =>
      entry(code, withFinalPunctuation(meaning)),
    ),
    heading('See also'),
    seeAlso(TOPIC_NAMES.map((topic) => [`svc-${topic}`, 7])),
  ];
}

function groupPage(path: string, group: Group): Lines {
  const shown = group.commands.filter((each) => isGroup(each) || each.announced === undefined);
  const example = shown.find((each): each is Verb => !isGroup(each))?.example;
  return [
    ...head(nameOf(path), 1, group.summary, [
      `svc ${path} <${shown.some(isGroup) ? 'command' : 'verb'}> [flags]`,
    ]),
    heading('Commands'),
    ...shown.flatMap((each) =>
      entry(
        formatUsageLine([...path.split(' '), each.name], operandsOf(each), []),
        withFinalPunctuation(each.summary),
      ),
    ),
    ...(example === undefined ? [] : [heading('Examples'), ...verbatim([`svc ${example}`])]),
    heading('See also'),
    seeAlso([
      above(path.split(' ')),
      ...shown.map(({ name }): Reference => [nameOf(`${path} ${name}`), 1]),
      ...TOPIC_NAMES.filter((topic) => topic === path).map((topic): Reference => [`svc-${topic}`, 7]),
    ]),
  ];
}

const operandsOf = (each: Verb | Group) => (isGroup(each) ? [] : (each.positionals ?? []));

function verbPage(path: string, verb: Verb, siblings: Lines): Lines {
  const words = path.split(' ');
  const { summary, about, positionals = [], flags, variants, companies } = verb;
  const section = formatApiDocSectionTitles(verb, words[0] ?? '');
  const others = aliasesOfVerb(verb.name, siblings);
  const rules = rulesOf(words);
  const isNoun = catalogue.some(({ noun }) => noun === words[0]);
  return [
    ...head(nameOf(path), 1, summary, [formatUsageLine(words, positionals, flags)]),
    heading('Description'),
    ...paragraphs([
      withFinalPunctuation(summary),
      ...(about === undefined ? [] : [withFinalPunctuation(about)]),
      ...(variants === undefined ? [] : [withFinalPunctuation(variants.note)]),
      ...(others.length === 0 ? [] : [`Aliases: ${others.join(', ')}.`]),
      companies === undefined
        ? 'The command also accepts the global flags of svc(1).'
        : 'The command also accepts the global flags of svc(1) and the flags of svc-companies(7).',
    ]),
    ...(positionals.length === 0
      ? []
      : [
          heading('Arguments'),
          ...positionals.flatMap((each) =>
            entry(formatPositionalUsage(each), withFinalPunctuation(each.describe)),
          ),
        ]),
    ...flagGroups(flags),
    ...(rules.length === 0 ? [] : [heading('Rules'), ...paragraphs(rules)]),
    heading('Exit status'),
    ...listVerbExitCodes(verb).flatMap(({ code, meaning }) =>
      entry(String(code), exitText(code, meaning, companies !== undefined)),
    ),
    ...paragraphs(['Any command can also exit with 1 or 130: see svc-exit-codes(7).']),
    heading('Examples'),
    ...verbatim(examplesOf(verb).map((line) => `svc ${line}`)),
    ...(section === undefined
      ? []
      : [heading('Interface'), ...prose(`See ${section} in the interface of the service.`)]),
    heading('See also'),
    seeAlso([
      above(words),
      ...(isNoun ? [['svc-explain', 1] as const] : []),
      ['svc-exit-codes', 7],
      ...(flags.some(({ value }) => value === 'time') ? [['svc-time', 7] as const] : []),
      ...(companies === undefined ? [] : [['svc-companies', 7] as const]),
    ]),
  ];
}

function exitText(code: ExitCode, here: string | undefined, takesCompanies: boolean): string {
  const always = withFinalPunctuation(code === 4 ? 'Not found (404)' : EXIT_CODE_MEANINGS[code]);
  const many = code === 8 && takesCompanies ? ' With --companies: some companies failed.' : '';
  return `${always}${here === undefined ? '' : ` Here: ${here}.`}${many}`;
}

function examplesOf({ example, variants }: Verb): Lines {
  const others = (variants?.flag.choices ?? []).map((choice) => variants?.of(choice).example ?? example);
  return [...new Set([example, ...others])];
}

/** Returns the rules between attributes of the record that a verb sends. Other verbs have none. */
function rulesOf([noun, verb]: Lines): Lines {
  if (verb !== 'create' && verb !== 'update' && verb !== 'set') return [];
  const rules = catalogue.filter((each) => each.noun === noun).flatMap((each) => each.rules ?? []);
  return [...new Set(rules.map(({ text, section }) => `${withFinalPunctuation(text)} (${section})`))];
}

function flagGroups(flags: readonly FlagShape[]): Lines {
  const required = flags.filter((flag) => flag.required);
  const filters = flags.filter((flag) => !flag.required && flag.group === 'Filters');
  const others = flags.filter((flag) => !flag.required && flag.group !== 'Filters');
  const groups = [
    ['Required flags', required],
    ['Filters', filters],
    ['Flags', others],
  ] as const;
  return groups.flatMap(([name, each]) => (each.length === 0 ? [] : [heading(name), ...flagEntries(each)]));
}

const flagEntries = (flags: readonly FlagShape[]): Lines =>
  flags.flatMap((flag) =>
    entry(
      formatFlagSpellings(flag),
      `${withFinalPunctuation(describeFlag({ ...flag, required: false }))}${flag.repeatable && !/repeat/.test(flag.describe) ? ' Repeatable.' : ''}`,
    ),
  );

function topicPage(topic: string, page: HelpPage): Lines {
  return [
    ...head(`svc-${topic}`, 7, page.summary, [page.usage]),
    ...page.sections.flatMap(topicSection),
    ...(page.notes.length === 0
      ? []
      : [heading('Notes'), ...paragraphs(page.notes.map(withFinalPunctuation))]),
    heading('Examples'),
    ...verbatim(page.examples),
    heading('See also'),
    seeAlso([
      ['svc', 1],
      ...TOPIC_NAMES.filter((each) => each !== topic).map((each): Reference => [`svc-${each}`, 7]),
    ]),
  ];
}

/** Returns the heading and the lines of a section, or nothing for an empty section. */
function topicSection({ heading: name, items = [], paragraphs: texts = [], code = [] }: HelpSection): Lines {
  const lines = [
    ...items.flatMap(({ term, text }) =>
      term === '' ? ['.IP', ...prose(withFinalPunctuation(text))] : entry(term, withFinalPunctuation(text)),
    ),
    ...paragraphs(texts),
    ...(code.length === 0 ? [] : verbatim(code)),
  ];
  return lines.length === 0 ? [] : [heading(name), ...lines];
}

/** Returns the title, the name and the synopsis. `apropos` and `whatis` read the line below `.SH NAME`: a name and its purpose. */
const head = (name: string, section: 1 | 7, summary: string, usages: Lines): Lines => [
  title(name, section),
  // No hyphenation, so that names of commands stay whole.
  '.nh',
  '.ad l',
  heading('Name'),
  `${roffText(name)} \\- ${roffText(summary)}`,
  heading('Synopsis'),
  ...usages.map(marked),
];

const paragraphs = (texts: Lines): Lines => texts.flatMap((text) => ['.PP', ...prose(text)]);

type Reference = readonly [name: string, section: 1 | 7];

/** Returns a reference to the page of the group of a command, or to svc(1). */
const above = (words: Lines): Reference => [
  words.length === 1 ? 'svc' : nameOf(words.slice(0, -1).join(' ')),
  1,
];

const seeAlso = (references: readonly Reference[]): string =>
  references.map(([name, section]) => `${bold(name)}(${section})`).join(',\n');
