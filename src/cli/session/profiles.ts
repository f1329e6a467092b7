import type { ResolvedCredentials, ValuesFromPinnedFolder } from '../../client/profiles/credentials.ts';
import {
  findFolderPinnedToProfile,
  type PinnedFolder,
  requireTrustedPin,
  withTrust,
} from '../../client/profiles/folder-pin.ts';
import type { Profile, ProfileInUse } from '../../client/profiles/profile.ts';
import { openProfileStore, type ProfileStore } from '../../client/profiles/store.ts';
import { configDirOf, thisUser } from '../../kit/files/directories.ts';
import { type Naming, namingWithOverrides } from '../../service/protocol/naming.ts';
import type { SecretRedactor } from '../output/redact.ts';
import { formatNamed } from '../output/result.ts';
import type { AssistantCommandLimits, Context } from '../outside/context.ts';
import type { GlobalFlagValues } from './globals.ts';
import { readAttributeNamingFile, type UncheckedNamingOverrides } from './naming-file.ts';
import { OTHER_PROCESS_WAIT_TEXT, type WaitNotices } from './notes.ts';
import { once } from './once.ts';
import type { Profiles } from './ports.ts';

interface ProfileParts {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly secrets: SecretRedactor;
  readonly waitNotices: WaitNotices;
  /** @param change the change as an infinitive */
  readonly beforeWrite: (change: string) => void;
  readonly warn: (line: string) => Promise<void>;
  readonly needsNoCompany: boolean;
  readonly naming: UncheckedNamingOverrides | undefined;
  readonly ignoresFolder: boolean;
}

export function openProfiles(parts: ProfileParts): Profiles {
  const { context, globals, secrets, waitNotices, beforeWrite, needsNoCompany } = parts;
  const { env, homeDir, platform } = context;
  const flags = { ...globals, manyCompanies: globals.companies !== undefined, needsNoCompany };
  const named = globals.profile ?? (env.SVC_PROFILE || undefined);
  const configDir = configDirOf(env, homeDir, platform);
  const store = once(async (): Promise<ProfileStore> => {
    const opened = openProfileStore({ configDir, platform, beforeWrite });
    const waiting = <T>(work: () => Promise<T>) => waitNotices.runWithNotice(OTHER_PROCESS_WAIT_TEXT, work);
    return {
      ...opened,
      save: (...given) => waiting(() => opened.save(...given)),
      change: (...given) => waiting(() => opened.change(...given)),
      setDefault: (name) => waiting(() => opened.setDefault(name)),
      remove: (name) => waiting(() => opened.remove(name)),
    };
  });
  const runKey = async (command: string): Promise<string> =>
    waitNotices.runWithNotice('for the key command (at most 1 minute)', async () =>
      (await import('../../client/profiles/key-command.ts')).runKeyCommand(command, env),
    );
  const company = globals.company ?? (env.SVC_COMPANY_ID || globals.companies);
  const pin = once(async (): Promise<PinnedFolder | undefined> => {
    const isUnused = named !== undefined && company !== undefined;
    // An assistant works with the profile of svc mcp, whatever a file in its working folder says.
    if (parts.ignoresFolder || context.confined !== undefined || isUnused) return undefined;
    const found = findFolderPinnedToProfile(context.cwd, thisUser(platform));
    if (found === undefined) return undefined;
    const { openTrustedFileStore } = await import('../../client/profiles/trusted-files.ts');
    return withTrust(found, await openTrustedFileStore({ configDir, platform }).list());
  });
  /** @throws ProfileError if the user does not trust its content */
  const trustedPinOfProfile = async (): Promise<PinnedFolder | undefined> => {
    const found = await pin();
    if (found?.profile === undefined) return undefined;
    requireTrustedPin(found);
    return found;
  };
  let isSaid = false;
  const sayPinned = async (pinned: ValuesFromPinnedFolder): Promise<void> => {
    if (isSaid) return;
    isSaid = true;
    await parts.warn(pinnedWords(pinned)).catch(() => undefined);
  };
  let resolvedSoFar: ResolvedCredentials | undefined;
  const profileInUse = once(async () => {
    const { chooseValidProfile } = await import('../../client/profiles/credentials.ts');
    const { choice } = await chooseValidProfile(flags, env, await store(), pin);
    const { profile, isPinned } = choice;
    if (profile && isPinned) await sayPinned({ path: (await pin())?.filePath ?? '', profile: profile.name });
    return confinedProfile(profile, context.confined);
  });
  return {
    store,
    profileInUse,
    naming: async () => {
      // Without a profile, such work continues. Only a profile that was named must exist.
      const profile =
        named === undefined ? await profileInUse().catch(() => undefined) : await profileInUse();
      return profile === undefined ? namingOutside(parts) : namingWithOverrides(profile.naming);
    },
    profileName: async () => {
      if (named !== undefined) return named;
      const { filePath, profile } = (await trustedPinOfProfile()) ?? {};
      if (filePath === undefined || profile === undefined) return (await (await store()).list()).defaultName;
      await sayPinned({ path: filePath, profile });
      return profile;
    },
    resolvedSoFar: () => resolvedSoFar,
    resolved: once(async () => {
      const { resolveCredentials } = await import('../../client/profiles/credentials.ts');
      const stored = await resolveCredentials(flags, env, await store(), runKey, pin);
      const resolved = { ...stored, profile: confinedProfile(stored.profile, context.confined) };
      const found =
        resolved.profile === undefined ? { ...resolved, naming: await namingOutside(parts) } : resolved;
      secrets.hideKey(found.credentials.apiKey);
      resolvedSoFar = found;
      if (found.valuesFromPinnedFolder) await sayPinned(found.valuesFromPinnedFolder);
      return found;
    }),
    outputFormatOfProfile: async () => {
      try {
        const opened = await store();
        const name = named ?? (await trustedPinOfProfile())?.profile ?? (await opened.list()).defaultName;
        const output = name === undefined ? undefined : (await opened.get(name))?.output;
        return formatNamed(output ?? 'table') ?? 'table';
      } catch {
        return 'table';
      }
    },
  };
}

/**
 * For an assistant that may write, the profile requires at least one approval by the signers that `svc mcp` read when it started, whatever
 * their file says now.
 */
function confinedProfile(
  profile: Profile | undefined,
  confined: AssistantCommandLimits | undefined,
): ProfileInUse | undefined {
  if (profile === undefined || confined === undefined || confined.writes === 'none') return profile;
  const { approvalsFor: _, ...rest } = profile;
  return {
    ...rest,
    requireApprovals: Math.max(1, profile.requireApprovals ?? 0),
    signers: confined.writes.signers.path,
    signersContent: confined.writes.signers.content,
  };
}

/** Reads SVC_NAMING, for use without a profile (contract, "Numbers, ids and names, once more"). */
async function namingOutside({ context: { cwd, env }, naming }: ProfileParts): Promise<Naming> {
  const file = env.SVC_NAMING;
  return namingWithOverrides(naming ?? (file ? await readAttributeNamingFile(cwd, file, 'SVC_NAMING') : {}));
}

function pinnedWords({ path, profile, company }: ValuesFromPinnedFolder): string {
  const name = company?.name === undefined ? '' : ` (${company.name})`;
  const parts = [
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    ...(company === undefined ? [] : [`company ${company.id}${name}`]),
  ];
  return `using ${parts.join(' and ')}, as ${path} says`;
}
