/** Implements `lint --watch`: checks the files again whenever they are saved. */
import { resolve } from 'node:path';
import { BulkError } from '../../../bulk/errors.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import type { StderrNotePrinter } from '../../session/notes.ts';
import type { Session } from '../../session/session.ts';
import { lintExitCode, lintFormatFlag, type MessageLintResult, strictFlag } from './lint-flags.ts';
import { printLintFindings } from './lint-output.ts';
import { requireTextOutputFormat, watchFiles } from './watch-files.ts';

export interface LintWatchOptions {
  /** Names of the files as the user gave them. */
  readonly files: readonly string[];
  readonly input: Input;
  readonly work: () => Promise<MessageLintResult>;
}

/**
 * Watches until Ctrl-C and returns the exit code of the last check. A missing or unreadable file is reported once, and the watch continues.
 */
export async function lintOnEachSave(session: Session, watched: LintWatchOptions): Promise<Outcome> {
  const { files, input } = watched;
  await checkWatchable(session, watched);
  let exit: ExitCode = EXIT.done;
  const check = async (): Promise<void> => {
    const linted = await watched.work();
    exit = lintExitCode(linted.findings, input.get(strictFlag));
    await printLintFindings(session, linted);
  };
  const paths = files.map((file) => resolve(session.context.cwd, file));
  const onSaved = (): Promise<void> =>
    check().catch((error: unknown) => printUnreadableFileError(session, error));
  const untilEnd = watchFiles(session, [{ paths, onSaved }]);
  await check();
  await session.info(`Watching ${files.join(' and ')}; Ctrl-C ends.`);
  await untilEnd();
  return { result: { kind: 'nothing' }, exit };
}

export async function printUnreadableFileError(session: StderrNotePrinter, error: unknown): Promise<void> {
  if (!(error instanceof BulkError || error instanceof UsageError)) throw error;
  await session.info(`${error.message}; waiting for the next save.`);
}

async function checkWatchable(session: Session, { files, input }: LintWatchOptions): Promise<void> {
  if (session.globals.companies !== undefined)
    throw new UsageError('cannot combine --watch with --companies');
  if (files.length === 0)
    throw new UsageError('--watch needs a file', { hint: 'add --html-file or --text-file' });
  if ((input.get(lintFormatFlag) ?? 'text') !== 'text')
    throw new UsageError('--watch prints only text', {
      hint: 'leave out --format, -o, --fields and --query',
    });
  await requireTextOutputFormat(session);
}
