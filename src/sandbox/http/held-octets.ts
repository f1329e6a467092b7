/** How many octets of bodies the sandbox holds at once, whoever sends them. */
import { ServiceError } from '../../protocol/service-errors.ts';

export interface HeldOctets {
  /**
   * Room for a body of so many octets. Waits its turn while there is none; 503 when that takes too long.
   * @returns gives the room back
   */
  readonly take: (octets: number) => Promise<() => void>;
}

/** @param waitMs how long a body waits for room before it is refused */
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

/** Small bodies wait for nobody: as many as there are connections hold 32 MiB of them at most. */
export const UNCOUNTED_OCTETS = 16 * 1024;

const crowded = (): ServiceError =>
  new ServiceError(503, 'Too many large bodies are being read at once', { headers: { 'retry-after': '1' } });
