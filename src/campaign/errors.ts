/** Kinds of campaign errors. Errors of the service are `ClientError`, as everywhere. */
import { SvcError } from '../text/svc-error.ts';
export type CampaignErrorKind =
  /** The file or a plan can't be used. */
  | 'input'
  /** A plan differs from the one that was made, has expired, or lacks approvals. */
  | 'refused'
  /** The observed records have changed since. */
  | 'drift'
  /** Steps can't be performed now; each is named. */
  | 'blocked'
  /** Another run made the same record at the same time, and that record stays. */
  | 'beaten';

export class CampaignError extends SvcError<CampaignErrorKind> {
  override readonly name = 'CampaignError';
}

/**
 * Returns the error for a change by hand between the last check and the write, as the response shows it. The interface
 * has no compare-and-set, so this can be detected but not prevented.
 * @param doing `was being changed`
 */
export const changedMeanwhile = (called: string, doing: string): CampaignError =>
  new CampaignError('drift', `${called} was changed by hand while it ${doing}`, {
    hint: 'Run svc plan again to see the current state.',
  });
