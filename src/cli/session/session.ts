/** One run of the command line: who asks, of whom, and in which zone; each made when first needed. */
import type { Client } from '../../client/client.ts';
import { machineTimer } from '../../client/ports.ts';
import type { Recorder } from '../../journal/recorder.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { account } from '../../resources/account.ts';
import type { Asked } from '../errors/asked.ts';
import type { Format } from '../output/format.ts';
import type { NamesOf } from '../output/names.ts';
import type { Context } from '../outside/context.ts';
import { announcing, createWhose, type Whose } from './account-words.ts';
import { type BulkClient, createClients, type SpecialClient } from './clients.ts';
import { createClocks } from './clocks.ts';
import { createConnections } from './connections.ts';
import { createDryRun, type DryRun } from './dry-run.ts';
import type { Globals } from './globals.ts';
import { openRecorder } from './journal.ts';
import type { NamingOverrides } from './naming-file.ts';
import { once } from './once.ts';
import { openProfiles } from './profiles.ts';
import { createSecrets } from './secrets.ts';
import { createWaits } from './waits.ts';

export interface Session {
  readonly context: Context;
  readonly globals: Globals;
  readonly store: () => Promise<ProfileStore>;
  /** None where they can't be read. */
  readonly profileNames: () => Promise<readonly string[]>;
  readonly resolved: () => Promise<Resolved>;
  /** For the words of an error: undefined before it is known who asks. Asks for nothing. */
  readonly asked: () => Promise<Asked | undefined>;
  /**
   * Records what it changes in the journal, unless `--no-journal`; says when an answer was lost and what it made found,
   * and on a terminal, before the first write, which account it goes to.
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
  /** The whole program once more, in another context: its exit code. */
  readonly run: Run;
  readonly close: () => Promise<void>;
}

/** @param argv without node and script */
export type Run = (argv: readonly string[], context: Context) => Promise<number>;

/** What the verb says of itself, and the program that runs it. */
export interface OwnOfVerb {
  readonly output?: Format | undefined;
  /** Texts that must never be shown. */
  readonly secrets?: readonly string[];
  /** Names of the deployment, where no profile says them. */
  readonly naming?: NamingOverrides | undefined;
  /** Noun and verb, for the journal. */
  readonly command?: string;
  readonly run: Run;
}

export function openSession(context: Context, globals: Globals, own: OwnOfVerb): Session {
  const { env, clock, stderr } = context;
  const secrets = createSecrets([env['SVC_API_KEY'], env['SVC_PARTNER_API_KEY'], ...(own.secrets ?? [])]);
  const dryRun = createDryRun(globals.dryRun);
  const beforeChange = (change: string): void => {
    if (dryRun.isOn) dryRun.end({ would: change });
  };
  const warn = async (line: string): Promise<void> => {
    const { escapeForTerminal } = await import('../../text/terminal.ts');
    await stderr.write(`${escapeForTerminal(secrets.redact(line), { newlines: true })}\n`);
  };
  // That nobody can read a note must not stop the work (a terminal that was closed).
  const info = async (line: string): Promise<void> => {
    if (!globals.quiet) await warn(line).catch(() => undefined);
  };
  const waits = createWaits({ clock, timer: context.timer ?? machineTimer, say: warn });
  const profiles = openProfiles({
    context,
    globals,
    secrets,
    waits,
    beforeWrite: beforeChange,
    naming: own.naming,
  });
  const { resolved } = profiles;
  const connections = createConnections(context);
  const recorder = once(async () =>
    globals.journal && !dryRun.isOn
      ? openRecorder(own.command ?? '', { context, resolved, waits, redact: secrets.redact, warn })
      : undefined,
  );
  const clients = createClients({ context, globals, resolved, connections, waits, dryRun, recorder, warn });
  let known: JsonObject | undefined;
  // A failure is not kept: what only names the account must not spoil what needs its zone.
  const ownAccount = async (): Promise<JsonObject> => {
    known ??= await (await client()).single(account);
    return known;
  };
  const isWatched = stderr.isTTY && !globals.quiet && !dryRun.isOn;
  const whose = createWhose({ isWatched, resolved, account: ownAccount, info });
  const client = once(async () => announcing(await clients.recording({}), whose.announce));
  let names: Promise<NamesOf> | undefined;
  const clocks = createClocks({ clock, client, resolved, ownAccount, knownAccount: () => known, warn });

  return {
    context,
    globals,
    store: profiles.store,
    profileNames: profiles.names,
    resolved,
    asked: async () => {
      const found = profiles.known();
      return found && (await import('./asked.ts')).askedOf(found, profiles.store, clock.now());
    },
    client,
    bareClient: clients.bare,
    clientWith: clients.recording,
    recorder,
    account: ownAccount,
    whose,
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
    close: async () => {
      await clients.traced();
      await waits.said();
      await connections.close();
    },
  };
}
