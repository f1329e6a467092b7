/** Builds the command that restarts a sandbox with the same data, port and profile. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../../profiles/profile.ts';
import { isLoopback, parseBaseUrl } from '../../protocol/origin.ts';
import { shellWord } from '../../text/words.ts';
import { restartSentence, type SandboxStart } from '../errors/request-context.ts';

/** Profile that `sandbox start` wrote. */
export type SandboxProfile = Profile & Required<Pick<Profile, 'sandbox'>>;

export const isSandboxProfile = (profile: Profile | undefined): profile is SandboxProfile =>
  profile?.sandbox !== undefined;

/** Returns the sandbox at this origin, running or not. If several profiles have it, the first wins. */
export function sandboxAt(origin: string, profiles: readonly Profile[]): SandboxStart | undefined {
  if (!isLoopback(new URL(origin).hostname)) return undefined;
  const profile = profiles.filter(isSandboxProfile).find(({ baseUrl }) => originOf(baseUrl) === origin);
  return profile && startOf(profile);
}

/** Returns the lines that say the sandbox is not running and how to start it, for an origin that refuses connections. */
export function stoppedWords(origin: string, profiles: readonly Profile[]): readonly string[] | undefined {
  const known = sandboxAt(origin, profiles);
  return (
    known && [
      `The sandbox of profile ${known.profile} is not running.`,
      ...restartSentence(known).split('\n'),
    ]
  );
}

/** Returns the sandbox that a profile stores for this data folder, or undefined if no profile has it. */
export function sandboxIn(dataDir: string, profiles: readonly Profile[]): SandboxStart | undefined {
  const profile = profiles.filter(isSandboxProfile).find(({ sandbox }) => sandbox.dataDir === dataDir);
  return profile && startOf(profile);
}

function startOf(profile: SandboxProfile): SandboxStart {
  const { dataDir } = profile.sandbox;
  const port = new URL(profile.baseUrl).port || (profile.baseUrl.startsWith('https:') ? '443' : '80');
  return {
    profile: profile.name,
    command: `${startCommand(dataDir)} --port ${port} --profile ${companyName(profile)}`,
    hasData: ['sandbox.db', 'store.json'].some((name) => existsSync(join(dataDir, name))),
    dataDir,
    hasNaming: profile.naming !== undefined,
    hasTls: profile.baseUrl.startsWith('https:'),
  };
}

/** Default port of a sandbox. */
export const DEFAULT_SANDBOX_PORT = 4010;

/** Returns the command that starts a sandbox. @param dataDir the data folder; the default folder if omitted */
export const startCommand = (dataDir?: string): string =>
  `svc sandbox start --detach${dataDir === undefined ? '' : ` --data ${shellWord(dataDir)}`}`;

/** Returns the value of `--profile` for `sandbox start`: the company's profile. Its partner's profile has that name and `-partner`. */
const companyName = ({ name, kind }: Profile): string =>
  kind === 'partner' ? name.replace(/-partner$/, '') : name;

function originOf(baseUrl: string): string | undefined {
  const base = parseBaseUrl(baseUrl);
  return 'problem' in base ? undefined : base.origin;
}
