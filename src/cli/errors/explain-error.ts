/** Converts any error to an explanation and an exit code. This is the only function that does so. */
import { BulkError } from '../../bulk/errors.ts';
import { CampaignError } from '../../campaign/errors.ts';
import { ClientError, TransportError } from '../../client/errors.ts';
import { FileError } from '../../files/errors.ts';
import { JournalError } from '../../journal/errors.ts';
import { ProfileError } from '../../profiles/errors.ts';
import { assertNever } from '../../schema/resource.ts';
import { SendError, type SendOutcome } from '../../sends/errors.ts';
import type { Asked } from './asked.ts';
import { BULK_ERRORS } from './bulk-error.ts';
import { exitOfCampaign } from './campaign-error.ts';
import { answerOf, explainClientError } from './client-error.ts';
import { CliError, FindingsError, UsageError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Explained } from './explained.ts';

/** Explains the error and never throws (contract, "Output": the table of exit codes). @param asked for the hint of a call that failed */
export function explainError(error: unknown, asked?: Asked): Explained {
  return { ...explain(error, asked), cause: error };
}

function explain(error: unknown, asked: Asked | undefined): Explained {
  if (error instanceof FindingsError)
    return { kind: 'usage', exit: EXIT.usage, ...wordsOf(error), findings: { also: error.also } };
  if (error instanceof UsageError) {
    return { kind: 'usage', exit: EXIT.usage, ...wordsOf(error) };
  }
  if (error instanceof CliError)
    return { kind: error.kind, exit: error.exit, ...answeredIn(error), ...wordsOf(error) };
  if (error instanceof BulkError) return { ...BULK_ERRORS[error.kind], ...wordsOf(error) };
  if (error instanceof CampaignError)
    return { kind: error.kind, exit: exitOfCampaign(error), ...answeredIn(error), ...wordsOf(error) };
  if (error instanceof SendError)
    return { kind: error.kind, exit: SEND_EXITS[error.outcome], ...answeredIn(error), ...wordsOf(error) };
  if (error instanceof JournalError) return { kind: error.kind, exit: EXIT.failed, ...wordsOf(error) };
  if (error instanceof ClientError) return explainClientError(error, asked);
  if (error instanceof TransportError) {
    return error.sent === 'not-sent'
      ? { kind: 'unreachable', exit: EXIT.unreachable, message: error.message, details: [] }
      : { kind: 'unknown', exit: EXIT.unknown, message: error.message, details: [] };
  }
  if (!(error instanceof Error)) return bug(String(error));
  if (error instanceof ProfileError) return explainProfileError(error);
  if (error instanceof FileError) return { kind: 'storage', exit: EXIT.failed, ...wordsOf(error) };
  if (INTERRUPTIONS.has(error.name)) {
    return { kind: 'interrupted', exit: EXIT.interrupted, message: 'interrupted', details: [] };
  }
  return explainByCode(error);
}

const SEND_EXITS: Readonly<Record<SendOutcome, ExitCode>> = {
  refused: EXIT.usage,
  conflict: EXIT.conflict,
  unknown: EXIT.unknown,
  interrupted: EXIT.interrupted,
  failed: EXIT.failed,
};

/** Returns the service's answer, where the words are ours and its refusal is the cause. */
function answeredIn({ cause }: CliError | CampaignError | SendError): Pick<Explained, 'http' | 'subcode'> {
  return cause instanceof ClientError ? answerOf(cause) : {};
}

/** Names of the errors that `@inquirer/prompts` throws at Ctrl-C, and of those for an aborted signal. */
const INTERRUPTIONS = new Set(['AbortError', 'ExitPromptError', 'AbortPromptError']);

interface Worded {
  readonly message: string;
  readonly details?: readonly unknown[];
  readonly hints: readonly string[];
}

function wordsOf({ message, details = [], hints }: Worded): Pick<Explained, 'message' | 'details' | 'hint'> {
  const hint = hints.join('\n');
  return { message, details, hint: hint === '' ? undefined : hint };
}

function explainProfileError(error: ProfileError): Explained {
  const words = wordsOf(error);
  switch (error.kind) {
    case 'no-credentials':
      return {
        kind: error.kind,
        exit: EXIT.denied,
        ...words,
        hint: words.hint ?? 'run svc init to set up credentials, or set SVC_API_KEY for one run.',
      };
    case 'usage':
      return { kind: error.kind, exit: EXIT.usage, ...words };
    case 'storage':
      return { kind: error.kind, exit: EXIT.failed, ...words };
    default:
      return assertNever(error.kind);
  }
}

function explainByCode(error: Error): Explained {
  const code = textIn(error, 'code');
  // The reader of stdout closed the pipe (`svc dnc list | head`), which is not a failure.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') {
    return { kind: 'closed', exit: EXIT.done, message: '', details: [] };
  }
  if (code?.endsWith('MODULE_NOT_FOUND') && error.message.includes('libsql')) return WITHOUT_DATABASE;
  if (code !== undefined && textIn(error, 'syscall') !== undefined) {
    return { kind: 'system', exit: EXIT.failed, message: error.message, details: [] };
  }
  return bug(error.message || error.name);
}

/** libsql is an optional dependency: the rest of svc works without it. */
const WITHOUT_DATABASE: Explained = {
  kind: 'not-installed',
  exit: EXIT.failed,
  message: 'cannot run the sandbox: the package libsql is not installed',
  details: [],
  hint: 'install svc again on this machine without --omit=optional',
};

const bug = (message: string): Explained => ({
  kind: 'bug',
  exit: EXIT.failed,
  message: `internal error: ${message}`,
  details: [],
  hint: 'This is a bug. To see where it happened, add --debug.',
});

function textIn(error: Error, key: string): string | undefined {
  const value = (error as unknown as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : undefined;
}
