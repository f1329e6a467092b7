/** Verifies the settings of `svc mcp` before it serves an assistant (contract, "Assistants"). */

import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { ProfileError } from '../../../client/profiles/errors.ts';
import { findFolderPinnedToProfile } from '../../../client/profiles/folder-pin.ts';
import { ClientError } from '../../../client/requests/errors.ts';
import { readSigners, type SignersFile } from '../../../features/campaign/approval/signers.ts';
import { CampaignError } from '../../../features/campaign/errors.ts';
import { configDirOf, stateDirOf, thisUser } from '../../../kit/files/directories.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { isLoopback } from '../../../service/protocol/wire.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { createRedactor } from '../../output/redact.ts';
import { type Context, replaceContextParts } from '../../outside/context.ts';
import type { Clocks, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { createAccountTime } from './account-time.ts';
import type { McpServerSettings } from './settings.ts';

/** @throws UsageError, ProfileError or ServiceError if the server must not start */
export async function verifyMcpServerSettings(
  session: Ports,
  folder: string | undefined,
  isSandboxOnly: boolean,
): Promise<McpServerSettings> {
  const { globals } = session;
  const context = await contextIn(session.context, folder);
  const { profile, credentials, origin } = await session.resolved().catch(asUsage);
  if (isSandboxOnly && !(profile?.sandbox && isLoopback(new URL(origin).hostname)))
    throw new UsageError(
      `--sandbox-only: ${profile ? `profile ${profile.name}` : origin} is not a sandbox on this machine`,
      {
        hint: 'run svc sandbox start to create the profile sandbox, then svc mcp --profile sandbox --sandbox-only',
      },
    );
  if (credentials.companyId === undefined)
    throw new UsageError('svc mcp needs a company', { hint: 'add --company ID|NAME' });
  const signers = profile?.signers === undefined ? undefined : signersAt(profile.signers);
  await sayIfFolderIsIgnored(session, context);
  const isChecked = await checkKey(session, origin);
  const { cwd, env, homeDir, platform } = context;
  const dryRun = globals.dryRun ? { 'dry-run': true } : {};
  return {
    ...{ session, context, origin, signers, isSandboxOnly },
    isDryRun: globals.dryRun,
    time: await createAccountTime(session),
    accountWords: [
      `Paths are relative to ${cwd}.`,
      `The account is company ${credentials.companyId}${profile ? ` of the profile ${profile.name}` : ''}.`,
      ...(isChecked ? [await presentWords(session)] : []),
    ].join(' '),
    allowedFolder: {
      folder: cwd,
      forbidden: [
        configDirOf(env, homeDir, platform),
        stateDirOf(env, homeDir, platform),
        ...(profile?.sandbox ? [profile.sandbox.dataDir] : []),
      ].filter((folder) => folder !== ''),
    },
    flags: {
      ...(profile === undefined ? {} : { profile: profile.name }),
      company: String(credentials.companyId),
      ...(globals.user === undefined ? {} : { user: globals.user }),
      ...(globals.baseUrl === undefined ? {} : { 'base-url': globals.baseUrl }),
      ...(globals.tz === undefined ? {} : { tz: globals.tz }),
      ...dryRun,
    },
    accountFlags: [
      ...(profile === undefined ? [] : ['--profile', profile.name]),
      ...(globals.company === undefined ? [] : ['--company', String(credentials.companyId)]),
      ...(globals.user === undefined ? [] : ['--user', globals.user]),
      ...(globals.baseUrl === undefined ? [] : ['--base-url', globals.baseUrl]),
    ],
    sandboxFlags: { ...(profile?.sandbox === undefined ? {} : { profile: profile.name }), ...dryRun },
    redact: createRedactor([credentials.apiKey]),
  };
}

/** @throws UsageError for a folder that does not exist, or contains the home folder: clients often start a server in `/` or at home */
export async function contextIn(context: Context, given: string | undefined): Promise<Context> {
  const path = resolve(context.cwd, given ?? '.');
  const folder = await realpath(path).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory())
    throw new UsageError(`the folder ${path} does not exist`);
  const home = context.homeDir === '' ? '/' : await realpath(context.homeDir).catch(() => context.homeDir);
  const way = relative(folder, home);
  if (dirname(folder) === folder || (!isAbsolute(way) && way.split(sep)[0] !== '..'))
    throw new UsageError(`an assistant must not use all of ${folder}`, {
      hint: 'add --dir with the folder of your campaign files',
    });
  return replaceContextParts(context, { cwd: path });
}

/** A profiles file that can't be read or parsed is a UsageError (exit 2). */
function asUsage(error: unknown): never {
  if (error instanceof ProfileError && error.kind === 'storage')
    throw new UsageError(error.message, { hints: error.hints, cause: error });
  throw error;
}

/** The author of a `.svc.json` must not choose the account that an assistant works with. */
async function sayIfFolderIsIgnored({ warn }: Tell, { cwd, platform }: Context): Promise<void> {
  const say = (file: string): Promise<void> =>
    warn(`svc mcp ignores ${file}; the profile comes from --profile, SVC_PROFILE or your default`);
  try {
    const pin = findFolderPinnedToProfile(cwd, thisUser(platform));
    if (pin !== undefined) await say(pin.filePath);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    await say('the .svc.json of this folder');
  }
}

async function presentWords(session: Clocks): Promise<string> {
  const [now, zone] = [await session.serviceNow(), await session.displayZone()];
  return `Its time zone is ${zone}, and its clock showed ${formatTime(now, zone, 'iso')} when this connection began.`;
}

/** Throws if the service refuses the key, and returns false after a warning if the service cannot answer now. */
async function checkKey(session: Tell & ServiceAccess, origin: string): Promise<boolean> {
  try {
    await session.account();
    return true;
  } catch (error) {
    const isBusy = error instanceof ClientError && (error.status === 429 || (error.status ?? 0) >= 500);
    if (!isBusy && explainError(error).exit !== EXIT.unreachable) throw error;
    const why = isBusy ? `gets status ${error.status} from` : 'cannot reach';
    await session.warn(`svc ${why} ${origin} now, so it cannot check the key`);
    return false;
  }
}

/** The type of the key, then the key itself in base64. */
const SIGNER = /\s(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]+\s+[A-Za-z0-9+/]{40,}={0,3}(?:\s|$)/;

/** Later changes of the file have no effect. @throws UsageError for a file that svc cannot read or trust, or a line without a key */
function signersAt(path: string): Required<Pick<SignersFile, 'path' | 'content'>> {
  const content = contentOf(path);
  const lines = Buffer.from(content).toString('utf8').split('\n');
  const entries = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const wrong = lines.findIndex((line) => entries.includes(line) && !SIGNER.test(line));
  if (entries.length > 0 && wrong < 0) return { path, content };
  throw new UsageError(
    `the signers file ${path} ${entries.length === 0 ? 'has no keys' : `has no key in line ${wrong + 1}`}`,
    { hint: 'write one line for each key to the signers file: alice@example.com ssh-ed25519 AAAA…' },
  );
}

function contentOf(path: string): Uint8Array {
  try {
    return readSigners({ path, name: path });
  } catch (cause) {
    if (cause instanceof CampaignError) throw new UsageError(cause.message, { hints: cause.hints, cause });
    throw cause;
  }
}
