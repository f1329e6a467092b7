/** Reads automation rules of a campaign's file. */
import { RULE_KINDS, type RuleKind, ruleResource } from '../../resources/rule-kinds.ts';
import type { Scalar } from '../../schema/field.ts';
import { parseIntegerDigits } from '../../schema/integer.ts';
import type { MessageReference, WantedRule } from '../model.ts';
import { messageAttributesOfRule, referenceAttributesOfRule } from '../plan/rule-references.ts';
import { readRecordTakenOverByItem } from './adopted.ts';
import {
  castToJsonValues,
  checkAndNormalizeItemBody,
  emptyItemRequestBody,
  type ItemRequestBody,
  readItemAttributeValue,
  readPlainValueAttributesIntoBody,
  rejectEmptyItemName,
} from './bodies.ts';
import {
  formatItemFaultPrefix,
  type ItemAttribute,
  type ItemEntry,
  type ItemReadContext,
  invalidValueMessageEnding,
  readItemAttributes,
} from './given.ts';
import { ruleAttributeSpecs } from './parts.ts';
import {
  readAttributeValue,
  readDurationValue,
  readIdValue,
  readMessageReference,
  type ValueOrFault,
} from './values.ts';

export function readRuleItem(reading: ItemReadContext, item: ItemEntry): WantedRule | undefined {
  const rule = readRuleKind(item);
  if (!rule) {
    const entry = item.mapping.entries.find(({ key }) => key === 'kind');
    const kinds = `${RULE_KINDS.slice(0, -1).join(', ')} or ${RULE_KINDS.at(-1)}`;
    const reason = entry
      ? `must be ${kinds}${invalidValueMessageEnding(entry.value)}`
      : `is required: ${kinds}`;
    reading.faults.add(entry?.value.place ?? item.place, `${formatItemFaultPrefix(item)}kind ${reason}`);
    return undefined;
  }
  const resource = ruleResource(rule);
  const specs = ruleAttributeSpecs(rule);
  const givenAttributes = readItemAttributes(reading, item, specs, Object.keys(resource.fields));
  const body = emptyItemRequestBody();
  readPlainValueAttributesIntoBody(reading, item, givenAttributes, body);
  delete body.values['kind'];
  readDurations(reading, item, givenAttributes, body);
  const references = readReferences(reading, item, rule, givenAttributes, body);
  const checked = checkAndNormalizeItemBody(reading, item, resource, givenAttributes, body, specs);
  rejectEmptyItemName(reading, item, givenAttributes.get('name'), checked['name']);
  const { name, paused, ...rest } = checked;
  const values = Object.fromEntries(
    Object.entries(rest).filter(([attribute]) => !Object.hasOwn(references, attribute)),
  );
  return {
    kind: 'automation',
    key: item.key,
    rule,
    name: String(name ?? ''),
    values: castToJsonValues(values),
    references,
    paused: paused === true,
    ...readRecordTakenOverByItem(reading, item, givenAttributes, rule),
  };
}

/** Reads the kind of the rule, which decides which other attributes the rule takes. The kind can't be a variable. */
function readRuleKind({ mapping }: ItemEntry): RuleKind | undefined {
  const node = mapping.entries.find(({ key }) => key === 'kind')?.value;
  if (node?.kind !== 'scalar' || node.variables !== 'none') return undefined;
  return RULE_KINDS.find((kind) => kind === node.value);
}

/** Reads `after` and `before`, in the unit that the rule's kind uses (contract, "Flags for attributes", Durations). */
function readDurations(
  reading: ItemReadContext,
  item: ItemEntry,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  body: ItemRequestBody,
): void {
  for (const [attribute, each] of givenAttributes) {
    const { takes, field } = each.spec;
    if (takes !== 'after' && takes !== 'before') continue;
    const span = readItemAttributeValue(reading, item, each, (node): ValueOrFault<number> => {
      const found = readDurationValue(node, field.unit ?? 'seconds');
      if ('fault' in found) return found;
      return found.value === null ? { fault: 'must be a duration, such as 2d' } : { value: found.value };
    });
    if (span === undefined) body.faultyAttributes.add(attribute);
    else body.values[attribute] = takes === 'before' && span !== 0 ? -span : span;
  }
}

/**
 * Reads the attributes that refer to a record and are not null. Puts a placeholder for each into the body, because the checks of the body
 * need an id.
 */
function readReferences(
  reading: ItemReadContext,
  item: ItemEntry,
  rule: RuleKind,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  body: ItemRequestBody,
): Readonly<Record<string, MessageReference>> {
  const references: Record<string, MessageReference> = {};
  const actiontype = body.values['actiontype'];
  const isAction = ruleResource(rule).fields['actiontype']?.values?.includes(String(actiontype)) ?? true;
  const refers = referenceAttributesOfRule(rule, { actiontype });
  const channels = messageAttributesOfRule(rule, { actiontype });
  for (const [attribute, each] of givenAttributes) {
    const { takes, field } = each.spec;
    if (takes !== 'message' && takes !== 'id' && takes !== 'target') continue;
    if (takes === 'target' && (!isAction || !refers.includes(attribute))) {
      const value = readItemAttributeValue(reading, item, each, (node) => readAttributeValue(field, node));
      if (value === undefined) body.faultyAttributes.add(attribute);
      else body.values[attribute] = value;
      continue;
    }
    const channel = channels[attribute];
    const found = readItemAttributeValue(
      reading,
      item,
      each,
      (node): ValueOrFault<MessageReference | null> => {
        if (channel !== undefined) return readMessageReference(node, reading.messages, channel);
        const id = readIdValue(node, attribute === 'link_id' ? 'a link' : 'a list');
        if ('fault' in id) return id;
        return { value: id.value === null ? null : { id: id.value } };
      },
    );
    if (found === undefined) body.faultyAttributes.add(attribute);
    else body.values[attribute] = found === null ? null : placeholder(found, field.kind === 'string');
    if (found) references[attribute] = found;
  }
  return references;
}

/**
 * Returns the id that the reference contains. If the reference names a message by key or name, svc does not know the id yet. The function
 * then returns 1, because the checks of the request body need some valid id.
 * @param isText true to return the id as text, false to return a number
 */
function placeholder(reference: MessageReference, isText: boolean): Scalar {
  const digits = 'id' in reference ? reference.id : '1';
  return isText ? digits : parseIntegerDigits(digits);
}
