/** `sandbox start`: in the foreground until it is told to stop, or by itself. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Naming, NEUTRAL_NAMING, namingWith } from '../../../protocol/naming.ts';
import type { Ready, RunningSandbox } from '../../../sandbox/start.ts';
import type { Input, Verb } from '../../command/command.ts';
import { choiceFlag, countFlag, fileFlag, switchFlag } from '../../command/flag.ts';
import { profileFlag } from '../../command/globals.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Session } from '../../session/session.ts';
import { dataOption } from './advice.ts';
import { dataFlag } from './connection.ts';
import { startDetached } from './detach.ts';
import { defaultFolder } from './folder.ts';
import { OUTSIDE_FLAGS, type Outside, readOutside } from './outside.ts';
import { profilesToWrite, writeProfiles } from './profiles.ts';
import { explainStart } from './start-errors.ts';

const portFlag = countFlag('port', {
  describe: 'Port to listen on; 0: any free port',
  max: 65_535,
  default: 4010,
});
const seedFlag = choiceFlag('seed', ['demo', 'empty'], {
  describe: 'Data of a new sandbox',
  otherwise: 'demo',
});
const clockFlag = choiceFlag('clock', ['real', 'manual'], {
  describe: 'Real time, or a clock that only svc sandbox clock moves',
  value: 'mode',
});
const namingFlag = fileFlag('naming', { describe: "JSON file with a deployment's own names" });
const detachFlag = switchFlag('detach', { describe: 'Run in the background' });

export const start: Verb = {
  name: 'start',
  summary: 'Start the sandbox on this machine',
  about:
    'It listens on the loopback address only, and keeps its data when it stops. The profiles sandbox and ' +
    'sandbox-partner are written; --profile NAME names others, --profile none writes none. --naming FILE takes a JSON ' +
    'object of names as svc profile set knows them, for a deployment with names of its own. A sandbox that has data ' +
    'keeps it and its clock: --seed is ignored then, and --clock real is refused where the clock would go back',
  example: 'sandbox start --clock manual',
  flags: [portFlag, dataFlag, seedFlag, clockFlag, namingFlag, ...OUTSIDE_FLAGS, detachFlag],
  run: async (session, input) => {
    const { context } = session;
    const wanted = await readWanted(session, input);
    session.beforeChange(`start a sandbox on ${wanted.folder}`);
    const names = await profilesToWrite(session);
    const hadData = await hasData(wanted.folder);
    const sayIgnored = async (): Promise<void> => {
      if (hadData && wanted.seed !== undefined) await session.info(ignoredSeed(wanted.seed, wanted.folder));
    };
    if (input.get(detachFlag)) {
      const ready = await session.waiting('for the sandbox to be ready, for 30 seconds at most', () =>
        startDetached(session, { ...wanted, args: passedOn(input, wanted) }),
      );
      await announce(session, ready, { names, isNew: !hadData, detached: true });
      await sayIgnored();
      return { result: { kind: 'nothing' } };
    }
    const running = await startHere(session, wanted);
    try {
      await writeProfiles(session, names, running.ready, wanted.overrides);
      await announce(session, running.ready, { names, isNew: running.seeded, detached: false });
      await sayIgnored();
      await Promise.race([untilAborted(context.signal), running.stopAsked]);
    } finally {
      await running.stop();
    }
    return { result: { kind: 'nothing' } };
  },
};

/** Before it starts: a detached sandbox says nothing but that it is ready. */
async function hasData(folder: string): Promise<boolean> {
  const { dataDirAt } = await import('../../../sandbox/data/data-dir.ts');
  return existsSync(dataDirAt(folder).database);
}

const ignoredSeed = (seed: string, folder: string): string =>
  `--seed ${seed} is ignored: ${folder} has data already, which is kept. svc sandbox reset --data ${folder} deletes it; ` +
  'the next start begins anew.';

export interface Wanted {
  readonly folder: string;
  readonly port: number;
  readonly seed: 'demo' | 'empty' | undefined;
  readonly clock: 'real' | 'manual' | undefined;
  readonly naming: Naming;
  readonly overrides: Readonly<Record<string, unknown>> | undefined;
  readonly outside: Outside;
}

async function readWanted(session: Session, input: Input): Promise<Wanted> {
  const { context } = session;
  const given = input.get(dataFlag);
  const overrides = await readOverrides(context.cwd, input.get(namingFlag));
  return {
    folder: given === undefined ? await defaultFolder(session) : resolve(context.cwd, given),
    port: input.get(portFlag),
    seed: input.get(seedFlag),
    clock: input.get(clockFlag),
    naming: overrides === undefined ? NEUTRAL_NAMING : namingOf(overrides),
    overrides,
    outside: readOutside(input),
  };
}

async function readOverrides(
  cwd: string,
  file: string | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (file === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(await readFile(resolve(cwd, file), 'utf8'));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not JSON' : "can't be read";
    throw new UsageError(`--naming: ${file} ${why}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`--naming: ${file} must hold one JSON object`);
}

function namingOf(overrides: Readonly<Record<string, unknown>>): Naming {
  try {
    return namingWith(overrides);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--naming: ${error.message}`);
    throw error;
  }
}

async function startHere(session: Session, wanted: Wanted): Promise<RunningSandbox> {
  const { context, globals } = session;
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
      port: wanted.port,
      seed: wanted.seed ?? 'demo',
      ...(wanted.clock === undefined ? {} : { clock: wanted.clock }),
      naming: wanted.naming,
      ...wanted.outside,
      machineNow: () => context.clock.now(),
      random: context.random,
      report,
    });
  } catch (error) {
    throw explainStart(error, wanted.port);
  }
}

/** The same flags again, for a process of its own. */
const passedOn = (input: Input, { folder }: Wanted): readonly string[] => [
  ...['sandbox', 'start', '--data', folder],
  ...input.asWritten([portFlag, seedFlag, clockFlag, namingFlag, profileFlag, ...OUTSIDE_FLAGS]),
];

/** The first line on stdout, once requests are taken (contract, "Sandbox"). */
async function announce(
  session: Session,
  ready: Ready,
  about: {
    readonly names: { readonly company: string; readonly partner: string } | undefined;
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
  const { names, isNew, detached } = about;
  const lines = [
    `The sandbox is ready at ${ready.baseUrl} (process ${ready.pid})`,
    `  data     ${ready.dataDir}${isNew ? ', new' : ''}`,
    `  company  ${ready.company.id}, user ${ready.company.adminUserId}; partner ${ready.partner.id}`,
    ...(names ? [`  profile  ${names.company}; for the partner ${names.partner}`] : []),
    ...(names ? [`  try      svc --profile ${names.company} folder list`] : []),
    `  stop     ${detached ? '' : 'Ctrl-C, or '}svc sandbox stop${await dataOption(session, ready.dataDir)}`,
  ];
  await stdout.write(`${lines.join('\n')}\n`);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
