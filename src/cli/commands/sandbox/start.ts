/** Declares `sandbox start`, which runs a sandbox in the foreground until Ctrl-C, or in the background. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Audience, MAX_SEED } from '../../../protocol/control/audience.ts';
import { type Naming, namingWith, overridesOf } from '../../../protocol/naming.ts';
import type { Ready, RunningSandbox } from '../../../sandbox/start.ts';
import type { Input, Verb } from '../../command/command.ts';
import { choiceFlag, countFlag, switchFlag } from '../../command/flag.ts';
import { profileFlag } from '../../command/globals.ts';
import { explainStart } from '../../errors/start-errors.ts';
import { DEFAULT_SANDBOX_PORT } from '../../session/sandbox-start.ts';
import type { Session } from '../../session/session.ts';
import { namingFlag, readNamingFlag } from '../naming-flag.ts';
import { dataOption } from './advice.ts';
import { createAudienceFlag } from './audience-flag.ts';
import { dataFlag } from './connection.ts';
import { startDetached } from './detach.ts';
import {
  certificateNotes,
  LISTEN_FLAGS,
  type ListenOptions,
  readListenOptions,
  renewedCertificateNote,
} from './doors.ts';
import { defaultFolder } from './folder.ts';
import { LINK_FLAGS, type OutsideConnections, readSandboxLinks } from './outside.ts';
import { type Ports, portNote, portsFor } from './port.ts';
import { profilesToWrite, writeProfiles } from './profiles.ts';
import { readStore, storeFlag, storeForProcess, storeOfFolder } from './store.ts';

const portFlag = countFlag('port', {
  describe: 'Port to listen on; 0: any free port',
  max: 65_535,
  otherwise: `its earlier port, ${DEFAULT_SANDBOX_PORT}, or a free one`,
});
const seedFlag = choiceFlag('seed', ['demo', 'empty'], {
  describe: 'Initial data of a new sandbox',
  otherwise: 'demo',
});
const clockFlag = choiceFlag('clock', ['real', 'manual'], {
  describe: 'Real time, or a clock that only svc sandbox clock moves',
  value: 'mode',
});
const companionsFlag = switchFlag('companions', {
  describe: 'Also serve /v1/list, subscriber, subscription …',
});
const audienceFlag = createAudienceFlag(
  'Simulated recipients who open and click: lively, quiet, none, or opens=30%,clicks=4%',
  'none',
);
const audienceSeedFlag = countFlag('audience-seed', {
  describe: 'Seed for the choice of recipients and times',
  max: MAX_SEED,
  default: 1,
});
const detachFlag = switchFlag('detach', { describe: 'Run in the background' });

export const start: Verb = {
  name: 'start',
  summary: 'Start the sandbox on this machine',
  about:
    'Other machines need HTTPS: use --tls-cert and --tls-key, or --behind-proxy if a proxy terminates TLS. Later starts ' +
    'keep the data and names; a naming file with {} restores the default names. Writes the profiles sandbox and ' +
    'sandbox-partner, or --profile NAME or none. With existing data, ignores --seed, and rejects --clock real if time ' +
    'would go back',
  work: 'local',
  exits: { 5: 'port or data in use' },
  example: 'sandbox start --clock manual',
  flags: [
    ...[portFlag, dataFlag, storeFlag, seedFlag, clockFlag, audienceFlag, audienceSeedFlag],
    ...[namingFlag, companionsFlag],
    ...LISTEN_FLAGS,
    ...LINK_FLAGS,
    detachFlag,
  ],
  run: async (session, input) => {
    const { context } = session;
    const wanted = await readWanted(session, input);
    session.beforeChange(`start a sandbox on ${wanted.folder}`);
    const names = await profilesToWrite(session);
    const hadData = await hasData(wanted.folder);
    const notes = await notesOn(session, wanted);
    const sayMore = async ({ baseUrl }: Ready): Promise<void> => {
      const moved = portNote(wanted.ports, baseUrl);
      if (moved !== undefined) await session.info(moved);
      for (const note of notes) await session.info(note);
      if (wanted.companions) await session.info(COMPANIONS_ANSWERED);
      if (hadData && wanted.seed !== undefined) await session.info(ignoredSeed(wanted.seed, wanted.folder));
    };
    if (input.get(detachFlag)) {
      const flags = passedOn(input);
      const ready = await startInBackground(session, wanted.folder, flags, storeForProcess(wanted.store));
      const naming = await keptNaming(wanted.folder);
      const store = await storeOfFolder(wanted.folder);
      const isNew = !hadData && store === undefined;
      await announce(session, ready, { names, naming, store, isNew, detached: true });
      await sayMore(ready);
      return { result: { kind: 'nothing' } };
    }
    const running = await startHere(session, wanted);
    const { closedTerminal, stopListening } = onHangup(session, running, wanted.doors);
    try {
      const { naming, ready } = running;
      await writeProfiles(session, names, ready, overridesOf(naming));
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

/**
 * Starts a sandbox in its own process, which writes its profiles. Resolves when it accepts requests.
 * @param flags of `sandbox start`, as written, except `--data` and `--store`
 * @param env variables in addition to those of this process
 */
export function startInBackground(
  session: Session,
  folder: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ready> {
  const args = ['sandbox', 'start', '--data', folder, ...flags];
  return session.waiting('for the sandbox to be ready, for 30 seconds at most', () =>
    startDetached(session, { folder, args, env }),
  );
}

/** Returns the deployment's names that the sandbox in this folder stores. */
async function keptNaming(folder: string): Promise<Naming> {
  const [{ dataDirAt }, kept] = await Promise.all([
    import('../../../sandbox/data/data-dir.ts'),
    import('../../../sandbox/data/kept-naming.ts'),
  ]);
  return kept.keptNaming(dataDirAt(folder));
}

/** Reports whether the folder has data. Called before the start, because a detached sandbox only reports that it is ready. */
async function hasData(folder: string): Promise<boolean> {
  const { dataDirAt } = await import('../../../sandbox/data/data-dir.ts');
  return existsSync(dataDirAt(folder).database);
}

/** Notice that the companions are not part of the interface. */
const COMPANIONS_ANSWERED =
  'It also serves /v1/list, /v1/subscriber, /v1/subscription and /v1/subscriberProfileField. They are not part of the ' +
  'interface: their behavior is specific to this sandbox, and a deployment can differ.';

const ignoredSeed = (seed: string, folder: string): string =>
  `--seed ${seed} is ignored: ${folder} keeps its existing data. svc sandbox reset --data ${folder} deletes it; ` +
  'the next start begins with new data.';

export interface StartOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly seed: 'demo' | 'empty' | undefined;
  readonly clock: 'real' | 'manual' | undefined;
  readonly audience: Audience | undefined;
  /** Names of the deployment. If undefined, the names of the last start apply. */
  readonly naming: Naming | undefined;
  readonly companions: boolean;
  /** URL of the shared database. If undefined, the database of the last start is used. */
  readonly store: string | undefined;
  readonly outside: OutsideConnections;
  readonly doors: ListenOptions;
}

/** Returns notes about the certificate before the start. @throws CertificateError for an unusable certificate */
async function notesOn(session: Session, { doors }: StartOptions): Promise<readonly string[]> {
  try {
    return await certificateNotes(session, doors);
  } catch (error) {
    throw explainStart(error);
  }
}

/**
 * Handles SIGHUP. A sandbox with a certificate reloads it. A closing terminal also sends SIGHUP; then stdout can't be written any more, and
 * the sandbox stops.
 */
function onHangup(
  session: Session,
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
  return { closedTerminal, stopListening: session.context.ending?.onHangup(renew) ?? (() => undefined) };
}

function renewed(running: RunningSandbox): string {
  try {
    const shown = running.reloadCertificate();
    return shown === undefined
      ? 'There is no certificate to reload.'
      : renewedCertificateNote(shown.validUntil);
  } catch (error) {
    const explained = explainStart(error);
    const why = explained instanceof Error ? explained.message : String(explained);
    return `Cannot reload the certificate; the current one stays in use: ${why}`;
  }
}

async function readWanted(session: Session, input: Input): Promise<StartOptions> {
  const { context } = session;
  const given = input.get(dataFlag);
  const shares = input.get(audienceFlag);
  const { naming: overrides } = await readNamingFlag(session, input);
  const doors = readListenOptions(session, input, input.has(portFlag));
  const folder = given === undefined ? await defaultFolder(session) : resolve(context.cwd, given);
  return {
    folder,
    ports: await portsFor(session, folder, doors.listen?.port ?? input.get(portFlag)),
    seed: input.get(seedFlag),
    clock: input.get(clockFlag),
    audience: shares && { shares, seed: input.get(audienceSeedFlag) },
    naming: overrides && namingWith(overrides),
    companions: input.get(companionsFlag),
    store: await readStore(session, input),
    outside: readSandboxLinks(input),
    doors,
  };
}

async function startHere(session: Session, wanted: StartOptions): Promise<RunningSandbox> {
  const { context, globals } = session;
  const [port, ...otherPorts] = wanted.ports.wanted;
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
      audience: wanted.audience,
      naming: wanted.naming,
      companions: wanted.companions,
      store: wanted.store,
      ...wanted.outside,
      ...startOptionsOf(wanted.doors),
      machineNow: () => context.clock.now(),
      random: context.random,
      report,
    });
  } catch (error) {
    throw explainStart(error, { host: wanted.doors.listen?.host, port });
  }
}

const startOptionsOf = ({ listen, certificate, behindProxy, allowHosts }: ListenOptions) => ({
  ...(listen === undefined ? {} : { host: listen.host }),
  ...(certificate === undefined ? {} : { certificate }),
  ...{ behindProxy, allowHosts },
});

/** Returns the given flags as words for the process in the background. */
const passedOn = (input: Input): readonly string[] =>
  input.asWritten([
    ...[portFlag, seedFlag, clockFlag, audienceFlag, audienceSeedFlag],
    ...[namingFlag, companionsFlag, profileFlag],
    ...LISTEN_FLAGS,
    ...LINK_FLAGS,
  ]);

/** Prints the first line on stdout, when the sandbox accepts requests (contract, "Sandbox"). */
async function announce(
  session: Session,
  ready: Ready,
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
  const here = await dataOption(session, ready.dataDir);
  const lines = [
    `The sandbox is ready at ${ready.baseUrl} (process ${ready.pid})`,
    `  data     ${ready.dataDir}${isNew && store === undefined ? ', new' : ''}`,
    ...(store === undefined ? [] : [`  store    ${store}${isNew ? ', new' : ''}`]),
    `  company  ${ready.company.id}, user ${ready.company.adminUserId}; partner ${ready.partner.id}`,
    ...(overridesOf(naming)
      ? [`  names    a deployment's own, with headers ${naming.headerPrefix}…; later starts keep them`]
      : []),
    ...(names ? [`  profile  ${names.company}; for the partner ${names.partner}`] : []),
    ...(names ? [`  try      svc --profile ${names.company} folder list`] : []),
    ...(stdout.isTTY ? [`  look     svc sandbox open${here}`] : []),
    `  stop     ${detached ? '' : 'Ctrl-C, or '}svc sandbox stop${here}`,
  ];
  await stdout.write(`${lines.join('\n')}\n`);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
