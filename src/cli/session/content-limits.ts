/** Collects what the files of a campaign must not hold: files of svc, keys and tokens. */

import type { ContentFileLimits } from '../../features/campaign/file/content-files.ts';
import { configDirOf, stateDirOf } from '../../kit/files/directories.ts';
import type { Context, Environment } from '../outside/context.ts';
import type { Profiles } from './ports.ts';

export async function contentFileLimits({
  context: { env, homeDir, platform },
  store,
  resolvedSoFar,
}: Pick<Profiles, 'store' | 'resolvedSoFar'> & { readonly context: Context }): Promise<ContentFileLimits> {
  const { profiles } = await (await store()).list();
  const folders = [
    configDirOf(env, homeDir, platform),
    stateDirOf(env, homeDir, platform),
    ...profiles.map(({ sandbox }) => sandbox?.dataDir ?? ''),
  ];
  return {
    ownFolders: folders.filter((folder) => folder !== ''),
    secrets: longEnough([
      ...keysInEnvironment(env),
      ...profiles.flatMap(({ apiKey, sandbox }) => [apiKey, sandbox?.controlToken]),
      resolvedSoFar()?.credentials.apiKey,
    ]),
  };
}

export const keysInEnvironment = (env: Environment): readonly string[] =>
  longEnough(Object.entries(env).flatMap(([name, value]) => (/^SVC_\w*KEY$/.test(name) ? [value] : [])));

/** Minimum length of a secret that content may not hold. Ordinary words contain shorter texts. */
const SHORTEST_SECRET = 8;

export const longEnough = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text): text is string => text !== undefined && text.length >= SHORTEST_SECRET);
