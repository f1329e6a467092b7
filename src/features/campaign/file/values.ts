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

/** Key of a values file with a section for each company. */
const COMPANIES_SECTION = 'companies';

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
  readonly companies: ReadonlyMap<string, { readonly place: FilePosition; readonly values: NamedValues }>;
}

/** A value can't use variables, so that a reader finds it in one place. */
export function refuseVariables(text: string): TextWithReplacedVariables {
  const offset = text.search(/(?<!\$)\$\{\{/);
  const message = `a value cannot use a variable; write $\${{ for the characters themselves`;
  return {
    text: text.replaceAll('$${{', () => '${{'),
    variables: 'none',
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
    const isName = VARIABLE_NAME_PATTERN.test(key) && key !== COMPANIES_SECTION;
    if (!isName) faults.add(place, `${what}: ${JSON.stringify(key)} ${NAME_FAULT}`);
    else values.set(key, { text: textOf(value, faults, key) ?? '', place });
  }
  return values;
}

const NAME_FAULT = `cannot be the name of a value: a name has 1 to 64 letters, digits, _ and -, begins with a letter or _, and is not ${COMPANIES_SECTION}`;

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
  const own = root.entries.filter(({ key }) => key !== COMPANIES_SECTION);
  const values = readNamedValues({ ...root, entries: own }, faults, 'the values file');
  const companies = readCompanies(root.entries.find(({ key }) => key === COMPANIES_SECTION)?.value, faults);
  return faults.all().length > 0 ? { faults: faults.all() } : { path, values, companies };
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

function readCompanies(node: YamlNode | undefined, faults: Faults): ValuesFile['companies'] {
  const companies = new Map<string, { readonly place: FilePosition; readonly values: NamedValues }>();
  if (node === undefined || node.kind === 'faulty' || (node.kind === 'scalar' && node.value === null))
    return companies;
  if (node.kind !== 'mapping') {
    faults.add(
      node.place,
      `${COMPANIES_SECTION} must map ids of companies to values, as in "12: {newsletter: 7}"`,
    );
    return companies;
  }
  for (const { key, place, value } of node.entries) {
    const id = readIdText(key);
    if (id === undefined)
      faults.add(place, `${COMPANIES_SECTION}: ${JSON.stringify(key)} is not the id of a company`);
    else if (companies.has(String(id)))
      faults.add(place, `${COMPANIES_SECTION}: company ${id} appears twice`);
    else companies.set(String(id), { place, values: readNamedValues(value, faults, `company ${key}`) });
  }
  return companies;
}

/** Returns the values for one company, or those for all if the company is undefined. */
export function valuesOfCompany({ values, companies }: ValuesFile, company: string | undefined): NamedValues {
  return new Map([...values, ...((company !== undefined && companies.get(company)?.values) || [])]);
}

/** Returns a fault for each value, also in sections of other companies, whose name no campaign file uses. */
export function findUnusedValues(
  { path, values, companies }: ValuesFile,
  used: ReadonlySet<string>,
): readonly CampaignFault[] {
  const unused = (own: NamedValues): readonly CampaignFault[] =>
    [...own].flatMap(([name, { place }]) =>
      used.has(name) ? [] : [{ file: path, ...place, message: sayUnused(name, used) }],
    );
  return [...unused(values), ...[...companies.values()].flatMap((section) => unused(section.values))];
}

/** @param used names that the campaign file uses, also without a value */
export function sayUnused(name: string, used: ReadonlySet<string>): string {
  const [near] = similarWords(name, [...used]);
  return `the campaign file does not use \${{ ${name} }}${near === undefined ? '' : `; did you mean ${near}?`}`;
}
