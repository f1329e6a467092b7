/**
 * Ends a run with `--dry-run` at its first write. No verb can therefore forget to end the run. Before a verb changes this machine in
 * another way, such as writing a file, the verb calls `session.beforeChange`.
 */

import type { Method } from '../../kit/schema/resource.ts';
import type { Json } from '../../service/protocol/envelope.ts';

export type PlannedChange =
  | { readonly method: Method; readonly path: string; readonly body?: Json }
  /** Planned change to this machine, as an infinitive: `make prod the default profile`. */
  | { readonly would: string };

/** The session's `DryRunState` has the planned changes. */
export class DryRunEndedError extends Error {
  override readonly name = 'DryRunEndedError';

  constructor() {
    super('a dry run changes nothing');
  }
}

export interface DryRunState {
  readonly isOn: boolean;
  /** The changes stay here even if a verb catches the `DryRunEndedError` that `end` throws. */
  readonly planned: readonly PlannedChange[];
  /** Call it only if `isOn` is true. */
  readonly end: (...planned: readonly PlannedChange[]) => never;
  /** @param change an infinitive: `write export.csv` */
  readonly beforeChange: (change: string) => void;
}

export function createDryRunState(isOn: boolean): DryRunState {
  const planned: PlannedChange[] = [];
  const end = (...more: readonly PlannedChange[]): never => {
    planned.push(...more);
    throw new DryRunEndedError();
  };
  const beforeChange = (change: string): void => {
    if (isOn) end({ would: change });
  };
  return { isOn, planned, end, beforeChange };
}
