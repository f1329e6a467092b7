/** Reads the value of an attribute in the file. */
import type { Channel } from '../../resources/task.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import { readIdText } from '../../schema/integer.ts';
import { parseFieldText } from '../../schema/text-value.ts';
import { INVALID_NUMBER_RANGE_FAULT, type NumberRange, parseNumberRange } from '../../sends/limits.ts';
import { parseDuration } from '../../text/duration.ts';
import { unstorableTextReason } from '../../text/words.ts';
import type { MessageReference } from '../model.ts';
import type { YamlScalarNode } from './document.ts';

/** Value that was read, or the fault that prevents reading it. */
export type ValueOrFault<T> = { readonly value: T } | { readonly fault: string };

/**
 * Converts a value in the campaign file to a value for a request body. Returns a fault if the conversion is not possible. The checks of the
 * request body find all other faults later.
 */
export function readAttributeValue(field: Field, node: YamlScalarNode): ValueOrFault<Scalar> {
  const { value, source, variables } = node;
  if (value === '' && (field.nullable || field.kind !== 'string'))
    return { fault: field.nullable ? 'is empty; write null if you mean null' : 'is empty' };
  if (typeof value === 'string' && variables === 'whole' && field.kind !== 'string') {
    const parsed = parseFieldText(field, value);
    return parsed.ok ? { value: parsed.value } : { fault: `${parsed.reason}, not ${JSON.stringify(value)}` };
  }
  if (field.kind === 'string') {
    // Keeps the written digits, because a sender may begin with a zero.
    if (typeof value === 'number' || typeof value === 'bigint') return { value: source };
    if (typeof value === 'boolean') return { fault: `must be text; put ${source} in quotes` };
  }
  if (typeof value === 'bigint') return { fault: `is too large: ${source}` };
  return { value };
}

/** Returns the id in decimal digits, or null if the value is null. */
export function readIdValue(node: YamlScalarNode, noun: string): ValueOrFault<string | null> {
  const { value, source } = node;
  if (value === null) return { value: null };
  if (source.trim() === '') return { fault: `is empty; give the id of ${noun}` };
  const id = typeof value === 'boolean' ? undefined : readIdText(source.trim());
  return id === undefined
    ? { fault: `must be the id of ${noun}, not ${JSON.stringify(source)}` }
    : { value: String(id) };
}

/** Returns the message that the value names: by a key of the file, by an id, or by its exact name. */
export function readMessageReference(
  node: YamlScalarNode,
  messages: ReadonlyMap<string, Channel | undefined>,
  channel: Channel | undefined,
): ValueOrFault<MessageReference | null> {
  const { value, source } = node;
  if (value === null) return { value: null };
  if (source.trim() === '')
    return { fault: 'is empty; give a key of the file, an id or the name of a message' };
  if (typeof value === 'boolean') return { fault: `must be a message; put ${source} in quotes` };
  if (messages.has(source)) {
    const found = messages.get(source);
    return channel !== undefined && found !== undefined && found !== channel
      ? { fault: `is message ${source}, which is for ${found}; ${channel} is needed` }
      : { value: { key: source } };
  }
  const id = readIdText(source);
  if (id !== undefined) return { value: { id: String(id) } };
  if (typeof value !== 'string' || /^[0-9]+$/.test(source)) return { fault: `${source} is not an id` };
  const broken = unstorableTextReason(source);
  return broken === undefined ? { value: { name: source } } : { fault: broken };
}

/** Returns a duration as a number of the given units. */
export function readDurationValue(
  node: YamlScalarNode,
  unit: 'seconds' | 'minutes',
): ValueOrFault<number | null> {
  const { value, source } = node;
  if (value === null) return { value: null };
  const seconds = typeof value === 'boolean' ? undefined : parseDuration(source);
  if (seconds === undefined)
    return { fault: `is not a duration: ${JSON.stringify(source)}; write 2d, 3h or 90m` };
  const number = unit === 'minutes' ? seconds / 60 : seconds;
  return Number.isInteger(number) ? { value: number } : { fault: `is not a whole number of ${unit}` };
}

/**
 * Reads the expected number of recipients of a task: a number such as `447`, or a range such as `9000..11000`. Returns the value null if
 * the file gives null.
 */
export function readSizeRange({ value, source }: YamlScalarNode): ValueOrFault<NumberRange | null> {
  if (value === null) return { value: null };
  const range = parseNumberRange(source.trim());
  return range === undefined
    ? { fault: `${INVALID_NUMBER_RANGE_FAULT.reason}; ${INVALID_NUMBER_RANGE_FAULT.instead}` }
    : { value: range };
}
