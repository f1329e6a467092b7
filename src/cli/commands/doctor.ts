/** Declares `svc doctor`, which checks the setup and prints one line per check. */

import { readFile } from 'node:fs/promises';
import { journalFilePath, journalFolder } from '../../client/journal/file.ts';
import type { ServerCertificate } from '../../client/requests/transport/certificate.ts';
import {
  type CheckResult,
  checkBrokenRules,
  checkCertificate,
  checkClock,
  checkDeletedMessages,
  checkExtraCertificates,
  checkNodeVersion,
  passedCheck,
  readOpenTasks,
  scheduledTasksFinding,
  warningResult,
} from '../../features/insight/doctor.ts';
import { checkDirectoryAccess, thisUser } from '../../kit/files/directories.ts';
import { codeOf } from '../../kit/files/errors.ts';
import { checkPrivateFile } from '../../kit/files/private-file.ts';
import { readTimezone } from '../../kit/text/timezone.ts';
import { headerNames } from '../../service/protocol/naming.ts';
import { hostAndPort, isLoopback } from '../../service/protocol/wire.ts';
import { account } from '../../service/resources/account.ts';
import type { Verb } from '../command/command.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Column } from '../output/result.ts';
import { VERSION } from '../outside/version.ts';
import { once } from '../session/once.ts';
import type { Clocks, Invocation, Ports, Profiles, ServiceAccess } from '../session/ports.ts';
import { readSandboxLists } from './why/known-lists.ts';

/** Tables show the state in a word, because a warning is neither `yes` nor `no`. */
const columnsOf = (warned: ReadonlySet<unknown>): readonly Column[] => [
  { name: 'check', role: 'name' },
  {
    name: 'state',
    title: 'OK',
    role: 'state',
    keep: true,
    computed: {
      from: ['ok'],
      word: ({ check, ok }) =>
        ok !== true
          ? { text: 'no', tone: 'bad' }
          : warned.has(check)
            ? { text: 'warn', tone: 'warning' }
            : { text: 'yes', tone: 'good' },
    },
  },
  { name: 'found', keep: true, wraps: true },
];

interface DoctorCheck {
  readonly name: string;
  /** Returns undefined if the check does not apply. @throws an error whose exit code becomes that of `svc doctor` */
  readonly examine: (session: Ports) => Promise<CheckResult | undefined>;
  /** If this check fails, svc skips the later checks. */
  readonly isNeededByLaterChecks?: true;
}

export const doctor: Verb = {
  name: 'doctor',
  summary: 'Check the profile, credentials, service and clock',
  about:
    'Also warns of future problems: certificates that expire, deleted messages that tasks will still send, and paused rules that cannot be resumed. Changes nothing, and makes at most 70 requests. Exits with the code of the first failed check; warnings are not failures',
  work: 'reads',
  exits: { 1: 'a check failed' },
  section: 'Authentication',
  example: 'doctor',
  flags: [],
  needsNoCompany: true,
  run: async (session) => {
    let exit: ExitCode = EXIT.done;
    const rows: (CheckResult & { readonly check: string })[] = [];
    for (const { name, examine, isNeededByLaterChecks } of [...CHECKS, ...accountChecks()]) {
      try {
        const found = await examine(session);
        if (found) rows.push({ check: name, ...found });
      } catch (error) {
        const explained = explainError(error, await session.requestContext());
        exit ||= explained.exit;
        rows.push({ check: name, ok: false, found: session.redact(explained.message) });
        if (explained.hint !== undefined)
          await session.info(explained.hint.split('\n').map((line) => `Hint: ${line}`));
        if (isNeededByLaterChecks || session.context.signal.aborted) break;
      }
    }
    if (rows.some(({ ok }) => !ok)) exit ||= EXIT.failed;
    return {
      result: {
        kind: 'rows',
        rows: rows.map(({ check, ok, found }) => ({ check, ok, found })),
        columns: columnsOf(new Set(rows.filter(({ warns }) => warns).map(({ check }) => check))),
        empty: '',
      },
      exit,
    };
  },
};

async function profileFile(session: Profiles): Promise<string> {
  const store = await session.store();
  const { profiles, defaultName } = await store.list();
  return `${store.path}: ${profiles.length} (default: ${defaultName ?? 'none'})`;
}

async function credentials(session: Profiles): Promise<CheckResult> {
  const { credentials: found, baseUrl, sources } = await session.resolved();
  const who =
    found.kind === 'company'
      ? `company ${found.companyId}, user ${found.userId}`
      : `partner ${found.partnerId}${found.companyId === undefined ? '' : `, company ${found.companyId}`}`;
  return { ok: true, found: `${who} at ${baseUrl}; key from ${sources.key}` };
}

async function service(session: ServiceAccess & Profiles & Clocks): Promise<CheckResult> {
  const client = await session.client();
  const { credentials: found } = await session.resolved();
  if (found.companyId !== undefined) {
    const { name, timezone } = await client.single(account);
    const zone = readTimezone(timezone);
    if (zone !== undefined) return { ok: true, found: `${String(name)}, ${zone}` };
    const { reason, remedy } = await session.unknownZone();
    return warningResult(`${String(name)}; ${reason}`, `for local times, ${remedy}`);
  }
  const { status } = await client.raw({ method: 'GET', path: '/v1/account' });
  if (status !== 401 && status !== 403) return { ok: true, found: 'the service knows this partner' };
  throw new CliError('denied', `the service rejects this partner (${status})`, { exit: EXIT.denied });
}

async function clock(session: Invocation & ServiceAccess & Profiles): Promise<CheckResult> {
  const client = await session.client();
  const { clock: machine } = session.context;
  const sentAt = machine.now();
  const { headers } = await client.raw({ method: 'GET', path: '/v1/account' });
  const here = Math.floor((sentAt + machine.now()) / 2000);
  const { naming } = await session.resolved();
  return checkClock(headers.date, Number(headers[headerNames(naming).time] ?? Number.NaN), here);
}

/** Checks that no other user can read the journal. The error contains the chmod command that fixes the access rights. */
async function journal({ context, globals }: Invocation): Promise<CheckResult> {
  if (!globals.journal) return passedCheck('off: --no-journal');
  const folder = journalFolder(context);
  if (folder === undefined)
    return warningResult(
      'the journal has no folder',
      'set SVC_STATE_DIR to a folder; otherwise svc undo cannot undo anything',
    );
  const owner = thisUser(context.platform);
  checkDirectoryAccess(folder, owner);
  return passedCheck(
    checkPrivateFile(journalFilePath(folder), owner) ? journalFilePath(folder) : `${folder}: none yet`,
  );
}

/** Two of the checks need the scheduled tasks, which svc requests only once. */
function accountChecks(): readonly DoctorCheck[] {
  let tasks: ReturnType<typeof readOpenTasks> | undefined;
  const openTasks = (session: ServiceAccess) => {
    tasks ??= session.client().then(readOpenTasks);
    return tasks;
  };
  return [
    {
      name: 'scheduled tasks',
      examine: ofCompany(async (session) =>
        scheduledTasksFinding(await openTasks(session), await session.serviceNow()),
      ),
    },
    {
      name: 'deleted messages',
      examine: ofCompany(async (session) =>
        checkDeletedMessages(await session.client(), await openTasks(session)),
      ),
    },
    {
      name: 'rules',
      examine: ofCompany(async (session) =>
        checkBrokenRules(
          await session.client(),
          once(() => readSandboxLists(session)),
        ),
      ),
    },
  ];
}

/** svc skips a check of a company for a partner that acts for none. */
const ofCompany =
  (examine: (session: Ports) => Promise<CheckResult>) =>
  async (session: Ports): Promise<CheckResult | undefined> =>
    (await session.resolved()).credentials.companyId === undefined ? undefined : examine(session);

const proxy: DoctorCheck = { name: 'proxy', examine: async (session) => (await routeOf(session)).found };

async function routeOf(
  session: Invocation & Profiles,
): Promise<{ readonly found: CheckResult; readonly proxy?: string }> {
  const { env } = session.context;
  const { origin } = await session.resolved();
  const [variable, url] = firstSet(env, ['HTTPS_PROXY', 'https_proxy']);
  if (url === undefined) return { found: passedCheck('none') };
  const [exceptions, except] = firstSet(env, ['NO_PROXY', 'no_proxy']);
  const used = await proxyOf(origin, url, except);
  if (used !== undefined)
    return {
      found: passedCheck(`${hostAndPort(used)} (${variable}), to ${hostAndPort(origin)}`),
      proxy: used,
    };
  const { hostname, protocol } = new URL(origin);
  const why =
    isLoopback(hostname) || protocol === 'http:'
      ? 'the address is on this machine'
      : `${exceptions} excludes the host of the service from the proxy`;
  return { found: passedCheck(`svc uses no proxy: ${variable} is set, but ${why}`) };
}

async function proxyOf(origin: string, url: string, except: string | undefined): Promise<string | undefined> {
  const { proxyUrlFor } = await import('../../client/requests/transport/undici-transport.ts');
  try {
    return proxyUrlFor(origin, { url, except });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError(cause.message, {
      hint: 'Unset the proxy variable, or set it to http://HOST:PORT.',
      cause,
    });
  }
}

/** Returns the first name if no variable has a value. svc also ignores empty variables when it chooses a proxy. */
function firstSet(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly [name: string, value: string | undefined] {
  const name = names.find((each) => env[each]);
  return [name ?? names[0] ?? '', name === undefined ? undefined : env[name]];
}

const tls: DoctorCheck = {
  name: 'tls',
  isNeededByLaterChecks: true,
  examine: async (session) => {
    const { origin } = await session.resolved();
    if (new URL(origin).protocol === 'http:')
      return passedCheck('TLS is not used: plain http on this machine');
    // The service runs in the same process in tests.
    if (session.context.transport !== undefined) return undefined;
    const { fetchServerCertificate } = await import('../../client/requests/transport/certificate.ts');
    const { proxy: used } = await routeOf(session);
    return checkServiceCertificate(
      await session.waiting('for the certificate of the service (at most 10 seconds)', () =>
        fetchServerCertificate(origin, { proxy: used }),
      ),
      session.context.clock.now() / 1000,
    );
  },
};

/** Undefined without a TLS connection. @param now Unix seconds of this machine's clock @throws CliError for an untrusted certificate */
export function checkServiceCertificate(
  certificate: ServerCertificate | undefined,
  now: number,
): CheckResult | undefined {
  // The check of the service explains a missing connection.
  if (certificate === undefined) return undefined;
  const { problem } = certificate;
  if (problem === undefined) return checkCertificate(certificate, now);
  const hint = problem.advice === undefined ? {} : { hint: problem.advice };
  throw new CliError('unreachable', problem.words, { exit: EXIT.unreachable, ...hint });
}

/** Node ignores an unreadable file of certificates without a message. */
const extraCertificates: DoctorCheck = {
  name: 'NODE_EXTRA_CA_CERTS',
  examine: async ({ context }) => {
    const path = context.env.NODE_EXTRA_CA_CERTS;
    if (!path) return undefined;
    let text: string;
    try {
      text = await readFile(path, 'latin1');
    } catch (error) {
      const why = codeOf(error) ?? 'unreadable';
      return warningResult(
        `ignored: cannot read ${path} (${why})`,
        'correct the path in the variable, or unset the variable',
      );
    }
    return checkExtraCertificates(path, text);
  },
};

const CHECKS: readonly DoctorCheck[] = [
  { name: 'version', examine: async () => passedCheck(`svc ${VERSION}`) },
  { name: 'node', examine: async () => checkNodeVersion(process.versions.node) },
  // Files and folders that are open to others are refused. The hint contains the chmod command.
  {
    name: 'profiles',
    examine: async (session) => passedCheck(await profileFile(session)),
    isNeededByLaterChecks: true,
  },
  // svc refuses a deletion if it can't record it first.
  { name: 'journal', examine: journal },
  { name: 'credentials', examine: credentials, isNeededByLaterChecks: true },
  proxy,
  extraCertificates,
  tls,
  { name: 'service', examine: service, isNeededByLaterChecks: true },
  { name: 'clock', examine: clock },
];
