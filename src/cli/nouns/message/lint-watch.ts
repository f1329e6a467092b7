import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { BulkError } from '../../../client/bulk/errors.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Invocation, Notes, ServiceAccess, Tell } from '../../session/ports.ts';
import { lintExitCode, lintFormatFlag, type MessageLintResult, strictFlag } from './lint-flags.ts';
import { printLintFindings } from './lint-output.ts';

/** Returns the exit code of the last check. Reports a missing or unreadable file once, and continues. */
export async function lintOnEachSave(
  session: Invocation & Tell & ServiceAccess,
  input: Input,
  files: readonly string[],
  work: () => Promise<MessageLintResult>,
): Promise<Outcome> {
  await checkWatchable(session, input, files);
  let exit: ExitCode = EXIT.done;
  const check = async (): Promise<void> => {
    const linted = await work();
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

export async function printUnreadableFileError(session: Notes, error: unknown): Promise<void> {
  if (!(error instanceof BulkError || error instanceof UsageError)) throw error;
  await session.info(`${error.message}; waiting for the next save.`);
}

async function checkWatchable(
  session: Invocation & Tell & ServiceAccess,
  input: Input,
  files: readonly string[],
): Promise<void> {
  if (session.globals.companies !== undefined)
    throw new UsageError('cannot combine --watch with --companies');
  if (files.length === 0)
    throw new UsageError('--watch needs a file', { hint: 'add --html-file or --text-file' });
  if ((input.get(lintFormatFlag) ?? 'text') !== 'text') throw printsOnlyText();
  await requireTextOutputFormat(session);
}

/** A change to one of the files triggers `onSaved` for the group. */
interface WatchedFiles {
  /** Absolute. */
  readonly paths: readonly string[];
  /** An error ends the watch. */
  readonly onSaved: () => Promise<void>;
}

/** Milliseconds. A file that stays the same for two checks after a change is completely written. */
const INTERVAL = 250;

/** Polling also works in containers, on network drives and for editors that replace files. Misses no earlier save. */
export function watchFiles(
  { context: { clock, signal } }: Invocation,
  watched: readonly WatchedFiles[],
): () => Promise<void> {
  const states = watched.map((files) => {
    const look = fileStamp(files.paths);
    return { ...files, worked: look, before: look };
  });
  return async () => {
    for (;;) {
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
      for (const state of states) {
        if (signal.aborted) return;
        const now = fileStamp(state.paths);
        const isSaved = now !== state.worked && now === state.before;
        state.before = now;
        if (!isSaved) continue;
        state.worked = now;
        await state.onSaved();
      }
    }
  };
}

/** A watch prints no rows. @throws UsageError for any other format */
export async function requireTextOutputFormat(session: Invocation & Tell & ServiceAccess): Promise<void> {
  if (!(await isResultPrintedForPeople(session))) throw printsOnlyText();
}

const printsOnlyText = (): UsageError =>
  new UsageError('--watch prints only text', { hint: 'leave out --format, -o, --fields and --query' });

/** Changes when a file is saved, moved away or replaced. */
const fileStamp = (paths: readonly string[]): string => paths.map(lookOf).join('\n');

function lookOf(path: string): string {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Its folder can't be read now. The code that reads the file reports the error.
    return 'hidden';
  }
  return stats === undefined ? 'gone' : [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(' ');
}
