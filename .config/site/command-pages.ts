/** Makes a page for each command, from the declarations that the help and the manual pages use. */
import {
  type Group,
  HEADINGS,
  isGroup,
  type Positional,
  type TopLevelCommandEntry,
  type Verb,
} from '../../src/cli/command/command.ts';
import { companiesFlags } from '../../src/cli/command/companies-flags.ts';
import { exampleOutputOf } from '../../src/cli/command/example-outputs.ts';
import { describeFlag, type FlagShape } from '../../src/cli/command/flag.ts';
import { globalFlags } from '../../src/cli/command/globals.ts';
import { formatFlagSpellings, formatPositionalUsage, formatUsageLine } from '../../src/cli/command/help.ts';
import { withFinalPunctuation } from '../../src/cli/command/help-page.ts';
import { aliasesOfVerb } from '../../src/cli/command/other-words.ts';
import { EXIT_CODE_MEANINGS } from '../../src/cli/command/topics/command-line.ts';
import { formatApiDocSectionTitles, listVerbExitCodes } from '../../src/cli/command/verb-exits.ts';
import { type Html, html } from '../../src/kit/report/html-page.ts';
import { type Command, commandsOf } from '../commands.ts';
import { audienceOfCommand } from './audience.ts';
import type { NamedPages } from './named-pages.ts';
import {
  codeBlock,
  type Heading,
  headingHtml,
  linkBetween,
  type Page,
  slugger,
  tableHtml,
  termList,
} from './page.ts';

/** Returns the path of a command's page. @param path the command without `svc`, such as `task create` */
export const commandPath = (path: string): string => `commands/${path.replaceAll(' ', '-')}.html`;

export const COMMANDS_PATH = 'commands/index.html';
export const GLOBAL_FLAGS_PATH = 'commands/global-flags.html';

/** Returns the overview of all commands, the page of global flags, and a page for each command, a group before its verbs. */
export async function commandPages(
  entries: readonly TopLevelCommandEntry[],
  names: NamedPages,
): Promise<readonly Page[]> {
  const commands = await commandsOf(entries);
  return [
    overview(entries),
    globalFlagsPage(names),
    ...commands.map((command) => {
      const entry = entries.find(({ name }) => name === command.path.split(' ')[0]);
      if (entry === undefined) throw new Error(`no entry for ${command.path}`);
      return commandPage(command, entry, commands, names);
    }),
  ];
}

function overview(entries: readonly TopLevelCommandEntry[]): Page {
  const page = writer(COMMANDS_PATH);
  const body = [
    html`<p>For everybody who looks for a command. Each command has a page with its arguments, flags, exit codes and an example. <a href="${linkBetween(COMMANDS_PATH, GLOBAL_FLAGS_PATH)}">Global flags</a> apply to all of them.</p>
`,
    ...HEADINGS.flatMap((heading) => [
      page.section(heading),
      termList(
        entries
          .filter((entry) => entry.heading === heading)
          .map(({ name, summary }) => [
            page.command(`svc ${name}`, name),
            html`${withFinalPunctuation(summary)}`,
          ]),
      ),
    ]),
  ];
  return { ...page.done(body), title: 'All commands', section: 'Commands' };
}

function globalFlagsPage(names: NamedPages): Page {
  const page = writer(GLOBAL_FLAGS_PATH);
  const body = [
    html`<p>For everybody who looks for a flag that all commands take.</p>
`,
    page.section('Global flags'),
    flagTable(globalFlags, names, page.path),
    page.section('Many companies'),
    html`<p>Verbs that a partner can run over many companies accept these flags too. ${names.linked('svc help companies explains how to select companies.', page.path)}</p>
`,
    flagTable(companiesFlags, names, page.path),
  ];
  return { ...page.done(body), title: 'Global flags', section: 'Commands' };
}

function commandPage(
  { path, tree }: Command,
  { name, heading }: TopLevelCommandEntry,
  commands: readonly Command[],
  names: NamedPages,
): Page {
  const words = path.split(' ');
  const parent = words.length === 1 ? undefined : commandPath(words.slice(0, -1).join(' '));
  const page = writer(commandPath(path));
  const audience = audienceOfCommand(name, heading);
  const siblings = commands.find((each) => each.path === words.slice(0, -1).join(' '))?.tree;
  const beside =
    siblings !== undefined && isGroup(siblings) ? siblings.commands.map((each) => each.name) : [];
  const body = isGroup(tree)
    ? groupBody(path, tree, audience, page, names)
    : verbBody(words, tree, audience, beside, page, names);
  return {
    ...page.done(body),
    title: `svc ${path}`,
    section: 'Commands',
    ...(parent === undefined ? {} : { parent }),
  };
}

function groupBody(
  path: string,
  group: Group,
  audience: string,
  page: Writer,
  names: NamedPages,
): readonly Html[] {
  const shown = group.commands.filter((each) => isGroup(each) || each.announced === undefined);
  const example = shown.find((each): each is Verb => !isGroup(each))?.example;
  return [
    html`<p>${audience} ${names.linked(withFinalPunctuation(group.summary), page.path)}</p>
`,
    codeBlock(`svc ${path} <${shown.some(isGroup) ? 'command' : 'verb'}> [flags]`, 'text'),
    page.section('Commands'),
    termList(
      shown.map((each) => [
        page.command(`svc ${path} ${each.name}`, `${path} ${each.name}`),
        names.linked(withFinalPunctuation(each.summary), page.path),
      ]),
    ),
    ...(example === undefined ? [] : [page.section('Example'), codeBlock(`svc ${example}`, 'sh')]),
  ];
}

function verbBody(
  words: readonly string[],
  verb: Verb,
  audience: string,
  beside: readonly string[],
  page: Writer,
  names: NamedPages,
): readonly Html[] {
  const { summary, about, positionals = [], flags, variants, companies } = verb;
  const text = (sentence: string): Html => names.linked(withFinalPunctuation(sentence), page.path);
  const section = formatApiDocSectionTitles(verb, words[0] ?? '');
  const aliases = aliasesOfVerb(verb.name, beside);
  const required = flags.filter((flag) => flag.required);
  const others = flags.filter((flag) => !flag.required);
  const groups = [...new Set(others.map(({ group }) => group))];
  return [
    html`<p>${audience} ${text(summary)}${about === undefined ? '' : html` ${text(about)}`}</p>
`,
    codeBlock(formatUsageLine(words, positionals, flags), 'text'),
    ...(variants === undefined ? [] : [html`<p>${text(variants.note)}</p>\n`]),
    page.section(examplesOf(verb).length === 1 ? 'Example' : 'Examples'),
    ...examplesOf(verb).map((line) => exampleBlock(line, words.join(' '), verb)),
    ...(positionals.length === 0
      ? []
      : [page.section('Arguments'), argumentTable(positionals, names, page.path)]),
    ...(required.length === 0
      ? []
      : [
          page.section('Required flags'),
          flagTable(
            required.map((flag) => ({ ...flag, required: false })),
            names,
            page.path,
          ),
        ]),
    ...groups.flatMap((group) => [
      page.section(group === 'Options' ? 'Flags' : group),
      flagTable(
        others.filter((flag) => flag.group === group),
        names,
        page.path,
      ),
    ]),
    html`<p>${page.link(GLOBAL_FLAGS_PATH, 'Global flags')} also apply${companies === undefined ? '' : html`, with ${page.link(`${GLOBAL_FLAGS_PATH}#many-companies`, 'those for many companies')}`}.${aliases.length === 0 ? '' : html` Aliases: ${aliases.map((each, at) => html`${at === 0 ? '' : ', '}<code>${each}</code>`)}.`}</p>
`,
    page.section('Exit codes'),
    termList(
      listVerbExitCodes(verb).map(({ code, meaning }) => [
        html`${code}`,
        html`${withFinalPunctuation(code === 4 ? 'Not found (404)' : EXIT_CODE_MEANINGS[code])}${meaning === undefined ? '' : ` Here: ${withFinalPunctuation(meaning)}`}`,
      ]),
    ),
    html`<p>Any command can also exit with 1 or 130: see ${names.linked('svc help exit-codes', page.path)}.</p>
`,
    ...(section === undefined
      ? []
      : [html`<p class="soft">In the interface of the service: ${section}.</p>\n`]),
  ];
}

/** Shows the output under the verb's own example, if the sandbox's demo company gives one. */
function exampleBlock(line: string, path: string, { example }: Verb): Html {
  const { terminal, output } = (line === example ? exampleOutputOf(path) : undefined) ?? {};
  const shown = terminal ?? output;
  return shown === undefined || shown === ''
    ? codeBlock(`svc ${line}`, 'sh')
    : codeBlock(`$ svc ${line}\n${shown}`, 'console');
}

/** Returns the examples of a verb without `svc`: its own, and one for each value of the flag that changes its flags. */
export function examplesOf({ example, variants }: Verb): readonly string[] {
  const others = (variants?.flag.choices ?? []).map((choice) => variants?.of(choice).example ?? example);
  return [...new Set([example, ...others])];
}

const argumentTable = (positionals: readonly Positional[], names: NamedPages, from: string): Html =>
  tableHtml(
    ['Argument', 'Meaning'],
    positionals.map((each) => [
      html`<code>${formatPositionalUsage(each)}</code>`,
      names.linked(withFinalPunctuation(each.describe), from),
    ]),
  );

const flagTable = (flags: readonly FlagShape[], names: NamedPages, from: string): Html =>
  tableHtml(
    ['Flag', 'Meaning'],
    flags.map((flag) => [
      html`<code>${formatFlagSpellings(flag)}</code>`,
      html`${names.linked(withFinalPunctuation(describeFlag(flag)), from)}${lacksRepeatable(flag) ? ' Repeatable.' : ''}`,
    ]),
  );

/** Some descriptions say themselves that the flag is repeatable. */
const lacksRepeatable = ({ repeatable, describe }: FlagShape): boolean =>
  repeatable === true && !describe.includes('(repeatable)');

interface Writer {
  readonly path: string;
  /** Returns a heading, and keeps it for the list of headings. */
  readonly section: (text: string) => Html;
  readonly link: (to: string, text: string) => Html;
  /** Returns a link to the page of a command. @param path the command without `svc` */
  readonly command: (text: string, path: string) => Html;
  readonly done: (body: readonly Html[]) => Pick<Page, 'path' | 'body' | 'headings'>;
}

/** Collects the headings of a page while its body is written. */
export function writer(path: string): Writer {
  const slug = slugger();
  const headings: Heading[] = [];
  const link = (to: string, text: string): Html => html`<a href="${linkBetween(path, to)}">${text}</a>`;
  return {
    path,
    link,
    section: (text) => {
      const heading = { id: slug(text), text, level: 2 };
      headings.push(heading);
      return headingHtml(heading, html`${text}`);
    },
    command: (text, command) =>
      html`<a href="${linkBetween(path, commandPath(command))}"><code>${text}</code></a>`,
    done: (body) => ({ path, body: html`${body}`, headings }),
  };
}
