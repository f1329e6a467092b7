/** Virtual time and seeded chance. Events run in the order of their times, and time passes only between them. */

export interface World {
  /** Milliseconds since the epoch, true time. */
  readonly now: () => number;
  /** Runs a function once at that time. The returned function prevents it. */
  readonly at: (time: number, run: () => void) => () => void;
  /** Runs the next event, and returns false if none is left. */
  readonly step: () => boolean;
  /** Runs all events until that time. */
  readonly passUntil: (time: number) => void;
}

export function createWorld(begin: number): World {
  let now = begin;
  const events: { readonly time: number; readonly run: () => void }[] = [];
  const step = (): boolean => {
    const event = events.shift();
    if (!event) return false;
    now = Math.max(now, event.time);
    event.run();
    return true;
  };
  return {
    now: () => now,
    at: (time, run) => {
      const event = { time, run };
      let place = events.length;
      while (place > 0 && (events[place - 1]?.time ?? 0) > time) place -= 1;
      events.splice(place, 0, event);
      return () => {
        const found = events.indexOf(event);
        if (found >= 0) events.splice(found, 1);
      };
    },
    step,
    passUntil: (time) => {
      while ((events[0]?.time ?? Number.POSITIVE_INFINITY) <= time) step();
      now = Math.max(now, time);
    },
  };
}

export interface Chance {
  /** Returns a number from 0 to just below 1. */
  readonly fraction: () => number;
  readonly is: (probability: number) => boolean;
  readonly between: (low: number, high: number) => number;
  /** Returns a number between both, on a logarithmic scale: from 1 to 10 is as likely as from 10 to 100. */
  readonly betweenLog: (low: number, high: number) => number;
  readonly pick: <T>(choices: readonly T[]) => T;
  readonly octets: (count: number) => Uint8Array;
}

/** Makes an sfc32 generator, seeded by a number. */
export function createChance(seed: number): Chance {
  let [a, b, c, d] = [seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let n = 0; n < 12; n += 1) next();
  const fraction = (): number => next() / 2 ** 32;
  return {
    fraction,
    is: (probability) => fraction() < probability,
    between: (low, high) => low + fraction() * (high - low),
    betweenLog: (low, high) => low * (high / low) ** fraction(),
    pick: (choices) => {
      const choice = choices[Math.floor(fraction() * choices.length)];
      if (choice === undefined) throw new Error('nothing to choose from');
      return choice;
    },
    octets: (count) => Uint8Array.from({ length: count }, () => next() & 0xff),
  };
}
