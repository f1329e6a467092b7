/** Plans, shows and writes the changes of `svc agent setup`, and shows its status. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stateDirOf } from '../../../kit/files/directories.ts';
import { withLock } from '../../../kit/files/lock.ts';
import { makeFolders } from '../../../kit/files/make-folders.ts';
import { joinAnd } from '../../../kit/text/words.ts';
import { isLoopback } from '../../../service/protocol/wire.ts';
import type { Outcome } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { commandToStartSvc } from '../../outside/own-program.ts';
import { confirm } from '../../request/guards.ts';
import type { Changes, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { isSandboxProfile } from '../../session/sandbox-start.ts';
import { type ClientFile, readClientFile } from './client-file.ts';
import { ASSISTANT_CLIENTS, type AssistantClient, CLIENT_NAMES, locateConfiguration } from './clients.ts';
import { changedMembers, MEMBERS, SERVER_NAME, type ServerEntry, type StoredEntry } from './server-entry.ts';

type Chosen = readonly AssistantClient[] | undefined;

/** @param chosen undefined for all clients that are installed */
export async function addToClients(
  session: Invocation & Tell & Profiles & Changes,
  chosen: Chosen,
  { isSandboxOnly }: { readonly isSandboxOnly: boolean },
): Promise<Outcome> {
  const wanted = await wantedEntry(session, isSandboxOnly);
  const clients = chosen ?? installedClients(session);
  if (clients.length > 0) return changeClients(session, clients, wanted);
  throw new UsageError("svc found no assistant's client on this machine", {
    hint: `name one with --client: ${CLIENT_NAMES.join(', ')}`,
  });
}

export const removeFromClients = (session: Invocation & Tell & Changes, chosen: Chosen): Promise<Outcome> =>
  changeClients(session, chosen ?? installedClients(session), undefined);

/** @param wanted undefined to remove the entry */
async function changeClients(
  session: Invocation & Tell & Changes,
  clients: readonly AssistantClient[],
  wanted: ServerEntry | undefined,
): Promise<Outcome> {
  const edits = clients.map((client) => planEdit(session, client, wanted));
  const pending = edits.filter(({ change }) => change !== 'unchanged');
  for (const each of pending) await session.warn(shownEdit(each));
  if (pending.length === 0) await session.info('Nothing to change.');
  else await writeEdits(session, pending, wanted);
  return {
    result: {
      kind: 'rows',
      rows: edits.map(({ client, file, change }) => ({ client: client.name, change, file: file.path })),
      columns: [{ name: 'client', role: 'name' }, { name: 'change', role: 'state' }, { name: 'file' }],
      empty: 'No client is installed.',
    },
  };
}

type Change = 'added' | 'changed' | 'removed' | 'unchanged';

interface Edit {
  readonly client: AssistantClient;
  readonly file: ClientFile;
  readonly change: Change;
  /** Members of the entry before and after the change. Undefined if there is no entry. */
  readonly before: StoredEntry | undefined;
  readonly after: StoredEntry | undefined;
  readonly text: string;
}

const installedClients = (session: Invocation): readonly AssistantClient[] =>
  ASSISTANT_CLIENTS.filter((client) => isInstalled(session, client));

function isInstalled({ context }: Invocation, client: AssistantClient): boolean {
  const { folder, file } = locateConfiguration(client, context);
  return existsSync(folder) || existsSync(file);
}

/** Checks what `svc mcp` checks at its start, so that the client does not find a server that ends at once. */
async function wantedEntry(
  session: Invocation & Tell & Profiles,
  isSandboxOnly: boolean,
): Promise<ServerEntry> {
  const { context, globals } = session;
  const { profiles, defaultName } = await (await session.store()).list();
  const given = globals.profile ?? (context.env.SVC_PROFILE || undefined);
  const profile = profiles.find(({ name }) => name === (given ?? defaultName));
  if (profile === undefined)
    throw new UsageError(
      given === undefined ? 'there is no profile for the assistant' : `no profile ${given}`,
      {
        hint: 'run svc profile list to see the profiles, or svc sandbox start --detach to create the profile sandbox',
      },
    );
  if (isSandboxOnly && !(isSandboxProfile(profile) && isLoopback(new URL(profile.baseUrl).hostname)))
    throw new UsageError(`--sandbox-only: profile ${profile.name} is not a sandbox on this machine`, {
      hint: 'run svc sandbox start --detach, then svc agent setup --profile sandbox --sandbox-only',
    });
  const folder = await campaignFolder(session);
  if (!isSandboxProfile(profile) && !profile.readOnly)
    await session.info([
      `An assistant with a shell can run svc without these limits. To let profile ${profile.name} only read:`,
      `  svc profile set ${profile.name} read-only true`,
    ]);
  const { SVC_CONFIG_DIR } = context.env;
  if (SVC_CONFIG_DIR)
    await session.warn('SVC_CONFIG_DIR is set here. The client must start svc with the same value.');
  const { program, firstArgs } = commandToStartSvc();
  const flags = [
    ...(given === undefined ? [] : ['--profile', given]),
    ...(isSandboxOnly ? ['--sandbox-only'] : []),
  ];
  return { command: program, args: [...firstArgs, 'mcp', ...flags, '--dir', folder] };
}

/** Clients start a server in any folder, and svc mcp refuses the home folder. */
async function campaignFolder({ context }: Invocation): Promise<string> {
  const { contextIn } = await import('../mcp/start.ts');
  try {
    return (await contextIn(context, undefined)).cwd;
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(cause.message, {
      hint: 'run svc agent setup in the folder of your campaign files',
      cause,
    });
  }
}

function planEdit({ context }: Invocation, client: AssistantClient, wanted: ServerEntry | undefined): Edit {
  const file = readClientFile(client, locateConfiguration(client, context).file);
  const { entry: before, withEntry, withoutEntry } = file.configuration;
  if (before !== undefined && !startsSvcMcp(before)) {
    if (wanted !== undefined)
      throw new UsageError(
        `${file.path} has a server ${SERVER_NAME} that is not svc mcp; nothing was changed`,
        {
          hint: 'rename that server first, or leave this client out with --client',
        },
      );
    return { client, file, change: 'unchanged', before, after: before, text: '' };
  }
  if (wanted === undefined) {
    const change = before === undefined ? 'unchanged' : 'removed';
    return { client, file, change, before, after: undefined, text: withoutEntry() };
  }
  const after: ServerEntry = { ...(client.namesTransport ? { type: 'stdio' } : {}), ...wanted };
  if (before === undefined)
    return { client, file, change: 'added', before, after: { ...after }, text: withEntry(after) };
  const change = changedMembers(before, after).length === 0 ? 'unchanged' : 'changed';
  return { client, file, change, before, after: { ...after }, text: withEntry(after) };
}

const argumentsOf = ({ args }: StoredEntry): readonly unknown[] => (Array.isArray(args) ? args : []);

const startsSvcMcp = (entry: StoredEntry): boolean => argumentsOf(entry).includes('mcp');

/** Shows only what svc writes: other members may hold keys. */
function shownEdit({ client, file, before = {}, after = {} }: Edit): readonly string[] {
  const names = MEMBERS.filter((name) => name in before || name in after);
  const [old, fresh] = [before, after].map((entry) =>
    names.map((name) => (name in entry ? memberText(client, name, entry[name]) : undefined)),
  );
  const place =
    client.form === 'toml' ? `[${client.servers}.${SERVER_NAME}]` : `"${client.servers}": "${SERVER_NAME}":`;
  return [
    `${file.path} (${client.title})${file.exists ? '' : ', a new file'}`,
    `  ${place}`,
    ...names.flatMap((_, at) => {
      const [was, is] = [old?.[at], fresh?.[at]];
      if (was === is) return [];
      return [...(was === undefined ? [] : [`  - ${was}`]), ...(is === undefined ? [] : [`  + ${is}`])];
    }),
  ];
}

const memberText = ({ form }: AssistantClient, name: string, value: unknown): string =>
  form === 'toml' ? `${name} = ${JSON.stringify(value)}` : `"${name}": ${JSON.stringify(value)}`;

async function writeEdits(
  session: Invocation & Tell & Changes,
  pending: readonly Edit[],
  wanted: ServerEntry | undefined,
): Promise<void> {
  const { context } = session;
  const titles = joinAnd(pending.map(({ client }) => client.title));
  session.beforeChange(`change ${joinAnd(pending.map(({ file }) => file.path))}`);
  await confirm(session, wanted === undefined ? `remove svc from ${titles}` : `add svc to ${titles}`);
  const folder = stateDirOf(context.env, context.homeDir, context.platform);
  makeFolders(folder);
  for (const { client, file, change } of pending) {
    await withLock(join(folder, 'agent-setup.lock'), () => {
      // The client, or another svc, may have written the file since it was shown.
      const now = planEdit(session, client, wanted);
      if (now.change !== 'unchanged') now.file.replace(now.text);
    });
    await session.info(`${change} ${SERVER_NAME} in ${file.path}`);
  }
  await session.info(`Restart ${titles} to use the change.`);
}

export async function showClients(
  session: Invocation & Tell,
  clients: readonly AssistantClient[],
): Promise<Outcome> {
  const rows = [];
  for (const client of clients) {
    const { file } = locateConfiguration(client, session.context);
    const entry = await storedEntry(session, client, file);
    const isConfigured = entry === 'unreadable' ? null : entry !== undefined && startsSvcMcp(entry);
    rows.push({
      client: client.name,
      found: isInstalled(session, client),
      configured: isConfigured,
      profile: typeof entry === 'object' && isConfigured ? profileIn(entry) : null,
      file,
    });
  }
  return {
    result: {
      kind: 'rows',
      rows,
      columns: [
        { name: 'client', role: 'name' },
        { name: 'found', kind: 'bool' },
        { name: 'configured', kind: 'bool' },
        { name: 'profile' },
        { name: 'file' },
      ],
      empty: '',
    },
  };
}

async function storedEntry(session: Tell, client: AssistantClient, file: string) {
  try {
    return readClientFile(client, file).configuration.entry;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await session.warn(error.message);
    return 'unreadable';
  }
}

function profileIn(entry: StoredEntry): string | null {
  const words = argumentsOf(entry).map(String);
  const at = words.lastIndexOf('--profile');
  return (
    (at < 0
      ? words.find((word) => word.startsWith('--profile='))?.slice('--profile='.length)
      : words[at + 1]) ?? null
  );
}
