/** How a command can end badly, and the one function from any error to words and an exit code. */
import { BulkError } from '../../bulk/errors.ts';
import { ClientError, TransportError } from '../../client/errors.ts';
import { FileError } from '../../files/errors.ts';
import { JournalError } from '../../journal/errors.ts';
import { ProfileError } from '../../profiles/errors.ts';
import { assertNever, type Finding } from '../../schema/resource.ts';
import type { Asked } from './asked.ts';
import { BULK_ERRORS } from './bulk-error.ts';
import { answerOf, explainClientError } from './client-error.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Explained } from './explained.ts';

interface About {
  readonly details?: readonly Finding[];
  /** What to do next; `hint` where it is one sentence. */
  readonly hints?: readonly string[];
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Asked wrongly, or refused before anything was sent: exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly details: readonly Finding[];
  readonly hints: readonly string[];

  constructor(message: string, about: About = {}) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.details = about.details ?? [];
    this.hints = about.hints ?? (about.hint === undefined ? [] : [about.hint]);
  }
}

/** What is wrong with what was asked, one finding or several: the words are made of them where they are printed. */
export class FindingsError extends UsageError {
  /** After the findings: `nothing was sent`. */
  readonly also: string;

  /** @param findings at least one */
  constructor(findings: readonly Finding[], also = 'nothing was sent') {
    super(findings.map(({ attribute, reason }) => `${attribute} ${reason}`).join('; '), {
      details: findings,
    });
    this.also = also;
  }
}

/** Any other failure that we know the words for. `kind` is what a script reads of it in JSON. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly kind: string;
  readonly exit: ExitCode;
  readonly details: readonly unknown[];
  readonly hints: readonly string[];

  constructor(
    kind: string,
    message: string,
    about: Omit<About, 'details'> & { readonly exit: ExitCode; readonly details?: readonly unknown[] },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.kind = kind;
    this.exit = about.exit;
    this.details = about.details ?? [];
    this.hints = about.hints ?? (about.hint === undefined ? [] : [about.hint]);
  }
}

/** Never throws. Contract, "Output": the table of exit codes. @param asked for the hint of a call that failed */
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

/** What the service answered, where the words are ours and its refusal is the cause. */
function answeredIn(error: CliError): Pick<Explained, 'http' | 'subcode'> {
  const { cause } = error;
  return cause instanceof ClientError ? answerOf(cause) : {};
}

/** What `@inquirer/prompts` throws at Ctrl-C, and everything else at an aborted signal. */
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
        hint:
          words.hint ?? 'svc init asks for credentials and keeps them; SVC_API_KEY gives a key for one run.',
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
  // The reader of stdout has all it wanted (`svc dnc list | head`): that is no failure.
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
  message: 'the sandbox needs libsql, which is not installed for this machine',
  details: [],
  hint: 'install svc again on this machine, without --omit=optional',
};

const bug = (message: string): Explained => ({
  kind: 'bug',
  exit: EXIT.failed,
  message: `something went wrong inside svc: ${message}`,
  details: [],
  hint: 'This is a bug. The same command with --debug shows where it happened.',
});

function textIn(error: Error, key: string): string | undefined {
  const value = (error as unknown as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : undefined;
}
