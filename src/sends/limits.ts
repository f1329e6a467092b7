/** Checks the size and the cost of a task. The service shows the size only once the task exists (contract, "Safety"). */
import type { Client } from '../client/client.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { task } from '../resources/task.ts';
import { taskId } from './cancel.ts';
import { creditsPerRecipient } from './cost.ts';
import type { TaskCheck } from './errors.ts';

/** Maximum number of subscriptions on a list to which svc sends a proof of a message (contract, "The everyday screen"). */
export const MAX_PROOF_RECIPIENTS = 10;

/** Limits that the user sets for a task. Null means no limit. */
interface TaskLimits {
  readonly expectSize: NumberRange | null;
  readonly maxCredits: number | null;
}

/** A size or cost beyond its limit. */
interface ExceededLimit {
  readonly kind: 'unexpected-size' | 'unexpected-cost';
  /** Text that follows the task's name in a message: `has 3 subscriptions, expected 1`. */
  readonly words: string;
}

/** Returns the first limit that the size or the cost exceeds, or undefined. An unknown size or cost exceeds every limit. */
export function findExceededLimit(
  { expectSize, maxCredits }: TaskLimits,
  { size, credits }: { readonly size: number | null; readonly credits: number | null },
): ExceededLimit | undefined {
  if (expectSize !== null && (size === null || size < expectSize.from || size > expectSize.to)) {
    const found = `has ${size ?? 'an unknown number of'} subscriptions`;
    return { kind: 'unexpected-size', words: `${found}, expected ${rangeInWords(expectSize)}` };
  }
  if (maxCredits !== null && (credits === null || credits > maxCredits)) {
    const cost = `would cost ${credits ?? 'an unknown number of'} credits`;
    return { kind: 'unexpected-cost', words: `${cost}, but the maximum is ${maxCredits}` };
  }
  return undefined;
}

const rangeInWords = ({ from, to }: NumberRange): string => (from === to ? `${from}` : `${from} to ${to}`);

/**
 * Creates a check that compares a task with its limits.
 * @param hint advice if a limit is exceeded
 */
export function createLimitsCheck(
  limits: TaskLimits,
  title: (record: JsonObject) => string,
  hint: string,
): TaskCheck {
  return async (record, client) => {
    if (limits.expectSize === null && limits.maxCredits === null) return undefined;
    const size = await knownSize(client, record);
    const excess = findExceededLimit(limits, {
      size,
      credits: await knownCost(client, record, size, limits),
    });
    return excess && { kind: excess.kind, why: `${title(record)} ${excess.words}`, hint };
  };
}

/** Returns the size of the task. If the record has no size, reads the task once more. Returns null if that answer has no size either. */
async function knownSize(client: Client, record: JsonObject): Promise<number | null> {
  const { size } = record;
  if (typeof size === 'number') return size;
  const read = await client.get(task, taskId(record)).catch(() => undefined);
  return typeof read?.['size'] === 'number' ? read['size'] : null;
}

async function knownCost(
  client: Client,
  record: JsonObject,
  size: number | null,
  { maxCredits }: TaskLimits,
): Promise<number | null> {
  if (maxCredits === null || size === null) return null;
  const each = await creditsPerRecipient(client, record);
  return each === undefined ? null : size * each;
}

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads `9000..11000`, or `447` for exactly that number. Both ends are included. Returns undefined for any other text, and if the first
 * number is higher than the second.
 */
export function parseNumberRange(text: string): NumberRange | undefined {
  const [, from, to = from] = /^([0-9]{1,12})(?:\.\.([0-9]{1,12}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  return range.from <= range.to ? range : undefined;
}

/** Problem and advice for a text that is no range of numbers. */
export const INVALID_NUMBER_RANGE_FAULT = {
  reason: 'must be one number, or two numbers, the lower one first',
  instead: 'write 9000..11000, or 447 for exactly 447',
} as const;
