/** Reads and writes filters, sort and page of a query (wire, "Requests"). */

import type { Field, Scalar } from '../../kit/schema/field.ts';
import { normaliseByFormat } from '../../kit/schema/formats.ts';
import { sayReason } from '../../kit/schema/reason.ts';
import {
  defaultSortAttributesOf,
  type Finding,
  filtersOf,
  type Resource,
  sortAttributesOf,
} from '../../kit/schema/resource.ts';
import { formatQueryValue, parseBooleanText, parseFieldText } from '../../kit/schema/text-value.ts';
import { fromWireName, type Naming, toWireName } from './naming.ts';
import { MAX_RECORDS_PER_PAGE } from './wire.ts';

export interface ListQuery {
  readonly filters: Readonly<Record<string, Scalar>>;
  readonly sort: string;
  readonly reverse: boolean;
  readonly count: number;
  /** Value of the sort attribute at which the page begins. The page includes records with this value. */
  readonly start?: Scalar;
}

/** Words of a query other than filters. No attribute may have one of these names. */
export const LIST_QUERY_PARAMETERS: readonly string[] = ['sort', 'reverse', 'count', 'start'];

export function defaultSort(resource: Resource): string {
  return defaultSortAttributesOf(resource)[0] ?? 'id';
}

/** Returns the query text of a GET, HEAD or DELETE, without the question mark, in a fixed order. */
export function formatQuery(query: Partial<ListQuery>, naming: Naming): string {
  const parameters = new URLSearchParams();
  for (const [attribute, value] of Object.entries(query.filters ?? {})) {
    parameters.set(toWireName(naming, attribute), formatQueryValue(value));
  }
  if (query.sort !== undefined) parameters.set('sort', toWireName(naming, query.sort));
  if (query.reverse) parameters.set('reverse', 'true');
  if (query.count !== undefined) parameters.set('count', String(query.count));
  if (query.start !== undefined) parameters.set('start', formatQueryValue(query.start));
  return parameters.toString();
}

/** Reports whether all percent-encoded octets are valid UTF-8. Other octets would silently become U+FFFD. */
export function isPercentEncodedUtf8(text: string): boolean {
  return (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((run) => {
    try {
      return decodeURIComponent(run) !== undefined;
    } catch {
      return false;
    }
  });
}

/**
 * Reads a query, and checks it against the resource's declaration.
 * @param filters attributes that the method accepts as filters: the filters of the resource for GET, the declared list for HEAD
 */
export function parseQuery(
  resource: Resource,
  text: string,
  naming: Naming,
  filters: readonly string[] = filtersOf(resource),
): { readonly query: ListQuery; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const given: Record<string, Scalar> = {};
  const reading: QueryReading = { resource, filters, naming, given, findings };
  if (!isPercentEncodedUtf8(text))
    findings.push({ attribute: 'query', reason: 'is not percent-encoded UTF-8' });
  const words = new Map<string, string>();
  for (const [wireName, value] of new URLSearchParams(text)) {
    const name = fromWireName(naming, wireName);
    if (words.has(name) || Object.hasOwn(given, name))
      findings.push({ attribute: name, reason: 'is given twice' });
    else if (LIST_QUERY_PARAMETERS.includes(name)) words.set(name, value);
    else addFilter(reading, name, value);
  }
  const sort = readSort(resource, words.get('sort'), naming, findings);
  const reverse = readBool('reverse', words.get('reverse'), findings);
  const count = readCount(words.get('count'), findings);
  const start = readStart(resource, sort, words.get('start'), findings);
  const query = { filters: given, sort, reverse, count };
  return { query: start === undefined ? query : { ...query, start }, findings };
}

interface QueryReading {
  readonly resource: Resource;
  readonly filters: readonly string[];
  readonly naming: Naming;
  readonly given: Record<string, Scalar>;
  readonly findings: Finding[];
}

function addFilter(reading: QueryReading, name: string, text: string): void {
  const { resource, filters, naming, given, findings } = reading;
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  if (!field) {
    findings.push({ attribute: name, reason: `is not an attribute of ${resource.name}` });
    return;
  }
  if (!filters.includes(name)) {
    findings.push({
      attribute: name,
      reason: 'cannot be filtered by',
      instead: `filters: ${ownNames(filters, naming)}`,
    });
    return;
  }
  const parsed = parseFieldText(field, text);
  if (parsed.ok) given[name] = asStored(field, parsed.value);
  else findings.push({ attribute: name, value: text, reason: parsed.reason });
}

/** Returns the value as it is stored, so that it can be compared: `?contactdata=Someone@Example.com` becomes lower case. */
const asStored = (field: Field, value: Scalar): Scalar =>
  typeof value === 'string' ? normaliseByFormat(field.format, value) : value;

function readSort(resource: Resource, text: string | undefined, naming: Naming, findings: Finding[]): string {
  const fallback = defaultSort(resource);
  if (text === undefined) return fallback;
  const name = fromWireName(naming, text);
  if (sortAttributesOf(resource).includes(name)) return name;
  findings.push({
    attribute: 'sort',
    value: text,
    reason: `cannot be ${text}`,
    instead: `sorts: ${ownNames(sortAttributesOf(resource), naming)}`,
  });
  return fallback;
}

const ownNames = (attributes: readonly string[], naming: Naming): string =>
  attributes.map((attribute) => toWireName(naming, attribute)).join(', ') || 'none';

function readBool(name: string, text: string | undefined, findings: Finding[]): boolean {
  const value = text === undefined ? false : parseBooleanText(text);
  if (value !== undefined) return value;
  findings.push({ attribute: name, value: text, reason: { kind: 'type', type: 'bool' } });
  return false;
}

function readCount(text: string | undefined, findings: Finding[]): number {
  if (text === undefined) return MAX_RECORDS_PER_PAGE;
  if (/^[1-9][0-9]{0,15}$/.test(text)) return Math.min(Number(text), MAX_RECORDS_PER_PAGE);
  findings.push({ attribute: 'count', value: text, reason: 'must be a whole number of at least 1' });
  return MAX_RECORDS_PER_PAGE;
}

function readStart(
  resource: Resource,
  sort: string,
  text: string | undefined,
  findings: Finding[],
): Scalar | undefined {
  const field = resource.fields[sort];
  if (text === undefined || !field) return undefined;
  const parsed = parseFieldText(field, text);
  if (parsed.ok) return parsed.value;
  findings.push({
    attribute: 'start',
    value: text,
    reason: `${sayReason(parsed.reason)}: the request sorts by ${sort}, so start must be the ${sort} of the first record on the page`,
  });
  return undefined;
}
