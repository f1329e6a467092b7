/** Contract, "The sandbox, for people and teams": a sandbox over HTTPS, with real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { authorityIn } from '../support/certificates.ts';
import { said } from '../support/child-said.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let svc: string;
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  svc = await builtSvc();
  folder = await makeTemporaryFolder('e2e-tls');
});
afterAll(async () => {
  await removeFolder(dirname(svc));
  await removeFolder(folder);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  SVC_CONFIG_DIR: join(folder, 'config'),
  SVC_STATE_DIR: join(folder, 'state'),
});
const run = (argv: readonly string[], env: Record<string, string> = {}) =>
  execa(process.execPath, [svc, ...argv], {
    env: { ...environment(), ...env },
    extendEnv: false,
    reject: false,
  });

it('svc uses the profile with NODE_EXTRA_CA_CERTS and is refused without; SIGHUP renews, and a faulty pair changes nothing', async () => {
  const authority = authorityIn(folder);
  const pair = authority.issue('service', 'DNS:localhost,IP:127.0.0.1');
  const flags = [
    '--listen',
    '127.0.0.1:0',
    '--allow-host',
    'localhost',
    '--tls-cert',
    pair.cert,
    '--tls-key',
    pair.key,
  ];
  const child = spawn(process.execPath, [svc, 'sandbox', 'start', ...flags], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const start = await said(child, 'private authority');
  expect(start).toMatch(/The sandbox is ready at https:\/\/localhost:[0-9]+ /);
  expect(start).toContain('set NODE_EXTRA_CA_CERTS to the file');

  const trusting = { NODE_EXTRA_CA_CERTS: authority.ca };
  const list = () => run(['--profile', 'sandbox', 'folder', 'list', '-o', 'id'], trusting);
  expect(await list()).toMatchObject({ exitCode: 0 });
  const refused = await run(['--profile', 'sandbox', 'folder', 'list']);
  expect([refused.exitCode, refused.stderr]).toEqual([7, expect.stringContaining('certificate')]);

  const next = authority.issue('next', 'DNS:localhost,IP:127.0.0.1');
  copyFileSync(next.cert, pair.cert);
  const kept = said(child, 'the current one stays in use');
  child.kill('SIGHUP');
  await kept;
  expect(await list()).toMatchObject({ exitCode: 0 });
  copyFileSync(next.key, pair.key);
  const renewed = said(child, 'Reloaded the certificate; it is valid until');
  child.kill('SIGHUP');
  await renewed;
  expect(await list()).toMatchObject({ exitCode: 0 });
  expect(await run(['sandbox', 'status', '-o', 'json'])).toMatchObject({ exitCode: 0 });
  expect(await run(['sandbox', 'stop'])).toMatchObject({ exitCode: 0 });
});
