/** Defines how a guarded send can fail. The command line derives an exit code from `outcome`. */
import type { Client } from '../client/client.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { type ErrorAbout, SvcError } from '../text/svc-error.ts';

export type SendErrorKind =
  /** The size of the task is outside `expect-size`. */
  | 'unexpected-size'
  /** The task costs more than `max-credits`. */
  | 'unexpected-cost'
  /** The send does not fit the budget of the profile. */
  | 'over-budget'
  /** The ledger of budgets can't be read or written. */
  | 'no-ledger'
  /** The balance does not pay for the task. */
  | 'too-few-credits'
  /** The content or recipients of the task were changed by someone else. */
  | 'drift'
  /** The task was completed before it could be cancelled. */
  | 'too-late'
  /** The task may still be sent. */
  | 'not-cancelled'
  /** Two runs made the same task, too late to cancel one of them. */
  | 'made-twice'
  /** The run was ended early, and the task is cancelled. */
  | 'interrupted';

/** State that the error leaves: `refused`, `interrupted` and `failed` leave no live task. */
export type SendOutcome = 'refused' | 'conflict' | 'unknown' | 'interrupted' | 'failed';

export class SendError extends SvcError<SendErrorKind> {
  override readonly name = 'SendError';
  readonly outcome: SendOutcome;

  constructor(
    kind: SendErrorKind,
    message: string,
    { outcome, ...about }: Pick<ErrorAbout, 'hint' | 'cause'> & { readonly outcome: SendOutcome },
  ) {
    super(kind, message, about);
    this.outcome = outcome;
  }
}

/** Reason why a task must not be sent. */
export interface TaskFault {
  readonly kind: SendErrorKind;
  /** Sentence about the task: `task 12 has 3 subscriptions, expected 1`. */
  readonly why: string;
  readonly hint: string;
  /** True if the service was changed meanwhile: exit 5. */
  readonly isConflict?: boolean;
}

/**
 * Returns why a task must not be sent. A check that throws counts as failed.
 * @param client not stopped by Ctrl-C
 */
export type TaskCheck = (record: JsonObject, client: Client) => Promise<TaskFault | undefined>;
