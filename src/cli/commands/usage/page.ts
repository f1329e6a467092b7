/** Implements `svc usage --html`, which prints the rows and also writes them to an HTML page. */
import { openTemporaryFile } from '../../../bulk/temporary-file.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Html } from '../../../report/html-page.ts';
import { createUsagePageParts } from '../../../usage/page.ts';
import type { Outcome } from '../../command/command.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { NewFile } from '../../request/new-file.ts';
import type { Session } from '../../session/session.ts';

/** File for the HTML page, and the month that the page shows. */
export interface UsageReportFile extends NewFile {
  readonly month: string;
}

/** Returns an outcome that also writes its rows to the HTML page while they are printed. The file appears only after the last row. */
export function addUsageReportToOutcome(session: Session, outcome: Outcome, page: UsageReportFile): Outcome {
  const { result, exit } = outcome;
  if (result.kind !== 'rows') return outcome;
  const { name, path, force } = page;
  const exitCode = () => (typeof exit === 'function' ? exit() : (exit ?? EXIT.done));
  let isWritten = false;
  async function* rows(): AsyncGenerator<JsonObject> {
    const file = await openTemporaryFile(path, name, force);
    try {
      const write = (piece: Html): Promise<void> => file.write(piece.html);
      const pieces = createUsagePageParts(page.month, session.context.clock.now() / 1000);
      await write(pieces.beginning);
      for await (const row of result.kind === 'rows' ? result.rows : []) {
        await write(pieces.row(row));
        yield row;
      }
      // Without rows, or after an interruption, no page is written.
      if (pieces.isEmpty() || session.context.signal.aborted) return;
      const notes = result.kind === 'rows' ? (result.notes?.() ?? []) : [];
      await write(pieces.ending(notes, exitCode() === EXIT.done));
      await file.commit();
      isWritten = true;
    } finally {
      if (!isWritten) await file.abort();
    }
  }
  const notes = () => [...(result.notes?.() ?? []), isWritten ? `wrote ${name}` : `${name} was not written`];
  return { ...outcome, result: { ...result, rows: rows(), notes } };
}
