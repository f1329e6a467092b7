/** Reports the waits of the client, so that callers can show them (contract: a wait of more than 2 seconds is never silent). */
import type { Method } from '../schema/resource.ts';

export interface Wait {
  readonly kind: /** Waits for the result of a call, attempts and pauses included. Most waits are short. */
    | 'answer'
    /** Waits before another attempt. */
    | 'again'
    /** Waits until a lost POST can no longer arrive, and looks for its record meanwhile. */
    | 'settle';
  readonly method: Method;
  readonly path: string;
  /** Milliseconds since the epoch at which the wait ends at the latest. */
  readonly until: number;
  /** Outcome of the previous attempt, for `again`. */
  readonly why?: string | undefined;
  /** True if the service may have carried out the request. */
  readonly doubtful: boolean;
}

/** Called when a wait begins. The returned function is called when the wait is over. */
export type OnWait = (wait: Wait) => () => void;
