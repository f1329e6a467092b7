import { SvcError } from '../../kit/text/svc-error.ts';
export type CampaignErrorKind =
  | 'input'
  | 'refused'
  | 'drift'
  /** `blocked` means that svc can't perform some steps now. The error names them. */
  | 'blocked'
  | 'beaten';

export class CampaignError extends SvcError<CampaignErrorKind> {
  override readonly name = 'CampaignError';
}

export const PLAN_AGAIN_OR_OVERWRITE =
  'Run svc plan again to see the change, or add --overwrite to replace the record.';

/** Git converts them in some checkouts. */
export const KEEP_LINE_ENDS_HINT =
  'git may convert line ends on checkout; add a line such as "campaigns/** -text" to .gitattributes, and check the files out again';

export const CONFLICT_MARKER = /^[<>]{7} /m;

/** @param change sentence such as `rule click:3 was changed by hand` */
export const changedByHandError = (change: string): CampaignError =>
  new CampaignError('drift', change, { hint: PLAN_AGAIN_OR_OVERWRITE });

/**
 * The interface has no conditional writes, so only the response shows such a change.
 * @param doing the write, such as `updating the record`
 */
export const changedMeanwhileError = (recordTitle: string, doing: string): CampaignError =>
  new CampaignError('drift', `${recordTitle} was changed by hand while svc was ${doing}`, {
    hint: 'Run svc plan again to see the current state.',
  });

const OTHER_RUN = 'another run, which used a different version of the campaign file,';
const OTHER_RUN_HINT =
  'Wait until the other run has ended. Then run svc apply with the version of the campaign file that you want.';

/** @param created the record of the other run, such as `task 7` */
export const otherRunError = (item: string, created: string): CampaignError =>
  new CampaignError('beaten', `${item}: ${OTHER_RUN} created ${created}`, { hint: OTHER_RUN_HINT });

export const changedByOtherRunError = (item: string, recordTitle: string): CampaignError =>
  new CampaignError('drift', `${item}: ${OTHER_RUN} has changed ${recordTitle}`, { hint: OTHER_RUN_HINT });
