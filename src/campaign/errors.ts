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
  /** `beaten` means that another run created the same record at the same time. svc keeps that record, and removes this run's record. */
  | 'beaten';

export class CampaignError extends SvcError<CampaignErrorKind> {
  override readonly name = 'CampaignError';
}

/** Advice for a record that a person changed after the plan was made. */
export const PLAN_AGAIN_OR_OVERWRITE =
  'Run svc plan again to see the change, or add --overwrite to replace the record.';

/** Advice for a plan, or a file of a campaign, whose line ends changed. Git converts them in some checkouts. */
export const KEEP_LINE_ENDS_HINT =
  'git may convert line ends on checkout; add a line such as "campaigns/** -text" to .gitattributes, and check the files out again';

/** Matches a line that git writes into a file with a conflict. */
export const CONFLICT_MARKER = /^[<>]{7} /m;

/** Returns the error for a change that svc must not overwrite. @param change sentence such as `rule click:3 was changed by hand` */
export const changedByHandError = (change: string): CampaignError =>
  new CampaignError('drift', change, { hint: PLAN_AGAIN_OR_OVERWRITE });

/**
 * Returns the error for a record that a person changed between svc's last check and its write. Only the response shows the change, because
 * the interface has no conditional writes.
 * @param doing the write, such as `updating the record`
 */
export const changedMeanwhileError = (recordTitle: string, doing: string): CampaignError =>
  new CampaignError('drift', `${recordTitle} was changed by hand while svc was ${doing}`, {
    hint: 'Run svc plan again to see the current state.',
  });

/**
 * Returns the error for an item whose record another run created from a different version of the campaign file.
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
