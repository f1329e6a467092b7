/** Converts any error to an explanation and an exit code. This is the only function that does so. */
import { ClientError, TransportError } from '../../client/errors.ts';
import { systemErrorReason } from '../../files/errors.ts';
import { SvcError } from '../../text/svc-error.ts';
import { explainClientError, readStatusAndSubcode } from './client-error.ts';
import { type ErrorExplanation, InvalidInputError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { mapErrorToExitCodeAndKind } from './outcomes.ts';
import type { FailedRequestContext } from './request-context.ts';

/**
 * Returns the message, exit code and hint of an error. Never throws (contract, "Output": the table of exit codes).
 * @param context the service and account of the failed request, for the hint
 */
export function explainError(error: unknown, context?: FailedRequestContext): ErrorExplanation {
  return { ...explain(error, context), cause: error };
}

function explain(error: unknown, context: FailedRequestContext | undefined): ErrorExplanation {
  if (error instanceof SvcError) return explainKnown(error);
  if (error instanceof ClientError) return explainClientError(error, context);
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
  const { message, details } = error;
  const status =
    ERRORS_WITH_RESPONSE.has(error.name) && error.cause instanceof ClientError
      ? readStatusAndSubcode(error.cause)
      : {};
  const findings = error instanceof InvalidInputError ? { findings: { footer: error.footer } } : {};
  return { kind, exit, message, details, hint: error.hints.join('\n') || hint, ...status, ...findings };
}

/**
 * Names of errors whose cause can be a response of the service. The explanation of such an error contains the HTTP status of the response.
 */
const ERRORS_WITH_RESPONSE = new Set(['CliError', 'CampaignError', 'SendError']);

/** Names of the errors for an interruption: Ctrl-C at a prompt of `@inquirer/prompts`, or an aborted signal. */
const INTERRUPTIONS = new Set(['AbortError', 'ExitPromptError', 'AbortPromptError']);

function explainByCode(error: Error): ErrorExplanation {
  const code = textIn(error, 'code');
  // The reader of stdout closed the pipe (`svc dnc list | head`), which is not a failure.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') {
    return { kind: 'closed', exit: EXIT.done, message: '', details: [] };
  }
  if (code?.endsWith('MODULE_NOT_FOUND') && error.message.includes('libsql')) return WITHOUT_DATABASE;
  if (code !== undefined && textIn(error, 'syscall') !== undefined) {
    return { kind: 'system', exit: EXIT.failed, message: systemMessage(error), details: [] };
  }
  return bug(error.message || error.name);
}

/** Returns a system error as text. A write error without a path comes from stdout: `cannot write the output: the disk is full`. */
function systemMessage(error: Error): string {
  const isOutput = textIn(error, 'syscall') === 'write' && textIn(error, 'path') === undefined;
  return isOutput ? `cannot write the output: ${systemErrorReason(error)}` : error.message;
}

/** Explanation of a missing libsql, which is an optional dependency: the rest of svc works without it. */
const WITHOUT_DATABASE: ErrorExplanation = {
  kind: 'not-installed',
  exit: EXIT.failed,
  message: 'cannot run the sandbox: the package libsql is not installed',
  details: [],
  hint: 'install svc again on this machine without --omit=optional',
};

const bug = (message: string): ErrorExplanation => ({
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
