/** Makes the manual pages from the declarations of the commands, as the help and the reference are. */
import { type Entry, type Group, HEADINGS, isGroup, type Verb } from '../src/cli/command/command.ts';
import { companiesFlags } from '../src/cli/command/companies-flags.ts';
import { describeFlag, type FlagShape } from '../src/cli/command/flag.ts';
import { commandsHelp, helpFrontPage } from '../src/cli/command/front-page.ts';
import { globalFlags } from '../src/cli/command/globals.ts';
import { asSentence, type HelpPage, type HelpSection } from '../src/cli/command/help-page.ts';
import { TOPIC_NAMES } from '../src/cli/command/help-topic-names.ts';
import { topicHelp } from '../src/cli/command/help-topics.ts';
import { aliasesOfVerb } from '../src/cli/command/other-words.ts';
import { EXIT_CODE_MEANINGS } from '../src/cli/command/topics/exit-codes.ts';
import { formatFlagSpellings, formatPositionalUsage, formatUsageLine } from '../src/cli/command/usage.ts';
import { findApiDocSections, listVerbExitCodes } from '../src/cli/command/verb-exits.ts';
import type { ExitCode } from '../src/cli/errors/exit-codes.ts';
import { catalogue } from '../src/resources/catalogue.ts';
import { type Command, commandsOf } from './commands.ts';
import { bold, entry, heading, marked, prose, roffText, subheading, title, verbatim } from './roff.ts';

type Lines = readonly string[];

/** Returns the pages by file name: `svc-task-create.1`, `svc-time.7`. */
export async function manPages(entries: readonly Entry[]): Promise<ReadonlyMap<string, string>> {
  const commands = await commandsOf(entries);
  const pages: [string, Lines][] = [['svc.1', rootPage(entries)]];
  for (const { path, tree } of commands)
    pages.push([
      `${nameOf(path)}.1`,
      isGroup(tree) ? groupPage(path, tree) : verbPage(path, tree, besideOf(path, commands)),
    ]);
  for (const topic of TOPIC_NAMES)
    pages.push([`svc-${topic}.7`, topicPage(topic, await topicHelp(topic, entries))]);
  return new Map(pages.map(([file, lines]) => [file, pageText([WRITTEN, ...lines])]));
}

const WRITTEN = '.\\" Written by npm run docs, from the declarations of the commands.';

/** A heading begins a paragraph by itself. */
const pageText = (lines: Lines): string =>
  `${lines.filter((line, at) => line !== '.PP' || !/^\.S[HS] /.test(lines[at - 1] ?? '')).join('\n')}\n`;

/** `task create` → `svc-task-create`. */
const nameOf = (path: string): string => ['svc', ...path.split(' ')].join('-');

/** The names of the verbs in the same group. */
const besideOf = (path: string, commands: readonly Command[]): Lines => {
  const above = path.split(' ').slice(0, -1).join(' ');
  const group = commands.find((each) => each.path === above)?.tree;
  return group !== undefined && isGroup(group) ? group.commands.map(({ name }) => name) : [];
};

function rootPage(entries: readonly Entry[]): Lines {
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
          entry(`svc ${name}`, `${asSentence(text)} See svc-${name}(1).`),
        ),
    ]),
    heading('Global flags'),
    ...flagEntries(globalFlags),
    ...entry('-h, --help', 'Show help.'),
    ...entry('--version', 'Print the version.'),
    subheading('Of verbs that a partner can run over many companies'),
    ...flagEntries(companiesFlags),
    heading('Exit status'),
    ...Object.entries(EXIT_CODE_MEANINGS).flatMap(([code, meaning]) => entry(code, asSentence(meaning))),
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
      entry(formatUsageLine([...path.split(' '), each.name], operandsOf(each), []), asSentence(each.summary)),
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

function verbPage(path: string, verb: Verb, beside: Lines): Lines {
  const words = path.split(' ');
  const { summary, about, positionals = [], flags, variants, companies } = verb;
  const section = findApiDocSections(verb, words[0] ?? '');
  const others = aliasesOfVerb(verb.name, beside);
  const rules = rulesOf(words);
  const isNoun = catalogue.some(({ noun }) => noun === words[0]);
  return [
    ...head(nameOf(path), 1, summary, [formatUsageLine(words, positionals, flags)]),
    heading('Description'),
    ...paragraphs([
      asSentence(summary),
      ...(about === undefined ? [] : [asSentence(about)]),
      ...(variants === undefined ? [] : [asSentence(variants.note)]),
      ...(others.length === 0 ? [] : [`Aliases: ${others.join(', ')}.`]),
      companies === undefined
        ? 'It takes the global flags of svc(1) as well.'
        : 'It takes the global flags of svc(1) as well, and those of svc-companies(7).',
    ]),
    ...(positionals.length === 0
      ? []
      : [
          heading('Arguments'),
          ...positionals.flatMap((each) => entry(formatPositionalUsage(each), asSentence(each.describe))),
        ]),
    ...flagGroups(flags),
    ...(rules.length === 0 ? [] : [heading('Rules'), ...paragraphs(rules)]),
    heading('Exit status'),
    ...listVerbExitCodes(verb).flatMap(({ code, meaning }) =>
      entry(String(code), exitText(code, meaning, companies !== undefined)),
    ),
    ...paragraphs(['Any command can end with 1 and 130 too: svc-exit-codes(7).']),
    heading('Examples'),
    ...verbatim(examplesOf(verb).map((line) => `svc ${line}`)),
    ...(section === undefined
      ? []
      : [heading('Interface'), ...prose(`${section}, in the interface of the service.`)]),
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
  const always = asSentence(code === 4 ? 'Not found (404)' : EXIT_CODE_MEANINGS[code]);
  const many = code === 8 && takesCompanies ? ' With --companies: some companies failed.' : '';
  return `${always}${here === undefined ? '' : ` Here: ${here}.`}${many}`;
}

function examplesOf({ example, variants }: Verb): Lines {
  const others = (variants?.flag.choices ?? []).map((choice) => variants?.of(choice).example ?? example);
  return [...new Set([example, ...others])];
}

/** The rules that tie attributes together, of what a verb sends. */
function rulesOf([noun, verb]: Lines): Lines {
  if (verb !== 'create' && verb !== 'update' && verb !== 'set') return [];
  const rules = catalogue.filter((each) => each.noun === noun).flatMap((each) => each.rules ?? []);
  return [...new Set(rules.map(({ text, section }) => `${asSentence(text)} (${section})`))];
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
      `${asSentence(describeFlag({ ...flag, required: false }))}${flag.repeatable ? ' It may be given again.' : ''}`,
    ),
  );

function topicPage(topic: string, page: HelpPage): Lines {
  return [
    ...head(`svc-${topic}`, 7, page.summary, [page.usage]),
    ...page.sections.flatMap(topicSection),
    ...(page.notes.length === 0 ? [] : [heading('Notes'), ...paragraphs(page.notes.map(asSentence))]),
    heading('Examples'),
    ...verbatim(page.examples),
    heading('See also'),
    seeAlso([
      ['svc', 1],
      ...TOPIC_NAMES.filter((each) => each !== topic).map((each): Reference => [`svc-${each}`, 7]),
    ]),
  ];
}

/** A section of which nothing is left has no heading either. */
function topicSection({ heading: name, items = [], paragraphs: texts = [], code = [] }: HelpSection): Lines {
  const lines = [
    ...items.flatMap(({ term, text }) =>
      term === '' ? ['.IP', ...prose(asSentence(text))] : entry(term, asSentence(text)),
    ),
    ...paragraphs(texts),
    ...(code.length === 0 ? [] : verbatim(code)),
  ];
  return lines.length === 0 ? [] : [heading(name), ...lines];
}

/** `.SH NAME` is what `apropos` and `whatis` read: one line, a name and its purpose. */
const head = (name: string, section: 1 | 7, summary: string, usages: Lines): Lines => [
  title(name, section),
  // Names of commands are not to be broken.
  '.nh',
  '.ad l',
  heading('Name'),
  `${roffText(name)} \\- ${roffText(summary)}`,
  heading('Synopsis'),
  ...usages.map(marked),
];

const paragraphs = (texts: Lines): Lines => texts.flatMap((text) => ['.PP', ...prose(text)]);

type Reference = readonly [name: string, section: 1 | 7];

/** The page of what a command stands under. */
const above = (words: Lines): Reference => [
  words.length === 1 ? 'svc' : nameOf(words.slice(0, -1).join(' ')),
  1,
];

const seeAlso = (references: readonly Reference[]): string =>
  references.map(([name, section]) => `${bold(name)}(${section})`).join(',\n');
