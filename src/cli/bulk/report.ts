import type { BulkReport } from '../../client/bulk/checkpoint.ts';
import { isBulkError } from '../../client/bulk/errors.ts';
import type { BulkJobResult } from '../../client/bulk/job-state.ts';
import type { RejectedRowsFileWriter } from '../../client/bulk/rejects.ts';
import { type FailedRowReport, RowError } from '../../client/bulk/row.ts';
import { sayFinding } from '../../kit/schema/reason.ts';
import { formatCountWithNoun, groupThousands } from '../../kit/text/words.ts';
import type { Outcome } from '../command/command.ts';
import { CliError, isFinding, UsageError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import { createItemResult } from '../output/result.ts';
import { createTextLinesOutcome, shouldSummarizeWriteInOneLine } from '../request/write-outcome.ts';
import type { Invocation, Tell } from '../session/ports.ts';
import type { RowProgressDisplay } from './progress.ts';

export function createBulkReport(
  { totals, open }: BulkJobResult,
  rowsInFile: number | undefined,
  rejects: string | undefined,
): BulkReport {
  const unread = Math.max(0, (rowsInFile ?? 0) - totals.rows);
  return { ...totals, rows: totals.rows + unread, open: open + unread, rejects: rejects ?? null };
}

export const isJobComplete = (
  { problem }: BulkJobResult,
  { open }: BulkReport,
  signal: AbortSignal,
): boolean => problem === undefined && open === 0 && !signal.aborted;

function bulkExit({ unconfirmed, failed, rejected, open }: BulkReport): ExitCode {
  if (unconfirmed > 0) return EXIT.unknown;
  return failed + rejected + open > 0 ? EXIT.partial : EXIT.done;
}

export async function unfinishedJobOutcome(
  session: Invocation & Tell,
  job: JobWords,
  {
    problem,
    report,
    canResume,
  }: Pick<BulkJobResult, 'problem'> & { readonly report: BulkReport; readonly canResume: boolean },
): Promise<Outcome> {
  const resumeHint = canResume
    ? 'to continue, run the same command again: svc starts where this run stopped, and sends no row twice'
    : 'to continue, give the input as a file: svc skips existing entries';
  if (problem === undefined || session.context.signal.aborted) {
    const why = session.context.signal.aborted ? 'interrupted' : 'some rows were not completed';
    await session.warn(`${why}; ${report.open} rows are unfinished; ${resumeHint}`);
    return reportOutcome(job, report, bulkExit(report));
  }
  // Nothing was sent, so the error needs no counts.
  if (isUsageProblem(problem) && report.rows === report.open + report.rejected) throw problem;
  const { kind, exit, message, details, hint } = explainError(problem, await session.requestContext());
  throw new CliError(
    isBulkError(problem, 'changed') ? 'changed' : kind,
    `stopped with ${report.open} of ${report.rows} rows unfinished: ${message}`,
    {
      // Exit code 2 would mean that nothing was sent.
      exit: exit === EXIT.usage ? EXIT.failed : exit,
      details: [...details, reportInWords(job, report)],
      hints: [...(hint === undefined ? [] : [hint]), ...resumeHints(problem, resumeHint)],
      cause: problem,
    },
  );
}

const isUsageProblem = (problem: unknown): boolean =>
  problem instanceof UsageError || isBulkError(problem, 'input', 'changed');

function resumeHints(problem: unknown, goOn: string): readonly string[] {
  if (isBulkError(problem, 'lost-lock')) return [];
  return [isBulkError(problem, 'changed') ? RESTORE_FILE : goOn];
}

const RESTORE_FILE =
  'to continue, restore the checked file and run the same command; send new rows as a separate file';

const reportOutcome = (job: JobWords, report: BulkReport, exit: ExitCode): Outcome => ({
  result: createItemResult(reportInWords(job, report)),
  exit,
});

interface JobWords {
  readonly verb: string;
  readonly method?: 'DELETE';
}

function reportInWords({ method }: JobWords, { rows, added, ...others }: BulkReport) {
  return method === 'DELETE' ? { rows, removed: added, ...others } : { rows, added, ...others };
}

export async function completedJobOutcome(
  session: Invocation & Tell,
  job: JobWords & { readonly source: { readonly name: string } },
  report: BulkReport,
): Promise<Outcome> {
  const { source, verb } = job;
  if (report.rows === 0) await session.info(`${source.name} has no rows, so nothing was ${verb}`);
  const exit = bulkExit(report);
  if (report.rows > 0 && (await shouldSummarizeWriteInOneLine(session)))
    return {
      ...(await createTextLinesOutcome(session, `${source.name}: ${countWords(report, verb)}.`)),
      exit,
    };
  return reportOutcome(job, report, exit);
}

function countWords(report: BulkReport, verb: string): string {
  const { added, skipped, rejected, failed, unconfirmed, rejects } = report;
  const others = Object.entries({ skipped, rejected, failed, unconfirmed })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${groupThousands(count)} ${name}`);
  return (
    [`${groupThousands(added)} ${verb}`, ...others].join(', ') + (rejects === null ? '' : ` (${rejects})`)
  );
}

export const unconfirmedRowsText = (count: number, lookUpCommand?: string): string =>
  `the service did not confirm ${formatCountWithNoun(count, 'row')}; check them${lookUpCommand === undefined ? '' : ` with ${lookUpCommand}`} before you send any of them again`;

const MAX_LISTED_ROWS = 20;

/** Prints the first failed rows on stderr, and writes every failed row to the rejects file. */
export function createFailedRowReporter(
  session: Invocation & Tell,
  rejects: RejectedRowsFileWriter,
  progress: RowProgressDisplay,
) {
  let count = 0;
  return {
    add: async (report: FailedRowReport): Promise<void> => {
      await rejects.add(report);
      count += 1;
      const shown = report.value.length > 80 ? `${report.value.slice(0, 80)}…` : report.value;
      if (count <= MAX_LISTED_ROWS && !session.globals.quiet)
        progress.line(session.redact(`line ${report.line}: ${JSON.stringify(shown)} ${report.reason}`));
    },
    /** @param isDone true if a summary follows. On a terminal, it names the file */
    printRest: async (file: string | undefined, isDone: boolean): Promise<void> => {
      if (count > MAX_LISTED_ROWS) await session.info(`and ${count - MAX_LISTED_ROWS} more rows`);
      if (file === undefined || (isDone && (await shouldSummarizeWriteInOneLine(session)))) return;
      await session.info(`Rejected rows: ${file}`);
    },
  };
}

export function rowRejectionReason(error: unknown): string {
  if (error instanceof RowError) return error.message;
  const { message, details } = explainError(error);
  const said = details.flatMap((detail) => (isFinding(detail) ? [sayFinding(detail)] : [])).join('; ');
  return said === '' ? message : `${message}: ${said}`;
}
