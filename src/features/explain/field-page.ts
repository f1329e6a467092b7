/** Builds the page of one field: its pitfalls, its type, its methods, its rules, and how svc sets it. */

import type { Report, ReportBlock, ReportSection, TermWithText } from '../../kit/report/report.ts';
import { type Field, flagName } from '../../kit/schema/field.ts';
import { fieldOf, METHODS, type Method } from '../../kit/schema/resource.ts';
import { joinAnd, joinOr } from '../../kit/text/words.ts';
import { explanations, fieldExplanationOf } from '../../service/explanations/all.ts';
import type { CatalogueResource } from '../../service/resources/catalogue.ts';
import {
  bulletPointsByRuleKind,
  formatRuleKinds,
  groupResourcesByValue,
  paragraphBlocks,
  paragraphsByRuleKind,
  termBlocks,
} from './by-kind.ts';
import {
  defaultText,
  fieldTypeSentence,
  flagsThatSetField,
  referenceSentence,
  type VerbFacts,
  verbOfMethod,
} from './field-words.ts';
import { formatExplainTopicName } from './find.ts';
import { determineAttributeRequirement, rulesAbout } from './structured.ts';

/** Returns the page of an attribute of a resource, or of several kinds of rule. */
export function fieldPage(
  resources: readonly CatalogueResource[],
  attribute: string,
  verbs: readonly VerbFacts[],
): Report {
  const topic = formatExplainTopicName(resources);
  const title = `${topic}.${attribute}`;
  return {
    title: resources.length > 1 ? `${title}, of ${formatRuleKinds(resources)}` : title,
    sections: [
      {
        title: 'TRAPS',
        blocks: bulletPointsByRuleKind(resources, (each) => proseOf(each, attribute).traps ?? []),
      },
      { title: 'WHAT IT IS', blocks: whatItIs(resources, attribute) },
      { title: 'TYPE', blocks: paragraphsByRuleKind(resources, (each) => [typeOf(each, attribute)]) },
      { title: 'VALUES', blocks: termBlocks(valuesOf(resources, attribute)) },
      { title: 'METHODS', blocks: methodBlocks(resources, attribute) },
      {
        title: 'RULES ACROSS FIELDS',
        blocks: bulletPointsByRuleKind(resources, (each) => rulesAbout(each, attribute)),
      },
      { title: 'FLAGS', blocks: termBlocks(flagsOf(resources, attribute, verbs)) },
      {
        title: 'EXAMPLE',
        blocks: [{ kind: 'command', line: `svc ${findFieldExample(resources, attribute, verbs)}` }],
      },
      seeAlsoSection(resources, [`svc explain ${topic}`]),
    ],
  };
}

/** Returns the section that names related commands and the sections of the interface document. */
export function seeAlsoSection(
  resources: readonly CatalogueResource[],
  commands: readonly string[],
): ReportSection {
  const places = [...new Set(resources.flatMap(({ name }) => explanations[name].sections.split('; ')))];
  return { title: 'SEE ALSO', blocks: paragraphBlocks([...commands, `Interface 1.2: ${places.join('; ')}`]) };
}

const proseOf = (resource: CatalogueResource, attribute: string) =>
  fieldExplanationOf(resource.name, attribute);

function whatItIs(resources: readonly CatalogueResource[], attribute: string): readonly ReportBlock[] {
  const about = (each: CatalogueResource): readonly string[] => proseOf(each, attribute).about ?? [];
  const [first, ...others] = resources;
  if (first !== undefined && others.length === 0) {
    const [next = '', ...more] = about(first);
    return paragraphBlocks([`${sentenceOf(first, attribute)} ${next}`.trimEnd(), ...more]);
  }
  return [
    ...paragraphsByRuleKind(resources, (each) => [sentenceOf(each, attribute)]),
    ...paragraphsByRuleKind(resources, about),
  ];
}

function sentenceOf(resource: CatalogueResource, attribute: string): string {
  const { describe, deprecated, sampleOnly, writeOnly } = fieldOf(resource, attribute);
  const marks = [
    ...(deprecated ? ['Deprecated.'] : []),
    ...(sampleOnly
      ? ['The interface document shows this field only in a sample response, not in its table of fields.']
      : []),
    ...(writeOnly ? ['Write-only.'] : []),
  ];
  return [`${describe}.`, ...marks].join(' ');
}

function typeOf(resource: CatalogueResource, attribute: string): string {
  const field = fieldOf(resource, attribute);
  const preset = defaultText(field);
  const reference = referenceSentence(field);
  return [
    `${fieldTypeSentence(field)}.`,
    ...(preset === undefined ? [] : [`Default: ${preset}.`]),
    ...(reference === undefined ? [] : [reference]),
  ].join(' ');
}

/** Returns the values of the field, each with a text that names the kinds of rule if only some accept it. */
const valuesOf = (resources: readonly CatalogueResource[], attribute: string): readonly TermWithText[] =>
  termsByRuleKind(resources, (resource) =>
    Object.entries(proseOf(resource, attribute).values ?? {}).map(([term, text]) => ({ term, text })),
  );

/** Returns the terms. Names the kinds of rule to which a term applies, unless it applies to all. */
const termsByRuleKind = (
  resources: readonly CatalogueResource[],
  termsOf: (resource: CatalogueResource) => readonly TermWithText[],
): readonly TermWithText[] =>
  groupResourcesByValue(resources, termsOf).map(({ value: { term, text }, resources: having }) => ({
    term,
    text: having.length === resources.length ? text : `${text} (${formatRuleKinds(having)})`,
  }));

/** Returns how each method that the resource supports uses the field. */
function methodBlocks(resources: readonly CatalogueResource[], attribute: string): readonly ReportBlock[] {
  const list = termsByRuleKind(resources, (resource) =>
    METHODS.flatMap((method) => {
      const text = useIn(resource, method, attribute);
      const term = `${method} (svc ${resource.noun} ${verbOfMethod(resource, method)})`;
      return text === undefined ? [] : [{ term, text }];
    }),
  );
  const readOnly = resources.every(
    (each) =>
      !determineAttributeRequirement(each, 'post', attribute) &&
      !determineAttributeRequirement(each, 'put', attribute),
  );
  return [
    ...termBlocks(list),
    ...(readOnly
      ? paragraphBlocks(['Read-only: the service sets this field, and rejects requests that set it.'])
      : []),
  ];
}

function useIn(resource: CatalogueResource, method: Method, attribute: string): string | undefined {
  const { methods } = resource;
  const { filter, sort, nullable } = fieldOf(resource, attribute);
  switch (method) {
    case 'GET': {
      const uses = [...(filter ? ['filter'] : []), ...(sort ? ['sort key'] : [])];
      const needed = methods.get?.oneOf?.includes(attribute)
        ? `; one of ${joinAnd(methods.get?.oneOf)} is required`
        : '';
      return uses.length === 0 ? 'cannot be a filter or a sort key' : `${joinAnd(uses)}${needed}`;
    }
    case 'HEAD':
      return methods.head?.attributes.includes(attribute) ? 'filter' : undefined;
    case 'POST':
    case 'PUT': {
      const lower = method === 'POST' ? 'post' : 'put';
      const given = determineAttributeRequirement(resource, lower, attribute);
      if (given === '') return undefined;
      if (attribute === 'id') return `${given}; this field identifies the record to change`;
      if (given === 'partner') return 'optional, only with partner authentication';
      const only =
        methods[lower]?.only === undefined ? '' : `, only with ${methods[lower].only} authentication`;
      const orNull =
        method === 'POST' && given === 'required' && nullable ? '; svc sends null if omitted' : '';
      return `${given}${only}${orNull}`;
    }
    case 'DELETE': {
      if (!methods.delete?.by.includes(attribute)) return undefined;
      const { by, exclusive } = methods.delete;
      if (by.length === 1) return 'required; this field identifies the record to delete';
      return exclusive
        ? `give either ${joinOr(by)} to identify the record to delete`
        : `give at least one of ${joinAnd(by)} to identify the record to delete`;
    }
    default:
      return method satisfies never;
  }
}

function flagsOf(
  resources: readonly CatalogueResource[],
  attribute: string,
  verbs: readonly VerbFacts[],
): readonly TermWithText[] {
  const ways = (verb: VerbFacts): readonly string[] => [
    ...new Set(
      resources.flatMap((each) =>
        flagsThatSetField(verb, attribute, fieldOf(each, attribute), proseOf(each, attribute).flags ?? []),
      ),
    ),
  ];
  return verbs
    .filter(({ announced }) => announced === undefined)
    .map((verb) => ({ term: `svc ${resources[0]?.noun} ${verb.name}`, text: ways(verb).join(', ') }))
    .filter(({ text }) => text !== '');
}

/** Returns an example from the field's explanation, else from a verb that sets the field, else from the declaration. */
function findFieldExample(
  resources: readonly CatalogueResource[],
  attribute: string,
  verbs: readonly VerbFacts[],
): string {
  const written = resources
    .map(({ name }) => fieldExplanationOf(name, attribute).example)
    .find((each) => each !== undefined);
  const [resource] = resources;
  if (written !== undefined || resource === undefined) return written ?? 'explain';
  const field = fieldOf(resource, attribute);
  const flags = [field.flag, flagName(attribute)]
    .filter((name) => name !== undefined)
    .map((name) => `--${name}`);
  const shown = verbs
    .map(({ example }) => example)
    .find((line) => flags.some((flag) => line.split(' ').includes(flag)));
  return shown ?? derived(resource, attribute, field, verbs);
}

function derived(
  resource: CatalogueResource,
  attribute: string,
  field: Field,
  verbs: readonly VerbFacts[],
): string {
  const { noun, variant } = resource;
  const flag = `--${field.flag ?? flagName(attribute)}`;
  if (determineAttributeRequirement(resource, 'put', attribute) !== '' && attribute !== 'id') {
    return resource.single
      ? `${noun} set --company 42 ${withSample(flag, field)}`
      : `${noun} update 12 ${withSample(flag, field)}`;
  }
  if (determineAttributeRequirement(resource, 'post', attribute) !== '') {
    const create = verbs.find(({ name }) => name === 'create')?.example ?? `${noun} create`;
    return `${create} ${withSample(flag, field)}`;
  }
  if (field.filter) return `${noun} list ${attribute === 'id' ? '--id 12' : withSample(flag, field)}`;
  if (field.sort) return `${noun} list --sort ${attribute}`;
  const get =
    variant === undefined
      ? (verbs.find(({ name }) => name === 'get')?.example ?? `${noun} get`)
      : `${noun} get ${variant}:12`;
  return `${get} --fields id,${attribute}`;
}

const SAMPLES: Readonly<Partial<Record<NonNullable<Field['format']>, string>>> = {
  country: 'GB',
  domain: 'track.example.com',
  email: 'office@example.com',
  msisdn: '447700900123',
  timezone: 'Europe/London',
};

function withSample(flag: string, field: Field): string {
  if (field.kind === 'bool') return flag;
  if (field.values !== undefined) return `${flag} ${field.values[0]}`;
  if (field.format !== undefined) return `${flag} ${SAMPLES[field.format] ?? 'Example'}`;
  if (field.refersTo !== undefined) return `${flag} 12`;
  return `${flag} ${field.kind === 'string' ? 'Example' : 300}`;
}
