/** What can go wrong with a campaign, besides what the service says, which is a `ClientError` as everywhere. */
export type CampaignErrorKind =
  /** The file, or a plan, can't be used. */
  | 'input'
  /** A plan that isn't what was made, has expired, or lacks approvals. */
  | 'refused'
  /** What was observed has changed since. */
  | 'drift'
  /** Steps that can't be done now, each named. */
  | 'blocked'
  /** Another run made the same at the same time, and it stays. */
  | 'beaten';

export class CampaignError extends Error {
  override readonly name = 'CampaignError';
  readonly kind: CampaignErrorKind;
  readonly hints: readonly string[];
  /** Sentences that a script reads one by one. */
  readonly details: readonly unknown[];

  constructor(
    kind: CampaignErrorKind,
    message: string,
    about: {
      readonly hint?: string | undefined;
      readonly details?: readonly unknown[] | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.kind = kind;
    this.hints = about.hint === undefined ? [] : [about.hint];
    this.details = about.details ?? [];
  }
}

/**
 * For a change that came between the last look and the write, as the answer shows it: there is no compare-and-set, so it can be
 * told and not kept from happening.
 * @param doing `was being changed`
 */
export const changedMeanwhile = (called: string, doing: string): CampaignError =>
  new CampaignError('drift', `${called} was changed by hand while it ${doing}`, {
    hint: 'Plan again to see how things are now.',
  });
