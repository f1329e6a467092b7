/**
 * Defines the kinds of campaign errors. Errors that the service returns are not among them: they are `ClientError`, as in all other code.
 */
import { SvcError } from '../text/svc-error.ts';
export type CampaignErrorKind =
  /** `input` means that svc can't use the file or a plan. */
  | 'input'
  /** `refused` means that the plan was changed after it was made, has expired, or lacks approvals. */
  | 'refused'
  /** `drift` means that records in the service have changed since the plan was made. */
  | 'drift'
  /** `blocked` means that svc can't perform some steps now. The error names each of these steps. */
  | 'blocked'
  /**
   * `beaten` means that another run created the same record at the same time. The other run's record stays, and svc removes this run's
   * record.
   */
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

/**
 * Returns the error for an item whose record another run of apply created from a different version of the campaign file.
 * @param item kind and key of the item, such as `task spring`
 * @param created the record that the other run created, such as `task 7`; the error message ends with this text
 */
export const otherRunError = (item: string, created: string): CampaignError =>
  new CampaignError(
    'beaten',
    `${item}: another run, which used a different version of the campaign file, created ${created}`,
    {
      hint: 'Wait until the other run has ended. Then run svc apply with the version of the campaign file that you want.',
    },
  );
