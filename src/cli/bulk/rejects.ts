/** The rows that were not sent, refused or not confirmed, in a CSV file beside the one they came from. */
import { unlink } from 'node:fs/promises';
import { csvLine, guardFormula } from '../../text/csv.ts';
import type { Told } from './journal.ts';
import { type Beside, writeBeside } from './write-beside.ts';

export interface Rejects {
  readonly add: (told: Told) => Promise<void>;
  /** Puts the file in its place, over one of an earlier run. @returns its path, or undefined when it would be empty */
  readonly keep: () => Promise<string | undefined>;
  /** Unless it was kept, as if there had been none. */
  readonly discard: () => Promise<void>;
  /** Another run writes it by now. */
  readonly leave: () => Promise<undefined>;
}

/**
 * @param path undefined: none is written
 * @param name the path as people know it
 */
export function createRejects(path: string | undefined, name: string): Rejects {
  let beside: Promise<Beside> | undefined;
  let kept = false;
  return {
    add: async ({ line, value, reason }) => {
      if (path === undefined) return;
      beside ??= opened(path, name);
      await (await beside).write(csvLine([String(line), cell(value), cell(reason)]));
    },
    keep: async () => {
      if (beside === undefined) {
        // Of a run that was killed.
        if (path !== undefined) await unlink(`${path}.part`).catch(() => undefined);
        return undefined;
      }
      kept = true;
      await (await beside).keep();
      return name;
    },
    discard: async () => {
      if (!kept) await (await beside)?.discard();
    },
    leave: async () => {
      kept = true;
      await (await beside)?.leave();
      return undefined;
    },
  };
}

async function opened(path: string, name: string): Promise<Beside> {
  const beside = await writeBeside(path, name, true);
  await beside.write('line,value,reason\n');
  return beside;
}

/** Guarded; an empty text is an empty cell, as in the file that it came from. */
const cell = (text: string): string | null => (text === '' ? null : guardFormula(text));
