/**
 * Defines the kinds of campaign errors. Errors that the service returns are not among them: they are `ClientError`, as in all other code.
 */
import { SvcError } from '../text/svc-error.ts';
export type CampaignErrorKind =
  /** The file or a plan can't be used. */
  | 'input'
  /** The plan was changed after it was made, has expired, or lacks approvals. */
  | 'refused'
  /** The observed records have changed since the plan was made. */
  | 'drift'
  /** Steps can't be performed now. The error names each of them. */
  | 'blocked'
  /** Another run created the same record at the same time. The other run's record stays, and this run's record is removed. */
  | 'beaten';

export class CampaignError extends SvcError<CampaignErrorKind> {
  override readonly name = 'CampaignError';
}

/**
 * Returns the error for a record that a person changed after svc last checked it, and before svc wrote it. The response to the write shows
 * the change. The interface has no conditional writes, so svc can detect such a change but not prevent it.
 * @param recordTitle name of the record in the message
 * @param doing the write, such as `updating the record`
 */
export const changedMeanwhileError = (recordTitle: string, doing: string): CampaignError =>
  new CampaignError('drift', `${recordTitle} was changed by hand while svc was ${doing}`, {
    hint: 'Run svc plan again to see the current state.',
  });
