/**
 * Declares `svc sandbox conformance`, which sends requests to a service, a proxy or a sandbox and checks that the responses are the
 * expected ones.
 */
import { TransportError } from '../../../client/errors.ts';
import { hostAndPort } from '../../../client/failures.ts';
import type { ResolvedCredentials } from '../../../profiles/credentials.ts';
import { parseBaseUrl } from '../../../protocol/wire.ts';
import type { Verb } from '../../command/command.ts';
import { switchFlag, textFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import { confirm } from '../../request/guards.ts';
import { refuseWriteIfReadOnly } from '../../session/before-writes.ts';
import { createServiceConnections } from '../../session/connections.ts';
import { readSandboxAddress, sendSandboxOperation } from '../../session/sandbox-control.ts';
import { isSandboxProfile } from '../../session/sandbox-start.ts';
import { type Invocation, openSession, type Session } from '../../session/session.ts';
import { CONFORMANCE_CHECKS_OF_AUTHENTICATION } from './conformance/authentication.ts';
import {
  type ConformanceCheck,
  type ConformanceClient,
  ConformanceViolation,
  createConformanceClient,
} from './conformance/check.ts';
import {
  CONFORMANCE_CHECKS_OF_HTTP_METHODS,
  CONFORMANCE_CHECKS_OF_QUERIES,
  CONFORMANCE_CHECKS_OF_RESPONSES,
} from './conformance/reads.ts';
import { CONFORMANCE_CHECKS_OF_WRITES } from './conformance/writes.ts';

const againstFlag = textFlag('against', {
  describe: "Address of the service or proxy to check (default: the profile's)",
  value: 'url',
});
const writeFlag = switchFlag('write', {
  describe: 'Also create and delete folders and Do Not Contact entries on a service that is not your sandbox',
});

const COLUMNS: readonly Column[] = [
  { name: 'result', role: 'state' },
  { name: 'check', role: 'name' },
  { name: 'says' },
  { name: 'found', keep: true, wraps: true },
];
const ATTRIBUTES: readonly Column[] = [{ name: 'section' }, ...COLUMNS];

/** Default time limit of each request, in milliseconds. */
const DEFAULT_TIMEOUT = 30_000;

export const sandboxConformance: Verb = {
  name: 'conformance',
  summary: 'Check whether a service or proxy conforms to the documented API',
  about:
    'Checks signatures, dates and nonces, methods, errors, HEAD, paging, filters, encodings and bodies. Signs with the credentials of the profile. On your own running sandbox, it also creates and deletes folders and Do Not Contact entries; on any other service, only ' +
    'with --write --yes. It never creates a task and never sends an SMS. Exits 11 if a check fails',
  work: 'reads',
  exits: { 11: 'a check failed' },
  section: 'Endpoints',
  example: 'sandbox conformance',
  flags: [againstFlag, writeFlag],
  run: async (session, input) => {
    const against = input.get(againstFlag);
    const base = against === undefined ? undefined : parseBaseUrl(against);
    if (base !== undefined && 'problem' in base)
      throw new UsageError(`--against: the address ${base.problem}`);
    const target = await targetOf(session, against);
    const isSandbox = await isOwnSandbox(session, target);
    const writes = await mayWrite(session, target, { isSandbox, wanted: input.get(writeFlag) });
    const report = await runAgainst(session, target, { writes, isSandbox });
    if (session.context.signal.aborted)
      throw new CliError('interrupted', 'interrupted', {
        exit: EXIT.interrupted,
        hints: undeletedHints(report),
      });
    const failed = report.outcomes.filter(({ result }) => result === 'failed').length;
    return {
      result: {
        kind: 'rows',
        rows: report.outcomes.map((outcome) => ({ ...outcome })),
        columns: COLUMNS,
        attributes: ATTRIBUTES,
        empty: '',
        notes: () => notesOf(report, hostAndPort(target.origin)),
      },
      exit: failed > 0 ? EXIT.unmet : EXIT.done,
    };
  },
};

/**
 * Resolves the credentials. `--against` replaces the profile's address, but svc sends the profile's key only to the profile's own origin.
 */
async function targetOf(session: Session, against: string | undefined): Promise<ResolvedCredentials> {
  if (against === undefined) return session.resolved();
  const globals = { ...session.globals, baseUrl: against };
  const trial = openSession(session.context, globals, { run: session.run });
  try {
    const resolved = await trial.resolved();
    session.hide([resolved.credentials.apiKey]);
    return resolved;
  } finally {
    await trial.close();
  }
}

/**
 * Reports whether the target is a sandbox of this user: a profile of a sandbox has the target's address, and the control plane of this
 * sandbox confirms the address.
 */
async function isOwnSandbox(session: Session, { origin }: ResolvedCredentials): Promise<boolean> {
  const { profiles } = await (await session.store()).list();
  for (const { sandbox, baseUrl } of profiles.filter(isSandboxProfile)) {
    const base = parseBaseUrl(baseUrl);
    if ('problem' in base || base.origin !== origin) continue;
    const endpoint = await readSandboxAddress(sandbox.dataDir);
    const answer =
      endpoint && (await sendSandboxOperation(endpoint, 'status', {}, { timeout: DEFAULT_TIMEOUT }));
    const url = Object(answer?.data)['baseUrl'];
    const running = typeof url === 'string' ? parseBaseUrl(url) : undefined;
    if (running && !('problem' in running) && running.origin === origin) return true;
  }
  return false;
}

async function mayWrite(
  session: Invocation,
  { profile, origin }: ResolvedCredentials,
  { isSandbox, wanted }: { readonly isSandbox: boolean; readonly wanted: boolean },
): Promise<boolean> {
  if (session.globals.dryRun) return false;
  if (isSandbox) return !profile?.readOnly;
  if (!wanted) return false;
  refuseWriteIfReadOnly(profile);
  await confirm(session, `create and delete folders and Do Not Contact entries at ${hostAndPort(origin)}`);
  return true;
}

async function runAgainst(
  session: Session,
  target: ResolvedCredentials,
  may: ConformancePermissions,
): Promise<ConformanceReport> {
  const { context, globals } = session;
  const { credentials, naming, origin, baseUrl } = target;
  if (credentials.companyId === undefined)
    throw new UsageError('a partner must choose one company for the checks', {
      hint: 'add --company ID',
    });
  const connections = createServiceConnections(context);
  try {
    const probe = createConformanceClient({
      ...{ credentials, naming, transport: await connections.open(origin, false) },
      basePath: baseUrl.slice(origin.length),
      now: () => context.clock.now(),
      random: context.random,
      timeout: globals.timeout ?? DEFAULT_TIMEOUT,
    });
    await expectSigned(probe, hostAndPort(origin));
    return await session.waiting(
      'for the checks to finish; Ctrl-C stops them and deletes the records that they created',
      () => runConformanceChecks(probe, may, context.signal),
    );
  } finally {
    await connections.close();
  }
}

/** Checks that the target accepts a signed request, because all other checks depend on it. @throws CliError */
async function expectSigned(probe: ConformanceClient, host: string): Promise<void> {
  const about = `cannot check ${host}`;
  let status: number;
  try {
    ({ status } = await probe.send({ target: '/v1/account' }));
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause;
    throw new CliError('unreachable', `${about}: ${cause.message}`, { exit: EXIT.unreachable, cause });
  }
  if (status === 200) return;
  throw new CliError(
    'denied',
    `${about}: the server responds to a correctly signed GET /v1/account with ${status}`,
    {
      exit: status === 401 || status === 403 ? EXIT.denied : EXIT.failed,
      hint: 'run svc doctor to check the address, key and clock; add --explain-signature to see the signed string',
    },
  );
}

function notesOf(report: ConformanceReport, host: string): readonly string[] {
  const count = (wanted: ConformanceCheckResult['result']): number =>
    report.outcomes.filter(({ result }) => result === wanted).length;
  const skipped = count('skipped');
  const writing = report.outcomes.some(({ found }) => found === WRITE_SKIP_REASON);
  return [
    `${count('held')} of ${report.outcomes.length} checks passed at ${host}, ${count('failed')} failed, ${skipped} skipped.`,
    ...(writing
      ? [
          'On your own running sandbox, svc also runs checks that change data. On any other service, these checks need --write --yes.',
        ]
      : []),
    ...undeletedHints(report),
  ];
}

const undeletedHints = ({ undeleted }: ConformanceReport): readonly string[] =>
  undeleted.length === 0 ? [] : [`These records could not be deleted: ${undeleted.join(', ')}`];

/** Conformance checks by the name of their section, in the order in which they run. */
export const CONFORMANCE_CHECKS: Readonly<Record<string, readonly ConformanceCheck[]>> = {
  authentication: CONFORMANCE_CHECKS_OF_AUTHENTICATION,
  responses: CONFORMANCE_CHECKS_OF_RESPONSES,
  methods: CONFORMANCE_CHECKS_OF_HTTP_METHODS,
  queries: CONFORMANCE_CHECKS_OF_QUERIES,
  writes: CONFORMANCE_CHECKS_OF_WRITES,
};

/** Permissions of the conformance checks on a target. Reading is always allowed. Checks that could delete data run only on a sandbox. */
interface ConformancePermissions {
  readonly writes: boolean;
  readonly isSandbox: boolean;
}

/** Result of one conformance check: `held` if the statement is true for the target. */
interface ConformanceCheckResult {
  readonly check: string;
  readonly section: string;
  readonly result: 'held' | 'failed' | 'skipped';
  readonly says: string;
  /** Description of the response that failed the check, or the reason for skipping the check. Null if the check passed. */
  readonly found: string | null;
}

interface ConformanceReport {
  readonly outcomes: readonly ConformanceCheckResult[];
  /** Paths of records that the checks created and could not delete, starting with `/v1`. */
  readonly undeleted: readonly string[];
}

/** Runs the conformance checks. @throws TransportError when the first request gets no response */
async function runConformanceChecks(
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
const WRITE_SKIP_REASON = 'the check writes data';

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
