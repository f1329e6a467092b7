/** Reports the waits of the client, so that callers can show them (contract: a wait of more than 2 seconds is never silent). */
import type { Method } from '../schema/resource.ts';

export interface Wait {
  readonly kind: /** Waits for the result of a call, including its attempts and the pauses between them. Most waits are short. */
    | 'answer'
    /** Waits before another attempt. */
    | 'again'
    /** Waits until a POST without a response can no longer reach the service, and looks for its record in the meantime. */
    | 'settle';
  readonly method: Method;
  readonly path: string;
  /** Milliseconds since the epoch at which the wait ends at the latest. */
  readonly until: number;
  /** Outcome of the previous attempt. Set for `again`. */
  readonly why?: string | undefined;
  /** True if the service may have carried out the request. */
  readonly doubtful: boolean;
}

/** Called when a wait begins. The caller calls the returned function when the wait is over. */
export type OnWait = (wait: Wait) => () => void;
