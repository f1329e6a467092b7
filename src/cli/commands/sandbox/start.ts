/** Declares `svc sandbox start`, which runs a sandbox in the foreground until Ctrl-C, or in the background. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunningSandbox, SandboxReadyMessage } from '../../../sandbox/start.ts';
import { MAX_SIMULATED_RECIPIENTS_SEED } from '../../../service/protocol/control/audience.ts';
import { type Naming, namingOverridesOf, namingWithOverrides } from '../../../service/protocol/naming.ts';
import type { Input, Verb } from '../../command/command.ts';
import { choiceFlag, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { profileFlag } from '../../command/globals.ts';
import { explainSandboxStartError } from '../../errors/start-errors.ts';
import type { Invocation, Profiles, Tell } from '../../session/ports.ts';
import { DEFAULT_SANDBOX_PORT, isSandboxProfile } from '../../session/sandbox-start.ts';
import { namingFileFlag, readFileOfNamingFlag } from '../new-profile.ts';
import { dataFlag, defaultSandboxFolder, formatDataFolderFlag } from './connection.ts';
import { startInBackground } from './detach.ts';
import { untilAborted } from './open.ts';
import { chooseSandboxProfileNames, writeSandboxProfiles } from './profiles.ts';
import {
  CONNECTION_FLAGS,
  certificateReloadedNote,
  createAudienceFlag,
  findCertificateProblems,
  type ListenOptions,
  readListenOptions,
  readOutboundConnections,
} from './start-flags.ts';
import {
  createDatabaseUrlVariable,
  databaseUrlFlag,
  loadStoredSettings,
  readDatabaseUrl,
  readDatabaseUrlOfSandboxFolder,
} from './store.ts';

const portFlag = wholeNumberFlag('port', {
  describe: 'Port to listen on; 0: any free port',
  max: 65_535,
  defaultText: `the last port used, then ${DEFAULT_SANDBOX_PORT}, then any free port`,
});
const seedFlag = choiceFlag('seed', ['demo', 'empty'], {
  describe: 'Initial data of a new sandbox',
  defaultText: 'demo',
});
const clockFlag = choiceFlag('clock', ['real', 'manual'], {
  describe: 'Real time, or a clock that only svc sandbox clock moves',
  value: 'mode',
});
const companionsFlag = switchFlag('companions', {
  describe: "Also serve resources that the service's HTTP API does not have: /v1/list, /v1/subscriber …",
});
const audienceFlag = createAudienceFlag('none');
const audienceSeedFlag = wholeNumberFlag('audience-seed', {
  describe: 'Random seed for the simulated reactions',
  max: MAX_SIMULATED_RECIPIENTS_SEED,
  default: 1,
});
const detachFlag = switchFlag('detach', { describe: 'Run in the background' });

export const sandboxStart: Verb = {
  name: 'start',
  summary: 'Start the sandbox on this machine',
  about:
    "Saves the profiles sandbox and sandbox-partner. To choose other profile names, add --profile NAME; to save no profile, add --profile none. If you start an existing sandbox again, svc ignores --seed, and keeps the data and the custom names of headers and attributes. To restore the default names, add --naming FILE, where FILE contains only {}. svc rejects --clock real if the sandbox's clock is ahead of real time. To let other machines connect, use HTTPS: add --tls-cert and --tls-key, or --behind-proxy if a proxy handles HTTPS",
  work: 'local',
  exits: { 5: 'another process uses the port or the data folder' },
  example: 'sandbox start --clock manual',
  flags: [
    ...[portFlag, dataFlag, databaseUrlFlag, seedFlag, clockFlag, audienceFlag, audienceSeedFlag],
    ...[namingFileFlag, companionsFlag],
    ...CONNECTION_FLAGS,
    detachFlag,
  ],
  run: async (session, input) => {
    const { context } = session;
    const wanted = await readWanted(session, input);
    session.beforeChange(`start a sandbox in ${wanted.folder}`);
    const names = await chooseSandboxProfileNames(session);
    const hadData = await hasData(wanted.folder);
    const notes = await findCertificateProblems(session, wanted.listening).catch((error) => {
      throw explainSandboxStartError(error);
    });
    const sayMore = async ({ baseUrl }: SandboxReadyMessage): Promise<void> => {
      const moved = describeUnexpectedPort(wanted.ports, baseUrl);
      if (moved !== undefined) await session.info(moved);
      for (const note of notes) await session.info(note);
      if (wanted.companions) await session.info(COMPANIONS_NOTE);
      if (hadData && wanted.seed !== undefined) await session.info(ignoredSeed(wanted.seed, wanted.folder));
    };
    if (input.get(detachFlag)) {
      const env = createDatabaseUrlVariable(wanted.store);
      const ready = await startInBackground(session, wanted.folder, flagsForBackground(input), env);
      const { dir, settings } = await loadStoredSettings(wanted.folder);
      const naming = settings.readStoredFieldNaming(dir);
      const store = await readDatabaseUrlOfSandboxFolder(wanted.folder);
      const isNew = !hadData && store === undefined;
      await announce(session, ready, { names, naming, store, isNew, detached: true });
      await sayMore(ready);
      return { result: { kind: 'nothing' } };
    }
    const running = await startHere(session, wanted);
    const { closedTerminal, stopListening } = onHangup(session, running, wanted.listening);
    try {
      const { naming, ready } = running;
      await writeSandboxProfiles(session, names, ready, namingOverridesOf(naming));
      const { seeded: isNew, sharedStore: store } = running;
      await announce(session, ready, { names, naming, store, isNew, detached: false });
      await sayMore(ready);
      if (store !== undefined && !isNew && wanted.seed !== undefined)
        await session.info(`--seed ${wanted.seed} is ignored: ${store} keeps its existing data.`);
      await session.withoutWaitLines(() =>
        Promise.race([untilAborted(context.signal), running.stopAsked, closedTerminal]),
      );
    } finally {
      stopListening();
      await running.stop();
    }
    return { result: { kind: 'nothing' } };
  },
};

/** Must be called before the start, which creates the data. */
async function hasData(folder: string): Promise<boolean> {
  const { dataDirAt } = await import('../../../sandbox/data/data-dir.ts');
  return existsSync(dataDirAt(folder).database);
}

const COMPANIONS_NOTE =
  'The sandbox also serves /v1/list, /v1/subscriber, /v1/subscription and /v1/subscriberProfileField. These resources are not part of the HTTP API: they work like this only in this sandbox, and a real service can differ.';

const ignoredSeed = (seed: string, folder: string): string =>
  `--seed ${seed} is ignored: ${folder} keeps its existing data. To start with new data, run ` +
  `svc sandbox reset --data ${folder} first.`;

/** SIGHUP reloads the certificate. A closing terminal also sends SIGHUP; then svc cannot print any more, and the sandbox stops. */
function onHangup(
  session: Invocation & Tell,
  running: RunningSandbox,
  { certificate }: ListenOptions,
): { readonly closedTerminal: Promise<void>; readonly stopListening: () => void } {
  let close = (): void => {};
  const closedTerminal = new Promise<void>((resolve) => {
    close = resolve;
  });
  if (certificate === undefined) return { closedTerminal, stopListening: () => undefined };
  const renew = (): void => {
    session.warn(renewed(running)).catch(close);
  };
  return { closedTerminal, stopListening: session.context.exitSignals?.onHangup(renew) ?? (() => undefined) };
}

function renewed(running: RunningSandbox): string {
  try {
    const shown = running.reloadCertificate();
    return shown === undefined
      ? 'The sandbox has no certificate to reload.'
      : certificateReloadedNote(shown.validUntil);
  } catch (error) {
    const explained = explainSandboxStartError(error);
    const why = explained instanceof Error ? explained.message : String(explained);
    return `Cannot reload the certificate; the current one stays in use: ${why}`;
  }
}

/** An undefined option means that the sandbox uses the value of its last start. */
async function readWanted(session: Invocation & Tell & Profiles, input: Input) {
  const { context } = session;
  const given = input.get(dataFlag);
  const shares = input.get(audienceFlag);
  const { naming: overrides } = await readFileOfNamingFlag(session, input);
  const listening = readListenOptions(session, input, input.has(portFlag));
  const folder = given === undefined ? await defaultSandboxFolder(session) : resolve(context.cwd, given);
  return {
    folder,
    ports: await chooseSandboxPorts(session, folder, listening.listen?.port ?? input.get(portFlag)),
    seed: input.get(seedFlag),
    clock: input.get(clockFlag),
    simulatedRecipients: shares && { shares, seed: input.get(audienceSeedFlag) },
    naming: overrides && namingWithOverrides(overrides),
    companions: input.get(companionsFlag),
    store: await readDatabaseUrl(session, input),
    outbound: readOutboundConnections(input),
    listening,
  };
}

type StartCommandOptions = Awaited<ReturnType<typeof readWanted>>;

async function startHere(session: Invocation & Tell, wanted: StartCommandOptions): Promise<RunningSandbox> {
  const { context, globals } = session;
  const [port, ...otherPorts] = wanted.ports.portsToTry;
  const report = (id: string, error: unknown): void => {
    const text =
      error instanceof Error ? (globals.debug ? (error.stack ?? error.message) : error.message) : error;
    session.warn(`sandbox: failure ${id}: ${String(text)}`).catch(() => undefined);
  };
  try {
    const [{ startSandbox }, { dataDirAt }] = await Promise.all([
      import('../../../sandbox/start.ts'),
      import('../../../sandbox/data/data-dir.ts'),
    ]);
    return await startSandbox({
      dataDir: dataDirAt(wanted.folder),
      ...{ port, otherPorts },
      seed: wanted.seed ?? 'demo',
      ...(wanted.clock === undefined ? {} : { clock: wanted.clock }),
      simulatedRecipients: wanted.simulatedRecipients,
      naming: wanted.naming,
      companions: wanted.companions,
      store: wanted.store,
      ...wanted.outbound,
      ...startOptionsOf(wanted.listening),
      machineNow: () => context.clock.now(),
      random: context.random,
      report,
    });
  } catch (error) {
    throw explainSandboxStartError(error, { host: wanted.listening.listen?.host, port });
  }
}

const startOptionsOf = ({ listen, certificate, behindProxy, allowHosts }: ListenOptions) => ({
  ...(listen === undefined ? {} : { host: listen.host }),
  ...(certificate === undefined ? {} : { certificate }),
  ...{ behindProxy, allowHosts },
});

const flagsForBackground = (input: Input): readonly string[] =>
  input.asWritten([
    ...[portFlag, seedFlag, clockFlag, audienceFlag, audienceSeedFlag],
    ...[namingFileFlag, companionsFlag, profileFlag],
    ...CONNECTION_FLAGS,
  ]);

/** (Contract, "Sandbox".) */
async function announce(
  session: Invocation & Tell & Profiles,
  ready: SandboxReadyMessage,
  about: {
    readonly names: { readonly company: string; readonly partner: string } | undefined;
    readonly naming: Naming;
    readonly store: string | undefined;
    readonly isNew: boolean;
    readonly detached: boolean;
  },
): Promise<void> {
  const { stdout } = session.context;
  const format = await session.format();
  if (format === 'json' || format === 'ndjson') {
    await stdout.write(`${JSON.stringify(ready)}\n`);
    return;
  }
  const { names, naming, store, isNew, detached } = about;
  const here = await formatDataFolderFlag(session, ready.dataDir);
  const lines = [
    `The sandbox is ready at ${ready.baseUrl} (process ${ready.pid})`,
    `  data     ${ready.dataDir}${isNew && store === undefined ? ', new' : ''}`,
    ...(store === undefined ? [] : [`  store    ${store}${isNew ? ', new' : ''}`]),
    `  company  ${ready.company.id}, user ${ready.company.adminUserId}; partner ${ready.partner.id}`,
    ...(namingOverridesOf(naming)
      ? [
          `  names    custom header and attribute names (headers ${naming.headerPrefix}…), kept for later starts`,
        ]
      : []),
    ...(names ? [`  profile  ${names.company}; for the partner ${names.partner}`] : []),
    ...(names ? [`  try      svc --profile ${names.company} folder list`] : []),
    ...(stdout.isTTY ? [`  look     svc sandbox open${here}`] : []),
    `  stop     ${detached ? '' : 'Ctrl-C, or '}svc sandbox stop${here}`,
  ];
  await stdout.write(`${lines.join('\n')}\n`);
}

interface SandboxPortChoices {
  readonly lastPort: number | undefined;
  readonly portsToTry: readonly [number, ...number[]];
}

/** Tries the port of the last start, then the default port, then any free port. */
async function chooseSandboxPorts(
  session: Profiles,
  folder: string,
  portFlag: number | undefined,
): Promise<SandboxPortChoices> {
  const lastPort = await findLastPort(session, folder);
  if (portFlag !== undefined) return { lastPort, portsToTry: [portFlag] };
  return {
    lastPort,
    portsToTry: lastPort === undefined ? [DEFAULT_SANDBOX_PORT, 0] : [lastPort, DEFAULT_SANDBOX_PORT, 0],
  };
}

async function findLastPort(session: Profiles, folder: string): Promise<number | undefined> {
  const { dir, settings } = await loadStoredSettings(folder);
  const kept = settings.readStoredPort(dir);
  if (kept !== undefined) return kept;
  const { profiles } = await (await session.store()).list();
  const known = profiles.filter(isSandboxProfile).find(({ sandbox }) => sandbox.dataDir === folder);
  return (known && Number(new URL(known.baseUrl).port)) || undefined;
}

/** Undefined for the expected port. */
export function describeUnexpectedPort(
  { lastPort, portsToTry }: SandboxPortChoices,
  baseUrl: string,
): string | undefined {
  const port = Number(new URL(baseUrl).port);
  // Behind a proxy the address has no port.
  if (port === 0) return undefined;
  if (lastPort !== undefined && lastPort !== port)
    return `The port of this sandbox was ${lastPort} and is now ${port}. Links in earlier messages still lead to port ${lastPort}.`;
  const [first] = portsToTry;
  return first !== 0 && first !== port ? `Port ${first} is taken, so the sandbox uses ${port}.` : undefined;
}
