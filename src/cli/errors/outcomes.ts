/** Maps the kinds of errors of our own rooms to exit codes (contract, "Output": the table of exit codes). `client-error.ts` does so for errors of the service. */
import type { BulkErrorKind } from '../../bulk/errors.ts';
import type { CampaignErrorKind } from '../../campaign/errors.ts';
import type { JournalErrorKind } from '../../journal/errors.ts';
import type { ProfileErrorKind } from '../../profiles/errors.ts';
import { SendError, type SendOutcome } from '../../sends/errors.ts';
import type { SvcError } from '../../text/svc-error.ts';
import { CliError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

interface Outcome {
  readonly exit: ExitCode;
  /** Kind for scripts. Defaults to the error's own kind. */
  readonly kind?: string;
  /** Hint for an error that has no hint of its own. */
  readonly hint?: string;
}

type Outcomes<Kind extends string = string> = Readonly<Record<Kind, Outcome>>;

const BULK: Outcomes<BulkErrorKind> = {
  input: { kind: 'usage', exit: EXIT.usage },
  changed: { kind: 'usage', exit: EXIT.usage },
  'damaged-checkpoint': { kind: 'journal', exit: EXIT.usage },
  'unwritable-checkpoint': { kind: 'journal', exit: EXIT.failed },
  'lost-lock': { exit: EXIT.failed },
  'unwritable-file': { kind: 'system', exit: EXIT.failed },
};

/** Contract, "Campaigns as files": unusable, tampered or expired plans and missing approvals are 2, drift is 5. */
const CAMPAIGN: Outcomes<CampaignErrorKind> = {
  input: { exit: EXIT.usage },
  refused: { exit: EXIT.usage },
  drift: { exit: EXIT.conflict },
  blocked: { exit: EXIT.conflict },
  beaten: { exit: EXIT.conflict },
};

const JOURNAL: Outcomes<JournalErrorKind> = {
  storage: { exit: EXIT.failed },
  journal: { exit: EXIT.failed },
};

const PROFILE: Outcomes<ProfileErrorKind> = {
  'no-credentials': {
    exit: EXIT.denied,
    hint: 'run svc init to set up credentials, or set SVC_API_KEY for one run.',
  },
  usage: { exit: EXIT.usage },
  storage: { exit: EXIT.failed },
};

/** Errors of the sandbox are found by their name, so that the sandbox is not loaded for them. */
const BY_NAME: Readonly<Record<string, Partial<Outcomes>>> = {
  BulkError: BULK,
  CampaignError: CAMPAIGN,
  JournalError: JOURNAL,
  ProfileError: PROFILE,
  DataDirError: {
    'in-use': { kind: 'conflict', exit: EXIT.conflict },
    unusable: { kind: 'storage', exit: EXIT.failed },
  },
};

const SENDS: Readonly<Record<SendOutcome, ExitCode>> = {
  refused: EXIT.usage,
  conflict: EXIT.conflict,
  unknown: EXIT.unknown,
  interrupted: EXIT.interrupted,
  failed: EXIT.failed,
};

const STORAGE: Outcome = { kind: 'storage', exit: EXIT.failed };

export function outcomeOf(error: SvcError): Outcome {
  if (error instanceof CliError) return { exit: error.exit };
  if (error instanceof SendError) return { exit: SENDS[error.outcome] };
  return BY_NAME[error.name]?.[error.kind] ?? (error.kind === 'usage' ? { exit: EXIT.usage } : STORAGE);
}
