/** Builds the page of a resource, or of the five kinds of rule together. */

import { explanations } from '../explanations/all.ts';
import type { PageBlock, PageSection, TermWithText, TextPage } from '../report/text-page.ts';
import { type CatalogueResource, multiResourceNounDescriptions } from '../resources/catalogue.ts';
import { METHODS, type Method, supports } from '../schema/resource.ts';
import {
  bulletPointsByRuleKind,
  formatRuleKinds,
  paragraphBlocks,
  paragraphsByRuleKind,
  termBlocks,
} from './by-kind.ts';
import { createFieldSection, createFieldSectionsOfRuleKinds } from './field-list.ts';
import { seeAlsoSection } from './field-page.ts';
import { formatExplainTopicName } from './find.ts';
import { formatFieldRule } from './structured.ts';
import { type VerbFacts, verbOfMethod } from './verbs.ts';

/** Returns the page of one resource. */
export function createResourcePage(resource: CatalogueResource, verbs: readonly VerbFacts[]): TextPage {
  const { name, noun, variant } = resource;
  const topic = variant === undefined ? noun : `${noun} ${variant}`;
  return {
    title: topic === name ? topic : `${topic} (in the interface: ${name})`,
    sections: [
      ...wordSections([resource]),
      { title: 'METHODS', blocks: termBlocks(METHODS.map((method) => methodTerm(resource, method))) },
      commandSection(noun, verbs),
      createFieldSection(resource),
      seeAlsoSection([resource], variant === undefined ? [] : [`svc explain ${noun}`]),
    ],
  };
}

/** Returns the page of a noun with several resources: shared facts once, then the differences by kind. */
export function createNounPage(
  resources: readonly CatalogueResource[],
  verbs: readonly VerbFacts[],
): TextPage {
  const noun = resources[0]?.noun ?? '';
  const kinds = resources.map((each) => ({
    term: `svc explain ${formatExplainTopicName([each])}`,
    text: `${each.describe}.`,
  }));
  const whatItIs = [
    ...paragraphBlocks([`${multiResourceNounDescriptions[noun]}. Each kind has its own page:`]),
    ...termBlocks(kinds),
  ];
  return {
    title: `${noun}: ${formatRuleKinds(resources)}`,
    sections: [
      ...wordSections(resources).map((section) =>
        section.title === WHAT_IT_IS ? { ...section, blocks: whatItIs } : section,
      ),
      commandSection(noun, verbs),
      ...createFieldSectionsOfRuleKinds(resources),
      seeAlsoSection(resources, []),
    ],
  };
}

const WHAT_IT_IS = 'WHAT IT IS';

function wordSections(resources: readonly CatalogueResource[]): readonly PageSection[] {
  const pointsOf = (key: 'traps' | 'states' | 'refusals' | 'permissions'): readonly PageBlock[] =>
    bulletPointsByRuleKind(resources, ({ name }) => explanations[name][key] ?? []);
  return [
    { title: 'TRAPS', blocks: pointsOf('traps') },
    { title: WHAT_IT_IS, blocks: paragraphsByRuleKind(resources, ({ name }) => explanations[name].about) },
    { title: 'WHO MAY DO WHAT', blocks: pointsOf('permissions') },
    { title: 'STATES', blocks: pointsOf('states') },
    {
      title: 'RULES ACROSS FIELDS',
      blocks: bulletPointsByRuleKind(resources, ({ rules = [] }) => rules.map(formatFieldRule)),
    },
    { title: 'REFUSALS', blocks: pointsOf('refusals') },
  ];
}

function methodTerm(resource: CatalogueResource, method: Method): TermWithText {
  const { noun, methods, announced = [], single } = resource;
  if (announced.includes(method)) return { term: method, text: 'announced, not available yet' };
  if (!supports(resource, method)) return { term: method, text: 'not supported' };
  const only =
    (method === 'POST' ? methods.post?.only : method === 'PUT' ? methods.put?.only : undefined) ?? '';
  const verbs = [verbOfMethod(resource, method), ...(method === 'GET' && !single ? ['get'] : [])];
  const lines = verbs.map((verb) => `svc ${noun} ${verb}`).join(', ');
  return { term: method, text: only === '' ? lines : `${lines} (only ${only} authentication)` };
}

function commandSection(noun: string, verbs: readonly VerbFacts[]): PageSection {
  const list = verbs
    .filter(({ announced }) => announced === undefined)
    .map(({ name, summary }) => ({ term: `svc ${noun} ${name}`, text: summary }));
  return { title: 'COMMANDS', blocks: termBlocks(list) };
}
