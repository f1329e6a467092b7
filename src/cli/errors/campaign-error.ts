/** Failures of campaigns as scripts know them: `kind` is the error's own. */
import type { CampaignError, CampaignErrorKind } from '../../campaign/errors.ts';
import { ClientError } from '../../client/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const EXITS: Readonly<Record<CampaignErrorKind, ExitCode>> = {
  input: EXIT.usage,
  refused: EXIT.usage,
  drift: EXIT.conflict,
  blocked: EXIT.conflict,
  unexpected: EXIT.usage,
  beaten: EXIT.conflict,
  'not-cancelled': EXIT.unknown,
};

/** Contract, "Campaigns as files": unusable, tampered or expired plans and missing approvals are 2, drift is 5. */
export function exitOfCampaign({ kind, cause }: CampaignError): ExitCode {
  // The service has said no, so it is known that the task stays.
  const isRefused = kind === 'not-cancelled' && cause instanceof ClientError && cause.kind === 'refused';
  return isRefused ? EXIT.conflict : EXITS[kind];
}
