/** What the client waits for, told to whoever has to say so (contract: a wait of more than 2 seconds is never silent). */
import type { Method } from '../schema/resource.ts';

export interface Wait {
  readonly kind: /** For what comes of a call, attempts and pauses included. Most are over soon. */
    | 'answer'
    /** Before another attempt. */
    | 'again'
    /** Until a lost POST can no longer arrive; what it made is looked for meanwhile. */
    | 'settle';
  readonly method: Method;
  readonly path: string;
  /** When it is over at the latest: milliseconds since the epoch. */
  readonly until: number;
  /** Of `again`: what came of the attempt before. */
  readonly why?: string | undefined;
  /** The service may have carried out what was sent. */
  readonly doubtful: boolean;
}

/** Called when a wait begins; what it returns when it is over. */
export type OnWait = (wait: Wait) => () => void;
