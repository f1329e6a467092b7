/** Making what has to be undone when something ends the run early: it must not be left behind unknown. */
import type { Client } from '../../client/client.ts';
import type { Session } from './session.ts';

export interface SureClient {
  readonly client: Client;
  /** To be called right before an attempt. Throws where the run is to end, so that nothing more is sent. */
  readonly before: () => void;
}

/**
 * A client that an interrupt stops until the first attempt, and not after it: what may exist by then is waited for,
 * looked for and found, since only what is known can be cancelled.
 */
export async function sureClient(session: Session): Promise<SureClient> {
  const { signal } = session.context;
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return {
    client: await session.clientWith({
      signal: controller.signal,
      ifInterrupted: 'after Ctrl-C it is waited for all the same, and the task cancelled',
    }),
    before: () => {
      signal.throwIfAborted();
      signal.removeEventListener('abort', follow);
    },
  };
}

/** Nothing that can be caught ends the process meanwhile. */
export async function withstanding<T>({ context }: Session, work: () => Promise<T>): Promise<T> {
  const release = context.ending?.withstand();
  try {
    return await work();
  } finally {
    release?.();
  }
}
