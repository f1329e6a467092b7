/**
 * Stores the ledger of budgets: a file that records how much of each budget every send has used. All svc processes of a user share the
 * file. A lock lets only one process change the file at a time.
 */
import { join } from 'node:path';
import { createAtomicFile } from '../files/atomic-file.ts';
import { checkDirectoryAccess, makeDirectory, thisUser } from '../files/directories.ts';
import { withLock } from '../files/lock.ts';
import { readPrivateFile } from '../files/private-file.ts';
import {
  checked,
  createShape,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  oneOfValues,
  orNull,
  text,
} from '../schema/shape.ts';
import { isObject } from '../text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import type { PlannedSend } from './budget.ts';
import { SendError } from './errors.ts';

/** Part of a budget that one send uses, or that all single SMS of a day have used. */
export interface BudgetLedgerEntry extends PlannedSend {
  readonly id: string;
  /**
   * Key of the budget that the send uses: a text with the name of the profile, the id of the company and the origin of the service. Sends
   * with the same key share one budget, which limits the profile's sends of a day.
   */
  readonly account: string;
  /** Id of the task. Null until the task exists, and for single SMS. */
  readonly task: string | null;
  /**
   * State of this entry. `reserved`: the outcome of the send is not known, so the amounts of the entry count as used. `counted`: the
   * amounts are those that the send really used.
   */
  readonly state: 'reserved' | 'counted';
}

/** Place of the ledger on this machine. */
export interface LedgerLocation {
  /** Folder of the ledger. Undefined if there is no home folder. */
  readonly folder: string | undefined;
  readonly platform: NodeJS.Platform;
}

const ledgerShape = object({
  version: oneOfValues(1),
  shares: listOf(
    object({
      id: text,
      account: text,
      due: createShape<number>((value) => Number.isFinite(value), 'a number'),
      recipients: orNull(nonNegativeInteger),
      credits: orNull(nonNegativeInteger),
      tasks: nonNegativeInteger,
      task: orNull(matching(/^[0-9]+$/, 'an id')),
      state: oneOfValues('reserved', 'counted'),
    }),
  ),
});

const MAX_LEDGER_OCTETS = 16 * 1024 * 1024;

/** Returns the path of the ledger in its folder. */
export const budgetLedgerPath = (folder: string): string => join(folder, 'ledger.json');

/**
 * Locks the ledger, and replaces all entries of the ledger with the entries that `work` returns. An entry is also called a share, because
 * an entry records the share of a budget that a send uses. The new entries are on disk when the promise resolves. If `work` returns the
 * same array that `work` received, writes nothing.
 * @throws SendError if the ledger can't be read or written; the caller then sends nothing, because the send would not be counted
 */
export async function updateDailySendBudgetLedger<T>(
  { folder, platform }: LedgerLocation,
  work: (entries: readonly BudgetLedgerEntry[]) => {
    readonly shares: readonly BudgetLedgerEntry[];
    readonly result: T;
  },
): Promise<T> {
  if (folder === undefined)
    throw unusable('there is no home folder for the file that counts sends', 'set SVC_STATE_DIR to a folder');
  const path = budgetLedgerPath(folder);
  try {
    makeDirectory(folder);
    checkDirectoryAccess(folder, thisUser(platform));
    return await withLock(`${path}.lock`, () => {
      const before = readPrivateFile(path, thisUser(platform), MAX_LEDGER_OCTETS);
      const shares = before === undefined ? [] : sharesIn(JSON.parse(before), path);
      const changed = work(shares);
      if (changed.shares !== shares) write(path, changed.shares, platform);
      return changed.result;
    });
  } catch (cause) {
    if (cause instanceof SendError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unusable(
      `${path}: ${reason}`,
      `correct ${path}, or move it away (the budget then no longer counts earlier sends)`,
      cause,
    );
  }
}

function sharesIn(value: unknown, path: string): readonly BudgetLedgerEntry[] {
  const newer = explainTooNewFileVersion(path, isObject(value) ? value['version'] : undefined);
  if (newer === undefined) return checked(ledgerShape, value).shares;
  throw new SendError('no-ledger', `cannot count the send in the budget: ${newer}`, {
    outcome: 'refused',
    hint: UPDATE_SVC_HINT,
  });
}

function write(path: string, shares: readonly BudgetLedgerEntry[], platform: NodeJS.Platform): void {
  const file = createAtomicFile(path, { platform });
  try {
    file.write(`${JSON.stringify({ version: 1, shares })}\n`);
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
}

const unusable = (reason: string, hint: string, cause?: unknown): SendError =>
  new SendError('no-ledger', `cannot count the send in the budget (${reason})`, {
    outcome: 'refused',
    hint,
    cause,
  });
