/** The command that starts a sandbox again as it was: on the same data, at the same port, with the same profile. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../../profiles/profile.ts';
import { isLoopback, parseBaseUrl } from '../../protocol/origin.ts';
import { shellWord } from '../../text/shell-word.ts';
import { type SandboxStart, startWords } from '../errors/asked.ts';

/** A profile that `sandbox start` wrote. */
export type SandboxProfile = Profile & Required<Pick<Profile, 'sandbox'>>;

export const isOfSandbox = (profile: Profile | undefined): profile is SandboxProfile =>
  profile?.sandbox !== undefined;

/** The sandbox that answers at this origin while it runs. Of several profiles that know one, the first. */
export function sandboxAt(origin: string, profiles: readonly Profile[]): SandboxStart | undefined {
  if (!isLoopback(new URL(origin).hostname)) return undefined;
  const profile = profiles.filter(isOfSandbox).find(({ baseUrl }) => originOf(baseUrl) === origin);
  return profile && startOf(profile);
}

/** That it isn't running, and what starts it, line by line; for an origin that nobody listens at. */
export function stoppedWords(origin: string, profiles: readonly Profile[]): readonly string[] | undefined {
  const known = sandboxAt(origin, profiles);
  return (
    known && [`The sandbox of profile ${known.profile} is not running.`, ...startWords(known).split('\n')]
  );
}

/** The sandbox that keeps its data in this folder. */
export function sandboxIn(dataDir: string, profiles: readonly Profile[]): SandboxStart | undefined {
  const profile = profiles.filter(isOfSandbox).find(({ sandbox }) => sandbox.dataDir === dataDir);
  return profile && startOf(profile);
}

function startOf(profile: SandboxProfile): SandboxStart {
  const { dataDir } = profile.sandbox;
  const port = new URL(profile.baseUrl).port || (profile.baseUrl.startsWith('https:') ? '443' : '80');
  return {
    profile: profile.name,
    command: `${startCommand(dataDir)} --port ${port} --profile ${companyName(profile)}`,
    hasData: existsSync(join(dataDir, 'sandbox.db')),
    dataDir,
    hasNaming: profile.naming !== undefined,
    hasTls: profile.baseUrl.startsWith('https:'),
  };
}

/** Where a sandbox listens unless told otherwise. */
export const USUAL_SANDBOX_PORT = 4010;

/** @param dataDir left out: the folder where one is kept by default */
export const startCommand = (dataDir?: string): string =>
  `svc sandbox start --detach${dataDir === undefined ? '' : ` --data ${shellWord(dataDir)}`}`;

/** `--profile` of `sandbox start` is the company's; its partner's has that name and `-partner`. */
const companyName = ({ name, kind }: Profile): string =>
  kind === 'partner' ? name.replace(/-partner$/, '') : name;

function originOf(baseUrl: string): string | undefined {
  const base = parseBaseUrl(baseUrl);
  return 'problem' in base ? undefined : base.origin;
}
