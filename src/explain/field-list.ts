/** Lists the fields of a resource, each with a line of facts and a line of text. */

import { fieldExplanationOf } from '../explanations/all.ts';
import type { PageBlock, PageSection } from '../report/text-page.ts';
import type { CatalogueResource } from '../resources/catalogue.ts';
import { fieldOf } from '../schema/resource.ts';
import { formatRuleKinds, groupResourcesByValue, paragraphBlocks } from './by-kind.ts';
import { formatExplainTopicName } from './find.ts';
import { determineAttributeRequirement } from './structured.ts';
import { defaultText, fieldTypeWithUnit } from './type-words.ts';
import { verbOfMethod } from './verbs.ts';

/** Returns the section that lists the fields of one resource. */
export function createFieldSection(resource: CatalogueResource): PageSection {
  const attributes = Object.keys(resource.fields);
  const worst = mostTrapped([resource], attributes);
  const legend = worst === undefined ? [] : [legendOf(`${formatExplainTopicName([resource])}.${worst}`)];
  return {
    title: 'FIELDS',
    blocks: [...paragraphBlocks(legend), ...attributes.map((attribute) => entryOf(resource, attribute))],
  };
}

/** Returns the fields in sections. Fields that are equal in several kinds of rule are listed once, under the names of these kinds. */
export function createFieldSectionsOfRuleKinds(
  resources: readonly CatalogueResource[],
): readonly PageSection[] {
  const attributes = [...new Set(resources.flatMap(({ fields }) => Object.keys(fields)))];
  const entries = attributes.flatMap((attribute) => {
    const having = resources.filter(({ fields }) => Object.hasOwn(fields, attribute));
    return groupResourcesByValue(having, (resource) => [entryOf(resource, attribute)]);
  });
  const groups = new Map<
    string,
    { readonly having: readonly CatalogueResource[]; readonly blocks: PageBlock[] }
  >();
  for (const { value, resources: having } of entries) {
    const key = having.map(({ name }) => name).join();
    const group = groups.get(key) ?? { having, blocks: [] };
    group.blocks.push(value);
    groups.set(key, group);
  }
  const worst = mostTrapped(resources, attributes);
  return [...groups.values()]
    .sort((a, b) => b.having.length - a.having.length)
    .map(({ having, blocks }, index) => {
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

function entryOf(resource: CatalogueResource, attribute: string): PageBlock {
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
