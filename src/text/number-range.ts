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
