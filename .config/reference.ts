/** Makes documents from the declarations: the reference, all pages of help in one text, and all pages of `svc explain`. */
import {
  type Group,
  isGroup,
  type Positional,
  type TopLevelCommandEntry,
  type Verb,
} from '../src/cli/command/command.ts';
import { companiesFlags } from '../src/cli/command/companies-flags.ts';
import { describeFlag, type FlagShape } from '../src/cli/command/flag.ts';
import { globalFlags } from '../src/cli/command/globals.ts';
import { formatFlagSpellings, formatPositionalUsage, formatUsageLine } from '../src/cli/command/help.ts';
import { withFinalPunctuation } from '../src/cli/command/help-page.ts';
import { readCommandLine } from '../src/cli/command/program.ts';
import { formatApiDocSectionTitles, formatExitCodesWithMeanings } from '../src/cli/command/verb-exits.ts';
import { TOPIC_NAMES } from '../src/cli/command/words.ts';
import { EXPLAIN_TOPIC_FIRST_WORDS, parseExplainTopic } from '../src/features/explain/find.ts';
import { topicPage } from '../src/features/explain/topic-page.ts';
import { formatTextPageLines } from '../src/kit/report/text-page.ts';
import { type Command, commandsOf } from './commands.ts';

/** Returns the output of `svc --help`, of each topic of `svc help`, and of each command's `--help`, for a terminal of this width. */
export async function helpPages(entries: readonly TopLevelCommandEntry[], columns: number): Promise<string> {
  const lines = [
    ['--help'],
    ...TOPIC_NAMES.map((topic) => ['help', topic]),
    ...(await commandsOf(entries)).flatMap(({ path, tree }) =>
      variantsOf(tree).map((variant) => [...path.split(' '), ...variant, '--help']),
    ),
  ];
  const pages: string[] = [];
  for (const argv of lines) {
    const line = await readCommandLine(argv, entries, { version: '0.0.0', columns });
    if (line.kind !== 'print') throw new Error(`svc ${argv.join(' ')} prints no help`);
    pages.push(`$ svc ${argv.join(' ')}\n${line.text}`.trimEnd());
  }
  return `${pages.join(PAGE_BREAK)}\n`;
}

const PAGE_BREAK = `\n\n${'='.repeat(80)}\n\n`;

/** Returns the output of `svc explain`, then of each of its topics, at 80 columns. */
export async function explainPages(entries: readonly TopLevelCommandEntry[]): Promise<string> {
  const topics = [
    '',
    ...EXPLAIN_TOPIC_FIRST_WORDS.filter((name) => name !== 'automation'),
    'automation',
    'automation sms',
  ];
  const verbsOf = async (noun: string): Promise<readonly Verb[]> => {
    const tree = await entries.find(({ name }) => name === noun)?.load();
    return tree !== undefined && isGroup(tree)
      ? tree.commands.filter((each): each is Verb => !isGroup(each))
      : [];
  };
  const pages: string[] = [];
  for (const topic of topics) {
    const lines = formatTextPageLines(await topicPage(parseExplainTopic([topic]), verbsOf), 80);
    const command = `$ svc explain ${topic}`.trimEnd();
    pages.push(`${command}\n\n${lines.map(({ text }) => text).join('\n')}`);
  }
  return `${pages.join(PAGE_BREAK)}\n`;
}

/** Returns the flags that select each variant of a command's help. The first variant needs none. */
function variantsOf(tree: Verb | Group): readonly (readonly string[])[] {
  if (isGroup(tree) || tree.variants === undefined) return [[]];
  const { flag } = tree.variants;
  return [[], ...(flag.choices ?? []).map((choice) => [`--${flag.name}`, choice])];
}

/** Returns the reference as Markdown: every command with its flags and an example. */
export async function reference(entries: readonly TopLevelCommandEntry[]): Promise<string> {
  const commands = await commandsOf(entries);
  return `${[HEAD, '## Global flags', tableOf('Global flags', globalFlags), MANY, tableOf('Global flags', companiesFlags), ...commands.map(chapter)].join('\n\n')}\n`;
}

const MANY = `## Many companies

With these flags, a verb runs for one company after the other. Every verb of a noun accepts them, except verbs that wait or prompt.
\`svc help companies\` explains how to select companies.`;

const HEAD = `# Reference

This page lists every command with its flags. \`npm run docs\` makes it from the declarations of the commands. [The contract](contract.md)
says what scripts may rely on. \`svc explain <resource>\` explains fields.`;

function chapter({ path, tree }: Command): string {
  const level = '#'.repeat(Math.min(4, path.split(' ').length + 1));
  const title = `${level} svc ${path}`;
  if (isGroup(tree)) return [title, withFinalPunctuation(tree.summary)].join('\n\n');
  const { summary, about, positionals = [], flags, example } = tree;
  const words = path.split(' ');
  const usage = formatUsageLine(words, positionals, flags);
  const groups = [...new Set(flags.map(({ group }) => group))];
  return [
    title,
    [summary, about].flatMap((part) => (part === undefined ? [] : [withFinalPunctuation(part)])).join(' '),
    `\`\`\`\n${[...new Set([usage, `svc ${example}`])].join('\n\n')}\n\`\`\``,
    ...(positionals.length === 0 ? [] : [argumentsOf(positionals)]),
    ...groups.map((name) =>
      tableOf(
        name,
        flags.filter(({ group }) => group === name),
      ),
    ),
    factsOf(tree, words),
  ].join('\n\n');
}

function factsOf(verb: Verb, path: readonly string[]): string {
  const section = formatApiDocSectionTitles(verb, path[0] ?? '');
  const interfaceText = section === undefined ? '' : ` Interface: ${section}.`;
  return `Exit codes: ${formatExitCodesWithMeanings(verb)}.${interfaceText}`;
}

const argumentsOf = (positionals: readonly Positional[]): string =>
  table(
    'Arguments',
    positionals.map((each) => [code(formatPositionalUsage(each)), each.describe]),
  );

const tableOf = (title: string, flags: readonly FlagShape[]): string =>
  table(
    title,
    flags.map((flag) => [code(formatFlagSpellings(flag)), describe(flag)]),
  );

const table = (title: string, rows: readonly (readonly [string, string])[]): string =>
  [
    `| ${title} | |`,
    '| --- | --- |',
    ...rows.map(([first, second]) => `| ${first} | ${escaped(second)} |`),
  ].join('\n');

const describe = (flag: FlagShape): string =>
  [describeFlag(flag), ...(flag.repeatable && !/repeat/.test(flag.describe) ? ['Repeatable'] : [])].join(
    '. ',
  );

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const escaped = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('*', '\\*');
