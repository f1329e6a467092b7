/** Finds the topic of `svc explain` (resources, and perhaps a field) that the user's words mean. */

import { flagName } from '../../kit/schema/field.ts';
import { fieldOf } from '../../kit/schema/resource.ts';
import { SvcError } from '../../kit/text/svc-error.ts';
import { similarWords } from '../../kit/text/words.ts';
import { fieldExplanationOf } from '../../service/explanations/all.ts';
import { type CatalogueResource, catalogue } from '../../service/resources/catalogue.ts';

/** Subject of a page of `svc explain`. */
export interface ExplainTopic {
  /** Resources of the topic. Empty for the overview and for a kind of file. */
  readonly resources: readonly CatalogueResource[];
  /** Attribute that the topic is about. All resources of the topic have it. Undefined if the topic is a whole resource. */
  readonly attribute: string | undefined;
  /** Set if the topic is a kind of file, which is not a resource. */
  readonly file?: ExplainedFile;
}

const EXPLAINED_FILES = ['campaign', 'campaign-test'] as const;
type ExplainedFile = (typeof EXPLAINED_FILES)[number];

const fileNamed = (name: string): ExplainedFile | undefined =>
  EXPLAINED_FILES.find((file) => file === name.toLowerCase());

const NOUNS: readonly string[] = [...new Set(catalogue.map(({ noun }) => noun))];

/** Valid first words of a topic: nouns, and the kinds of each noun that has several kinds. */
export const EXPLAIN_TOPIC_FIRST_WORDS: readonly string[] = [
  ...new Set([...NOUNS, ...catalogue.flatMap(({ variant }) => variant ?? []), ...EXPLAINED_FILES]),
];

export const fieldNamesOfTopic = (name: string): readonly string[] =>
  fileNamed(name) !== undefined
    ? []
    : [...new Set(resourcesNamed(name).flatMap(({ fields }) => Object.keys(fields)))];

/** Returns the topic of words such as `task.at` or `automation click actiontimediff`. Throws `SvcError` with similar words. */
export function parseExplainTopic(words: readonly string[]): ExplainTopic {
  const [name, ...rest] = words.flatMap((word) => word.split(/[.\s]/)).filter((word) => word !== '');
  if (name === undefined) return { resources: [], attribute: undefined };
  const file = fileNamed(name);
  if (file !== undefined) return fileTopic(file, rest);
  const named = resourcesNamed(name);
  const kind = named.filter(({ variant }) => named.length > 1 && variant === rest[0]?.toLowerCase());
  const [attribute, extra] = kind.length > 0 ? rest.slice(1) : rest;
  const resources = kind.length > 0 ? kind : named;
  if (extra !== undefined)
    throw new SvcError('usage', `expected one field name, but found two: ${attribute} ${extra}`, {
      hint: 'name one field, as in svc explain task scheduledtime',
    });
  return attribute === undefined ? { resources, attribute } : withField(resources, attribute);
}

function fileTopic(file: ExplainedFile, rest: readonly string[]): ExplainTopic {
  if (rest.length === 0) return { resources: [], attribute: undefined, file };
  throw new SvcError('usage', `unexpected argument after svc explain ${file}: ${rest.join(' ')}`, {
    hint: `run svc explain ${file}, or svc explain ${file} -o json for the JSON Schema`,
  });
}

/** Returns the topic's name, such as `task` or `click`. The SMS rule is `automation.sms`, because `sms` is another resource. */
export function formatExplainTopicName(resources: readonly CatalogueResource[]): string {
  const [first, ...others] = resources;
  const { noun = '', variant } = first ?? {};
  if (variant === undefined || others.length > 0) return noun;
  return NOUNS.includes(variant) ? `${noun}.${variant}` : variant;
}

export const isFieldOrFlagName = (word: string): boolean =>
  catalogue.some((resource) => fieldCalled(resource, wordOf(word)) !== undefined);

function resourcesNamed(name: string): readonly CatalogueResource[] {
  const wanted = name.toLowerCase();
  const found = catalogue.filter(
    (each) => each.noun === wanted || each.name.toLowerCase() === wanted || each.variant === wanted,
  );
  const exact = found.filter((each) => each.name === name || each.noun === name);
  if (found.length > 0) return exact.length > 0 ? exact : found;
  const known = [...EXPLAIN_TOPIC_FIRST_WORDS, ...catalogue.map((each) => each.name)];
  const fields = topicsWith(name).map((topic) => `svc explain ${topic}`);
  throw new SvcError('usage', `unknown resource ${name}`, {
    suggestions: [...didYouMean(similarWords(name, known)), `nouns: ${NOUNS.join(', ')}`],
    hints: didYouMean(fields),
  });
}

function withField(resources: readonly CatalogueResource[], text: string): ExplainTopic {
  const word = wordOf(text);
  const attribute = resources.map((each) => fieldCalled(each, word)).find((each) => each !== undefined);
  if (attribute !== undefined) {
    return { resources: resources.filter(({ fields }) => Object.hasOwn(fields, attribute)), attribute };
  }
  const name = resources.length > 1 ? resources[0]?.noun : resources[0]?.name;
  const names = [...new Set(resources.flatMap(({ fields }) => Object.keys(fields)))];
  const flags = resources.flatMap((each) => names.flatMap((field) => flagsCalling(each, field)));
  const elsewhere = topicsWith(text).map((topic) => `svc explain ${topic}`);
  const near = similarWords(word, [...names, ...flags]);
  throw new SvcError('usage', `${name} has no field ${text}`, {
    suggestions: [...didYouMean(near), `fields: ${names.join(', ')}`],
    hints: didYouMean(elsewhere),
  });
}

/** Normalizes a word: `--list-id` and `List_Id` are `list_id`. */
const wordOf = (text: string): string => text.replace(/^-+/, '').replaceAll('-', '_').toLowerCase();

/** Returns the field with that name, else the field of that flag, else the field whose name differs only in underscores. */
function fieldCalled(resource: CatalogueResource, word: string): string | undefined {
  const names = Object.keys(resource.fields);
  return (
    names.find((name) => name === word) ??
    names.find((name) => flagsCalling(resource, name).some((flag) => wordOf(flag) === word)) ??
    names.find((name) => lettersOf(name) === lettersOf(word))
  );
}

const lettersOf = (word: string): string => word.replaceAll('_', '');

function flagsCalling(resource: CatalogueResource, attribute: string): readonly string[] {
  if (!Object.hasOwn(resource.fields, attribute)) return [];
  const { flag, fileFlag, unit, min } = fieldOf(resource, attribute);
  const spans = unit === undefined ? [] : ['after', ...(min === undefined ? ['before'] : [])];
  const { flags = [] } = fieldExplanationOf(resource.name, attribute);
  return [flag, fileFlag, ...spans, ...flags].flatMap((each) => (each === undefined ? [] : [flagName(each)]));
}

/** Suggests up to three topics, such as `task.scheduledtime`, to a user who typed the field without its resource. */
const topicsWith = (text: string): readonly string[] =>
  [
    ...new Set(
      catalogue.flatMap((resource) =>
        Object.hasOwn(resource.fields, wordOf(text)) ? [`${resource.noun}.${wordOf(text)}`] : [],
      ),
    ),
  ].slice(0, 3);

const didYouMean = (words: readonly string[]): readonly string[] =>
  words.length === 0 ? [] : [`did you mean ${words.slice(0, 3).join(' or ')}?`];
