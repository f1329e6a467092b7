/** Declares `svc doctor`, which checks the setup and prints one line per check. */

import {
  checkBrokenRules,
  checkDeletedMessages,
  readOpenTasks,
  scheduledTasksFinding,
} from '../../doctor/account.ts';
import {
  type CheckResult,
  checkClock,
  checkNodeVersion,
  passedCheck,
  warningResult,
} from '../../doctor/setup.ts';
import { checkDirectoryAccess, thisUser } from '../../files/directories.ts';
import { checkPrivateFile } from '../../files/private-file.ts';
import { journalFilePath, journalFolder } from '../../journal/file.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { headerNames } from '../../protocol/naming.ts';
import { account } from '../../resources/account.ts';
import type { Verb } from '../command/command.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Column } from '../output/result.ts';
import { VERSION } from '../outside/version.ts';
import { once } from '../session/once.ts';
import type { Session } from '../session/session.ts';
import { type DoctorCheck, NETWORK_CHECKS } from './doctor/network.ts';
import { readSandboxLists } from './why/known-lists.ts';

const COLUMNS: readonly Column[] = [
  { name: 'check', role: 'name' },
  { name: 'ok', kind: 'bool', keep: true },
  { name: 'found', keep: true, wraps: true },
];

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
        if (explained.hint !== undefined) await session.info(explained.hint.replace(/^/gm, 'Hint: '));
        if (isNeededByLaterChecks || session.context.signal.aborted) break;
      }
    }
    if (rows.some(({ ok }) => !ok)) exit ||= EXIT.failed;
    return {
      result: {
        kind: 'rows',
        rows: rows.map(({ check, ok, found }) => ({ check, ok, found })),
        columns: COLUMNS,
        empty: '',
      },
      exit,
    };
  },
};

/** General checks, which run before the checks of the account. */
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
  ...NETWORK_CHECKS,
  { name: 'service', examine: service, isNeededByLaterChecks: true },
  { name: 'clock', examine: clock },
];

async function profileFile(session: Session): Promise<string> {
  const store = await session.store();
  const { profiles, defaultName } = await store.list();
  return `${store.path}: ${profiles.length} (default: ${defaultName ?? 'none'})`;
}

async function credentials(session: Session): Promise<CheckResult> {
  const { credentials: found, baseUrl, sources } = await session.resolved();
  const who =
    found.kind === 'company'
      ? `company ${found.companyId}, user ${found.userId}`
      : `partner ${found.partnerId}${found.companyId === undefined ? '' : `, company ${found.companyId}`}`;
  return { ok: true, found: `${who} at ${baseUrl}; key from ${sources.key}` };
}

async function service(session: Session): Promise<CheckResult> {
  const client = await session.client();
  const { credentials: found } = await session.resolved();
  if (found.companyId !== undefined) {
    const { name, timezone } = await client.single(account);
    return { ok: true, found: `${String(name)}, ${String(timezone)}` };
  }
  const { status } = await client.raw({ method: 'GET', path: '/v1/account' });
  if (status !== 401 && status !== 403) return { ok: true, found: 'the service knows this partner' };
  throw new CliError('denied', `the service rejects this partner (${status})`, { exit: EXIT.denied });
}

/** Compares this machine's clock with the service's clock. Sends one request. */
async function clock(session: Session): Promise<CheckResult> {
  const client = await session.client();
  const { clock: machine } = session.context;
  const sentAt = machine.now();
  const { headers } = await client.raw({ method: 'GET', path: '/v1/account' });
  const here = Math.floor((sentAt + machine.now()) / 2000);
  const { naming } = await session.resolved();
  return checkClock(headers['date'], Number(headers[headerNames(naming).time] ?? Number.NaN), here);
}

/**
 * Checks that the journal's folder and file belong to this user, and that no other user can read them. The error contains the chmod command
 * that fixes the access rights.
 */
async function journal({ context, globals }: Session): Promise<CheckResult> {
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

/** Returns the checks of the account. Two of the checks need the scheduled tasks, which svc requests only once. */
function accountChecks(): readonly DoctorCheck[] {
  let tasks: Promise<readonly JsonObject[]> | undefined;
  const openTasks = (session: Session) => {
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

/** Wraps a check of a company's account, so that svc skips the check for a partner that acts for no company. */
const ofCompany =
  (examine: (session: Session) => Promise<CheckResult>) =>
  async (session: Session): Promise<CheckResult | undefined> =>
    (await session.resolved()).credentials.companyId === undefined ? undefined : examine(session);
