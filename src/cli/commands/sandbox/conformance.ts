/** Declares `sandbox conformance`: sends requests with known responses to a sandbox, a service or a proxy in front of one. */
import { TransportError } from '../../../client/errors.ts';
import { hostAndPort } from '../../../client/failures.ts';
import type { Resolved } from '../../../profiles/credentials.ts';
import { parseBaseUrl } from '../../../protocol/origin.ts';
import type { Verb } from '../../command/command.ts';
import { switchFlag, textFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import { confirm } from '../../request/guards.ts';
import { refuseReadOnly } from '../../session/before-writes.ts';
import { createConnections } from '../../session/connections.ts';
import { askControl, endpointOf } from '../../session/sandbox-control.ts';
import { isSandboxProfile } from '../../session/sandbox-start.ts';
import { type Invocation, openSession, type Session } from '../../session/session.ts';
import { createProbe, type Probe } from './conformance/probe.ts';
import { type Outcome, type Permission, type Report, runChecks } from './conformance/run.ts';

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

/** Default time limit of each request in milliseconds, if there is no `--timeout`. */
const USUAL_TIMEOUT = 30_000;

export const conformance: Verb = {
  name: 'conformance',
  summary: 'Check a service or proxy with requests whose responses are known',
  about:
    'Checks signatures, dates and nonces, methods, errors, HEAD, paging, filters, encodings and bodies. Signs with the credentials in use. On a running sandbox of yours it also creates and deletes folders and Do Not Contact entries; elsewhere only ' +
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
      throw new CliError('interrupted', 'interrupted', { exit: EXIT.interrupted, hints: leftHints(report) });
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
async function targetOf(session: Session, against: string | undefined): Promise<Resolved> {
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

/** Reports whether the target is a sandbox of this user. A response of its control plane proves it. */
async function isOwnSandbox(session: Session, { origin }: Resolved): Promise<boolean> {
  const { profiles } = await (await session.store()).list();
  for (const { sandbox, baseUrl } of profiles.filter(isSandboxProfile)) {
    const base = parseBaseUrl(baseUrl);
    if ('problem' in base || base.origin !== origin) continue;
    const endpoint = await endpointOf(sandbox.dataDir);
    const answer = endpoint && (await askControl(endpoint, 'status', {}, { timeout: USUAL_TIMEOUT }));
    const url = Object(answer?.data)['baseUrl'];
    const running = typeof url === 'string' ? parseBaseUrl(url) : undefined;
    if (running && !('problem' in running) && running.origin === origin) return true;
  }
  return false;
}

async function mayWrite(
  session: Invocation,
  { profile, origin }: Resolved,
  { isSandbox, wanted }: { readonly isSandbox: boolean; readonly wanted: boolean },
): Promise<boolean> {
  if (session.globals.dryRun) return false;
  if (isSandbox) return !profile?.readOnly;
  if (!wanted) return false;
  refuseReadOnly(profile);
  await confirm(session, `create and delete folders and Do Not Contact entries at ${hostAndPort(origin)}`);
  return true;
}

async function runAgainst(session: Session, target: Resolved, may: Permission): Promise<Report> {
  const { context, globals } = session;
  const { credentials, naming, origin, baseUrl } = target;
  if (credentials.companyId === undefined)
    throw new UsageError('a partner checks a service for one company', { hint: 'name it: --company ID' });
  const connections = createConnections(context);
  try {
    const probe = createProbe({
      ...{ credentials, naming, transport: await connections.open(origin, false) },
      basePath: baseUrl.slice(origin.length),
      now: () => context.clock.now(),
      random: context.random,
      timeout: globals.timeout ?? USUAL_TIMEOUT,
    });
    await expectSigned(probe, hostAndPort(origin));
    return await session.waiting(
      'for the checks; Ctrl-C ends them and deletes the records they created',
      () => runChecks(probe, may, context.signal),
    );
  } finally {
    await connections.close();
  }
}

/** Checks first that the target accepts a signed request. Otherwise no other check is possible. */
async function expectSigned(probe: Probe, host: string): Promise<void> {
  const about = `cannot check ${host}`;
  let status: number;
  try {
    ({ status } = await probe.send({ target: '/v1/account' }));
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause;
    throw new CliError('unreachable', `${about}: ${cause.message}`, { exit: EXIT.unreachable, cause });
  }
  if (status === 200) return;
  throw new CliError('denied', `${about}: it answers a correctly signed GET /v1/account with ${status}`, {
    exit: status === 401 || status === 403 ? EXIT.denied : EXIT.failed,
    hint: 'svc doctor checks address, key and clock; --explain-signature shows what is signed',
  });
}

function notesOf(report: Report, host: string): readonly string[] {
  const count = (wanted: Outcome['result']): number =>
    report.outcomes.filter(({ result }) => result === wanted).length;
  const skipped = count('skipped');
  const writing = report.outcomes.some(({ found }) => found === 'it writes data');
  return [
    `${count('held')} of ${report.outcomes.length} checks passed at ${host}, ${count('failed')} failed, ${skipped} skipped.`,
    ...(writing
      ? ['Checks that write run on a running sandbox of yours, and elsewhere with --write --yes.']
      : []),
    ...leftHints(report),
  ];
}

const leftHints = ({ left }: Report): readonly string[] =>
  left.length === 0 ? [] : [`These records could not be deleted: ${left.join(', ')}`];
