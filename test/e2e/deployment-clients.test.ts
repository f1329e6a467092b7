/**
 * Wire, "Vendor names": "A client that was written for a deployment's real names can therefore talk to our sandbox" as it is. The clients
 * are Python's http.client and PHP's curl. They use HTTPS, a name that is not this machine's (contract, "HTTPS and hosts"), and the
 * header names of a deployment.
 */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { authorityIn } from '../support/certificates.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const HOST = 'service.test';

const NAMES = {
  'header-prefix': 'X-Acme-',
  'company-scheme': 'AcmeHash',
  fields: { name: 'title' },
};

const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const hasOpenssl = works('openssl', 'version');
/** The requirements of each client, and how to check them. */
const CLIENTS = [
  {
    language: 'Python',
    program: 'python3',
    file: 'deployment-client.py',
    needs: 'python3',
    probe: 'import ssl',
  },
  {
    language: 'PHP',
    program: 'php',
    file: 'deployment-client.php',
    needs: 'php-cli and php-curl',
    probe: 'exit(function_exists("curl_init") ? 0 : 1);',
  },
].map((client) => ({
  ...client,
  isHere: hasOpenssl && works(client.program, client.program === 'php' ? '-r' : '-c', client.probe),
}));

/** The method, target, status and checked value of each call. The client never had to reconnect. */
const EXPECTED = `
  HEAD /v1/folder?title=News 404
  POST /v1/folder 202 News
  HEAD /v1/folder?title=News 200
  GET /v1/folder 200 News
  PUT /v1/folder/ID 200 Café & more
  GET /v1/user?currentuser=True 200 True
  DELETE /v1/folder/ID 200 True
  GET /v1/folder 404
  GET /v0/folder 404
  GET /v1/user 401
  connections 1
`;
const linesOf = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());

describe.each(CLIENTS)('$language', ({ program, file, needs, isHere, language }) => {
  let folder: string;
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let sandbox: SocketSandbox;
  let ca: string;
  beforeAll(async () => {
    if (!isHere) return;
    folder = await makeTemporaryFolder('deployment');
    data = await temporaryFolder();
    const authority = authorityIn(folder);
    ca = authority.ca;
    sandbox = await runSandbox(data.path, {
      naming: namingWithOverrides(NAMES),
      certificate: authority.issue('service', `DNS:${HOST}`),
      allowHosts: [HOST],
    });
  });
  afterAll(async () => {
    if (!isHere) return;
    await sandbox.stop();
    await data.remove();
    await removeFolder(folder);
  });

  it('gets the documented response from every call', async ({ skip }) => {
    if (!isHere) skip(`${language} is left out: it needs ${needs}, and openssl for a certificate`);
    const { company } = sandbox.ready;
    const { stdout } = await promisify(execFile)(program, [new URL(`./${file}`, import.meta.url).pathname], {
      env: {
        PATH: process.env['PATH'],
        LC_ALL: 'C.UTF-8',
        PYTHONIOENCODING: 'utf-8',
        HOST,
        PORT: String(sandbox.port),
        CA: ca,
        CID: String(company.id),
        USER_ID: String(company.adminUserId),
        KEY: company.apiKey,
        PREFIX: 'X-Acme-',
        SCHEME: 'AcmeHash',
      },
    });
    expect(linesOf(stdout)).toEqual(linesOf(EXPECTED));
    expect(sandbox.reports).toEqual([]);
  });
});
