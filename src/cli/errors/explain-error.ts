/** Converts any error to an explanation and an exit code. This is the only function that does so. */

import type { BulkErrorKind } from '../../client/bulk/errors.ts';
import type { JournalErrorKind } from '../../client/journal/file.ts';
import type { ProfileErrorKind } from '../../client/profiles/errors.ts';
import { ClientError, TransportError } from '../../client/requests/errors.ts';
import { type FailedSendOutcome, SendError } from '../../client/sends/errors.ts';
import type { CampaignErrorKind } from '../../features/campaign/errors.ts';
import { codeOf, FileError, systemErrorReason } from '../../kit/files/errors.ts';
import { SvcError } from '../../kit/text/svc-error.ts';
import { explainClientError, readStatusAndSubcode } from './client-error.ts';
import { CliError, type ErrorExplanation, InvalidInputError, ItemError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { FailedRequestContext } from './request-context.ts';

/** Never throws (contract, "Output": the table of exit codes). @param context the service and account of the failed request */
export function explainError(error: unknown, context?: FailedRequestContext): ErrorExplanation {
  return { ...explain(error, context), cause: error };
}

function explain(error: unknown, context: FailedRequestContext | undefined): ErrorExplanation {
  if (error instanceof SvcError) return explainKnown(error);
  if (error instanceof ClientError) return explainClientError(error, context);
  if (error instanceof ItemError) {
    const { message: label, cause } = error;
    const { message, findings, ...explained } = explain(cause, undefined);
    return { ...explained, message: `${label}: ${message}`, findings: findings && { ...findings, label } };
  }
  if (error instanceof TransportError) {
    return error.sent === 'not-sent'
      ? { kind: 'unreachable', exit: EXIT.unreachable, message: error.message, details: [] }
      : { kind: 'unknown', exit: EXIT.unknown, message: error.message, details: [] };
  }
  if (!(error instanceof Error)) return bug(String(error));
  if (INTERRUPTIONS.has(error.name)) {
    return { kind: 'interrupted', exit: EXIT.interrupted, message: 'interrupted', details: [] };
  }
  return explainByCode(error);
}

function explainKnown(error: SvcError): ErrorExplanation {
  const { kind = error.kind, exit, hint } = mapErrorToExitCodeAndKind(error);
  const { message, details, suggestions } = error;
  const status =
    ERRORS_WITH_RESPONSE.has(error.name) && error.cause instanceof ClientError
      ? readStatusAndSubcode(error.cause)
      : {};
  const findings = error instanceof InvalidInputError ? { footer: error.footer } : undefined;
  return {
    ...{ kind, exit, message, findings, details, suggestions },
    hint: error.hints.join('\n') || hint,
    ...status,
  };
}

/** The explanation contains the HTTP status of their cause. */
const ERRORS_WITH_RESPONSE = new Set(['CliError', 'CampaignError', 'SendError']);

/** Ctrl-C at a prompt of `@inquirer/prompts`, or an aborted signal. */
const INTERRUPTIONS = new Set(['AbortError', 'ExitPromptError', 'AbortPromptError']);

function explainByCode(error: NodeJS.ErrnoException): ErrorExplanation {
  const code = codeOf(error);
  // The reader of stdout closed the pipe (`svc dnc list | head`), which is not a failure.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') {
    return { kind: 'closed', exit: EXIT.done, message: '', details: [] };
  }
  if (code?.endsWith('MODULE_NOT_FOUND') && error.message.includes('libsql')) return WITHOUT_DATABASE;
  if (code !== undefined && typeof error.syscall === 'string') {
    return { kind: 'system', exit: EXIT.failed, message: systemMessage(error), details: [] };
  }
  return bug(error.message || error.name);
}

/** A write error without a path comes from stdout: `cannot write the output: the disk is full`. */
function systemMessage(error: NodeJS.ErrnoException): string {
  const isOutput = error.syscall === 'write' && error.path === undefined;
  return isOutput ? `cannot write the output: ${systemErrorReason(error)}` : error.message;
}

/** libsql is an optional dependency: the rest of svc works without it. */
const WITHOUT_DATABASE: ErrorExplanation = {
  kind: 'not-installed',
  exit: EXIT.failed,
  message: 'cannot run the sandbox: the package libsql is not installed',
  details: [],
  hint: 'npm could not fetch libsql, or left it out because of --omit=optional; install svc again, or use the executable of a release',
};

const bug = (message: string): ErrorExplanation => ({
  kind: 'bug',
  exit: EXIT.failed,
  message: `internal error: ${message}`,
  details: [],
  hint: 'This is a bug. To see where it happened, add --debug.',
});

interface ErrorOutcome {
  readonly exit: ExitCode;
  /** Defaults to the error's own kind. */
  readonly kind?: string;
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

/** Contract, "Campaigns as files". */
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

/** Classes as keys would load the sandbox's code to explain an error. */
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

/** svc never replaces a device, pipe, socket or folder (contract, "Output"). */
const isSpecialFile = (error: unknown): boolean => error instanceof FileError && error.kind === 'not-a-file';

const STORAGE: ErrorOutcome = { kind: 'storage', exit: EXIT.failed };

function mapErrorToExitCodeAndKind(error: SvcError): ErrorOutcome {
  if (error instanceof CliError) return { exit: error.exit };
  if (error instanceof SendError) return { exit: SENDS[error.outcome] };
  if ([error, error.cause].some(isSpecialFile)) return { kind: 'usage', exit: EXIT.usage };
  return BY_NAME[error.name]?.[error.kind] ?? (error.kind === 'usage' ? { exit: EXIT.usage } : STORAGE);
}
