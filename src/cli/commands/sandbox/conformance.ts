/** Declares `svc sandbox conformance`, which checks that a service, a proxy or a sandbox responds as documented. */

import type { ResolvedCredentials } from '../../../client/profiles/credentials.ts';
import { TransportError } from '../../../client/requests/errors.ts';
import { type ConformanceClient, createConformanceClient } from '../../../features/conformance/check.ts';
import {
  type ConformanceCheckResult,
  type ConformancePermissions,
  type ConformanceReport,
  runConformanceChecks,
  WRITE_SKIP_REASON,
} from '../../../features/conformance/run.ts';
import { hostAndPort, parseBaseUrl } from '../../../service/protocol/wire.ts';
import type { Verb } from '../../command/command.ts';
import { switchFlag, textFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import { confirm } from '../../request/guards.ts';
import { createServiceConnections } from '../../session/connections.ts';
import type { Commands, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { readSandboxAddress, sendSandboxOperation } from '../../session/sandbox-control.ts';
import { isSandboxProfile } from '../../session/sandbox-start.ts';
import { openSession } from '../../session/session.ts';
import { refuseWriteIfReadOnly } from '../../session/write-stages.ts';

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

const DEFAULT_TIMEOUT = 30_000;

export const sandboxConformance: Verb = {
  name: 'conformance',
  summary: 'Check whether a service or proxy conforms to the documented API',
  about:
    'Checks signatures, dates and nonces, methods, errors, HEAD, paging, filters, encodings and bodies. Signs with the credentials of the profile. On your own running sandbox, it also creates and deletes folders and Do Not Contact entries; on any other service, only ' +
    'with --write --yes. It never creates a task and never sends an SMS. Exits 11 if a check fails',
  work: 'reads',
  does: 'changes',
  asks: true,
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

/** `--against` replaces the profile's address, but svc sends the profile's key only to the profile's own origin. */
async function targetOf(
  session: Invocation & Tell & Profiles & Commands,
  against: string | undefined,
): Promise<ResolvedCredentials> {
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

/** A profile of a sandbox must have the target's address, and the control plane of this sandbox must confirm it. */
async function isOwnSandbox(session: Profiles, { origin }: ResolvedCredentials): Promise<boolean> {
  const { profiles } = await (await session.store()).list();
  for (const { sandbox, baseUrl } of profiles.filter(isSandboxProfile)) {
    const base = parseBaseUrl(baseUrl);
    if ('problem' in base || base.origin !== origin) continue;
    const endpoint = await readSandboxAddress(sandbox.dataDir);
    const answer =
      endpoint && (await sendSandboxOperation(endpoint, 'status', {}, { timeout: DEFAULT_TIMEOUT }));
    const running = answer && parseBaseUrl(answer.data.baseUrl);
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
  session: Invocation & Tell,
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

/** All other checks depend on an accepted signed request. @throws CliError */
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
