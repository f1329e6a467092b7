/** Declares `svc profile trust` and `svc profile untrust`: which `.svc.json` files may select the profile and the company of a folder. */

import { basename, join, resolve } from 'node:path';
import {
  describePin,
  findFolderPinnedToProfile,
  PIN_FILE,
  type PinFile,
  readPinFile,
  realPathOfPin,
  withTrust,
} from '../../client/profiles/folder-pin.ts';
import type { Profile } from '../../client/profiles/profile.ts';
import { profileNotFoundError } from '../../client/profiles/store.ts';
import type { TrustedFileStore } from '../../client/profiles/trusted-files.ts';
import { configDirOf, thisUser } from '../../kit/files/directories.ts';
import type { Outcome, Positional, Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';
import { columnsNamed } from '../output/result.ts';
import { confirm } from '../request/guards.ts';
import type { Changes, Invocation } from '../session/ports.ts';

const FILE: Positional = {
  name: 'file',
  describe: 'The .svc.json file, or its folder (default: the nearest .svc.json)',
  optional: true,
  completes: 'file',
};
const listFlag = switchFlag('list', { describe: 'List the trusted files instead, and change nothing' });
const NOTHING: Outcome = { result: { kind: 'nothing' } };

export const trust: Verb = {
  name: 'trust',
  summary: 'Trust a .svc.json file',
  about:
    'A .svc.json selects the profile and the company of its folder. It may come from a repository that somebody else wrote. So svc uses ' +
    'it only after you have trusted its content. If the content changes, svc refuses the file until you trust it again',
  work: 'local',
  asks: true,
  example: 'profile trust',
  positionals: [FILE],
  flags: [listFlag],
  run: async (session, input) => {
    const [given] = input.positionals;
    if (input.get(listFlag)) {
      if (given !== undefined) throw new UsageError('cannot combine --list with a file');
      return listTrustedFiles(await openStore(session));
    }
    const pin = findPin(session, given);
    if (pin.profile === undefined && pin.company === undefined) {
      await session.info(`${pin.filePath} selects no profile and no company, so svc need not trust it.`);
      return NOTHING;
    }
    const { profiles, defaultName } = await (await session.store()).list();
    // The person must have seen what the file selects, even with --quiet.
    for (const line of describeSelection(pin, profiles, defaultName)) await session.warn(line);
    await confirm(session, `trust ${pin.filePath}`);
    await (await openStore(session)).set(realPathOfPin(pin.filePath), pin.sha256);
    await session.info(`svc uses ${pin.filePath} until its content changes.`);
    return NOTHING;
  },
};

export const untrust: Verb = {
  name: 'untrust',
  summary: 'Stop trusting a .svc.json file',
  work: 'local',
  example: 'profile untrust',
  positionals: [FILE],
  flags: [],
  run: async (session, { positionals: [given] }) => {
    const path = given === undefined ? findPin(session, undefined).filePath : pathOf(session, given);
    const wasTrusted = await (await openStore(session)).remove(realPathOfPin(path));
    await session.info(wasTrusted ? `svc no longer uses ${path}.` : `${path} was not trusted.`);
    return NOTHING;
  },
};

async function openStore({ context, beforeChange }: Invocation & Changes): Promise<TrustedFileStore> {
  const { env, homeDir, platform } = context;
  const { openTrustedFileStore } = await import('../../client/profiles/trusted-files.ts');
  return openTrustedFileStore({
    configDir: configDirOf(env, homeDir, platform),
    platform,
    beforeWrite: beforeChange,
  });
}

const pathOf = ({ context }: Invocation, given: string): string =>
  resolve(context.cwd, basename(given) === PIN_FILE ? given : join(given, PIN_FILE));

function findPin(session: Invocation, given: string | undefined): PinFile {
  const { cwd, platform } = session.context;
  const owner = thisUser(platform);
  const path = given === undefined ? undefined : pathOf(session, given);
  const pin = path === undefined ? findFolderPinnedToProfile(cwd, owner) : readPinFile(path, owner);
  if (pin !== undefined) return pin;
  throw new UsageError(
    path === undefined
      ? `there is no ${PIN_FILE} in this folder or in a folder above it`
      : `file not found: ${path}`,
    { hint: `write one, for example {"profile": "agency", "company": 12}, or name another folder` },
  );
}

function describeSelection(
  pin: PinFile,
  profiles: readonly Profile[],
  defaultName: string | undefined,
): readonly string[] {
  const selects = `${pin.filePath} selects ${describePin(pin)}.`;
  const { profile: name } = pin;
  if (name === undefined) return [selects];
  const profile = profiles.find((each) => each.name === name);
  if (profile === undefined)
    throw profileNotFoundError(
      name,
      profiles.map((each) => each.name),
      `profile in ${pin.filePath}`,
    );
  const { kind, companyId, partnerId, baseUrl, readOnly, requireApprovals, budget } = profile;
  const limits = [
    ...(readOnly ? ['it is read-only'] : []),
    requireApprovals === undefined
      ? 'it requires no approvals'
      : `it requires approvals: ${requireApprovals}`,
    budget === undefined ? 'it has no budget' : 'it has a budget',
  ];
  const whose = kind === 'partner' ? `partner ${partnerId}` : `company ${companyId}`;
  return [
    selects,
    `Profile ${name} is for ${whose} at ${baseUrl}; ${limits.join(', ')}.`,
    ...(defaultName === undefined || defaultName === name ? [] : [`Your default profile is ${defaultName}.`]),
  ];
}

async function listTrustedFiles(store: TrustedFileStore): Promise<Outcome> {
  const trusted = await store.list();
  const rows = [...trusted.keys()].map((file) => {
    const none = { file, profile: null, company: null };
    try {
      const pin = readPinFile(file, thisUser());
      if (pin === undefined) return { ...none, state: 'missing' };
      const { profile = null, company = null } = pin;
      return { file, profile, company, state: withTrust(pin, trusted).trust };
    } catch {
      return { ...none, state: 'invalid' };
    }
  });
  const columns = columnsNamed(['file', 'state', 'profile', 'company']);
  return { result: { kind: 'rows', rows, columns, empty: 'You trust no .svc.json files.' } };
}
