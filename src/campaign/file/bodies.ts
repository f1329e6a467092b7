/** Items whose attributes are those of a body: what stands in the file, through the checks that every body goes through. */
import type { Scalar } from '../../schema/field.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { checkPayload } from '../../schema/validator.ts';
import { readMark } from '../marks.ts';
import type { Value } from '../model.ts';
import { addFinding, calledIn, type Given, type ItemEntry, type ItemsReading, scalarIn } from './given.ts';
import type { Part } from './parts.ts';
import { attributeOf, type Read } from './values.ts';

/** The body of an item while it is read. */
export interface Body {
  /** A value, or what stands for it in the checks. */
  readonly values: Record<string, Scalar>;
  /** Attributes that are told to be wrong already: the checks pass them over. */
  readonly faulty: Set<string>;
}

export const emptyBody = (): Body => ({ values: Object.create(null), faulty: new Set() });

/** Takes what `read` makes of an attribute, where it is given; a fault is told, and undefined returned. */
export function take<T>(
  reading: ItemsReading,
  item: ItemEntry,
  given: Given | undefined,
  read: (node: NonNullable<ReturnType<typeof scalarIn>>) => Read<T>,
): T | undefined {
  const node = given && scalarIn(reading, item, given);
  if (!given || !node) return undefined;
  const found = read(node);
  if ('value' in found) return found.value;
  const { faults } = reading;
  faults.add(node.place, `${calledIn(item)}${given.spelling} ${found.fault}`);
  return undefined;
}

/** The parts that are just values. */
export function takeValues(
  reading: ItemsReading,
  item: ItemEntry,
  given: ReadonlyMap<string, Given>,
  body: Body,
): void {
  for (const [name, each] of given) {
    if (each.part.takes !== 'value') continue;
    const value = take(reading, item, each, (node) => attributeOf(each.part.field, node));
    if (value === undefined) body.faulty.add(name);
    else body.values[name] = value;
  }
}

/**
 * What passes, normalised, of the attributes in the body. What is required and may be null is null where it is left out
 * (contract, "Forms"), for the rules that tie attributes together.
 */
export function checkBody(
  reading: ItemsReading,
  item: ItemEntry,
  resource: Resource,
  given: ReadonlyMap<string, Given>,
  body: Body,
  parts: readonly Part[],
): Values {
  const { values, faulty } = body;
  const filled: Record<string, unknown> = { ...values };
  for (const name of resource.methods.post?.required ?? [])
    if (!Object.hasOwn(filled, name) && resource.fields[name]?.nullable) filled[name] = null;
  // No value at all: the checks find a fault of their own with it, and so pass over the rules that look at it.
  for (const name of faulty) filled[name] = undefined;
  const { values: checked, findings } = checkPayload(resource, 'POST', 'company', filled, reading.words);
  for (const finding of findings)
    if (!faulty.has(finding.attribute)) addFinding(reading, item, given, finding, parts);
  return Object.fromEntries(Object.entries(checked).filter(([name]) => Object.hasOwn(values, name)));
}

/** What the interface lets be empty, and a campaign doesn't: its records are found by it. */
export function checkName(
  { faults }: ItemsReading,
  item: ItemEntry,
  given: Given | undefined,
  name: unknown,
): void {
  if (!given || typeof name !== 'string') return;
  const { place } = given.node;
  if (name.trim() === '') faults.add(place, `${calledIn(item)}${given.spelling} is empty`);
  if (readMark(name) !== undefined)
    faults.add(
      place,
      `${calledIn(item)}${given.spelling} ends with a mark that svc puts there itself; take it out`,
    );
}

/** Of values that JSON can say. */
export const asValues = (values: Values): Readonly<Record<string, Value>> =>
  values as Readonly<Record<string, Value>>;
