/** Declares `svc doctor`: checks the setup and prints one line per check. */

import { headerNames } from '../../protocol/naming.ts';
import { account } from '../../resources/account.ts';
import { parseHttpDate } from '../../text/http-date.ts';
import { formatTime } from '../../text/timezone.ts';
import type { Verb } from '../command/command.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Column } from '../output/result.ts';
import { VERSION } from '../outside/version.ts';
import type { Session } from '../session/session.ts';
import { accountChecks } from './doctor/account.ts';
import { type CheckResult, type DoctorCheck, fine } from './doctor/check.ts';
import { journal } from './doctor/journal.ts';
import { NETWORK } from './doctor/network.ts';

const COLUMNS: readonly Column[] = [
  { name: 'check', role: 'name' },
  { name: 'ok', kind: 'bool', keep: true },
  { name: 'found', keep: true, wraps: true },
];

/** Clock difference in seconds above which requests are refused sooner or later. */
const SKEW_SECONDS = 30;

export const doctor: Verb = {
  name: 'doctor',
  summary: 'Check the profile, credentials, service and clock',
  about:
    'Also finds problems ahead: certificates that expire, deleted messages that are still sent, rules that cannot ' +
    'be resumed. Only reads, with at most 70 requests. Exits with the code of the first failed check; warnings do ' +
    'not fail',
  work: 'reads',
  exits: { 1: 'a check failed' },
  section: 'Authentication',
  example: 'doctor',
  flags: [],
  needsNoCompany: true,
  run: async (session) => {
    let exit: ExitCode = EXIT.done;
    const rows: (CheckResult & { readonly check: string })[] = [];
    for (const { name, examine, isNeeded } of [...CHECKS, ...accountChecks()]) {
      try {
        const found = await examine(session);
        if (found) rows.push({ check: name, ...found });
      } catch (error) {
        const explained = explainError(error, await session.asked());
        exit ||= explained.exit;
        rows.push({ check: name, ok: false, found: session.redact(explained.message) });
        if (explained.hint !== undefined) await session.info(explained.hint.replace(/^/gm, 'Hint: '));
        if (isNeeded || session.context.signal.aborted) break;
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

/** General checks. Those of the account follow them. */
const CHECKS: readonly DoctorCheck[] = [
  { name: 'version', examine: async () => fine(`svc ${VERSION}`) },
  { name: 'node', examine: async () => nodeVersion(process.versions.node) },
  // Files and folders that are open to others are refused. The hint contains the chmod command.
  { name: 'profiles', examine: async (session) => fine(await profileFile(session)), isNeeded: true },
  journal,
  { name: 'credentials', examine: credentials, isNeeded: true },
  ...NETWORK,
  { name: 'service', examine: service, isNeeded: true },
  { name: 'clock', examine: clock },
];

/** Checks Node's version. Older ones of this major have a fault that a header can trigger (acceptance, "Node before 20.20.2"). */
function nodeVersion(found: string): CheckResult {
  const [major = 0, minor = 0, patch = 0] = found.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 20 || (minor === 20 && patch < 2)));
  return { ok: !isOld, found: isOld ? `${found}; update to 20.20.2 or later` : found };
}

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

/**
 * Compares the clock of the service's `Date` header, which authentication uses, with this machine's. Schedules use another clock (wire,
 * "Authentication, where open"). A sandbox's may be moved on purpose, so it is only mentioned.
 */
async function clock(session: Session): Promise<CheckResult> {
  const client = await session.client();
  const { clock: machine } = session.context;
  const sentAt = machine.now();
  const { headers } = await client.raw({ method: 'GET', path: '/v1/account' });
  // The header has whole seconds.
  const here = Math.floor((sentAt + machine.now()) / 2000);
  const { naming } = await session.resolved();
  const moved = movedClock(Number(headers[headerNames(naming).time] ?? Number.NaN), here);
  const date = parseHttpDate(headers['date'] ?? '');
  if (date === undefined) return { ok: true, found: `the responses don't say${moved}` };
  const skew = date / 1000 - here;
  const side = skew > 0 ? 'ahead of' : 'behind';
  const found = skew === 0 ? 'same as here' : `the service's is ${Math.abs(skew)} s ${side} this machine's`;
  return { ok: Math.abs(skew) < SKEW_SECONDS, found: found + moved };
}

/** Describes a moved clock. @param time Unix seconds of the service's own clock; NaN if its responses don't show it */
function movedClock(time: number, here: number): string {
  if (Number.isNaN(time) || Math.abs(time - here) < SKEW_SECONDS) return '';
  return `; its own clock, which schedules run by, shows ${formatTime(time, 'UTC', 'table')} UTC`;
}
