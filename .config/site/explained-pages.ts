/** Makes a page for each resource, as `svc explain` shows it, and for each topic of `svc help`. */
import { isGroup, type TopLevelCommandEntry, type Verb } from '../../src/cli/command/command.ts';
import { type HelpPage, withFinalPunctuation } from '../../src/cli/command/help-page.ts';
import { topicHelp } from '../../src/cli/command/help-topics.ts';
import { TOPIC_NAMES, type TopicName } from '../../src/cli/command/words.ts';
import { EXPLAIN_TOPIC_FIRST_WORDS, parseExplainTopic } from '../../src/features/explain/find.ts';
import { topicPage as explanationPage } from '../../src/features/explain/topic-page.ts';
import { type Html, html } from '../../src/kit/report/html-page.ts';
import type { ReportBlock } from '../../src/kit/report/report.ts';
import { AUDIENCE_OF_TOPIC, audienceOfResource } from './audience.ts';
import { writer } from './command-pages.ts';
import type { NamedPages } from './named-pages.ts';
import { codeBlock, type Page, termList } from './page.ts';

/** Topics of `svc explain` in order. The five kinds of rule follow the noun that they share. */
export const RESOURCE_TOPICS: readonly string[] = EXPLAIN_TOPIC_FIRST_WORDS.flatMap((name) =>
  name === 'campaign' ? ['automation sms', name] : [name],
);

/** Returns the path of a resource's page. @param topic a topic of `svc explain`, or an empty text for the overview */
export const resourcePath = (topic: string): string =>
  `resources/${topic === '' ? 'index' : topic.replaceAll(' ', '-')}.html`;

export const topicPath = (topic: string): string => `topics/${topic}.html`;

/** Returns the overview of `svc explain` and a page for each of its topics. */
export async function resourcePages(
  entries: readonly TopLevelCommandEntry[],
  names: NamedPages,
): Promise<readonly Page[]> {
  const verbsOf = async (noun: string): Promise<readonly Verb[]> => {
    const tree = await entries.find(({ name }) => name === noun)?.load();
    return tree !== undefined && isGroup(tree)
      ? tree.commands.filter((each): each is Verb => !isGroup(each))
      : [];
  };
  return Promise.all(
    ['', ...RESOURCE_TOPICS].map(async (topic): Promise<Page> => {
      const { title, sections } = await explanationPage(parseExplainTopic([topic]), verbsOf);
      const page = writer(resourcePath(topic));
      const body = [
        html`<p>${audienceOfResource(topic)} ${names.linked(`It shows what svc explain ${topic}`.trim(), page.path)} prints.</p>
`,
        ...sections
          .filter(({ blocks }) => blocks.length > 0)
          .flatMap((section) => [
            page.section(asHeading(section.title)),
            ...section.blocks.map((block) => blockHtml(block, names, page.path)),
          ]),
      ];
      const isOverview = topic === '';
      return {
        ...page.done(body),
        title: isOverview ? 'Resources' : title,
        name: isOverview ? 'All resources' : topic,
        section: 'Resources',
      };
    }),
  );
}

/** Returns a page for each topic of `svc help`. */
export const topicPages = (
  entries: readonly TopLevelCommandEntry[],
  names: NamedPages,
): Promise<readonly Page[]> =>
  Promise.all(TOPIC_NAMES.map(async (topic) => topicPage(topic, await topicHelp(topic, entries), names)));

function topicPage(topic: TopicName, help: HelpPage, names: NamedPages): Page {
  const page = writer(topicPath(topic));
  const text = (sentence: string): Html => names.linked(withFinalPunctuation(sentence), page.path);
  const body = [
    html`<p>${AUDIENCE_OF_TOPIC[topic]} ${names.linked(`svc help ${topic} prints the same in a terminal.`, page.path)}</p>
`,
    codeBlock(help.usage, 'text'),
    ...help.sections.flatMap(({ heading, items = [], paragraphs = [], code = [] }) => [
      page.section(heading),
      ...(items.length === 0
        ? []
        : [
            termList(
              withoutContinuations(items).map(([term, sentences]) => [
                topic === 'commands' ? names.linked(`svc ${term}`, page.path) : html`<code>${term}</code>`,
                html`${sentences.map((each, at) => html`${at === 0 ? '' : ' '}${text(each)}`)}`,
              ]),
            ),
          ]),
      ...paragraphs.map((each) => html`<p>${text(each)}</p>\n`),
      ...(code.length === 0
        ? []
        : [codeBlock(code.join('\n'), code.every((line) => /^(svc| )/.test(line)) ? 'sh' : 'yaml')]),
    ]),
    ...help.notes.map((each) => html`<p>${text(each)}</p>\n`),
    ...(help.examples.length === 0
      ? []
      : [
          page.section(help.examples.length === 1 ? 'Example' : 'Examples'),
          ...help.examples.map((line) => codeBlock(line, 'sh')),
        ]),
  ];
  return { ...page.done(body), title: asTitle(help.summary), name: topic, section: 'Topics' };
}

/** Joins rows without a term to the row above. */
function withoutContinuations(
  items: readonly { readonly term: string; readonly text: string }[],
): readonly (readonly [string, readonly string[]])[] {
  const rows: [string, string[]][] = [];
  for (const { term, text } of items) {
    const last = rows.at(-1);
    if (term === '' && last !== undefined) last[1].push(text);
    else rows.push([term, [text]]);
  }
  return rows;
}

function blockHtml(block: ReportBlock, names: NamedPages, from: string): Html {
  const text = (sentence: string): Html => names.linked(sentence, from);
  switch (block.kind) {
    case 'paragraph':
      return html`<p>${text(block.text)}</p>\n`;
    case 'points':
      return html`<ul>\n${block.texts.map((each) => html`<li>${text(each)}</li>\n`)}</ul>\n`;
    case 'terms':
      return termList(
        withoutContinuations(block.terms).map(([term, texts]) => [
          term.startsWith('svc ') ? names.linked(term, from) : html`<code>${term}</code>`,
          html`${texts.map((each, at) => html`${at === 0 ? '' : html`<br>`}${text(each)}`)}`,
        ]),
      );
    case 'entry':
      return termList([[html`<code>${block.head}</code>`, text(block.text)]]);
    case 'command':
      return codeBlock(block.line, 'sh');
    case 'verbatim':
    case 'unbroken':
      return codeBlock(block.lines.join('\n'), 'text');
    default:
      throw new RangeError(`no explanation has a block of the kind ${block.kind}`);
  }
}

/** Returns a title in sentence case: `Who may do what` for `WHO MAY DO WHAT`. */
const asHeading = (title: string): string =>
  title === title.toUpperCase() ? asTitle(title.toLowerCase()) : title;

const asTitle = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
