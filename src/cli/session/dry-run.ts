/**
 * Ends a run with `--dry-run` at its first write. The planned changes become one outcome, which `main` prints. The client, the profile
 * store and the sandbox's control client end the run when a verb writes through them. No verb can therefore forget to end the run. Before a
 * verb changes this machine in another way, such as writing a file, the verb calls `session.beforeChange`.
 */
import type { Json } from '../../protocol/envelope.ts';
import type { Method } from '../../schema/resource.ts';

/** Change that the run would make. */
export type PlannedChange =
  | { readonly method: Method; readonly path: string; readonly body?: Json }
  /** Planned change to this machine, as an infinitive: `make prod the default profile`. */
  | { readonly would: string };

/** Error that a dry run throws instead of making its first write. The session's `DryRunState` has the planned changes. */
export class DryRunEndedError extends Error {
  override readonly name = 'DryRunEndedError';

  constructor() {
    super('a dry run changes nothing');
  }
}

/** State of `--dry-run`: whether it is on, and the changes that the run would make. */
export interface DryRunState {
  readonly isOn: boolean;
  /** Changes that the run has planned so far. They stay in this list even if a verb catches the `DryRunEndedError` that `end` throws. */
  readonly planned: readonly PlannedChange[];
  /** Adds changes to `planned` and ends the run by throwing `DryRunEndedError`. Call it only if `isOn` is true. */
  readonly end: (...planned: readonly PlannedChange[]) => never;
  /** Ends the run before a change to this machine if `isOn` is true. @param change an infinitive: `write export.csv` */
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
