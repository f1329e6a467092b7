/** Failures of campaigns as scripts know them: `kind` is the error's own. */
import type { CampaignError, CampaignErrorKind } from '../../campaign/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const EXITS: Readonly<Record<CampaignErrorKind, ExitCode>> = {
  input: EXIT.usage,
  refused: EXIT.usage,
  drift: EXIT.conflict,
  blocked: EXIT.conflict,
  beaten: EXIT.conflict,
};

/** Contract, "Campaigns as files": unusable, tampered or expired plans and missing approvals are 2, drift is 5. */
export const exitOfCampaign = ({ kind }: CampaignError): ExitCode => EXITS[kind];
