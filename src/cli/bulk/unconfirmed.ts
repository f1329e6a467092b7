/** A person could get an SMS twice, so svc never sends an unconfirmed row again by itself. */
import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BulkJobCheckpoint } from '../../client/bulk/checkpoint.ts';
import type { CheckedRow } from '../../client/bulk/row.ts';
import type { InputSource } from '../../client/bulk/source.ts';
import { openTemporaryFile } from '../../client/bulk/temporary-file.ts';
import { MAX_DATE_HEADER_CLOCK_SKEW_MS } from '../../client/requests/recovery/settle.ts';
import { csvLine } from '../../kit/text/csv.ts';
import { formatCountWithNoun, groupThousands, joinAnd } from '../../kit/text/words.ts';
import { UsageError } from '../errors/errors.ts';

export interface OnceOnly<B> {
  readonly flag: string;
  readonly again: boolean;
  readonly lookUpCommand: string;
  readonly commandFor: (file: string) => string;
  readonly columns: readonly string[];
  readonly cellsOf: (body: B) => readonly (string | null)[];
}

interface OnceOnlyJob<B> {
  readonly source: InputSource;
  readonly readRows: () => AsyncIterable<CheckedRow<B>>;
}

export interface TrackedCheckpoint {
  readonly checkpoint: BulkJobCheckpoint;
  readonly isUnconfirmed: (row: number) => boolean;
}

export function trackUnconfirmedRows(checkpoint: BulkJobCheckpoint): TrackedCheckpoint {
  const own = new Set<number>();
  return {
    checkpoint: {
      ...checkpoint,
      noteFailed: (outcome, report) => {
        if (outcome === 'unconfirmed') own.add(report.row);
        checkpoint.noteFailed(outcome, report);
      },
    },
    isUnconfirmed: (row) => own.has(row) || checkpoint.outcomeOf(row) === 'unconfirmed',
  };
}

export async function saveUnconfirmedRows<B>(
  job: OnceOnlyJob<B>,
  onceOnly: OnceOnly<B>,
  isUnconfirmed: (row: number) => boolean,
): Promise<{ readonly problem: string; readonly hint: string }> {
  const { path, name } = fileOf(job.source);
  const file = await openTemporaryFile(path, name, { force: true });
  const lines: number[] = [];
  try {
    await file.write(csvLine(onceOnly.columns));
    for await (const { line, body } of rowsOf(job, isUnconfirmed)) {
      lines.push(line);
      await file.write(csvLine(onceOnly.cellsOf(body)));
    }
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
  return {
    problem: `the service did not confirm ${countRows(lines.length)} of ${job.source.name} (${listLines(lines)}); svc wrote them to ${name}`,
    hint: howToSend(onceOnly, name),
  };
}

/** Names the unconfirmed rows, and says how to send them alone. */
export async function alreadySentError<B>(
  job: OnceOnlyJob<B>,
  onceOnly: OnceOnly<B>,
  { rows, added }: { readonly rows: number; readonly added: number },
  isUnconfirmed: (row: number) => boolean,
): Promise<UsageError> {
  const lines: number[] = [];
  for await (const { line } of rowsOf(job, isUnconfirmed)) lines.push(line);
  const all = `${onceOnly.flag} sends the whole file again: ${countRows(rows)}, including the ${groupThousands(added)} that the service confirmed`;
  if (lines.length === 0)
    return new UsageError('an earlier run sent this file; nothing was sent again', { hint: all });
  const { path, name } = fileOf(job.source);
  const isSaved = (await lstat(path).catch(() => undefined)) !== undefined;
  return new UsageError(
    `an earlier run sent this file, but the service did not confirm ${listLines(lines)}; nothing was sent again`,
    { hints: [howToSend(onceOnly, isSaved ? name : undefined), all] },
  );
}

function fileOf({ path, name }: InputSource): { readonly path: string; readonly name: string } {
  return { path: resolve(`${path ?? name}.unconfirmed.csv`), name: `${name}.unconfirmed.csv` };
}

async function* rowsOf<B>(
  { readRows }: OnceOnlyJob<B>,
  isUnconfirmed: (row: number) => boolean,
): AsyncGenerator<CheckedRow<B> & { readonly kind: 'good' }> {
  for await (const row of readRows()) if (row.kind === 'good' && isUnconfirmed(row.row)) yield row;
}

/** @param file undefined if it does not exist */
function howToSend<B>({ lookUpCommand, commandFor }: OnceOnly<B>, file: string | undefined): string {
  const minutes = MAX_DATE_HEADER_CLOCK_SKEW_MS / 60_000;
  const look = `To send these rows alone, look for each with ${lookUpCommand}, at the earliest ${minutes} minutes after the run.`;
  return file === undefined
    ? `${look} Copy the header and the lines that were not sent to a new file, then run ${commandFor('NEW-FILE')}`
    : `${look} Delete the rows that were sent from ${file}, then run ${commandFor(file)}`;
}

const countRows = (count: number): string => formatCountWithNoun(count, 'row', groupThousands(count));

const MAX_LISTED_LINES = 20;

function listLines(lines: readonly number[]): string {
  const shown = lines.slice(0, MAX_LISTED_LINES).map(String);
  const rest = lines.length - shown.length;
  const all = rest === 0 ? shown : [...shown, `${groupThousands(rest)} more`];
  return `${lines.length === 1 ? 'line' : 'lines'} ${joinAnd(all)}`;
}
