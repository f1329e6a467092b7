/** Runs the checks one after the other and always deletes the records that they created. */
import { TransportError } from '../../../../client/errors.ts';
import { authenticationChecks } from './authentication.ts';
import type { ConformanceCheck } from './check.ts';
import { type Probe, Unmet } from './probe.ts';
import { methodChecks, queryChecks, responseChecks } from './reads.ts';
import { writeChecks } from './writes.ts';

export interface Section {
  readonly name: string;
  readonly checks: readonly ConformanceCheck[];
}

export const SECTIONS: readonly Section[] = [
  { name: 'authentication', checks: authenticationChecks },
  { name: 'responses', checks: responseChecks },
  { name: 'methods', checks: methodChecks },
  { name: 'queries', checks: queryChecks },
  { name: 'writes', checks: writeChecks },
];

/** Permissions for the checks of a target. Reading is always allowed. Checks that could lose data run only on a sandbox. */
export interface Permission {
  readonly writes: boolean;
  readonly isSandbox: boolean;
}

export interface Outcome {
  readonly check: string;
  readonly section: string;
  readonly result: 'held' | 'failed' | 'skipped';
  readonly says: string;
  /** Actual response, or the reason for skipping. */
  readonly found: string | null;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  /** Records that could not be deleted: paths from `/v1` on. */
  readonly left: readonly string[];
}

/** Runs the checks. @throws TransportError when the first request gets no response */
export async function runChecks(probe: Probe, may: Permission, signal: AbortSignal): Promise<Report> {
  const outcomes: Outcome[] = [];
  try {
    for (const { name: section, checks } of SECTIONS)
      for (const check of checks) {
        if (signal.aborted) break;
        const { id, says } = check;
        const reason = skipReason(check, probe, may);
        const found = reason ?? (await foundBy(check, probe, outcomes.length === 0));
        const result = reason !== undefined ? 'skipped' : found === undefined ? 'held' : 'failed';
        outcomes.push({ check: id, section, result, says, found: found ?? null });
        // A valid request resets the count: a service may lock a user after three refused requests in a row. No check sends more than two.
        if (section === 'authentication' && !may.isSandbox)
          await probe.send({ target: '/v1/account' }).catch(() => undefined);
      }
  } finally {
    await cleanUp(probe);
  }
  return { outcomes, left: probe.left() };
}

function skipReason(check: ConformanceCheck, probe: Probe, may: Permission): string | undefined {
  if (check.applies?.(probe) === false) return 'the naming of the profile differs';
  if (check.sandboxOnly && !may.isSandbox) return 'only checked on a sandbox';
  return check.writes && !may.writes ? 'it writes data' : undefined;
}

/** Runs the check and describes the violation. Returns undefined if the target fulfills the statement. */
async function foundBy(check: ConformanceCheck, probe: Probe, isFirst: boolean): Promise<string | undefined> {
  try {
    await check.run(probe);
    return undefined;
  } catch (error) {
    if (error instanceof Unmet) return error.message;
    if (error instanceof TransportError && !isFirst) return error.message;
    throw error;
  }
}

async function cleanUp(probe: Probe): Promise<void> {
  for (const path of probe.left())
    try {
      const { status } = await probe.send({ method: 'DELETE', target: path });
      if (status === 200 || status === 404) probe.removed(path);
    } catch {
      // The record stays in the list of undeleted records, which the report shows.
    }
}
