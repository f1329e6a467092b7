/** Holds a new task for a while, in which Ctrl-C cancels it (contract, "Safety"). */
import type { JsonObject } from '../protocol/envelope.ts';
import { type Cancellation, cancelForGood, taskId } from './cancel.ts';
import { SendError } from './errors.ts';
import type { SendPorts } from './ports.ts';

/**
 * Counts down until the Unix seconds `until`.
 * @throws SendError `interrupted` if anything ended the countdown: the task is then cancelled
 */
export async function holdTask(
  ports: SendPorts,
  record: JsonObject,
  { title, ...cancellation }: Cancellation & { readonly title: string },
  until: number,
): Promise<void> {
  try {
    await ports.countDown(title, until);
    // The signal may come while the last second is drawn.
    ports.signal.throwIfAborted();
  } catch (cause) {
    await cancelForGood(ports, record, { title, ...cancellation });
    throw cancelled(ports, title, cause);
  }
  await ports.info(`the hold is over; until it is sent, svc task cancel ${taskId(record)} cancels it`);
}

/** If the user did not end the countdown, the error has a cause: a closed terminal, an uncaught error. */
function cancelled(ports: SendPorts, title: string, cause: unknown): SendError {
  const fault = ports.signal.aborted ? ports.thrown() : cause;
  if (fault === undefined)
    return new SendError('interrupted', `${title} is cancelled; nothing was sent`, {
      outcome: 'interrupted',
    });
  const words = fault instanceof Error ? fault.message : String(fault);
  return new SendError(
    'interrupted',
    `${title} is cancelled, and nothing was sent: the countdown failed (${words})`,
    { outcome: 'failed', cause: fault },
  );
}
