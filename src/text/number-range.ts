export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** `9000..11000`, or `447` for exactly that; both ends are part of it. Undefined for anything else, and where the higher one is first. */
export function parseNumberRange(text: string): NumberRange | undefined {
  const [, from, to = from] = /^([0-9]{1,12})(?:\.\.([0-9]{1,12}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  return range.from <= range.to ? range : undefined;
}

/** What to say of a text that is none. */
export const NO_RANGE = {
  reason: 'must be two numbers, the lower one first, or one',
  instead: 'write 9000..11000, or 447 for exactly that',
} as const;
