/** Writes the failed rows (rejected, refused or unconfirmed) to a CSV file next to their source file. */
import { unlink } from 'node:fs/promises';
import { inspectTarget } from '../files/target.ts';
import { csvLine, escapeCsvFormula } from '../text/csv.ts';
import type { FailedRowReport } from './row.ts';
import { openOutputFile, type TemporaryFile } from './temporary-file.ts';

export interface RejectedRowsFileWriter {
  readonly add: (report: FailedRowReport) => Promise<void>;
  /**
   * Moves the temporary file to its final path, and replaces the rejects file of an earlier run. @returns the path, or undefined if no row
   * was rejected
   */
  readonly commit: () => Promise<string | undefined>;
  /** Deletes the temporary file of this run unless it was committed. Keeps a temporary file that another run has put in its place. */
  readonly abort: () => Promise<void>;
}

/**
 * Creates a writer of the rejects file, which lists the failed rows.
 * @param path final path of the file; undefined if no file is to be written
 * @param name the path as messages show it
 * @param check throws an error if another run has taken over the job, and so may be writing the file
 * @param signal ends the wait for a program that reads the file, if the file is a pipe
 */
export function createRejectedRowsFileWriter(
  path: string | undefined,
  name: string,
  check = (): void => undefined,
  signal?: AbortSignal,
): RejectedRowsFileWriter {
  let file: Promise<TemporaryFile> | undefined;
  let isOver = false;
  return {
    add: async ({ line, value, reason }) => {
      if (path === undefined) return;
      if (file === undefined) check();
      file ??= opened(path, name, signal);
      await (await file).write(csvLine([String(line), cell(value), cell(reason)]));
    },
    commit: async () => {
      if (file === undefined) {
        // This file was left by a killed run.
        if (path !== undefined && inspectTarget(`${path}.part`).kind === 'file')
          await unlink(`${path}.part`).catch(() => undefined);
        return undefined;
      }
      await (await file).commit();
      isOver = true;
      return name;
    },
    abort: async () => {
      if (isOver) return;
      isOver = true;
      await (await file)?.abort();
    },
  };
}

async function opened(path: string, name: string, signal?: AbortSignal): Promise<TemporaryFile> {
  const file = await openOutputFile(path, name, { force: true, signal });
  await file.write('line,value,reason\n');
  return file;
}

/** Returns the cell, escaped so that a spreadsheet does not run it as a formula. An empty text becomes an empty cell. */
const cell = (text: string): string | null => (text === '' ? null : escapeCsvFormula(text));
