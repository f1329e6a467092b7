/** Interface, "Partner hash": endpoints that need no company (e.g. partner POST /account) take no CID or UID. */
import { describe, expect, it } from 'vitest';
import { PARTNER, runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS } from '../support/sandbox.ts';
import { signing } from '../support/signing.ts';

const CREATE = ['account', 'create', '--name', 'New', '--contactemail', 'office@example.com'];
const RAW = ['api', 'POST', '/v1/account', '--data', '{"name":"New","contactemail":"office@example.com"}'];

describe.each([
  ['the environment', { ...PARTNER, SVC_USER_ID: String(IDS.admin) }, []],
  ['flags', { ...PARTNER, SVC_COMPANY_ID: undefined }, ['--company', '1', '--user', '1']],
  ['nothing', { ...PARTNER, SVC_COMPANY_ID: undefined }, []],
] as const)('with company and user from %s', (_, env, flags) => {
  it.each([[CREATE], [RAW]])(
    '%j sends no company and no user, and signs the request without them',
    async (argv) => {
      const { transport, sent } = serviceOf(await createTestSandbox());
      const run = await runCli([...argv, ...flags, '-o', 'json'], { transport, env });
      expect(run.exitCode, run.stderr).toBe(0);
      const post = sent.find(({ method }) => method === 'POST');
      const { headers = {} } = post ?? {};
      expect(Object.keys(headers).filter((name) => /-(cid|uid)$/.test(name))).toEqual([]);
      // The test computes the signature itself, over the headers that were sent.
      const own = signing({
        method: 'POST',
        target: '/v1/account',
        pid: IDS.partner,
        key: KEYS.partner,
        nonce: headers['x-svc-nonce'] ?? '',
        headers: { date: headers['date'] },
      });
      expect(headers['authorization']).toBe(own.headers['authorization']);
    },
  );
});

it('creates a user for the company of --company', async () => {
  const { transport, sent } = serviceOf(await createTestSandbox());
  const user = ['--firstname', 'A', '--lastname', 'B', '--email', 'a@example.com', '--password', 'canary77'];
  const run = await runCli(['user', 'create', '--username', 'ada', ...user], { transport, env: PARTNER });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(sent.find(({ method }) => method === 'POST')?.headers['x-svc-cid']).toBe('1');
});
