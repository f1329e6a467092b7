/** Explains the interface's resources and fields: text for people, rows and objects for programs. */

import { generalTraps } from '../../explanations/all.ts';
import type { TextPage } from '../../report/text-page.ts';
import { catalogue, sharedNouns } from '../../resources/catalogue.ts';
import type { Verb } from '../command/command.ts';
import type { Result } from '../output/result.ts';
import { pageOutcome } from '../request/page.ts';
import { isForPeople } from '../session/for-people.ts';
import { paragraphs, points, terms } from './explain/by-kind.ts';
import { fieldPage } from './explain/field-page.ts';
import { fieldsOf, isFieldWord, NAMES, readTopic, type Topic } from './explain/find.ts';
import { resourcePage, sharedNounPage } from './explain/resource-page.ts';
import { structured } from './explain/structured.ts';
import type { VerbsOf } from './explain/verbs.ts';

/** Declares `explain`. @param verbsOf returns the verbs of a noun from the registry */
export function explainVerb(verbsOf: VerbsOf): Verb {
  return {
    name: 'explain',
    summary: 'Explain a resource or one of its fields',
    about:
      'Lists traps first. Name a field by its own name or its flag, after a dot or as a separate word. For campaign ' +
      'files, run svc explain campaign',
    work: 'local',
    section: 'Resources and their fields',
    example: 'explain task.scheduledtime',
    positionals: [
      {
        name: 'what',
        describe: 'Noun or resource and field: task, task.size, task at; or campaign',
        optional: true,
        variadic: true,
        choices: NAMES,
        following: fieldsOf,
      },
    ],
    flags: [],
    explainUnknown: (flag) =>
      isFieldWord(flag) ? `write a field without dashes: svc explain <noun> ${flag}` : undefined,
    run: async (session, { positionals }) => {
      const topic = readTopic(positionals);
      if (!(await isForPeople(session))) return { result: await resultOf(topic) };
      return pageOutcome(session, await pageOf(topic, verbsOf));
    },
  };
}

/** Returns the page of a topic. A test renders every page. */
export async function pageOf(topic: Topic, verbsOf: VerbsOf): Promise<TextPage> {
  const { resources, attribute, isCampaign } = topic;
  if (isCampaign) return (await import('./explain/campaign-page.ts')).campaignPage();
  const [first, ...others] = resources;
  if (first === undefined) return overviewPage();
  const verbs = await verbsOf(first.noun);
  if (attribute !== undefined) return fieldPage(resources, attribute, verbs);
  return others.length === 0 ? resourcePage(first, verbs) : sharedNounPage(resources, verbs);
}

async function resultOf(topic: Topic): Promise<Result> {
  if (topic.isCampaign) return (await import('./explain/campaign-page.ts')).campaignResult();
  return structured(topic);
}

/** Builds `svc explain` without a topic: the list of topics, and facts that apply to all of them. */
function overviewPage(): TextPage {
  const nouns = [...new Set(catalogue.map(({ noun }) => noun))].map((noun) => ({
    term: noun,
    text: sharedNouns[noun] ?? catalogue.find((each) => each.noun === noun)?.describe ?? '',
  }));
  return {
    title: 'svc explain',
    sections: [
      { title: 'TRAPS', blocks: points(generalTraps) },
      { title: 'RESOURCES', blocks: terms(nouns) },
      {
        title: 'HOW TO ASK',
        blocks: terms([
          { term: 'svc explain task', text: 'A resource: its traps, states, rules, commands and fields' },
          {
            term: 'svc explain task.scheduledtime',
            text: 'A field: its traps, its values, the requests and flags that take it',
          },
          { term: 'svc explain task at', text: 'A field by its flag' },
          {
            term: 'svc explain automation',
            text: 'The five kinds of rule together; svc explain click shows one',
          },
          {
            term: 'svc explain campaign',
            text: 'The campaign file; with -o json its JSON Schema',
          },
        ]),
      },
      {
        title: 'WORDS',
        blocks: paragraphs([
          'Filter: GET can ask for an exact value of the field. Sort: GET can sort by it. int/null: the value may be null. Times are Unix seconds.',
          'Where the interface leaves something open, the page says so. The sandbox then makes a choice, and another service can differ.',
        ]),
      },
    ],
  };
}
