/** Starts a sandbox from its data folder, and stops it. */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { SimulatedRecipientSettings } from '../service/protocol/control/audience.ts';
import type { Naming } from '../service/protocol/naming.ts';
import { checkFieldNames } from '../service/protocol/naming-fields.ts';
import { catalogue } from '../service/resources/catalogue.ts';
import { sandboxOnlyResources } from '../service/resources/companions.ts';
import { operations } from './control/all.ts';
import { addControlRoutes } from './control/app.ts';
import type { ControlContext } from './control/operation.ts';
import {
  createDatabaseFileIfMissing,
  type DataDir,
  lockDataDir,
  removeDatabase,
  removeSandboxEndpointFile,
  type SandboxEndpoint,
  writeSandboxEndpointFile,
} from './data/data-dir.ts';
import {
  readStoredDatabaseUrl,
  readStoredFieldNaming,
  refuseExistingSqliteFile,
  saveDatabaseUrl,
  saveSandboxPort,
  storeFieldNaming,
} from './data/stored-settings.ts';
import { refuseUnfinishedClone } from './data/unfinished-clone.ts';
import { type ClockMode, readClockMode, setClockMode } from './engine/clock.ts';
import { type EngineOptions, EngineStoppedError, runDueWork } from './engine/tick.ts';
import { createFaultInjection } from './fault-injection.ts';
import type { ServiceEnvironment } from './handle.ts';
import { type Certificate, type CertificateFiles, readCertificate } from './http/certificate.ts';
import { serverAddress } from './http/guard.ts';
import { createNotifyUrlCaller, NOTIFY_URL_TIMEOUT_MS, resolveHostAddresses } from './http/notifier.ts';
import { createPageSessions } from './http/page-sessions.ts';
import { createRequestLog } from './http/request-log.ts';
import { addTrackingRoutes } from './http/tracking.ts';
import { addPageRoutes } from './pages/routes.ts';
import { type Seed, seedStore } from './seed/seed.ts';
import { listen, type RunningServer, repeatWithPauses, type ServerOptions } from './server.ts';
import { createService, type Service } from './service.ts';
import { type SmtpServer, startMailRelay } from './smtp/relay.ts';
import { firstPartner, listCompanies } from './store/accounts.ts';
import { removeUrlPassword } from './store/driver/postgres-url.ts';
import { lockClockRow } from './store/due-work.ts';
import { forgetExpiredNonces } from './store/nonces.ts';
import { openStore, type Store, StoreError, StoreUnavailableError, WITHOUT_LOCK } from './store/open.ts';

export interface SandboxStartOptions extends Pick<ServiceEnvironment, 'machineNow' | 'random' | 'report'> {
  readonly dataDir: DataDir;
  /** Port to listen on. 0 chooses a free port. */
  readonly port: number;
  /** Ports to try in this order if `port` is taken. */
  readonly otherPorts?: readonly number[];
  /** The address to listen on; by default the loopback address. */
  readonly host?: string;
  readonly certificate?: CertificateFiles;
  /** True if a proxy in front of the sandbox handles HTTPS. Clients use https; the sandbox itself speaks plain HTTP. */
  readonly behindProxy?: boolean;
  /** Further host names of the sandbox: lower case, IPv6 in brackets. Links use the first one. */
  readonly allowHosts?: readonly string[];
  /** The content of a new data folder. Existing data is kept. */
  readonly seed: Seed;
  /** Default: existing data keep their mode, and new data get `real`. */
  readonly clock?: ClockMode;
  /** Names of headers and attributes. Default: those of an earlier start, or the interface's. */
  readonly naming?: Naming | undefined;
  /** True if the sandbox also serves lists, subscribers, subscriptions and profile fields under /v1. Undefined means false. */
  readonly companions?: boolean | undefined;
  /** `postgres://` URL of a database that sandboxes share. Default: the URL of an earlier start, or an own database. */
  readonly store?: string | undefined;
  /** An SMTP server that also receives every delivered e-mail. */
  readonly smtp?: SmtpServer;
  /** Shares of recipients who react to each task that is sent. If omitted, recipients do not react. */
  readonly simulatedRecipients?: SimulatedRecipientSettings | undefined;
  /** Hosts that a `notifyurl` may name, in lower case. This machine is one of them if others can't reach the sandbox. */
  readonly allowNotify?: readonly string[];
}

/** Content of the first line on stdout (contract, "Sandbox"). */
export interface SandboxReadyMessage {
  readonly baseUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly controlToken: string;
  readonly company: { readonly id: number; readonly apiKey: string; readonly adminUserId: number };
  readonly partner: { readonly id: number; readonly apiKey: string };
}

export interface RunningSandbox {
  readonly ready: SandboxReadyMessage;
  readonly service: Service;
  readonly seeded: boolean;
  readonly naming: Naming;
  /** URL of the shared database, without its password. Undefined if the sandbox has its own database. */
  readonly sharedStore: string | undefined;
  /** Returns a link to a page of the first company, such as `outbox`. It works once, within a minute. */
  readonly openPage: (page: string) => string;
  /** Resolves when a client with the sandbox's token has asked it to stop. */
  readonly stopAsked: Promise<void>;
  /** Reads the certificate's files again for new connections. Throws `CertificateError`, and keeps the previous one, if it can't. */
  readonly reloadCertificate: () => Certificate | undefined;
  /** Answers requests in progress and releases the data folder. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a sandbox. Throws the system's error if the port is not available.
 * @throws DataDirError if the folder can't be used, belongs to another user, or another sandbox uses it
 * @throws NamingError if a renamed attribute would have the name of an attribute of lists or subscribers
 * @throws StoreError if the database is damaged or belongs to another program
 * @throws CertificateError if the certificate can't be used
 */
export async function startSandbox(given: SandboxStartOptions): Promise<RunningSandbox> {
  const { dataDir } = given;
  const hold = lockDataDir(dataDir);
  // The endpoint is removed just before the lock is released: a process that waits for both may then take the folder over.
  const closers: (() => void | Promise<void>)[] = [
    () => hold.release(),
    () => removeSandboxEndpointFile(dataDir),
  ];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    refuseUnfinishedClone(dataDir);
    const naming = given.naming ?? readStoredFieldNaming(dataDir);
    if (given.companions) checkFieldNames(naming, [...catalogue, ...sandboxOnlyResources]);
    const at = given.store ?? readStoredDatabaseUrl(dataDir);
    let isEmpty = at === undefined && createDatabaseFileIfMissing(dataDir);
    if (at !== undefined) refuseExistingSqliteFile(dataDir);
    // A first start that fails leaves no data, so that the next one fills the folder.
    closers.push(() => (isEmpty ? removeDatabase(dataDir) : undefined));
    const shared = at === undefined ? undefined : removeUrlPassword(at);
    const options = { ...given, naming, shared };
    const store = await openStore(at ?? dataDir.database);
    closers.push(() => store.close());
    const { port, ...served } = await serve(store, options, closers);
    isEmpty = false;
    // Saved last, so that a failed start does not change later ones.
    if (given.naming !== undefined) storeFieldNaming(dataDir, naming);
    if (given.store !== undefined) saveDatabaseUrl(dataDir, given.store);
    saveSandboxPort(dataDir, port);
    return { ...served, naming, sharedStore: shared, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Start options with the names that this sandbox uses, and with the URL of the shared database without its password. */
type Options = SandboxStartOptions & { readonly naming: Naming; readonly shared: string | undefined };

async function prepare(store: Store, { seed, clock, naming, machineNow, random }: Options): Promise<boolean> {
  const isSeeded = await seedStore(store, seed, { now: Math.floor(machineNow() / 1000), naming, random });
  if (clock !== undefined)
    await store.transaction(async (db) => {
      if (store.isShared) await lockClockRow(db);
      await setClockMode(db, clock, machineNow());
    }, WITHOUT_LOCK);
  return isSeeded;
}

async function serve(
  store: Store,
  options: Options,
  closers: (() => void | Promise<void>)[],
): Promise<Omit<RunningSandbox, 'naming' | 'sharedStore' | 'stop'> & { readonly port: number }> {
  const { naming, machineNow, random, report, dataDir } = options;
  let port = options.port;
  const address = serverAddress(options);
  const baseUrl = (): string => address.baseUrl(port);
  let certificate = options.certificate && readCertificate(options.certificate, machineNow());
  const controlToken = Buffer.from(random(32)).toString('hex');
  const endpoint = (): SandboxEndpoint => ({
    ...{ pid: process.pid, host: address.connect, port, baseUrl: baseUrl(), controlToken },
    ...(certificate === undefined ? {} : { fingerprint: certificate.fingerprint }),
  });
  const service = createService(
    store,
    { machineNow, random, report, trackingBaseUrl: baseUrl },
    naming,
    options.companions,
  );
  const faultInjection = createFaultInjection();
  const requests = createRequestLog(store, naming, machineNow);
  const notifier = {
    allowed: options.allowNotify ?? [],
    allowsLoopback: !address.servesOthers,
    resolve: resolveHostAddresses,
    timeout: NOTIFY_URL_TIMEOUT_MS,
  };
  const stopping = new AbortController();
  const engine: EngineOptions = {
    machineNow,
    hasRequests: service.hasRequests,
    signal: stopping.signal,
    simulatedRecipients: options.simulatedRecipients,
    sendNotifyUrlRequest: createNotifyUrlCaller(store, machineNow, notifier),
  };
  const { opened: stopAsked, open: askToStop } = closedGate();
  const context: ControlContext = {
    service,
    engine,
    naming,
    faultInjection,
    requests,
    dataDir,
    sessions: createPageSessions({ dataDir, machineNow, random }),
    behindProxy: options.behindProxy ?? false,
    endpoint,
    askToStop,
  };
  // Requests that arrive before the data is there wait for it.
  const { opened, open } = closedGate();
  const pages = new Hono<{ Bindings: HttpBindings }>();
  pages.use(async (_, next) => {
    await opened;
    await next();
  });
  addControlRoutes(pages, context, operations);
  addPageRoutes(pages, context, operations);
  addTrackingRoutes(pages, service);
  const handle: Service['handle'] = async (...request) => {
    await opened;
    return service.handle(...request);
  };
  const server = await listenOnFirst([port, ...(options.otherPorts ?? [])], {
    ...{ handle, pages, naming, faultInjection, requests, report, certificate },
    ...{ host: address.listen, originsAt: address.originsAt },
  });
  port = server.port;
  const { watched, failed } = reportOnce(report);
  const logged = repeatWithPauses(requests.writeIfDue, LOG_MS, failed('request log'));
  closers.push(async () => {
    await server.close();
    await logged();
    // If the database can't be written, the other resources must still be closed.
    await requests.flush().catch((error: unknown) => report('request log', error));
  });
  // The server has its port by now. A start that fails because the port is taken has therefore written nothing.
  const seeded = await prepare(store, options).finally(open);
  const ticked = watched(() => tickRealClock(store, engine));
  closers.push(repeatWithPauses(ticked, TICK_MS, failed('tick')));
  if (store.isShared) {
    const forget = () => forgetExpiredNonces(store, Math.floor(machineNow() / 1000));
    closers.push(repeatWithPauses(forget, NONCES_MS, failed('nonces')));
  }
  if (options.smtp !== undefined) closers.push(await relayMail(store, options, options.smtp, baseUrl));
  writeSandboxEndpointFile(dataDir, endpoint());
  closers.push(() => removeSandboxEndpointFile(dataDir));
  // This runs first, since a long advance of the clock would outlast the time for requests in progress.
  closers.push(() => stopping.abort());
  const reloadCertificate = (): Certificate | undefined => {
    if (options.certificate === undefined) return undefined;
    const shown = readCertificate(options.certificate, machineNow());
    // The sandbox's own commands read the new fingerprint from the endpoint file.
    certificate = shown;
    writeSandboxEndpointFile(dataDir, endpoint());
    server.replaceCertificate(shown);
    return shown;
  };
  const ready = await readyOf(store, options, endpoint());
  const openPage = (page: string): string =>
    `${baseUrl()}/open/${context.sessions.createLink(`/ui/${ready.company.id}/${page}`).secret}`;
  return { ready, port, seeded, service, openPage, stopAsked, reloadCertificate };
}

function closedGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Starts the server on the first port that is not taken. Throws the system's error for the last one. */
async function listenOnFirst(
  ports: readonly number[],
  options: Omit<ServerOptions, 'port'>,
): Promise<RunningServer> {
  const [port = 0, ...others] = ports;
  try {
    return await listen({ ...options, port });
  } catch (error) {
    const { code } = Object(error);
    if (others.length === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    return listenOnFirst(others, options);
  }
}

const TICK_MS = 1000;

const LOG_MS = 250;

const NONCES_MS = 10_000;

/** Returns a function that reports errors. It reports a lost database only once until the database is back. */
function reportOnce(report: ServiceEnvironment['report']) {
  let isAway = false;
  return {
    watched: (work: () => Promise<unknown>) => async () => {
      await work();
      isAway = false;
    },
    failed: (what: string) => (error: unknown) => {
      const wasAway = isAway;
      isAway = error instanceof StoreUnavailableError;
      if (!(isAway && wasAway) && !(error instanceof EngineStoppedError)) report(what, error);
    },
  };
}

/** Runs due work, unless the clock is manual, because a manual clock moves only on request. */
async function tickRealClock(store: Store, engine: EngineOptions): Promise<void> {
  if ((await readClockMode(store.db)) === 'real') await runDueWork(store, engine);
}

const RELAY_MS = 250;

/** Starts the SMTP relay, and returns a function that stops it. */
async function relayMail(
  store: Store,
  { naming, machineNow, report }: Options,
  server: SmtpServer,
  trackingBaseUrl: () => string,
): Promise<() => Promise<void>> {
  const mail = () => ({ trackingBaseUrl: trackingBaseUrl(), words: naming });
  const relay = await startMailRelay(store, { server, mail, machineNow });
  const end = repeatWithPauses(relay.relayWaiting, RELAY_MS, (error) => report('smtp', error));
  return async () => {
    relay.close();
    await end();
  };
}

async function readyOf(
  store: Store,
  { dataDir, shared }: Options,
  { baseUrl, pid, controlToken }: SandboxEndpoint,
): Promise<SandboxReadyMessage> {
  const company = (await listCompanies(store.db)).find((each) => each.adminUserId !== null);
  const partner = await firstPartner(store.db);
  if (!company || !partner)
    throw new StoreError(
      `${shared ?? dataDir.database} has no company with an admin, so no request could be signed`,
      `move the data folder away to keep it, or remove it with all its data: svc sandbox reset --data ${dataDir.path}`,
    );
  return {
    baseUrl,
    pid,
    dataDir: dataDir.path,
    controlToken,
    company: { id: company.id, apiKey: company.api_key, adminUserId: company.adminUserId ?? 0 },
    partner: { id: partner.id, apiKey: partner.api_key },
  };
}
