import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { Profile } from '../../client/profiles/profile.ts';
import type { ProfileStore } from '../../client/profiles/store.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import { isLoopback, parseBaseUrl } from '../../service/protocol/wire.ts';
import {
  describeSandboxRestart,
  type FailedRequestContext,
  type SandboxRestartInfo,
} from '../errors/request-context.ts';

type SandboxProfile = Profile & Required<Pick<Profile, 'sandbox'>>;

export const isSandboxProfile = (profile: Profile | undefined): profile is SandboxProfile =>
  profile?.sandbox !== undefined;

/** The sandbox may be running. */
function findSandboxRestartInfoByOrigin(
  origin: string,
  profiles: readonly Profile[],
): SandboxRestartInfo | undefined {
  if (!isLoopback(new URL(origin).hostname)) return undefined;
  const profile = profiles.filter(isSandboxProfile).find(({ baseUrl }) => originOf(baseUrl) === origin);
  return profile && startOf(profile);
}

export function stoppedSandboxLines(
  origin: string,
  profiles: readonly Profile[],
): readonly string[] | undefined {
  const known = findSandboxRestartInfoByOrigin(origin, profiles);
  return (
    known && [
      `The sandbox of profile ${known.profile} is not running.`,
      ...describeSandboxRestart(known).split('\n'),
    ]
  );
}

export function findSandboxRestartInfoByFolder(
  dataDir: string,
  profiles: readonly Profile[],
): SandboxRestartInfo | undefined {
  const profile = profiles.filter(isSandboxProfile).find(({ sandbox }) => sandbox.dataDir === dataDir);
  return profile && startOf(profile);
}

function startOf(profile: SandboxProfile): SandboxRestartInfo {
  const { dataDir } = profile.sandbox;
  const port = new URL(profile.baseUrl).port || (profile.baseUrl.startsWith('https:') ? '443' : '80');
  return {
    profile: profile.name,
    command: `${sandboxStartCommand(dataDir)} --port ${port} --profile ${companyName(profile)}`,
    hasData: ['sandbox.db', 'store.json'].some((name) => existsSync(join(dataDir, name))),
    dataDir,
    hasNaming: profile.naming !== undefined,
    hasTls: profile.baseUrl.startsWith('https:'),
  };
}

export const DEFAULT_SANDBOX_PORT = 4010;

/** @param dataDir the data folder; the default folder if omitted */
export const sandboxStartCommand = (dataDir?: string): string =>
  `svc sandbox start --detach${dataDir === undefined ? '' : ` --data ${quoteShellWord(dataDir)}`}`;

/** Returns the name for `svc sandbox start --profile`, to which the name of the sandbox's partner profile adds `-partner`. */
const companyName = ({ name, kind }: Profile): string =>
  kind === 'partner' ? name.replace(/-partner$/, '') : name;

function originOf(baseUrl: string): string | undefined {
  const base = parseBaseUrl(baseUrl);
  return 'problem' in base ? undefined : base.origin;
}

/** @param now this machine's time, in milliseconds */
export async function createRequestContext(
  { baseUrl, origin, credentials, naming, sources, profile }: ResolvedCredentials,
  store: () => Promise<ProfileStore>,
  now: number,
): Promise<FailedRequestContext> {
  const own = profile === undefined ? [] : [profile];
  const sandbox =
    findSandboxRestartInfoByOrigin(origin, own) ??
    findSandboxRestartInfoByOrigin(origin, await stored(store));
  return { baseUrl, credentials, naming, sources, profile: profile?.name, now, sandbox };
}

/** Returns the stored profiles, or none if they can't be read, because a second error must not hide the original failure. */
async function stored(store: () => Promise<ProfileStore>): Promise<readonly Profile[]> {
  try {
    return (await (await store()).list()).profiles;
  } catch {
    return [];
  }
}
