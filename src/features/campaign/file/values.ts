/** Reads the values of `${{ name }}`: the section `values` of a campaign file, and a file of `--values`. */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readIdText } from '../../../kit/schema/integer.ts';
import { similarWords } from '../../../kit/text/words.ts';
import {
  type ContentFileLimits,
  decodeText,
  describeReadError,
  readContentFile,
  refuseSecrets,
} from './content-files.ts';
import {
  type CampaignFault,
  createFaultCollector,
  type Faults,
  type FilePosition,
  readDocument,
  type YamlNode,
} from './document.ts';
import { type TextWithReplacedVariables, VARIABLE_NAME_PATTERN } from './variables.ts';

export const VALUES_SECTION = 'values';

/** Keys of a values file with a section for each company, and for each profile. */
const COMPANIES_SECTION = 'companies';
const PROFILES_SECTION = 'profiles';
const SECTIONS: readonly string[] = [COMPANIES_SECTION, PROFILES_SECTION];

export interface NamedValue {
  /** Entries of a list are joined by a comma and a space. */
  readonly text: string;
  readonly place: FilePosition;
}

export type NamedValues = ReadonlyMap<string, NamedValue>;

export interface ValuesFile {
  /** Path as the user typed it. */
  readonly path: string;
  readonly values: NamedValues;
  /** Keys are the ids of the companies. */
  readonly companies: ValuesSections;
  readonly profiles: ValuesSections;
}

type ValuesSections = ReadonlyMap<string, { readonly place: FilePosition; readonly values: NamedValues }>;

/** A value can't use variables, so that a reader finds it in one place. */
export function refuseVariables(text: string): TextWithReplacedVariables {
  const offset = text.search(/(?<!\$)\$\{\{/);
  const message = `a value cannot use a variable; write $\${{ for the characters themselves`;
  return {
    text: text.replaceAll('$${{', () => '${{'),
    variables: 'none',
    names: [],
    faults: offset < 0 ? [] : [{ offset, message }],
  };
}

/** A faulty value counts as empty, so that its uses are not faults too. @param what begins each fault: `values` */
export function readNamedValues(node: YamlNode | undefined, faults: Faults, what: string): NamedValues {
  const values = new Map<string, NamedValue>();
  if (node === undefined || node.kind === 'faulty' || (node.kind === 'scalar' && node.value === null))
    return values;
  if (node.kind !== 'mapping') {
    faults.add(node.place, `${what} must map names to values, as in "newsletter: 7"`);
    return values;
  }
  for (const { key, place, value } of node.entries) {
    const isName = VARIABLE_NAME_PATTERN.test(key) && !SECTIONS.includes(key);
    if (!isName) faults.add(place, `${what}: ${JSON.stringify(key)} ${NAME_FAULT}`);
    else if (value.kind === 'mapping' && what === WHOLE_FILE) faults.add(place, `${key} ${SECTION_FAULT}`);
    else values.set(key, { text: textOf(value, faults, key) ?? '', place });
  }
  return values;
}

const NAME_FAULT = `cannot be the name of a value: a name has 1 to 64 letters, digits, _ and -, begins with a letter or _, and is not ${SECTIONS.join(' or ')}`;

const WHOLE_FILE = 'the values file';
const SECTION_FAULT =
  'must be a text, a number or a list of them; sections are companies: {12: {newsletter: 7}} and profiles: {production: {newsletter: 7}}';

function textOf(node: YamlNode, faults: Faults, name: string): string | undefined {
  if (node.kind === 'faulty') return undefined;
  if (node.kind === 'list' && node.entries.length > 0) {
    const texts = node.entries.map((entry) =>
      entry.kind === 'list' ? refused(entry, faults, name) : textOf(entry, faults, name),
    );
    return texts.join(', ');
  }
  const isValue = node.kind === 'scalar' && node.value !== null && typeof node.value !== 'boolean';
  return isValue ? node.source : refused(node, faults, name);
}

function refused(node: YamlNode, faults: Faults, name: string): undefined {
  const quotes =
    node.kind === 'scalar' && typeof node.value === 'boolean' ? `; put ${node.source} in quotes` : '';
  faults.add(node.place, `${name} must be a text, a number or a list of them${quotes}`);
}

/** @param path as the user typed it, because the faults name the file in this way */
export async function readValuesFile(
  path: string,
  { cwd, limits }: { readonly cwd: string; readonly limits: ContentFileLimits },
): Promise<ValuesFile | { readonly faults: readonly CampaignFault[] }> {
  const faults = createFaultCollector(path);
  const text = await readValuesText(resolve(cwd, path), limits);
  if ('fault' in text) faults.add({ line: 1, column: 1 }, `the file ${text.fault}`);
  const root =
    'text' in text
      ? readDocument(text.text, faults, {
          unlessMapping: 'a values file must map names to values, as in "newsletter: 7"',
          replace: refuseVariables,
          hasNumberKeys: true,
        })
      : undefined;
  if (!root) return { faults: faults.all() };
  const own = root.entries.filter(({ key }) => !SECTIONS.includes(key));
  const values = readNamedValues({ ...root, entries: own }, faults, WHOLE_FILE);
  const sectionOf = (name: string) => root.entries.find(({ key }) => key === name)?.value;
  const companies = readSections(sectionOf(COMPANIES_SECTION), faults, COMPANIES);
  const profiles = readSections(sectionOf(PROFILES_SECTION), faults, PROFILES);
  return faults.all().length > 0 ? { faults: faults.all() } : { path, values, companies, profiles };
}

const MAX_VALUES_FILE_OCTETS = 4 * 1024 * 1024;

async function readValuesText(
  path: string,
  limits: ContentFileLimits,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  try {
    const found = refuseSecrets(await readContentFile(await realpath(path), MAX_VALUES_FILE_OCTETS), limits);
    if ('fault' in found) return found;
    const text = decodeText(found.octets);
    return text === undefined ? { fault: 'is not UTF-8 text' } : { text };
  } catch (error) {
    return { fault: describeReadError(error) };
  }
}

interface SectionKind {
  readonly name: string;
  readonly noun: string;
  readonly example: string;
  readonly keyOf: (text: string) => string | undefined;
}

const COMPANIES: SectionKind = {
  ...{ name: COMPANIES_SECTION, noun: 'company', example: '12: {newsletter: 7}' },
  keyOf: (text) => readIdText(text)?.toString(),
};
const PROFILES: SectionKind = {
  ...{ name: PROFILES_SECTION, noun: 'profile', example: 'production: {newsletter: 7}' },
  keyOf: (text) => text,
};

function readSections(node: YamlNode | undefined, faults: Faults, kind: SectionKind): ValuesSections {
  const { name, noun, example, keyOf } = kind;
  const sections = new Map<string, { readonly place: FilePosition; readonly values: NamedValues }>();
  if (node === undefined || node.kind === 'faulty' || (node.kind === 'scalar' && node.value === null))
    return sections;
  if (node.kind !== 'mapping') {
    faults.add(node.place, `${name} must map each ${noun} to values, as in "${example}"`);
    return sections;
  }
  for (const { key, place, value } of node.entries) {
    const found = keyOf(key);
    if (found === undefined) faults.add(place, `${name}: ${JSON.stringify(key)} is not the id of a ${noun}`);
    else if (sections.has(found)) faults.add(place, `${name}: ${noun} ${found} appears twice`);
    else sections.set(found, { place, values: readNamedValues(value, faults, `${noun} ${key}`) });
  }
  return sections;
}

/** A company's section takes the place of a profile's, and both of the values for all. */
export const valuesOfCompany = (
  { values, companies, profiles }: ValuesFile,
  company: string | undefined,
  profile?: string | undefined,
): NamedValues =>
  new Map([
    ...values,
    ...(profiles.get(profile ?? '')?.values ?? []),
    ...(companies.get(company ?? '')?.values ?? []),
  ]);

/** Returns a fault for each value, also in sections of other companies, whose name no campaign file uses. */
export function findUnusedValues(
  { path, values, companies, profiles }: ValuesFile,
  used: ReadonlySet<string>,
): readonly CampaignFault[] {
  const unused = (own: NamedValues): readonly CampaignFault[] =>
    [...own].flatMap(([name, { place }]) =>
      used.has(name) ? [] : [{ file: path, ...place, message: sayUnused(name, used) }],
    );
  return [
    ...unused(values),
    ...[...companies.values(), ...profiles.values()].flatMap((section) => unused(section.values)),
  ];
}

/** @param used names that the campaign file uses, also without a value */
export function sayUnused(name: string, used: ReadonlySet<string>): string {
  const [near] = similarWords(name, [...used]);
  return `the campaign file does not use \${{ ${name} }}${near === undefined ? '' : `; did you mean ${near}?`}`;
}
