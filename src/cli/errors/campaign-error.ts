/** Exit codes of campaign errors. The error's own `kind` is reported to scripts. */
import type { CampaignError, CampaignErrorKind } from '../../campaign/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const EXITS: Readonly<Record<CampaignErrorKind, ExitCode>> = {
  input: EXIT.usage,
  refused: EXIT.usage,
  drift: EXIT.conflict,
  blocked: EXIT.conflict,
  beaten: EXIT.conflict,
};

/** Returns the exit code (contract, "Campaigns as files"): unusable, tampered or expired plans and missing approvals are 2, drift is 5. */
export const exitOfCampaign = ({ kind }: CampaignError): ExitCode => EXITS[kind];
