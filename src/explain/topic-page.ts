/** Explains the interface's resources and fields: a page for people, rows and objects for programs. */
import { generalServiceTraps } from '../explanations/all.ts';
import type { TextPage } from '../report/text-page.ts';
import { catalogue, multiResourceNounDescriptions } from '../resources/catalogue.ts';
import { bulletPointBlocks, paragraphBlocks, termBlocks } from './by-kind.ts';
import { fieldPage } from './field-page.ts';
import type { ExplainTopic } from './find.ts';
import { createNounPage, createResourcePage } from './resource-page.ts';
import { type StructuredExplanation, structuredExplanation } from './structured.ts';
import type { VerbFacts } from './verbs.ts';

/** Returns the page about a topic that `svc explain` shows to people. For programs, call `explainTopicAsData`. */
export async function topicPage(
  topic: ExplainTopic,
  verbsOf: (noun: string) => Promise<readonly VerbFacts[]>,
): Promise<TextPage> {
  const { resources, attribute, isCampaign } = topic;
  if (isCampaign) return (await import('./campaign-page.ts')).campaignPage();
  const [first, ...others] = resources;
  if (first === undefined) return overviewPage();
  const verbs = await verbsOf(first.noun);
  if (attribute !== undefined) return fieldPage(resources, attribute, verbs);
  return others.length === 0 ? createResourcePage(first, verbs) : createNounPage(resources, verbs);
}

/** Returns the explanation of a topic as data that programs can read, instead of a page for people. */
export async function explainTopicAsData(topic: ExplainTopic): Promise<StructuredExplanation> {
  if (topic.isCampaign) return (await import('./campaign-page.ts')).campaignSchemaExplanation();
  return structuredExplanation(topic);
}

/** Builds `svc explain` without a topic: the list of topics, and facts that apply to all of them. */
function overviewPage(): TextPage {
  const nouns = [...new Set(catalogue.map(({ noun }) => noun))].map((noun) => ({
    term: noun,
    text: multiResourceNounDescriptions[noun] ?? catalogue.find((each) => each.noun === noun)?.describe ?? '',
  }));
  return {
    title: 'svc explain',
    sections: [
      { title: 'TRAPS', blocks: bulletPointBlocks(generalServiceTraps) },
      { title: 'RESOURCES', blocks: termBlocks(nouns) },
      {
        title: 'HOW TO ASK',
        blocks: termBlocks([
          {
            term: 'svc explain task',
            text: 'Explains a resource: common mistakes, states, rules, commands and fields',
          },
          {
            term: 'svc explain task.scheduledtime',
            text: 'Explains a field: common mistakes, values, and the requests and flags that use the field',
          },
          {
            term: 'svc explain task at',
            text: 'Explains scheduledtime, the field that the flag --at sets in task commands',
          },
          {
            term: 'svc explain automation',
            text: 'All five kinds of automation rule; for one kind, such as click, run svc explain click',
          },
          {
            term: 'svc explain campaign',
            text: 'The campaign file; with -o json its JSON Schema',
          },
        ]),
      },
      {
        title: 'WORDS',
        blocks: paragraphBlocks([
          'Filter: a GET can select records by an exact value of the field. Sort: a GET can sort records by the field. int/null: the value may be null. Times are Unix seconds.',
          'If the interface document does not define something, the page says so. The sandbox then behaves as the page describes, and the real service can behave differently.',
        ]),
      },
    ],
  };
}
