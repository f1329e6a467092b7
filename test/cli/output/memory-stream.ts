import type { OutputStream } from '../../../src/cli/context.ts';

/** A stream that keeps what is written to it. */
export interface MemoryStream extends OutputStream {
  readonly text: () => string;
  /** How many times it was written to. */
  readonly writes: () => number;
}

export function memoryStream(isTTY = false): MemoryStream {
  const written: string[] = [];
  return {
    isTTY,
    columns: isTTY ? 80 : undefined,
    write: async (text) => {
      written.push(text);
    },
    text: () => written.join(''),
    writes: () => written.length,
  };
}

/** What a terminal would obey, reorder or hide; LF is left out, since every output has lines. */
export const FORBIDDEN = /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/u;
