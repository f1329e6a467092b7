/**
 * Discards what is typed while no question is open, around a question whose answer is hidden. Otherwise the terminal would echo a key that is
 * pasted too early or twice, or the next question would show it.
 */

export interface TypedInput {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
  readonly on: (event: 'data', listener: (data: Buffer | string) => void) => unknown;
  readonly off: (event: 'data', listener: (data: Buffer | string) => void) => unknown;
  readonly resume: () => unknown;
  readonly pause: () => unknown;
  readonly ref?: () => unknown;
  readonly unref?: () => unknown;
}

export interface TypedAhead {
  /** Starts to discard. The terminal echoes nothing from here on, and Ctrl-C still interrupts. */
  readonly start: () => void;
  /** Stops, after what has arrived by now is gone. */
  readonly stop: () => Promise<void>;
}

/** @param interrupt called at Ctrl-C, which is ordinary input while nothing is echoed */
export function createTypedAhead(open: () => TypedInput, interrupt: () => void): TypedAhead {
  let input: TypedInput | undefined;
  const discard = (data: Buffer | string): void => {
    if (data.toString().includes(CTRL_C)) interrupt();
  };
  return {
    start: () => {
      if (input !== undefined) return;
      const opened = open();
      if (opened.isTTY !== true) return;
      input = opened;
      input.setRawMode?.(true);
      input.on('data', discard);
      input.resume();
      // A command that ends without another question must not wait for input.
      input.unref?.();
    },
    stop: async () => {
      if (input === undefined) return;
      const opened = input;
      input = undefined;
      opened.ref?.();
      await new Promise((done) => setTimeout(done, SETTLE_MS));
      opened.off('data', discard);
      opened.pause();
      opened.setRawMode?.(false);
    },
  };
}

const CTRL_C = '\x03';
/** Milliseconds in which a terminal delivers what was typed before. */
const SETTLE_MS = 30;
