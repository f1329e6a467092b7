/** One run of the command line: who asks, of whom, and in which zone; each made when first needed. */
import type { Client } from '../../client/client.ts';
import { machineTimer } from '../../client/ports.ts';
import type { TraceEvent } from '../../client/trace.ts';
import type { Recorder } from '../../journal/recorder.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { isLoopback } from '../../protocol/origin.ts';
import type { Transport } from '../../protocol/wire.ts';
import { account } from '../../resources/account.ts';
import { formatDuration } from '../../text/duration.ts';
import { isTimezone } from '../../text/timezone.ts';
import { UsageError } from '../errors/errors.ts';
import { FORMATS, type Format } from '../output/format.ts';
import { createRedactor } from '../output/redact.ts';
import type { Context } from '../outside/context.ts';
import { announcing, createWhose, type Whose } from './account-words.ts';
import { createDryRun, type DryRun } from './dry-run.ts';
import type { Globals } from './globals.ts';
import { traceLines } from './trace-lines.ts';
import { createWaits } from './waits.ts';
import { failureOf } from './write-failure.ts';

export interface Session {
  readonly context: Context;
  readonly globals: Globals;
  readonly store: () => Promise<ProfileStore>;
  readonly resolved: () => Promise<Resolved>;
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
  /** The zone in which a local time is read: `--tz`, the profile's, the company's; never the machine's. */
  readonly inputZone: () => Promise<string>;
  /** The service's time in Unix seconds, from its own answers; what relative times count from. */
  readonly serviceNow: () => Promise<number>;
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
  readonly note: (line: string) => Promise<void>;
  /** A line on stderr, whatever `--quiet` says: a promise of the contract's "Safety". */
  readonly tell: (line: string) => Promise<void>;
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

export interface SpecialClient {
  /** In place of the run's own: work that has to be done after Ctrl-C. */
  readonly signal?: AbortSignal;
  /** What Ctrl-C does, told with each wait. */
  readonly ifInterrupted?: string;
  /** The write in the journal that is taken back. */
  readonly undoes?: number;
}

export interface BulkClient {
  /** Told of every attempt. */
  readonly trace?: (event: TraceEvent) => void;
  /** POSTs share connections; only where repeating one does no harm. */
  readonly keepPosts?: boolean;
}

/** @param own what the verb says of itself: its format, and texts that must never be shown */
export function openSession(
  context: Context,
  globals: Globals,
  own: {
    readonly output?: Format | undefined;
    readonly secrets?: readonly string[];
    /** Noun and verb, for the journal. */
    readonly command?: string;
    readonly run: Run;
  },
): Session {
  const { env, clock, stderr } = context;
  const secrets: string[] = [];
  const hide = (more: readonly (string | undefined)[]): void => {
    secrets.push(
      ...more.flatMap((each) => (each !== undefined && each.length >= SHORTEST_SECRET ? [each] : [])),
    );
  };
  hide([env['SVC_API_KEY'], env['SVC_PARTNER_API_KEY'], ...(own.secrets ?? [])]);
  const redact = (text: string): string => createRedactor(secrets)(text);
  const dryRun = createDryRun(globals.dryRun);
  const beforeChange = (change: string): void => {
    if (dryRun.isOn) dryRun.end({ would: change });
  };
  const closers: (() => Promise<void>)[] = [];
  let traced: Promise<void> = Promise.resolve();
  const tell = async (line: string): Promise<void> => {
    const { escapeForTerminal } = await import('../../text/terminal.ts');
    await stderr.write(`${escapeForTerminal(redact(line), { newlines: true })}\n`);
  };

  const waits = createWaits({ clock, timer: context.timer ?? machineTimer, say: tell });

  const store = once(async (): Promise<ProfileStore> => {
    const { configDirOf, openProfileStore } = await import('../../profiles/store.ts');
    const configDir = configDirOf(env, context.homeDir, context.platform);
    const opened = openProfileStore({ configDir, platform: context.platform, beforeWrite: beforeChange });
    return {
      ...opened,
      save: (...given) => waits.during(ANOTHER_WRITES, () => opened.save(...given)),
      setDefault: (name) => waits.during(ANOTHER_WRITES, () => opened.setDefault(name)),
      remove: (name) => waits.during(ANOTHER_WRITES, () => opened.remove(name)),
    };
  });
  const resolved = once(async () => {
    const { resolveCredentials } = await import('../../profiles/credentials.ts');
    const found = await resolveCredentials(globals, env, await store(), async (command) =>
      waits.during('for the key command, for 1 minute at most', async () =>
        (await import('../../profiles/key-command.ts')).runKeyCommand(command, env),
      ),
    );
    secrets.push(found.credentials.apiKey);
    return found;
  });
  // What one client learns of the service's time the others know.
  const serviceClock = once(async () =>
    (await import('../../client/service-clock.ts')).createServiceClock((await resolved()).naming),
  );
  const transport = once(async () => transportTo(context, (await resolved()).origin, closers, false));
  const bareClient = async (
    signal = context.signal,
    bulk?: BulkClient,
    ifInterrupted?: string,
  ): Promise<Client> => {
    const { keepPosts = false, trace: watch } = bulk ?? {};
    const found = await resolved();
    const [{ createClient }, opened] = await Promise.all([
      import('../../client/client.ts'),
      keepPosts ? transportTo(context, found.origin, closers, true) : transport(),
    ]);
    const dry = dryRun.isOn ? await import('./dry-run-client.ts') : undefined;
    const trace = (event: TraceEvent): void => {
      watch?.(event);
      if (globals.debug) traced = traced.then(() => tell(traceLines(event)));
    };
    const made = createClient({
      credentials: found.credentials,
      naming: found.naming,
      basePath: found.baseUrl.slice(found.origin.length),
      transport: dry ? dry.dryRunTransport(opened, dryRun) : opened,
      clock,
      random: context.random,
      signal,
      serviceClockAlone: isLoopback(new URL(found.origin).hostname),
      serviceClock: await serviceClock(),
      ...(globals.timeout === undefined ? {} : { timeout: globals.timeout }),
      ...(globals.settle === undefined ? {} : { settle: globals.settle }),
      ...(globals.retries === undefined ? {} : { retries: globals.retries }),
      ...(globals.debug || watch ? { trace } : {}),
      // Bulk work says how far it is by itself.
      ...(bulk === undefined ? { onWait: waits.onWait(ifInterrupted) } : {}),
    });
    return dry ? dry.dryRunClient(made, found.naming, dryRun) : made;
  };
  const recorder = once(async (): Promise<Recorder | undefined> => {
    if (!globals.journal || dryRun.isOn) return undefined;
    const [{ createRecorder }, { actorOf }, { journalFolder }] = await Promise.all([
      import('../../journal/recorder.ts'),
      import('../../journal/actor.ts'),
      import('../../journal/place.ts'),
    ]);
    const made = createRecorder({
      folder: journalFolder(context),
      platform: context.platform,
      clock,
      random: context.random,
      actor: actorOf(await resolved(), own.command ?? ''),
      redact,
      tell,
    });
    return {
      ...made,
      begin: (write, how) => waits.during(ANOTHER_WRITES, () => made.begin(write, how)),
      end: (write, outcome, n) => waits.during(ANOTHER_WRITES, () => made.end(write, outcome, n)),
    };
  });
  const bare = once(() => bareClient());
  const clientWith = async ({ signal, ifInterrupted, undoes }: SpecialClient): Promise<Client> => {
    const [plain, { recordingClient }] = await Promise.all([
      signal === undefined ? bare() : bareClient(signal, undefined, ifInterrupted),
      import('../../journal/client.ts'),
    ]);
    const { naming } = await resolved();
    return recordingClient(plain, { open: recorder, tell, naming, failureOf, undoes });
  };
  // That nobody can read a note must not stop the work (a terminal that was closed).
  const note = async (line: string): Promise<void> => {
    if (!globals.quiet) await tell(line).catch(() => undefined);
  };
  let known: JsonObject | undefined;
  // A failure is not kept: what only names the account must not spoil what needs its zone.
  const ownAccount = async (): Promise<JsonObject> => {
    known ??= await (await client()).single(account);
    return known;
  };
  const isWatched = stderr.isTTY && !globals.quiet && !dryRun.isOn;
  const whose = createWhose({ isWatched, resolved, account: ownAccount, note });
  const client = once(async () => announcing(await clientWith({}), whose.announce));
  const askedTime = async (): Promise<Client> => {
    const asked = await client();
    if (asked.serviceTime() === undefined) await asked.exists(account, {});
    return asked;
  };
  const sayApart = once(async () => {
    const apart = ((await client()).serviceTime() ?? 0) - Math.floor(clock.now() / 1000);
    if (Math.abs(apart) <= MOST_APART) return;
    const way = apart < 0 ? 'behind' : 'ahead of';
    await tell(
      `the service's clock is ${formatDuration(Math.abs(apart))} ${way} this machine's; what is past by either of ` +
        'them is refused as past',
    );
  });
  const companyZone = once(async () => {
    const { credentials } = await resolved();
    if (credentials.companyId === undefined) return 'UTC';
    const { timezone } = await ownAccount();
    return typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
  });

  return {
    context,
    globals,
    store,
    resolved,
    client,
    bareClient: (bulk) => (bulk === undefined ? bare() : bareClient(context.signal, bulk)),
    clientWith,
    recorder,
    account: ownAccount,
    whose,
    dryRun,
    beforeChange,
    companyZone,
    redact,
    hide,
    note,
    tell,
    waiting: waits.during,
    shownOtherwise: waits.shownOtherwise,
    run: own.run,
    format: once(async () => globals.output ?? own.output ?? (await profileFormat(context, globals, store))),
    inputZone: once(async () => globals.tz ?? (await resolved()).profile?.tz ?? (await companyZone())),
    serviceNow: async () => (await askedTime()).serviceTime() ?? clock.now() / 1000,
    latestNow: async () => {
      const asked = await askedTime();
      if (!isLoopback(new URL((await resolved()).origin).hostname)) await sayApart();
      return asked.latestTime() ?? clock.now() / 1000;
    },
    close: async () => {
      await traced;
      await waits.said();
      for (const close of closers.splice(0)) await close();
    },
  };
}

/** Seconds between the service's clock and this machine's that are worth a word. */
const MOST_APART = 5 * 60;
/** Profiles and the journal are written by one process at a time. */
const ANOTHER_WRITES = 'for another svc to finish writing, for 10 seconds at most';

/** Redacting a word of two letters would make every text unreadable and keep no secret. */
const SHORTEST_SECRET = 4;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function transportTo(
  { transport, env }: Context,
  origin: string,
  closers: (() => Promise<void>)[],
  keepPosts: boolean,
): Promise<Transport> {
  if (transport) return transport;
  const { createTransport } = await import('../../client/transport/undici-transport.ts');
  const proxy = env['HTTPS_PROXY'] || env['https_proxy'];
  const except = env['NO_PROXY'] || env['no_proxy'];
  try {
    const made = await createTransport({
      origin,
      env,
      keepPosts,
      ...(proxy ? { proxy: { url: proxy, ...(except ? { except } : {}) } } : {}),
    });
    closers.push(made.close);
    endSoonAfterParsing();
    return made.transport;
  } catch (cause) {
    if (cause instanceof RangeError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}

/**
 * The parser of HTTP answers is WebAssembly, and a process does not end before V8 has optimised it: 50 ms and more for
 * one answer. The baseline compiler is fast enough for any number. Not sooner: after a change of V8's flags Node's own
 * modules are compiled anew as they are loaded. And not by `import()`, which would load Node's loader of modules for it.
 */
function endSoonAfterParsing(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only');
}

/** What the profile says, if there is one; a store that can't be read is told where credentials are needed. */
async function profileFormat(
  { env }: Context,
  { profile }: Globals,
  store: () => Promise<ProfileStore>,
): Promise<Format> {
  try {
    const opened = await store();
    const name = profile ?? (env['SVC_PROFILE'] || (await opened.list()).defaultName);
    const output = name === undefined ? undefined : (await opened.get(name))?.output;
    return FORMATS.find((format) => format === output) ?? 'table';
  } catch {
    return 'table';
  }
}
