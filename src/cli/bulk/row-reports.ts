/** Reports failed rows on stderr, and writes them to the file of rejects. */

import { RowError } from '../../bulk/operation.ts';
import type { RejectedRowsFileWriter } from '../../bulk/rejects.ts';
import type { FailedRowReport } from '../../bulk/row.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Session } from '../session/session.ts';
import type { RowProgressDisplay } from './progress.ts';

interface FailedRowReporter {
  readonly add: (report: FailedRowReport) => Promise<void>;
  /** Prints the number of failed rows that were not printed one by one, and the name of the rejects file, which lists all failed rows. */
  readonly printRest: (file: string | undefined) => Promise<void>;
}

/** Maximum number of failed rows that are listed on stderr. The rejects file lists all failed rows. */
const MAX_LISTED_ROWS = 20;

/** Creates the reporter of failed rows. It prints the first failed rows on stderr and writes every failed row to the rejects file. */
export function createFailedRowReporter(
  session: Session,
  rejects: RejectedRowsFileWriter,
  progress: RowProgressDisplay,
): FailedRowReporter {
  let count = 0;
  return {
    add: async (report: FailedRowReport): Promise<void> => {
      await rejects.add(report);
      count += 1;
      const shown = report.value.length > 80 ? `${report.value.slice(0, 80)}…` : report.value;
      if (count <= MAX_LISTED_ROWS && !session.globals.quiet)
        progress.line(session.redact(`line ${report.line}: ${JSON.stringify(shown)} ${report.reason}`));
    },
    printRest: async (file: string | undefined): Promise<void> => {
      if (count > MAX_LISTED_ROWS) await session.info(`and ${count - MAX_LISTED_ROWS} more rows`);
      if (file !== undefined) await session.info(`Rejected rows: ${file}`);
    },
  };
}

/** Returns the reason for which a row was rejected: the message of the service, followed by the fault of each attribute. */
export function rowRejectionReason(error: unknown): string {
  if (error instanceof RowError) return error.message;
  const { message, details } = explainError(error);
  const more = details.map((detail) => {
    const { attribute, reason } = Object(detail) as {
      readonly attribute?: unknown;
      readonly reason?: unknown;
    };
    return typeof reason === 'string' ? ` ${String(attribute)} ${reason}` : '';
  });
  const said = more.filter((text) => text !== '').join(';');
  return said === '' ? message : `${message}:${said}`;
}
