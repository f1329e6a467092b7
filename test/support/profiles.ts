/** Profiles for tests. The keys are canaries: no message may contain them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Profile } from '../../src/client/profiles/profile.ts';
import type { ProfileStore } from '../../src/client/profiles/store.ts';

export const COMPANY_KEY = '0123456789abcdef0123456789abcdef';
export const PARTNER_KEY = 'partner-canary-key-0123456789';

export const COMPANY: Profile = {
  name: 'prod',
  kind: 'company',
  baseUrl: 'https://api.example.com',
  companyId: 7,
  userId: 3,
  apiKey: COMPANY_KEY,
};

export const PARTNER: Profile = {
  name: 'reseller',
  kind: 'partner',
  baseUrl: 'https://api.example.com',
  partnerId: 11,
  apiKey: PARTNER_KEY,
};

/** Returns a store that holds these profiles and cannot be changed. It counts how often it was read. */
export function storeOf(
  profiles: readonly Profile[],
  defaultName?: string,
): ProfileStore & { reads: number } {
  const refuse = () => Promise.reject(new Error('this store is not to be written'));
  const store = {
    path: '/config/config.json',
    reads: 0,
    list: async () => {
      store.reads += 1;
      return { profiles, defaultName };
    },
    get: async (name: string) => {
      store.reads += 1;
      return profiles.find((profile) => profile.name === name);
    },
    save: refuse,
    change: refuse,
    setDefault: refuse,
    remove: refuse,
  };
  return store;
}

const configs = new Map<string, Promise<Buffer>>();

/**
 * Fills a folder of settings. The commands of `make` run once for each kind, and later folders get a copy of their result.
 * @param make runs `svc profile add` and other commands that write no other file
 */
export async function fillConfig(folder: string, kind: string, make: () => Promise<unknown>): Promise<void> {
  const path = join(folder, 'config.json');
  const made = configs.get(kind);
  if (made === undefined) {
    const making = make().then(() => readFile(path));
    configs.set(kind, making);
    await making;
    return;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path, await made, { mode: 0o600 });
}
