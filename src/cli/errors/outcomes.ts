/**
 * Maps svc's own errors to exit codes (contract, "Output": the table of exit codes). `client-error.ts` does the same for errors of the
 * service.
 */
import type { BulkErrorKind } from '../../bulk/errors.ts';
import type { CampaignErrorKind } from '../../campaign/errors.ts';
import type { JournalErrorKind } from '../../journal/file.ts';
import type { ProfileErrorKind } from '../../profiles/errors.ts';
import { type FailedSendOutcome, SendError } from '../../sends/errors.ts';
import type { SvcError } from '../../text/svc-error.ts';
import { CliError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

interface ErrorOutcome {
  readonly exit: ExitCode;
  /** Kind of the error that scripts read in the JSON. Defaults to the error's own kind. */
  readonly kind?: string;
  /** Hint to print if the error itself has no hint. */
  readonly hint?: string;
}

type Outcomes<Kind extends string = string> = Readonly<Record<Kind, ErrorOutcome>>;

const BULK: Outcomes<BulkErrorKind> = {
  input: { kind: 'usage', exit: EXIT.usage },
  changed: { kind: 'usage', exit: EXIT.usage },
  'damaged-checkpoint': { kind: 'journal', exit: EXIT.usage },
  'unwritable-checkpoint': { kind: 'journal', exit: EXIT.failed },
  'lost-lock': { exit: EXIT.failed },
  'unwritable-file': { kind: 'system', exit: EXIT.failed },
};

/**
 * Exit codes of campaign errors (contract, "Campaigns as files"): 2 for an invalid, changed or expired plan or missing approvals, and 5 if
 * the service has changed.
 */
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

/**
 * Exit codes, kinds and hints of errors, by the name of the error's class and the kind of the error. The keys are names instead of classes,
 * so that svc does not load the sandbox's code to explain an error.
 */
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

const SENDS: Readonly<Record<FailedSendOutcome, ExitCode>> = {
  refused: EXIT.usage,
  conflict: EXIT.conflict,
  unknown: EXIT.unknown,
  interrupted: EXIT.interrupted,
  failed: EXIT.failed,
};

const STORAGE: ErrorOutcome = { kind: 'storage', exit: EXIT.failed };

/** Returns the exit code of an error. Also returns the kind that scripts read, if it differs from the error's own kind. */
export function mapErrorToExitCodeAndKind(error: SvcError): ErrorOutcome {
  if (error instanceof CliError) return { exit: error.exit };
  if (error instanceof SendError) return { exit: SENDS[error.outcome] };
  return BY_NAME[error.name]?.[error.kind] ?? (error.kind === 'usage' ? { exit: EXIT.usage } : STORAGE);
}
