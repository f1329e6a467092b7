/** Builds the command that restarts a sandbox with the same data, port and profile. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../../profiles/profile.ts';
import { isLoopback, parseBaseUrl } from '../../protocol/origin.ts';
import { quoteShellWord } from '../../text/words.ts';
import { describeSandboxRestart, type SandboxRestartInfo } from '../errors/request-context.ts';

/** Profile that `svc sandbox start` has saved. */
export type SandboxProfile = Profile & Required<Pick<Profile, 'sandbox'>>;

export const isSandboxProfile = (profile: Profile | undefined): profile is SandboxProfile =>
  profile?.sandbox !== undefined;

/**
 * Returns how to start the sandbox of this origin, whether or not it is running. If several profiles store the sandbox, the first profile
 * is used.
 */
export function findSandboxByOrigin(
  origin: string,
  profiles: readonly Profile[],
): SandboxRestartInfo | undefined {
  if (!isLoopback(new URL(origin).hostname)) return undefined;
  const profile = profiles.filter(isSandboxProfile).find(({ baseUrl }) => originOf(baseUrl) === origin);
  return profile && startOf(profile);
}

/**
 * Returns lines that say that the sandbox of this origin is not running, and how to start it. Returns undefined if no profile stores such a
 * sandbox.
 */
export function stoppedSandboxLines(
  origin: string,
  profiles: readonly Profile[],
): readonly string[] | undefined {
  const known = findSandboxByOrigin(origin, profiles);
  return (
    known && [
      `The sandbox of profile ${known.profile} is not running.`,
      ...describeSandboxRestart(known).split('\n'),
    ]
  );
}

/** Returns how to start the sandbox of this data folder, or undefined if no profile stores such a sandbox. */
export function findSandboxByFolder(
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

/** Default port of a sandbox. */
export const DEFAULT_SANDBOX_PORT = 4010;

/** Returns the command that starts a sandbox. @param dataDir the data folder; the default folder if omitted */
export const sandboxStartCommand = (dataDir?: string): string =>
  `svc sandbox start --detach${dataDir === undefined ? '' : ` --data ${quoteShellWord(dataDir)}`}`;

/**
 * Returns the value of `--profile` for `sandbox start`: the name of the sandbox's company profile. The partner profile of the sandbox has
 * the same name with `-partner` at its end.
 */
const companyName = ({ name, kind }: Profile): string =>
  kind === 'partner' ? name.replace(/-partner$/, '') : name;

function originOf(baseUrl: string): string | undefined {
  const base = parseBaseUrl(baseUrl);
  return 'problem' in base ? undefined : base.origin;
}
