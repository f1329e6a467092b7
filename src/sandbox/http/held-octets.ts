/** Limits the octets of request bodies that the sandbox holds in memory at once. */
import { ServiceError } from '../../protocol/service-errors.ts';

export interface HeldOctets {
  /**
   * Reserves room for a body of that many octets. Waits its turn if there is no room; throws 503 when that takes too long.
   * @returns a function that releases the room
   */
  readonly take: (octets: number) => Promise<() => void>;
}

/** Creates the limit. @param waitMs milliseconds that a body waits for room before it is refused */
export function holdOctets(most: number, waitMs: number): HeldOctets {
  let held = 0;
  const waiting: { readonly octets: number; readonly enter: () => void }[] = [];
  const admitWaiting = (): void => {
    for (let next = waiting[0]; next && held + next.octets <= most; next = waiting[0]) {
      waiting.shift();
      held += next.octets;
      next.enter();
    }
  };
  const giveBack = (octets: number): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) held -= octets;
      isHeld = false;
      admitWaiting();
    };
  };
  return {
    take: async (octets) => {
      if (octets <= UNCOUNTED_OCTETS) return () => undefined;
      await new Promise<void>((enter, refuse) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(turn), 1);
          refuse(crowded());
          admitWaiting();
        }, waitMs);
        const turn = {
          octets,
          enter: () => {
            clearTimeout(timer);
            enter();
          },
        };
        waiting.push(turn);
        admitWaiting();
      });
      return giveBack(octets);
    },
  };
}

/** Bodies up to this size do not count. One for each allowed connection takes 32 MiB in total. */
export const UNCOUNTED_OCTETS = 16 * 1024;

const crowded = (): ServiceError =>
  new ServiceError(503, 'Too many large bodies are being read at once', { headers: { 'retry-after': '1' } });
