/** Builds the pages of `svc explain` for people: the overview, and the pages of resources with their fields. */

import type { Report, ReportBlock, ReportSection, TermWithText } from '../../kit/report/report.ts';
import { fieldOf, METHODS, type Method, supports } from '../../kit/schema/resource.ts';
import { explanations, fieldExplanationOf, generalServiceTraps } from '../../service/explanations/all.ts';
import { type CatalogueResource, catalogue } from '../../service/resources/catalogue.ts';
import { multiResourceNounDescriptions } from '../../service/resources/rule-kinds.ts';
import {
  bulletPointBlocks,
  bulletPointsByRuleKind,
  formatRuleKinds,
  groupByRuleKinds,
  groupResourcesByValue,
  paragraphBlocks,
  paragraphsByRuleKind,
  termBlocks,
} from './by-kind.ts';
import { fieldPage, seeAlsoSection } from './field-page.ts';
import { defaultText, fieldTypeWithUnit, type VerbFacts, verbOfMethod } from './field-words.ts';
import { type ExplainTopic, formatExplainTopicName } from './find.ts';
import {
  determineAttributeRequirement,
  formatFieldRule,
  type StructuredExplanation,
  structuredExplanation,
} from './structured.ts';

/** Returns the page about a topic that `svc explain` shows to people. For programs, call `explainTopicAsData`. */
export async function topicPage(
  topic: ExplainTopic,
  verbsOf: (noun: string) => Promise<readonly VerbFacts[]>,
): Promise<Report> {
  const { resources, attribute, file } = topic;
  if (file === 'campaign') return (await import('./campaign-page.ts')).campaignPage();
  if (file === 'campaign-test') return (await import('./campaign-test-page.ts')).campaignTestPage();
  const [first, ...others] = resources;
  if (first === undefined) return overviewPage();
  const verbs = await verbsOf(first.noun);
  if (attribute !== undefined) return fieldPage(resources, attribute, verbs);
  return others.length === 0 ? createResourcePage(first, verbs) : createNounPage(resources, verbs);
}

/** Returns the explanation of a topic as data that programs can read, instead of a page for people. */
export async function explainTopicAsData(topic: ExplainTopic): Promise<StructuredExplanation> {
  const { file } = topic;
  if (file === 'campaign') return (await import('./campaign-page.ts')).campaignSchemaExplanation();
  if (file === 'campaign-test')
    return (await import('./campaign-test-page.ts')).campaignTestSchemaExplanation();
  return structuredExplanation(topic);
}

/** Builds `svc explain` without a topic: the list of topics, and facts that apply to all of them. */
function overviewPage(): Report {
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

function createResourcePage(resource: CatalogueResource, verbs: readonly VerbFacts[]): Report {
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
function createNounPage(resources: readonly CatalogueResource[], verbs: readonly VerbFacts[]): Report {
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

function wordSections(resources: readonly CatalogueResource[]): readonly ReportSection[] {
  const pointsOf = (key: 'traps' | 'states' | 'refusals' | 'permissions'): readonly ReportBlock[] =>
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

function commandSection(noun: string, verbs: readonly VerbFacts[]): ReportSection {
  const list = verbs
    .filter(({ announced }) => announced === undefined)
    .map(({ name, summary }) => ({ term: `svc ${noun} ${name}`, text: summary }));
  return { title: 'COMMANDS', blocks: termBlocks(list) };
}

function createFieldSection(resource: CatalogueResource): ReportSection {
  const attributes = Object.keys(resource.fields);
  const worst = mostTrapped([resource], attributes);
  const legend = worst === undefined ? [] : [legendOf(`${formatExplainTopicName([resource])}.${worst}`)];
  return {
    title: 'FIELDS',
    blocks: [...paragraphBlocks(legend), ...attributes.map((attribute) => entryOf(resource, attribute))],
  };
}

/** Returns the fields in sections. Fields that are equal in several kinds of rule are listed once, under the names of these kinds. */
function createFieldSectionsOfRuleKinds(resources: readonly CatalogueResource[]): readonly ReportSection[] {
  const attributes = [...new Set(resources.flatMap(({ fields }) => Object.keys(fields)))];
  const entries = attributes.flatMap((attribute) => {
    const having = resources.filter(({ fields }) => Object.hasOwn(fields, attribute));
    return groupResourcesByValue(having, (resource) => [entryOf(resource, attribute)]);
  });
  const worst = mostTrapped(resources, attributes);
  return groupByRuleKinds(entries)
    .sort((a, b) => b.having.length - a.having.length)
    .map(({ having, values: blocks }, index) => {
      const whose = having.length === resources.length ? 'ALL KINDS' : formatRuleKinds(having).toUpperCase();
      const legend = index > 0 ? [] : [legendOf(`${formatExplainTopicName(resources)}.${worst}`)];
      return { title: `FIELDS OF ${whose}`, blocks: [...paragraphBlocks(legend), ...blocks] };
    });
}

const legendOf = (topic: string): string =>
  `Fields marked with * have traps (common mistakes). To see the page of a field, run svc explain ${topic}.`;

const trapsOf = ({ name }: CatalogueResource, attribute: string): number =>
  (fieldExplanationOf(name, attribute).traps ?? []).length;

function mostTrapped(
  resources: readonly CatalogueResource[],
  attributes: readonly string[],
): string | undefined {
  const counts = attributes.map((attribute) => ({
    attribute,
    count: Math.max(...resources.map((each) => trapsOf(each, attribute))),
  }));
  return counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)[0]?.attribute;
}

function entryOf(resource: CatalogueResource, attribute: string): ReportBlock {
  const field = fieldOf(resource, attribute);
  const preset = defaultText(field);
  const facts = [
    fieldTypeWithUnit(field),
    ...presenceWords(resource, attribute),
    ...(field.filter ? ['filter'] : []),
    ...(field.sort ? ['sort'] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
    ...(field.writeOnly ? ['write-only'] : []),
    ...(field.deprecated ? ['deprecated'] : []),
    ...(field.sampleOnly ? ['documented only in a sample response'] : []),
  ];
  const mark = trapsOf(resource, attribute) > 0 ? '*' : '';
  return { kind: 'entry', head: `${attribute}${mark}  (${facts.join('; ')})`, text: field.describe };
}

/** Returns which requests take the attribute, in words such as `required in create`, `optional in create and update` or `read only`. */
function presenceWords(resource: CatalogueResource, attribute: string): readonly string[] {
  if (attribute === 'id') return [];
  const post = determineAttributeRequirement(resource, 'post', attribute);
  const put = determineAttributeRequirement(resource, 'put', attribute);
  const [create, update] = [verbOfMethod(resource, 'POST'), verbOfMethod(resource, 'PUT')];
  if (post === '' && put === '') return ['read only'];
  if (post === put) return [`${post} in ${create} and ${update}`];
  return [
    ...(post === ''
      ? []
      : [post === 'partner' ? `optional in ${create}, for partners` : `${post} in ${create}`]),
    ...(put === '' ? [] : [`${put} in ${update}`]),
  ];
}
