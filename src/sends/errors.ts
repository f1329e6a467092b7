/** Defines how a guarded send can fail. The command line derives an exit code from `outcome`. */

export type SendErrorKind =
  /** The size of the task is outside `expect-size`. */
  | 'unexpected-size'
  /** The task costs more than `max-credits`. */
  | 'unexpected-cost'
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

export class SendError extends Error {
  override readonly name = 'SendError';
  readonly kind: SendErrorKind;
  readonly outcome: SendOutcome;
  readonly hints: readonly string[];

  constructor(
    kind: SendErrorKind,
    message: string,
    about: { readonly outcome: SendOutcome; readonly hint?: string | undefined; readonly cause?: unknown },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.kind = kind;
    this.outcome = about.outcome;
    this.hints = about.hint === undefined ? [] : [about.hint];
  }
}
