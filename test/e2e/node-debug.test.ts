/**
 * Acceptance, S1: keys and tokens appear in no output, also when NODE_DEBUG makes Node print the options of each connection on stderr
 * (second attack L8). Real processes, because Node reads the variable before any code of svc.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let svc: string;
let home: string;
let sandbox: SocketSandbox;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('node-debug');
  sandbox = await runSandbox(join(home, 'data'), { seed: 'demo' });
});
afterAll(async () => {
  await sandbox.stop();
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

function run(argv: readonly string[], env: Readonly<Record<string, string>>) {
  return execa(process.execPath, [svc, ...argv], {
    env: { PATH: process.env['PATH'], HOME: home, SVC_CONFIG_DIR: join(home, 'config'), ...env },
    extendEnv: false,
    reject: false,
  });
}

describe.each(['http', 'net', '*'])('NODE_DEBUG=%s (2-L8)', (sections) => {
  it.each(['status', 'clock show', 'outbox list', 'requests'])(
    'sandbox %s prints no token of the control plane',
    async (command) => {
      const argv = ['sandbox', ...command.split(' '), '--data', join(home, 'data')];
      const { exitCode, stdout, stderr } = await run(argv, { NODE_DEBUG: sections });
      expect(exitCode, stderr).toBe(0);
      expect(stderr).toMatch(/^(HTTP|NET) [0-9]+: /m);
      expect(stdout + stderr).not.toContain(sandbox.ready.controlToken);
      expect(stdout + stderr).not.toMatch(/bearer/i);
    },
  );

  it('a request prints no key and no signature', async () => {
    const { company, baseUrl } = sandbox.ready;
    const { exitCode, stdout, stderr } = await run(['folder', 'list', '-o', 'json'], {
      NODE_DEBUG: sections,
      SVC_BASE_URL: baseUrl,
      SVC_COMPANY_ID: String(company.id),
      SVC_USER_ID: String(company.adminUserId),
      SVC_API_KEY: company.apiKey,
    });
    expect(exitCode, stderr).toBe(0);
    expect(stdout + stderr).not.toContain(company.apiKey);
    expect(stdout + stderr).not.toMatch(/SvcHash/i);
  });

  it('doctor prints no password of a proxy', async () => {
    const seen: (string | undefined)[] = [];
    const proxy: Server = createServer();
    proxy.on('connect', ({ headers }, socket) => {
      seen.push(headers['proxy-authorization']);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const secret = Buffer.from('someone:proxy-password').toString('base64');
    try {
      const { stdout, stderr } = await run(['doctor', '--retries', '0', '--timeout', '5s'], {
        NODE_DEBUG: sections,
        HTTPS_PROXY: `http://someone:proxy-password@127.0.0.1:${port}`,
        ...{
          SVC_BASE_URL: 'https://api.example.com',
          SVC_COMPANY_ID: '1',
          SVC_USER_ID: '1',
          SVC_API_KEY: KEY,
        },
      });
      expect(seen).toContain(`Basic ${secret}`);
      for (const word of [secret, 'proxy-password', KEY]) expect(stdout + stderr).not.toContain(word);
    } finally {
      await new Promise((resolve) => proxy.close(resolve));
    }
  });
});
