/** Builds `svc explain` without a topic: the list of topics, and facts that apply to all of them. */
import { catalogue, sharedNouns } from '../../../resources/catalogue.ts';
import { generalTraps } from '../../../resources/explanations/all.ts';
import type { TextPage } from '../../../text/page.ts';
import { paragraphs, points, terms } from './by-kind.ts';

export function overviewPage(): TextPage {
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
