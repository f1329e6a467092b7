import type { OutputStream } from '../../../src/cli/outside/context.ts';

/** A stream that keeps the text written to it. */
export interface MemoryStream extends OutputStream {
  readonly text: () => string;
  /** Returns the number of writes. */
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

/** Matches characters that a terminal would obey, reorder or hide, except LF, which every output has. */
export const FORBIDDEN =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\uffa0\u115f\u1160\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/u;
