/**
 * `--dry-run`: whatever would write ends in one typed outcome, which `main` renders once. The client, the profile store
 * and the sandbox's control client stop at their first write by themselves, so that no verb can forget it; what a verb
 * does to this machine besides, it announces with `session.beforeChange`.
 */
import type { Json } from '../../protocol/envelope.ts';
import type { Method } from '../../schema/resource.ts';

/** One thing that would be done. */
export type Planned =
  | { readonly method: Method; readonly path: string; readonly body?: Json }
  /** On this machine, as an infinitive: `make prod the default profile`. */
  | { readonly would: string };

/** Thrown in place of the first write of a dry run; what would be done stands in the session's `DryRun`. */
export class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';

  constructor() {
    super('nothing is changed in a dry run');
  }
}

export interface DryRun {
  readonly isOn: boolean;
  /** What would have been done so far; a verb that swallows the end doesn't lose it. */
  readonly planned: readonly Planned[];
  /** Notes what would be done and ends the run. Call it only where `isOn`. */
  readonly end: (...planned: readonly Planned[]) => never;
}

export function createDryRun(isOn: boolean): DryRun {
  const planned: Planned[] = [];
  return {
    isOn,
    planned,
    end: (...more) => {
      planned.push(...more);
      throw new DryRunEnd();
    },
  };
}
