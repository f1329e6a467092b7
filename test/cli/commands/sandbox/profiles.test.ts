/** `sandbox start` writes profiles, and must not replace an existing default profile. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeSandboxProfiles } from '../../../../src/cli/commands/sandbox/profiles.ts';
import type { Profile } from '../../../../src/client/profiles/profile.ts';
import { openProfileStore, type ProfileStore } from '../../../../src/client/profiles/store.ts';
import { KEYS } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let configDir: string;
let store: ProfileStore;
beforeEach(async () => {
  configDir = await makeTemporaryFolder('profiles');
  store = openProfileStore({ configDir, platform: process.platform });
});
afterEach(async () => {
  await rm(configDir, { recursive: true, force: true });
});

const REAL: Profile = {
  name: 'prod',
  kind: 'company',
  baseUrl: 'https://api.example.com',
  companyId: 42,
  userId: 7,
  apiKey: KEYS.company,
};
const READY = {
  baseUrl: 'http://127.0.0.1:4010',
  pid: 1,
  dataDir: '/tmp/data',
  controlToken: 'token',
  company: { id: 100, apiKey: KEYS.other, adminUserId: 1 },
  partner: { id: 1, apiKey: KEYS.partner },
};
const NAMES = { company: 'sandbox', partner: 'sandbox-partner' };

const write = () => writeSandboxProfiles({ store: async () => store }, NAMES, READY, undefined);

it.each([
  ['the default one', true, 'prod'],
  ['not the default', false, undefined],
])('does not replace a real profile that is %s', async (_, makeDefault, name) => {
  await store.save(REAL, { makeDefault });
  await write();
  await write();
  expect((await store.list()).defaultName).toBe(name);
});

it('is the default without other profiles, until another one is set', async () => {
  await write();
  expect((await store.list()).defaultName).toBe('sandbox');
});
