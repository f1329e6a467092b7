/** A partner without a company: exit 2 with the flag to use, and no request is sent. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PartnerProfile, withPartnerProfile } from '../support/partner-profile.ts';

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
});
afterEach(() => agency.remove());

it.each([
  [['folder', 'list']],
  [['account', 'get']],
  [['task', 'get', '1']],
  [['folder', 'create', '--name', 'New']],
  [['automation', 'graph']],
  [['why', 'task', '1']],
  [['forecast']],
])('%j', async (argv) => {
  const run = await agency.svc(argv);
  expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
  expect(run.stderr).toContain('--company');
  expect(run.stderr).not.toContain('A company id is needed');
});

it('names the flag, and how to save the company', async () => {
  const { stderr } = await agency.svc(['folder', 'list']);
  expect(stderr).toBe(
    'svc: a partner must choose a company; nothing was sent\n' +
      'Hint: add --company with the id of a company, or with its name in svc company list\n' +
      'Hint: run svc company use ID to choose a company for profile agency; svc company list shows the ids\n',
  );
});

it('prints nothing if a company is given, or if none is needed', async () => {
  await agency.done(['folder', 'list', '--company', '1']);
  await agency.done(['folder', 'list', '--companies', '1,2']);
  await agency.done(['company', 'add', '2']);
  expect((await agency.svc(['doctor'])).stderr).not.toContain('has to name the company');
  // The command prints the message of the service.
  expect((await agency.svc(['api', 'GET', '/v1/folder'])).exitCode).toBe(6);
  const more = ['--contactemail', 'a@example.com', '--timezone', 'UTC', '--country', 'GB'];
  expect((await agency.svc(['account', 'create', '--name', 'New', ...more])).stderr).not.toContain(
    'has to name the company',
  );
});
