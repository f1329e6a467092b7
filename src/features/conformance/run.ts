/** Runs all conformance checks against a service, a proxy or a sandbox, and deletes the records that they created. */
import { TransportError } from '../../client/requests/errors.ts';
import { AUTHENTICATION_CHECKS } from './authentication.ts';
import { type ConformanceCheck, type ConformanceClient, ConformanceViolation } from './check.ts';
import { METHOD_CHECKS, QUERY_CHECKS, RESPONSE_CHECKS } from './reads.ts';
import { WRITE_CHECKS } from './writes.ts';

/** Conformance checks by the name of their section, in the order in which they run. */
export const CONFORMANCE_CHECKS: Readonly<Record<string, readonly ConformanceCheck[]>> = {
  authentication: AUTHENTICATION_CHECKS,
  responses: RESPONSE_CHECKS,
  methods: METHOD_CHECKS,
  queries: QUERY_CHECKS,
  writes: WRITE_CHECKS,
};

/** Permissions on a target. Reading is always allowed. Checks that could delete data run only on a sandbox. */
export interface ConformancePermissions {
  readonly writes: boolean;
  readonly isSandbox: boolean;
}

/** Result of one conformance check: `held` if the statement is true for the target. */
export interface ConformanceCheckResult {
  readonly check: string;
  readonly section: string;
  readonly result: 'held' | 'failed' | 'skipped';
  readonly says: string;
  /** Description of the response that failed the check, or the reason for skipping the check. Null if the check passed. */
  readonly found: string | null;
}

export interface ConformanceReport {
  readonly outcomes: readonly ConformanceCheckResult[];
  /** Paths of records that the checks created and could not delete, starting with `/v1`. */
  readonly undeleted: readonly string[];
}

/** @throws TransportError when the first request gets no response */
export async function runConformanceChecks(
  probe: ConformanceClient,
  permission: ConformancePermissions,
  signal: AbortSignal,
): Promise<ConformanceReport> {
  const outcomes: ConformanceCheckResult[] = [];
  try {
    for (const [section, checks] of Object.entries(CONFORMANCE_CHECKS))
      for (const check of checks) {
        if (signal.aborted) break;
        const { id, says } = check;
        const reason = skipReason(check, probe, permission);
        const found = reason ?? (await foundBy(check, probe, outcomes.length === 0));
        const result = reason !== undefined ? 'skipped' : found === undefined ? 'held' : 'failed';
        outcomes.push({ check: id, section, result, says, found: found ?? null });
        // A valid request resets the count: a service may lock a user after three refused requests in a row. No check sends more than two.
        if (section === 'authentication' && !permission.isSandbox)
          await probe.send({ target: '/v1/account' }).catch(() => undefined);
      }
  } finally {
    await cleanUp(probe);
  }
  return { outcomes, undeleted: probe.undeleted() };
}

/** Reason for skipping a check that writes data. If a report contains this reason, the report also explains `--write`. */
export const WRITE_SKIP_REASON = 'the check writes data';

function skipReason(
  check: ConformanceCheck,
  probe: ConformanceClient,
  may: ConformancePermissions,
): string | undefined {
  if (check.applies?.(probe) === false)
    return 'this check cannot run with the names that this profile sets for HTTP headers and attributes';
  if (check.sandboxOnly && !may.isSandbox) return 'this check runs only on a sandbox';
  return check.writes && !may.writes ? WRITE_SKIP_REASON : undefined;
}

/** Runs the check and returns a description of the violation, or undefined if the check passes. */
async function foundBy(
  check: ConformanceCheck,
  probe: ConformanceClient,
  isFirst: boolean,
): Promise<string | undefined> {
  try {
    await check.run(probe);
    return undefined;
  } catch (error) {
    if (error instanceof ConformanceViolation) return error.message;
    if (error instanceof TransportError && !isFirst) return error.message;
    throw error;
  }
}

async function cleanUp(probe: ConformanceClient): Promise<void> {
  for (const path of probe.undeleted())
    try {
      const { status } = await probe.send({ method: 'DELETE', target: path });
      if (status === 200 || status === 404) probe.registerDeleted(path);
    } catch {
      // The report lists the records that could not be deleted.
    }
}
