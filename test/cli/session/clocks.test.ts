/** Contract, "Output": tables show times in the company's zone. svc does not request the zone if the profile has it. */
import { rm } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import type { Profile } from '../../../src/client/profiles/profile.ts';
import { openProfileStore } from '../../../src/client/profiles/store.ts';
import { withEverything } from '../../support/everything.ts';
import { NOBODY, runCli, serviceOf } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function withProfile(more: Partial<Profile>) {
  const configDir = await makeTemporaryFolder('zone');
  folders.push(configDir);
  const store = openProfileStore({ configDir, platform: process.platform });
  const ids = { companyId: 1, userId: 1, apiKey: KEYS.company };
  await store.save({ name: 'prod', kind: 'company', baseUrl: 'https://api.example.com', ...ids, ...more });
  const { transport, sent } = serviceOf(await withEverything());
  return { transport, sent, store, env: { ...NOBODY, SVC_CONFIG_DIR: configDir } };
}

it.each([
  [{}, 'Europe/London', true],
  [{ companyZone: 'Asia/Tokyo' }, 'Asia/Tokyo', false],
  [{ tz: 'Asia/Tokyo' }, 'Europe/London', true],
  // The zone for typed times does not count as the company's zone, if that is known.
  [{ companyZone: 'Europe/London', tz: 'Asia/Tokyo' }, 'Europe/London', false],
  [{ companyZone: 'Mars/Olympus' }, 'Europe/London', true],
])('a list with a profile of %j is in %s, and svc requests the account: %s', async (more, zone, isAsked) => {
  const { transport, sent, env } = await withProfile(more);
  const run = await runCli(['folder', 'list'], { transport, env });
  expect(run).toMatchObject({ exitCode: 0, stderr: `Times are in ${zone}.\n` });
  expect(sent.some(({ path }) => path === '/v1/account')).toBe(isAsked);
});

it('requests the account of a company that is not the profile’s', async () => {
  const { transport, sent, env } = await withProfile({ companyZone: 'Asia/Tokyo' });
  const own = { SVC_COMPANY_ID: '2', SVC_USER_ID: '4', SVC_API_KEY: KEYS.other, SVC_PROFILE: 'prod' };
  await runCli(['user', 'get', '4'], { transport, env: { ...env, ...own } });
  expect(sent.some(({ path }) => path === '/v1/account')).toBe(true);
});

it('a send time uses the company’s current zone', async () => {
  const { transport, env } = await withProfile({ companyZone: 'Asia/Tokyo' });
  const line = ['task', 'update', 'Sale', '--at', '2027-06-01 09:00', '--dry-run', '-o', 'json'];
  const run = await runCli(line, { transport, env });
  expect(JSON.parse(run.stdout).body).toEqual({ scheduledtime: Date.UTC(2027, 5, 1, 8) / 1000 });
});
