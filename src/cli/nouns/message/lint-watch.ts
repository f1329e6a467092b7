/** `lint --watch`: the files are checked again when they are saved. */
import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { BulkError } from '../../../bulk/errors.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { isForPeople } from '../../session/for-people.ts';
import type { Session } from '../../session/session.ts';
import { exitOf, type Linted, lintFormatFlag, strictFlag } from './lint-flags.ts';
import { printForPeople } from './lint-output.ts';

export interface Watched {
  /** As they were named. */
  readonly files: readonly string[];
  readonly input: Input;
  readonly work: () => Promise<Linted>;
}

/** Milliseconds between two looks. What is the same in two of them after a change has been written to its end. */
const INTERVAL = 250;

/**
 * Looks at the files rather than asking the system to tell of changes: that works for editors that put a new file in the place of
 * the old one, and in containers and on network drives, which tell of nothing. Ends with Ctrl-C, in the exit code of the last
 * check; a file that is gone, or can't be read, is said once and waited for.
 */
export async function lintWatching(session: Session, watched: Watched): Promise<Outcome> {
  const { files, input } = watched;
  await checkWatchable(session, watched);
  const { clock, cwd, signal } = session.context;
  const paths = files.map((file) => resolve(cwd, file));
  let exit: ExitCode = EXIT.done;
  const check = async (): Promise<void> => {
    const linted = await watched.work();
    exit = exitOf(linted.findings, input.get(strictFlag));
    await printForPeople(session, linted);
  };
  let checked = looksOf(paths);
  await check();
  await session.info(`Watching ${files.join(' and ')}; Ctrl-C ends.`);
  let before = checked;
  for (;;) {
    await clock.sleep(INTERVAL, signal).catch(() => undefined);
    if (signal.aborted) return { result: { kind: 'nothing' }, exit };
    const now = looksOf(paths);
    if (now !== checked && now === before) {
      checked = now;
      await check().catch((error: unknown) => sayUnreadable(session, error));
    }
    before = now;
  }
}

async function sayUnreadable(session: Session, error: unknown): Promise<void> {
  if (!(error instanceof BulkError || error instanceof UsageError)) throw error;
  await session.info(`${error.message}; waiting until it is saved again.`);
}

async function checkWatchable(session: Session, { files, input }: Watched): Promise<void> {
  if (session.globals.companies !== undefined) throw new UsageError('--watch does not go with --companies');
  if (files.length === 0)
    throw new UsageError('--watch needs a file to watch', { hint: 'give --html-file or --text-file' });
  if ((input.get(lintFormatFlag) ?? 'text') !== 'text' || !(await isForPeople(session)))
    throw new UsageError('--watch prints text', { hint: 'leave out --format, -o, --fields and --query' });
}

/** What changes when a file is saved, moved away or put in its place. */
const looksOf = (paths: readonly string[]): string => paths.map(lookOf).join('\n');

function lookOf(path: string): string {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(' ');
}
