import { unlink } from 'node:fs/promises';
import { inspectTarget } from '../../kit/files/target.ts';
import { csvLine, escapeCsvFormula } from '../../kit/text/csv.ts';
import type { FailedRowReport } from './row.ts';
import { openOutputFile, type TemporaryFile } from './temporary-file.ts';

export interface RejectedRowsFileWriter {
  readonly add: (report: FailedRowReport) => Promise<void>;
  /** Returns undefined if no row was rejected. */
  readonly commit: () => Promise<string | undefined>;
  /** Keeps a temporary file that another run has put in its place. */
  readonly abort: () => Promise<void>;
}

/**
 * @param path undefined if no file is to be written
 * @param check throws if another run has taken over the job, and so may be writing the file
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

/** Escaped so that a spreadsheet does not run it as a formula. */
const cell = (text: string): string | null => (text === '' ? null : escapeCsvFormula(text));
