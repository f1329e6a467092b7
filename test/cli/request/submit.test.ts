/** Interface, "Versioning": the field `folderrestrict` is deprecated. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
});
afterEach(() => agency.remove());

const create = (...more: readonly string[]) =>
  agency.svc([
    ...['account', 'create', '--name', 'New', '--contactemail', 'a@example.com'],
    ...['--timezone', 'UTC', '--country', 'GB', '--no-admin', ...more],
  ]);
const warningsIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.includes('deprecated'));
const WARNING = 'folderrestrict is deprecated: a later version of the service may ignore or reject it';

it.each([[['--folderrestrict']], [['--data', '{"folderrestrict":true}']]])(
  'warns once of a deprecated attribute: %j',
  async (more) => {
    const run = await create(...more);
    expect(run.exitCode).toBe(0);
    expect(warningsIn(run.stderr)).toEqual([WARNING]);
  },
);

it('does not warn of other attributes', async () => {
  const run = await create();
  expect([run.exitCode, warningsIn(run.stderr)]).toEqual([0, []]);
});
