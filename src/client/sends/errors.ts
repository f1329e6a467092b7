/** Defines how a send with safety checks can fail. The command line derives an exit code from `outcome`. */

import { SvcError, type SvcErrorOptions } from '../../kit/text/svc-error.ts';
import type { TaskRecord } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';

type SendErrorKind =
  /** `unexpected-size`: unknown, or outside the range of `expect-size`. */
  | 'unexpected-size'
  | 'unexpected-cost'
  | 'over-budget'
  | 'no-ledger'
  | 'too-few-credits'
  | 'drift'
  | 'too-late'
  /** The cancellation failed after a failed check or an interruption, so the service might still send the task. */
  | 'not-cancelled'
  /** Two runs made the same task, and it is too late to cancel one of the tasks. */
  | 'made-twice'
  /** An earlier run used the idempotency key for other content. */
  | 'other-content'
  /** Someone cancelled or paused the record that an earlier run created with the idempotency key. */
  | 'cancelled-before'
  | 'same-send'
  /** svc has created a record, and could not look for others that are the same. */
  | 'not-looked'
  | 'interrupted';

/** After `refused`, `interrupted` and `failed`, the service has no task that could still be sent. */
export type FailedSendOutcome = 'refused' | 'conflict' | 'unknown' | 'interrupted' | 'failed';

export class SendError extends SvcError<SendErrorKind> {
  override readonly name = 'SendError';
  readonly outcome: FailedSendOutcome;

  constructor(
    kind: SendErrorKind,
    message: string,
    { outcome, ...about }: Pick<SvcErrorOptions, 'hint' | 'cause'> & { readonly outcome: FailedSendOutcome },
  ) {
    super(kind, message, about);
    this.outcome = outcome;
  }
}

interface SendBlockReason {
  readonly kind: SendErrorKind;
  /** Sentence that says why the task must not be sent: `task 12 has 3 subscriptions, expected 1`. */
  readonly why: string;
  readonly hint: string;
  /** True if someone else changed records while svc was working. The exit code is then 5. */
  readonly isConflict?: boolean;
}

/**
 * Check of a created task. Returns why the task must not be sent, or undefined. If it throws, the task must not be sent either.
 * @param client a client that Ctrl-C does not stop
 */
export type TaskCheck = (record: TaskRecord, client: Client) => Promise<SendBlockReason | undefined>;
