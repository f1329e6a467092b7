/** Reads automation rules of a campaign's file. */
import { RULE_KINDS, type RuleKind, ruleResource } from '../../resources/rule-kinds.ts';
import type { Scalar } from '../../schema/field.ts';
import { parseIntegerDigits } from '../../schema/integer.ts';
import type { MessageReference, WantedRule } from '../model.ts';
import { messageAttributesOfRule, referenceAttributesOfRule } from '../plan/rule-references.ts';
import {
  addItemFault,
  castToJsonValues,
  checkItemBody,
  type ItemEntry,
  type ItemReadContext,
  type ItemReading,
  invalidValueMessageEnding,
  readAttribute,
  readAttributeValue,
  readDurationValue,
  readIdValue,
  readIntoBody,
  readMessageReference,
  readRecordTakenOverByItem,
  rejectEmptyItemName,
  startReadingItem,
  type ValueOrFault,
} from './attributes.ts';
import { ruleAttributeSpecs } from './parts.ts';

export function readRuleItem(context: ItemReadContext, item: ItemEntry): WantedRule | undefined {
  const rule = readRuleKind(item);
  if (!rule) {
    const entry = item.mapping.entries.find(({ key }) => key === 'kind');
    const kinds = `${RULE_KINDS.slice(0, -1).join(', ')} or ${RULE_KINDS.at(-1)}`;
    const reason = entry
      ? `must be ${kinds}${invalidValueMessageEnding(entry.value)}`
      : `is required: ${kinds}`;
    addItemFault(context, item, entry?.value.place ?? item.place, `kind ${reason}`);
    return undefined;
  }
  const reading = startReadingItem(context, item, ruleResource(rule), ruleAttributeSpecs(rule));
  delete reading.body['kind'];
  readDurations(reading);
  const references = readReferences(reading, rule);
  const checked = checkItemBody(reading);
  rejectEmptyItemName(reading, checked['name']);
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
    ...readRecordTakenOverByItem(reading, rule),
  };
}

/** Reads the kind of the rule, which decides which other attributes the rule takes. The kind can't be a variable. */
function readRuleKind({ mapping }: ItemEntry): RuleKind | undefined {
  const node = mapping.entries.find(({ key }) => key === 'kind')?.value;
  if (node?.kind !== 'scalar' || node.variables !== 'none') return undefined;
  return RULE_KINDS.find((kind) => kind === node.value);
}

/** Reads `after` and `before`, in the unit that the rule's kind uses (contract, "Flags for attributes", Durations). */
function readDurations(reading: ItemReading): void {
  for (const [attribute, { spec }] of reading.given) {
    const { takes, field } = spec;
    if (takes !== 'after' && takes !== 'before') continue;
    readIntoBody(reading, attribute, (node) => {
      const found = readDurationValue(node, field.unit ?? 'seconds');
      if ('fault' in found) return found;
      if (found.value === null) return { fault: 'must be a duration, such as 2d' };
      return { value: takes === 'before' && found.value !== 0 ? -found.value : found.value };
    });
  }
}

/** Reads the references that are not null. The checks of the body need ids, so the body gets placeholders. */
function readReferences(reading: ItemReading, rule: RuleKind): Readonly<Record<string, MessageReference>> {
  const { given, body, faulty, messages, resource } = reading;
  const references: Record<string, MessageReference> = {};
  const actiontype = body['actiontype'];
  const isAction = resource.fields['actiontype']?.values?.includes(String(actiontype)) ?? true;
  const refers = referenceAttributesOfRule(rule, { actiontype });
  const channels = messageAttributesOfRule(rule, { actiontype });
  for (const [attribute, { spec }] of given) {
    const { takes, field } = spec;
    if (takes !== 'message' && takes !== 'id' && takes !== 'target') continue;
    if (takes === 'target' && (!isAction || !refers.includes(attribute))) {
      readIntoBody(reading, attribute, (node) => readAttributeValue(field, node));
      continue;
    }
    const channel = channels[attribute];
    const found = readAttribute(reading, attribute, (node): ValueOrFault<MessageReference | null> => {
      if (channel !== undefined) return readMessageReference(node, messages, channel);
      const id = readIdValue(node, attribute === 'link_id' ? 'a link' : 'a list');
      if ('fault' in id) return id;
      return { value: id.value === null ? null : { id: id.value } };
    });
    if (found === undefined) faulty.add(attribute);
    else body[attribute] = found === null ? null : placeholder(found, field.kind === 'string');
    if (found) references[attribute] = found;
  }
  return references;
}

/** Returns the id of the reference, or 1 if svc does not know the id yet, because the checks of the body need a valid id. */
function placeholder(reference: MessageReference, isText: boolean): Scalar {
  const digits = 'id' in reference ? reference.id : '1';
  return isText ? digits : parseIntegerDigits(digits);
}
