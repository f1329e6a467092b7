/** Reads the attributes of an item as a request body, and checks them as every request body is checked. */
import type { Scalar } from '../../schema/field.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { checkPayload } from '../../schema/validator.ts';
import { parseCampaignMark } from '../marks.ts';
import type { Value } from '../model.ts';
import {
  addRequestBodyFault,
  formatItemFaultPrefix,
  type ItemAttribute,
  type ItemEntry,
  type ItemReadContext,
  requireScalarValue,
} from './given.ts';
import type { AttributeSpec } from './parts.ts';
import { readAttributeValue, type ValueOrFault } from './values.ts';

/** Request body of an item, with the attributes that svc has read from the campaign file so far. */
export interface ItemRequestBody {
  /** Values by attribute. Attributes whose value is not known yet have a placeholder that passes the checks. */
  readonly values: Record<string, Scalar>;
  /** Attributes with a reported fault. The checks skip them. */
  readonly faultyAttributes: Set<string>;
}

/** Returns a body without values. The caller then adds the attributes of an item. */
export const emptyItemRequestBody = (): ItemRequestBody => ({
  values: Object.create(null),
  faultyAttributes: new Set(),
});

/**
 * Calls `read` with the value of an attribute and returns the result. Returns undefined if the item does not give the attribute. If `read`
 * fails, reports the fault and returns undefined.
 */
export function readItemAttributeValue<T>(
  reading: ItemReadContext,
  item: ItemEntry,
  givenAttribute: ItemAttribute | undefined,
  read: (node: NonNullable<ReturnType<typeof requireScalarValue>>) => ValueOrFault<T>,
): T | undefined {
  const node = givenAttribute && requireScalarValue(reading, item, givenAttribute);
  if (!givenAttribute || !node) return undefined;
  const found = read(node);
  if ('value' in found) return found.value;
  const { faults } = reading;
  faults.add(node.place, `${formatItemFaultPrefix(item)}${givenAttribute.spelling} ${found.fault}`);
  return undefined;
}

/** Reads the attributes that are plain values. */
export function readPlainValueAttributesIntoBody(
  reading: ItemReadContext,
  item: ItemEntry,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  body: ItemRequestBody,
): void {
  for (const [name, each] of givenAttributes) {
    if (each.spec.takes !== 'value') continue;
    const value = readItemAttributeValue(reading, item, each, (node) =>
      readAttributeValue(each.spec.field, node),
    );
    if (value === undefined) body.faultyAttributes.add(name);
    else body.values[name] = value;
  }
}

/**
 * Checks the body and returns its values, normalized and without the faulty ones. If the file omits a required attribute that may be null,
 * the attribute is null (contract, "Forms"). The checks that compare attributes need this null.
 */
export function checkAndNormalizeItemBody(
  reading: ItemReadContext,
  item: ItemEntry,
  resource: Resource,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  body: ItemRequestBody,
  attributeSpecs: readonly AttributeSpec[],
): Values {
  const { values, faultyAttributes: faulty } = body;
  const filled: Record<string, unknown> = { ...values };
  for (const name of resource.methods.post?.required ?? [])
    if (!Object.hasOwn(filled, name) && resource.fields[name]?.nullable) filled[name] = null;
  // Undefined makes the checks report a fault of their own, and so skip the rules that use the attribute.
  for (const name of faulty) filled[name] = undefined;
  const { values: checked, findings } = checkPayload(resource, 'POST', 'company', filled, reading.words);
  for (const finding of findings)
    if (!faulty.has(finding.attribute))
      addRequestBodyFault(reading, item, givenAttributes, finding, attributeSpecs);
  return Object.fromEntries(Object.entries(checked).filter(([name]) => Object.hasOwn(values, name)));
}

/** Rejects an empty name. The interface allows it, but a campaign finds its records by name. */
export function rejectEmptyItemName(
  { faults }: ItemReadContext,
  item: ItemEntry,
  givenAttribute: ItemAttribute | undefined,
  name: unknown,
): void {
  if (!givenAttribute || typeof name !== 'string') return;
  const { place } = givenAttribute.node;
  if (name.trim() === '')
    faults.add(place, `${formatItemFaultPrefix(item)}${givenAttribute.spelling} is empty`);
  if (parseCampaignMark(name) !== undefined)
    faults.add(
      place,
      `${formatItemFaultPrefix(item)}${givenAttribute.spelling} ends with a mark ([svc-…]); remove the mark, because svc adds it`,
    );
}

/** Converts the values to values that JSON can represent. */
export const castToJsonValues = (values: Values): Readonly<Record<string, Value>> =>
  values as Readonly<Record<string, Value>>;
