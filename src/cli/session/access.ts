import type { JournalRecorder } from '../../client/journal/recorder.ts';
import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { Client } from '../../client/requests/client.ts';
import type { StartTimer } from '../../client/requests/ports.ts';
import { formatFlags } from '../../kit/text/words.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { type AccountRecord, account } from '../../service/resources/account.ts';
import { UsageError } from '../errors/errors.ts';
import type { NameLookup } from '../output/result.ts';
import type { Context } from '../outside/context.ts';
import { createAccountLabel } from './account-words.ts';
import { openSendBudgetCounter } from './budget.ts';
import { createServiceClients, type Wire } from './clients.ts';
import { createClocks } from './clocks.ts';
import { keysInEnvironment, longEnough } from './content-limits.ts';
import type { DryRunState } from './dry-run.ts';
import { countsCompaniesOnTerminal, type GlobalFlagValues } from './globals.ts';
import { OTHER_PROCESS_WAIT_TEXT, type WaitNotices } from './notes.ts';
import { once } from './once.ts';
import type { Clocks, Notes, RecordingClientOptions, ServiceAccess } from './ports.ts';
import {
  type CompanyWrites,
  guardedClient,
  type JournalOfWrites,
  refuseWriteIfReadOnly,
  type WriteGuards,
} from './write-stages.ts';

interface AccessParts {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly command: string | undefined;
  readonly needsNoCompany: boolean | undefined;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly actsFor: AccountId | undefined;
  readonly wire: Wire;
  readonly waitNotices: WaitNotices;
  readonly dryRun: DryRunState;
  readonly notes: Notes;
  readonly say: (line: string) => Promise<void>;
  readonly company: CompanyWrites | undefined;
  readonly onRequest: (() => void) | undefined;
}

export function createServiceAccess(parts: AccessParts): ServiceAccess & Clocks {
  const { context, globals, command, resolved, dryRun, notes, actsFor } = parts;
  const { info, warn } = notes;
  const isDryRun = dryRun.isOn;
  const recorder = once(async () => (globals.journal && !isDryRun ? openJournalRecorder(parts) : undefined));
  const sentBy = command === 'doctor' ? 'doctor' : context.sentBy;
  const open = createServiceClients({ ...parts, sentBy });
  const own = accountOf(() => clients.client());
  const accountLabel = createAccountLabel({
    isWatched: context.stderr.isTTY && !globals.quiet,
    isSilent: isDryRun || countsCompaniesOnTerminal(context, globals),
    resolved,
    account: own.read,
    info,
    warn: parts.say,
  });
  const clocks = createClocks({
    clock: context.clock,
    tz: globals.tz,
    client: () => clients.client(),
    resolved,
    ownAccount: own.read,
    knownAccount: own.known,
    warn,
  });
  const counter = once(() => openSendBudgetCounter({ context, resolved, clocks, isDryRun }));
  const journal = { open: recorder, warn };
  const clients = guardedClients(parts, open, { counter, journal, announce: accountLabel.announce });
  return {
    ...clients,
    ...clocks,
    counter,
    recorder,
    account: own.read,
    accountLabel,
    beforeWrite: async () => {
      if (!isDryRun) refuseWriteIfReadOnly((await resolved()).profile);
      await accountLabel.announce();
    },
    actsFor,
    accountFlags: formatAccountFlags(globals, actsFor),
    names: namesOf(clients.client, context.timer),
  };
}

const formatAccountFlags = (
  { profile, company, user, baseUrl }: GlobalFlagValues,
  actsFor: AccountId | undefined,
): string => formatFlags(Object.entries({ profile, company: actsFor ?? company, user, 'base-url': baseUrl }));

function accountOf(client: () => Promise<Client>) {
  let known: AccountRecord | undefined;
  return {
    // A failure is not cached: a failed request for the account's name must not break work that needs its zone.
    read: async (): Promise<AccountRecord> => {
      known ??= await (await client()).single(account);
      return known;
    },
    known: (): AccountRecord | undefined => known,
  };
}

function guardedClients(
  parts: AccessParts,
  open: ReturnType<typeof createServiceClients>,
  shared: Pick<WriteGuards, 'counter' | 'announce'> & { readonly journal: JournalOfWrites },
): Pick<ServiceAccess, 'client' | 'bareClient' | 'clientWith'> {
  const { context, globals, command, needsNoCompany, resolved, actsFor, dryRun, company } = parts;
  // `svc api` prints the response of the service, and a run over many companies has a session for each.
  const namesCompany = needsNoCompany || globals.companies !== undefined || command === 'api';
  const checksCompany = command !== undefined && (!namesCompany || actsFor !== undefined);
  const guarded = async (client: () => Promise<Client>, own: Partial<WriteGuards>): Promise<Client> => {
    const found = await resolved();
    if (checksCompany) mustActForCompany(found);
    const { credentials, profile, naming } = found;
    const secrets = [
      ...keysInEnvironment(context.env),
      ...longEnough([credentials.apiKey, profile?.sandbox?.controlToken]),
    ];
    return guardedClient(await client(), {
      ...{ profile, naming, secrets, dryRun, company },
      ...shared,
      ...own,
    });
  };
  const recorded = (special: RecordingClientOptions) => {
    const { approvals, isChecked, undoes } = special;
    return guarded(() => open(special), { approvals, isChecked, journal: { ...shared.journal, undoes } });
  };
  return {
    client: once(() => recorded({})),
    clientWith: recorded,
    bareClient: (bulk) => guarded(() => open({}, bulk), { journal: undefined, checkLock: bulk?.checkLock }),
  };
}

function namesOf(client: () => Promise<Client>, timer: StartTimer | undefined): NameLookup {
  const names = once(async () => {
    const { createRecordNameLookup } = await import('./reference-names.ts');
    return createRecordNameLookup({ client, timer });
  });
  return async (references) => (await names())(references);
}

function mustActForCompany({
  credentials,
  profile,
}: Pick<ResolvedCredentials, 'credentials' | 'profile'>): void {
  if (credentials.kind !== 'partner' || credentials.companyId !== undefined) return;
  const keep =
    profile === undefined
      ? 'set SVC_COMPANY_ID to choose a company for all commands'
      : `run svc company use ID to choose a company for profile ${profile.name}; svc company list shows the ids`;
  throw new UsageError('a partner must choose a company; nothing was sent', {
    hints: ['add --company with the id of a company, or with its name in svc company list', keep],
  });
}

async function openJournalRecorder(parts: AccessParts): Promise<JournalRecorder> {
  const { context, command = '', resolved, waitNotices, notes } = parts;
  const [{ createJournalRecorder }, { determineWriteRequestSender }, { journalFolder }] = await Promise.all([
    import('../../client/journal/recorder.ts'),
    import('../../client/journal/entry.ts'),
    import('../../client/journal/file.ts'),
  ]);
  const made = createJournalRecorder({
    folder: journalFolder(context),
    platform: context.platform,
    clock: context.clock,
    random: context.random,
    sender: determineWriteRequestSender(await resolved(), command),
    redact: notes.redact,
    printLine: notes.warn,
  });
  return {
    ...made,
    begin: (write, how) => waitNotices.runWithNotice(OTHER_PROCESS_WAIT_TEXT, () => made.begin(write, how)),
    end: (write, outcome, n) =>
      waitNotices.runWithNotice(OTHER_PROCESS_WAIT_TEXT, () => made.end(write, outcome, n)),
  };
}
