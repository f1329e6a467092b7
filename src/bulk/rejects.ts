/** The rows that were not sent, refused or not confirmed, in a CSV file beside the one they came from. */
import { unlink } from 'node:fs/promises';
import { csvLine, guardFormula } from '../text/csv.ts';
import type { RowReport } from './row.ts';
import { type FileBeside, writeBeside } from './write-beside.ts';

export interface Rejects {
  readonly add: (report: RowReport) => Promise<void>;
  /** Puts the file in its place, over one of an earlier run. @returns its path, or undefined when it would be empty */
  readonly commit: () => Promise<string | undefined>;
  /** Unless it was committed, as if there had been none; what another run has begun since stays. */
  readonly abort: () => Promise<void>;
}

/**
 * @param path undefined: none is written
 * @param name the path as people know it
 * @param check throws once another run may write it
 */
export function createRejects(
  path: string | undefined,
  name: string,
  check = (): void => undefined,
): Rejects {
  let file: Promise<FileBeside> | undefined;
  let isOver = false;
  return {
    add: async ({ line, value, reason }) => {
      if (path === undefined) return;
      if (file === undefined) check();
      file ??= opened(path, name);
      await (await file).write(csvLine([String(line), cell(value), cell(reason)]));
    },
    commit: async () => {
      if (file === undefined) {
        // Of a run that was killed.
        if (path !== undefined) await unlink(`${path}.part`).catch(() => undefined);
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

async function opened(path: string, name: string): Promise<FileBeside> {
  const file = await writeBeside(path, name, true);
  await file.write('line,value,reason\n');
  return file;
}

/** Guarded; an empty text is an empty cell, as in the file that it came from. */
const cell = (text: string): string | null => (text === '' ? null : guardFormula(text));
