/**
 * `--explain-signature`: the string to sign of every attempt (interface, "Signature"). openssl makes the sent signature from the shown
 * line. The key, and a signature that others could use, appear nowhere.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/client/requests/errors.ts';
import { maskedCanonicalString } from '../../src/service/auth/sign.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import type { Transport, WireRequest } from '../../src/service/protocol/wire.ts';
import { NOBODY, type Outside, PARTNER, runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox, KEYS, NOW } from '../support/sandbox.ts';
import { vectors } from '../support/signature-vectors.ts';

describe.each(vectors)('the signed string of the vector "$name"', (vector) => {
  it('is that of the document, except for the key', () => {
    const { credentials, canonical, naming, ...request } = vector;
    const placeholder = credentials.kind === 'company' ? '<API_KEY>' : '<PARTNER_API_KEY>';
    const upToKey = canonical.slice(0, canonical.length - credentials.apiKey.length);
    expect(
      maskedCanonicalString(request, credentials, { ...request, naming: namingWithOverrides(naming) }),
    ).toBe(`${upToKey}${placeholder}`);
  });
});

const DATE = new Date(NOW * 1000).toUTCString();
const FLAG = '--explain-signature';

async function explained(argv: readonly string[], outside: Outside = {}) {
  const sandbox = await createTestSandbox();
  const { transport, sent } = serviceOf(sandbox);
  const run = await runCli([...argv, FLAG], { transport, ...outside });
  for (const key of Object.values(KEYS)) expect(run.stderr + run.stdout).not.toContain(key);
  return { run, sent };
}

/** Returns the signature of the sent request. */
const signatureIn = (request: WireRequest | undefined): string =>
  /signature="([0-9a-f]{40})"/.exec(request?.headers['authorization'] ?? '')?.[1] ?? '';

describe('--explain-signature', () => {
  it("shows a company's string with its line ends, the headers, and an openssl command with the same result", async () => {
    const { run, sent } = await explained(['folder', 'list', '--name', 'none', '-o', 'json']);
    expect(run).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    const [request] = sent;
    const nonce = request?.headers['x-svc-nonce'];
    expect(run.stderr).toBe(
      [
        'Signature of GET /v1/folder: SHA-1 of the following lines. \\r\\n is CR LF; the last line is a placeholder for the API key.',
        '  GET /v1/folder\\r\\n',
        `  Date: ${DATE}\\r\\n`,
        '  X-Svc-CID: 1\\r\\n',
        '  X-Svc-UID: 1\\r\\n',
        `  X-Svc-Nonce: ${nonce}\\r\\n`,
        '  <API_KEY>',
        'Headers sent (the query is not signed):',
        `  date: ${DATE}`,
        '  accept: application/json',
        '  x-svc-cid: 1',
        '  x-svc-uid: 1',
        `  x-svc-nonce: ${nonce}`,
        `  authorization: SvcHash signature="${signatureIn(request).slice(0, 6)}…"`,
        'To check the key, run this command. The hash that it prints must begin with the 6 signature characters above:',
        `  printf 'GET /v1/folder\\r\\nDate: ${DATE}\\r\\nX-Svc-CID: 1\\r\\nX-Svc-UID: 1\\r\\nX-Svc-Nonce: ${nonce}\\r\\n%s' "$SVC_API_KEY" | openssl dgst -sha1`,
        '',
      ].join('\n'),
    );
    expect(run.stderr).not.toContain(signatureIn(request).slice(0, 7));
  });

  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  it.skipIf(!hasOpenssl).each<readonly [string, readonly string[], Outside, Record<string, string>]>([
    ['of a company', ['account', 'get'], {}, { SVC_API_KEY: KEYS.company }],
    [
      'with percent signs in the path',
      ['api', 'GET', '/v1/subscriberProfileData/3%5F17'],
      {},
      { SVC_API_KEY: KEYS.company },
    ],
    [
      'of a partner for a company',
      ['folder', 'list'],
      { env: PARTNER },
      { SVC_PARTNER_API_KEY: KEYS.partner },
    ],
    [
      'of a partner alone',
      ['account', 'create', '--name', 'New', '--contactemail', 'a@b.example', '--no-validate'],
      { env: { ...PARTNER, SVC_COMPANY_ID: undefined } },
      { SVC_PARTNER_API_KEY: KEYS.partner },
    ],
  ])('its shell command makes the signature that was sent: %s', async (_, argv, outside, keys) => {
    const { run, sent } = await explained(argv, outside);
    const lines = run.stderr.split('\n').filter((line) => line.startsWith('  printf '));
    expect(lines).toHaveLength(sent.length);
    for (const [index, line] of lines.entries()) {
      const env = { PATH: process.env['PATH'], ...keys };
      const made = execFileSync('sh', ['-c', line], { env, encoding: 'utf8' });
      expect(made.trim().endsWith(signatureIn(sent[index]))).toBe(true);
    }
  });

  it("uses the scheme and the headers of a deployment's naming", async () => {
    const { run } = await explained(['folder', 'list'], { env: PARTNER });
    expect(run.stderr).toContain('  X-Svc-PID: 1\\r\\n\n  X-Svc-CID: 1\\r\\n\n  X-Svc-Nonce: ');
    expect(run.stderr).not.toContain('UID');
    expect(run.stderr).toContain('  <PARTNER_API_KEY>\n');
    expect(run.stderr).toMatch(/authorization: SvcPartner signature="[0-9a-f]{6}…"/);
  });

  it('shows every attempt, each with its own nonce', async () => {
    let calls = 0;
    const sandbox = await createTestSandbox();
    const transport: Transport = async (request) => {
      calls += 1;
      if (calls === 1) throw new TransportError('not-sent', 'gone');
      return sandbox.service.handle(request);
    };
    const { run } = await explained(['folder', 'list'], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('Signature of GET /v1/folder: ');
    expect(run.stderr).toContain('Signature of GET /v1/folder (attempt 2): ');
    expect(new Set(run.stderr.match(/x-svc-nonce: [0-9a-f]{40}/g)).size).toBe(2);
  });

  it('works as a global flag: before the noun, and with --quiet', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli([FLAG, '--quiet', 'folder', 'list'], { transport });
    expect([run.exitCode, run.stderr.split(':')[0]]).toEqual([0, 'Signature of GET /v1/folder']);
  });

  it('prints nothing without the flag', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli(['folder', 'list', '-o', 'json', '--debug'], { transport });
    expect(run.stderr).not.toContain('Signature of');
  });
});

// Wire, "Responses", 401: "Date more than 15 minutes off (additional_information gives the service's time)".
describe('a 401', () => {
  const dated =
    (seconds: number): Transport =>
    async () => ({
      status: 401,
      headers: { date: new Date((NOW + seconds) * 1000).toUTCString() },
      body: JSON.stringify({
        status: 'error',
        response: { code: 401, subcode: null, message: 'no' },
      }),
    });

  it('names the flag in its hint', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const env = { SVC_API_KEY: KEYS.other };
    const run = await runCli(['folder', 'list'], { transport, env });
    expect([run.exitCode, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toContain('To see the signed string, add --explain-signature.');
    const json = await runCli(['folder', 'list', '-o', 'json'], { transport, env });
    expect(JSON.parse(json.stderr).error.hint).toContain('--explain-signature');
  });

  it('says that the clocks agree, and lists the other causes', async () => {
    const { run } = await explained(['folder', 'list'], { transport: dated(20) });
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain(
      `The response is 401. The clocks differ by at most 15 minutes. Date of the request: ${DATE}; Date of the response: `,
    );
    expect(run.stderr).toContain('An id or the key is wrong');
  });

  it.each([
    [901, true],
    [-7200, true],
    [900, false],
  ])(
    'with a Date %i seconds from ours gives both times if the difference is beyond the window',
    async (by, is) => {
      const { run } = await explained(['folder', 'list', '--retries', '0'], { transport: dated(by) });
      const theirs = new Date((NOW + by) * 1000).toUTCString();
      expect([run.exitCode, run.stderr.includes('but the service allows only 15 minutes')]).toEqual([3, is]);
      expect(run.stderr).toContain(`Date of the request: ${DATE}; Date of the response: ${theirs}.`);
    },
  );

  it('does not mention clocks if it cannot compare them', async () => {
    const transport: Transport = async (request) => ({ ...(await dated(0)(request)), headers: {} });
    const { run } = await explained(['folder', 'list'], { transport });
    expect(run.stderr).toContain('The response has no Date header, so svc cannot compare the clocks.');
  });

  it('prints nothing without credentials, because nothing is signed', async () => {
    const { run, sent } = await explained(['folder', 'list'], { env: NOBODY });
    expect([run.exitCode, sent, run.stderr.includes('Signature of')]).toEqual([3, [], false]);
  });
});
