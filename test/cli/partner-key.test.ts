/** Wire, "Authentication, where open": a partner key is any printable ASCII string, spaces included, from every source. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../src/service/protocol/wire.ts';
import { NOBODY, runCli } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const KEY = ' a key  of "several" words, \\ and $more ~ ';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('partner-key');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sent: WireRequest[] = [];
const transport: Transport = async (request) => {
  sent.push(request);
  return { status: 404, headers: {}, body: '{"status":"error","response":{"code":404,"message":"none"}}' };
};
const run = (argv: readonly string[], more: { env?: Record<string, string>; stdin?: string } = {}) => {
  const { env, ...rest } = more;
  const own = { ...NOBODY, SVC_CONFIG_DIR: folder, SVC_STATE_DIR: folder, PATH: process.env['PATH'], ...env };
  return runCli(argv, { transport, env: own, ...rest });
};

/** Returns the SHA-1 of the string that the interface's "Signature" lists, made by openssl. */
function opensslSignature({ method, path, headers }: WireRequest, key: string): string {
  const lines = [`${method} ${path}`, `Date: ${headers['date']}`, `X-Svc-PID: ${headers['x-svc-pid']}`];
  if (headers['x-svc-cid'] !== undefined) lines.push(`X-Svc-CID: ${headers['x-svc-cid']}`);
  lines.push(`X-Svc-Nonce: ${headers['x-svc-nonce']}`, key);
  const output = execFileSync('openssl', ['dgst', '-sha1', '-r'], { input: lines.join('\r\n') });
  return output.toString('latin1').slice(0, 40);
}

const ADD = [
  'profile',
  'add',
  'agency',
  '--base-url',
  'https://api.example.com',
  '--partner',
  '5',
  '--company',
  '7',
  '--no-check',
];
const LIST = ['folder', 'list', '-o', 'json', '--debug'];

describe.runIf(spawnSync('openssl', ['version']).status === 0)('a partner key with spaces', () => {
  afterEach(() => {
    sent.length = 0;
  });

  it.each([
    ['a line end', `${KEY}\n`],
    ["Windows' line end", `${KEY}\r\n`],
    ['no line end', KEY],
  ])('is read from standard input with %s, which is removed', async (_, stdin) => {
    const added = await run([...ADD, '--api-key-stdin'], { stdin });
    expect([added.exitCode, added.stderr.includes(KEY)]).toEqual([0, false]);
    expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')).profiles.agency.apiKey).toBe(KEY);
    const listed = await run([...LIST, '--profile', 'agency']);
    expect(listed).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(sent.at(-1)?.headers['authorization']).toBe(
      `SvcPartner signature="${opensslSignature(sent.at(-1) as WireRequest, KEY)}"`,
    );
    expect(listed.stderr).not.toContain(KEY.trim());
  });

  it('is read from the environment', async () => {
    const env = {
      SVC_BASE_URL: 'https://api.example.com',
      SVC_PARTNER_ID: '5',
      SVC_COMPANY_ID: '7',
      SVC_PARTNER_API_KEY: KEY,
    };
    const listed = await run(LIST, { env });
    expect(listed.exitCode).toBe(0);
    expect(sent.at(-1)?.headers['authorization']).toContain(
      opensslSignature(sent.at(-1) as WireRequest, KEY),
    );
    expect(listed.stderr).not.toContain(KEY.trim());
  });

  it('is read from a key command', async () => {
    const added = await run([...ADD, '--key-command', 'printf "%s\\n" "$MY_KEY"']);
    expect(added.exitCode).toBe(0);
    const listed = await run([...LIST, '--profile', 'agency'], { env: { MY_KEY: KEY } });
    expect(listed.exitCode).toBe(0);
    expect(sent.at(-1)?.headers['authorization']).toContain(
      opensslSignature(sent.at(-1) as WireRequest, KEY),
    );
  });

  it('is refused if it has a tab, a line end inside, or a character beyond ASCII', async () => {
    for (const stdin of ['a\tb\n', 'a\nb\n', 'a\n\n', 'café\n', '\n']) {
      const added = await run([...ADD, '--api-key-stdin'], { stdin });
      expect([stdin, added.exitCode]).toEqual([stdin, 2]);
    }
  });
});
