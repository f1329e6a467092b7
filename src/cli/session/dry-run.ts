/**
 * Ends a run with `--dry-run` at its first write. The planned steps become one outcome, which `main` prints. The client, the profile store
 * and the sandbox's control client end the run at their first write themselves, so that no verb can forget to end it. A verb announces
 * other changes to this machine with `session.beforeChange`.
 */
import type { Json } from '../../protocol/envelope.ts';
import type { Method } from '../../schema/resource.ts';

/** Change that the run would make. */
export type PlannedChange =
  | { readonly method: Method; readonly path: string; readonly body?: Json }
  /** Planned change to this machine, as an infinitive: `make prod the default profile`. */
  | { readonly would: string };

/** Error thrown instead of the first write of a dry run. The planned steps are in the session's `DryRun`. */
export class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';

  constructor() {
    super('a dry run changes nothing');
  }
}

/** State of `--dry-run`: whether it is on, and the changes that the run would make. */
export interface DryRun {
  readonly isOn: boolean;
  /** Steps planned so far. They are kept even if a verb swallows the error. */
  readonly planned: readonly PlannedChange[];
  /** Records the planned steps and ends the run by throwing `DryRunEnd`. Call it only if `isOn`. */
  readonly end: (...planned: readonly PlannedChange[]) => never;
}

export function createDryRun(isOn: boolean): DryRun {
  const planned: PlannedChange[] = [];
  return {
    isOn,
    planned,
    end: (...more) => {
      planned.push(...more);
      throw new DryRunEnd();
    },
  };
}
