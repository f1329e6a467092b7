/** One run of the command line: who asks, of whom, and in which zone; each made when first needed. */
import type { AccountId, Credentials } from '../../auth/credentials.ts';
import type { Approvals } from '../../campaign/approval/approvals.ts';
import type { Client } from '../../client/client.ts';
import { machineTimer } from '../../client/ports.ts';
import type { Trace } from '../../client/trace.ts';
import type { Recorder } from '../../journal/recorder.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Naming } from '../../protocol/naming.ts';
import { account } from '../../resources/account.ts';
import type { Asked } from '../errors/asked.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Explained, FailedCompany } from '../errors/explained.ts';
import type { Format } from '../output/format.ts';
import type { NamesOf } from '../output/names.ts';
import type { Context } from '../outside/context.ts';
import { createWhose, type Whose } from './account-words.ts';
import { mustActForCompany } from './acting-company.ts';
import { refuseUnapproved } from './approvals.ts';
import { beforeWrites, type ComingWrite, refuseReadOnly } from './before-writes.ts';
import { type BulkClient, createClients, createWire, type SpecialClient, type Wire } from './clients.ts';
import { createClocks } from './clocks.ts';
import { createConnections } from './connections.ts';
import { createDryRun, type DryRun } from './dry-run.ts';
import type { Globals } from './globals.ts';
import { openRecorder } from './journal.ts';
import type { NamingOverrides } from './naming-file.ts';
import { once } from './once.ts';
import { openProfiles, type Profiles } from './profiles.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createWaits, type Waits } from './waits.ts';

export interface Session {
  readonly context: Context;
  readonly globals: Globals;
  /** Noun and verb. */
  readonly command: string;
  readonly store: () => Promise<ProfileStore>;
  /** Of profiles and of their companies; none where they can't be read. */
  readonly storedNames: () => Promise<readonly string[]>;
  readonly resolved: () => Promise<Resolved>;
  /** The profile in use, for what needs no key; undefined where flags and environment say it all. */
  readonly profileInUse: () => Promise<Profile | undefined>;
  /** The profile that is named, pinned, or the default one, whatever the environment says besides. */
  readonly profileName: () => Promise<string | undefined>;
  /** For the words of an error: undefined before it is known who asks. Asks for nothing. */
  readonly asked: () => Promise<Asked | undefined>;
  /**
   * Records what it changes in the journal, unless `--no-journal`; says when an answer was lost and what it made found,
   * and before the first write, of a partner or on a terminal, which account it goes to. Refuses writes of a read-only
   * profile, and of one that demands approvals whatever people may get a message from; so do the other clients.
   */
  readonly client: () => Promise<Client>;
  /** Records nothing: for bulk work, which keeps a checkpoint of its own. A new one where something is asked of it. */
  readonly bareClient: (bulk?: BulkClient) => Promise<Client>;
  /** One that records, and does something other than `client`. */
  readonly clientWith: (special: SpecialClient) => Promise<Client>;
  /** What notes writes in the journal; undefined with `--no-journal`, and in a dry run. */
  readonly recorder: () => Promise<Recorder | undefined>;
  /** `-o`, else the verb's own, else the profile's, else a table. */
  readonly format: () => Promise<Format>;
  /** The company's own record as it was when first asked for: its name, its zone, its balances. */
  readonly account: () => Promise<JsonObject>;
  readonly whose: Whose;
  /** What happens before a write, for work that should find out before its first one. */
  readonly beforeWrite: () => Promise<void>;
  /** The same session for another company of the partner, and no user of it; closed with this one. */
  readonly actingFor: (company: AccountId, special?: ActingFor) => Session;
  /** Of `actingFor`: the company. */
  readonly actsFor: AccountId | undefined;
  /** The company's time zone; UTC for a partner who acts for none. */
  readonly companyZone: () => Promise<string>;
  /** The zone that tables show times in: the company's, without a request where the profile knows it. */
  readonly tableZone: () => Promise<string>;
  /** What the records are called that a table names by id; requests are few, and a failure is an id without a name. */
  readonly names: NamesOf;
  /** The zone in which a local time is read: `--tz`, the profile's, the company's; never the machine's. */
  readonly inputZone: () => Promise<string>;
  /** The service's time in Unix seconds, from its own answers; what relative times count from. */
  readonly serviceNow: () => Promise<number>;
  /** Unix seconds at which a sandbox's manual clock stands until it is moved; undefined where it runs by itself. */
  readonly standsAt: () => Promise<number | undefined>;
  /**
   * Unix seconds that a time must be later than: by the service's clock and by this machine's; of a sandbox on loopback
   * by its own alone, which can be moved. Says once on stderr when the two are more than 5 minutes apart.
   */
  readonly latestNow: () => Promise<number>;
  readonly dryRun: DryRun;
  /**
   * Ends a dry run before this machine is changed in a way that neither the client, the profile store nor the sandbox's
   * control client knows of. @param change an infinitive: `write export.csv`
   */
  readonly beforeChange: (change: string) => void;
  /** A line on stderr, unless `--quiet`; never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** A line on stderr, whatever `--quiet` says: a promise of the contract's "Safety". */
  readonly warn: (line: string) => Promise<void>;
  /** Says on stderr what is being waited for, once that takes more than 2 seconds. @param words `for X, for 1 minute at most` */
  readonly waiting: <T>(words: string, work: () => Promise<T>) => Promise<T>;
  /** Nothing is said of waits meanwhile: somebody draws, and shows it. */
  readonly shownOtherwise: <T>(work: () => Promise<T>) => Promise<T>;
  /** Takes every secret that has been seen so far out of a text. */
  readonly redact: (text: string) => string;
  /** From now on these are secrets too. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Prints what has failed, where the work goes on. @param company the one of many that it happened to */
  readonly report: (error: unknown, company?: FailedCompany) => Promise<Explained>;
  /** The whole program once more, in another context: its exit code. */
  readonly run: Run;
  readonly close: () => Promise<void>;
}

/** @param argv without node and script */
export type Run = (argv: readonly string[], context: Context) => Promise<number>;

/** What differs where a session acts for a company of its own. */
export interface ActingFor {
  readonly globals?: Partial<Globals>;
  readonly context?: Partial<Context>;
  /** Told before every note. */
  readonly beforeNote?: () => Promise<void>;
  /** Stands before every note. */
  readonly prefix?: string;
  /** Around the client, behind what refuses a write. */
  readonly around?: (client: Client) => Client;
  /** Told before every request. */
  readonly onRequest?: () => void;
}

/** What the verb says of itself, and the program that runs it. */
export interface OwnOfVerb {
  readonly output?: Format | undefined;
  /** Texts that must never be shown. */
  readonly secrets?: readonly string[];
  /** Names of the deployment, where no profile says them. */
  readonly naming?: NamingOverrides | undefined;
  /** Noun and verb, for the journal. */
  readonly command?: string;
  /** It acts for no company, or names those that it acts for by itself. */
  readonly needsNoCompany?: boolean | undefined;
  /** A `.svc.json` of the working folder says nothing here. */
  readonly ignoresFolder?: boolean | undefined;
  readonly run: Run;
  /** Told of every step on the wire, with the strings that are signed. */
  readonly watch?: Trace | undefined;
  /** Prints an error. */
  readonly report?: (error: unknown, session: Session, company?: FailedCompany) => Promise<Explained>;
}

export function openSession(context: Context, globals: Globals, own: OwnOfVerb): Session {
  const { env, clock, stderr } = context;
  const secrets = createSecrets([env['SVC_API_KEY'], env['SVC_PARTNER_API_KEY'], ...(own.secrets ?? [])]);
  const dryRun = createDryRun(globals.dryRun);
  const beforeChange = changeIn(dryRun);
  const warn = async (line: string): Promise<void> => {
    const { escapeForTerminal } = await import('../../text/terminal.ts');
    await stderr.write(`${escapeForTerminal(secrets.redact(line), { newlines: true })}\n`);
  };
  const waits = createWaits({ clock, timer: context.timer ?? machineTimer, say: warn });
  const profiles = openProfiles({
    ...{ context, globals, secrets, waits, warn, beforeWrite: beforeChange },
    needsNoCompany: own.needsNoCompany ?? false,
    ignoresFolder: own.ignoresFolder ?? false,
    naming: own.naming,
  });
  const { resolved } = profiles;
  const connections = createConnections(context);
  const wire = createWire({ resolved, connections, globals, warn, watch: own.watch });
  const shared = { own, secrets, waits, profiles, wire };
  return sessionFor(
    shared,
    { context, globals, dryRun, say: warn, warn, resolved, actsFor: undefined, special: {} },
    () => wire.traced().then(waits.said).then(connections.close),
  );
}

/** What all sessions of a run have together. */
interface Shared {
  readonly own: OwnOfVerb;
  readonly secrets: Secrets;
  readonly waits: Waits;
  readonly profiles: Profiles;
  readonly wire: Wire;
}

/** What one of them has by itself. */
interface Single {
  readonly context: Context;
  readonly globals: Globals;
  readonly dryRun: DryRun;
  /** A line on stderr, with nothing before it. */
  readonly say: (line: string) => Promise<void>;
  readonly warn: (line: string) => Promise<void>;
  readonly resolved: () => Promise<Resolved>;
  readonly actsFor: AccountId | undefined;
  readonly special: ActingFor;
}

const changeIn =
  (dryRun: DryRun) =>
  (change: string): void => {
    if (dryRun.isOn) dryRun.end({ would: change });
  };

function sessionFor(shared: Shared, single: Single, close: () => Promise<void>): Session {
  const { own, secrets, waits, profiles, wire } = shared;
  const { context, globals, dryRun, warn, resolved, actsFor, special } = single;
  const { clock, stderr } = context;
  const beforeChange = changeIn(dryRun);
  // That nobody can read a note must not stop the work (a terminal that was closed).
  const info = async (line: string): Promise<void> => {
    if (!globals.quiet) await warn(line).catch(() => undefined);
  };
  const recorder = once(async () =>
    globals.journal && !dryRun.isOn
      ? openRecorder(own.command ?? '', { context, resolved, waits, redact: secrets.redact, warn })
      : undefined,
  );
  const { onRequest } = special;
  const clients = createClients({
    context,
    globals,
    resolved,
    wire,
    waits,
    dryRun,
    recorder,
    warn,
    onRequest,
  });
  let known: JsonObject | undefined;
  // A failure is not kept: what only names the account must not spoil what needs its zone.
  const ownAccount = async (): Promise<JsonObject> => {
    known ??= await (await client()).single(account);
    return known;
  };
  const isWatched = stderr.isTTY && !globals.quiet;
  const isDryRun = dryRun.isOn;
  const whose = createWhose({ isWatched, isDryRun, resolved, account: ownAccount, info, warn: single.say });
  const beforeWrite = async (write: ComingWrite = {}, approvals?: Approvals): Promise<void> => {
    // In a dry run nothing leaves.
    if (!isDryRun) {
      const { profile } = await resolved();
      refuseReadOnly(profile);
      await refuseUnapproved(profile, write.sending, approvals);
    }
    await whose.announce(write);
  };
  const naming = async (): Promise<Naming> => (await resolved()).naming;
  const guarded = (client: Client, approvals?: Approvals): Client =>
    beforeWrites(special.around?.(client) ?? client, naming, (write) => beforeWrite(write, approvals));
  // `svc api` prints what the service answers, and a run over many companies has a session for each.
  const namesCompany = own.needsNoCompany || globals.companies !== undefined || own.command === 'api';
  const acting = async (): Promise<void> => {
    if (own.command !== undefined && (!namesCompany || actsFor !== undefined))
      mustActForCompany(await resolved());
  };
  const client = once(async () => {
    await acting();
    return guarded(await clients.recording({}));
  });
  let names: Promise<NamesOf> | undefined;
  const clocks = createClocks({ clock, client, resolved, ownAccount, knownAccount: () => known, warn });

  const session: Session = {
    context,
    globals,
    command: own.command ?? '',
    store: profiles.store,
    storedNames: profiles.names,
    resolved,
    profileInUse: profiles.inUse,
    profileName: profiles.name,
    asked: async () => {
      const found = profiles.known() && (await resolved());
      return found && (await import('./asked.ts')).askedOf(found, profiles.store, clock.now());
    },
    client,
    bareClient: async (bulk) => {
      await acting();
      return guarded(await clients.bare(bulk));
    },
    clientWith: async (other) => {
      await acting();
      return guarded(await clients.recording(other), other.approvals);
    },
    recorder,
    account: ownAccount,
    whose,
    beforeWrite: () => beforeWrite(),
    actingFor: (company, more = {}) =>
      sessionFor(shared, actingFor(single, company, more), async () => undefined),
    actsFor,
    dryRun,
    beforeChange,
    ...clocks,
    names: async (references) => {
      names ??= import('./reference-names.ts').then(({ createReferenceNames }) =>
        createReferenceNames({ client, timer: context.timer }),
      );
      return (await names)(references);
    },
    redact: secrets.redact,
    hide: secrets.hide,
    info,
    warn,
    waiting: waits.during,
    shownOtherwise: waits.shownOtherwise,
    run: own.run,
    format: once(async () => globals.output ?? own.output ?? (await profiles.format())),
    inputZone: once(async () => globals.tz ?? (await resolved()).profile?.tz ?? (await clocks.companyZone())),
    report: async (error, company) =>
      (await own.report?.(error, session, company)) ?? { ...explainError(error), company },
    close,
  };
  return session;
}

/** The same partner for another company: what belongs to the one before stays behind. */
function actingFor(single: Single, company: AccountId, special: ActingFor): Single {
  const globals = { ...single.globals, ...special.globals };
  const say = async (line: string): Promise<void> => {
    await special.beforeNote?.();
    await single.say(line);
  };
  return {
    context: { ...single.context, ...special.context },
    globals,
    dryRun: createDryRun(globals.dryRun),
    say,
    warn: (line) => say(`${special.prefix ?? ''}${line}`),
    resolved: once(async () => {
      const found = await single.resolved();
      const { userId: _, ...credentials } = found.credentials;
      return {
        ...found,
        credentials: { ...credentials, companyId: company } as Credentials,
        sources: { ...found.sources, company: 'named by the command', user: 'not set' },
      };
    }),
    actsFor: company,
    special,
  };
}
