/**
 * The clients of examples/clients run a whole campaign over HTTPS. The host has a name that is not this machine's, and the names are
 * those of a deployment. A company and a partner use them. Languages that are not installed are left out.
 */

import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { insertRow } from '../../src/sandbox/store/rows.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { authorityIn } from '../support/certificates.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const HOST = 'service.test';
const NAMES = { prefix: 'X-Acme-', company: 'AcmeHash', partner: 'AcmePartner' };

const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const hasOpenssl = works('openssl', 'version');

interface Language {
  readonly name: string;
  readonly command: readonly string[];
  readonly needs: string;
  readonly isHere: boolean;
}

/** The folder of the built Go client. */
let built: string;
const LANGUAGES: readonly Language[] = [
  {
    name: 'bash',
    command: ['bash', 'examples/clients/bash/campaign.sh'],
    needs: 'bash and curl',
    isHere: works('bash', '--version') && works('curl', '--version'),
  },
  {
    name: 'Python',
    command: ['python3', '-B', 'examples/clients/python/campaign.py'],
    needs: 'python3',
    isHere: works('python3', '-c', 'import ssl'),
  },
  {
    name: 'PHP',
    command: ['php', 'examples/clients/php/campaign.php'],
    needs: 'php-cli and php-curl',
    isHere: works('php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'),
  },
  { name: 'Go', command: ['GO'], needs: 'golang-go', isHere: works('go', 'version') },
];

const EXPECTED = `message created
task of size 1 cancelled false
task cancelled true
cancelled again 409
message deleted
profile data red
profile data blue
do not contact listed already
listed true
listed false
folders 5 each once true
folders left 0
fault of name`;

beforeAll(async () => {
  built = await makeTemporaryFolder('go-client');
  if (!works('go', 'version')) return;
  await execa('go', ['build', '-o', join(built, 'client'), '.'], {
    cwd: 'examples/clients/go',
    env: { GOCACHE: join(built, 'cache'), GOPATH: join(built, 'path'), GOFLAGS: '-mod=mod', GOPROXY: 'off' },
  });
});
afterAll(() => removeFolder(built));

function run({ command }: Language, args: readonly string[], env: Record<string, string>) {
  const [program = '', ...words] = command[0] === 'GO' ? [join(built, 'client')] : command;
  return execa(program, [...words, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: built, LC_ALL: 'C.UTF-8', ...env },
    extendEnv: false,
    reject: false,
  });
}

/** Makes the records that the interface cannot make, and returns their ids. */
async function audienceOf({ service, ready }: SocketSandbox): Promise<readonly string[]> {
  const { db } = service.store;
  const account_id = ready.company.id;
  const cdate = Math.floor(Date.now() / 1000);
  const list = await insertRow(db, 'list', { account_id, name: 'News', cdate });
  const subscriber = await insertRow(db, 'subscriber', {
    ...{ account_id, email: 'someone@example.org', email_domain: 'example.org', cdate },
  });
  await insertRow(db, 'subscription', { list_id: list, subscriber_id: subscriber, cdate });
  const field = await insertRow(db, 'profile_field', { account_id, name: 'colour' });
  return [list, subscriber, field].map(String);
}

describe.skipIf(!hasOpenssl)('over HTTPS, by a foreign name', () => {
  let folder: string;
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let sandbox: SocketSandbox;
  let ca: string;
  let audience: readonly string[];
  let proxy: Server;
  /** Hosts that were requested from the proxy. */
  const tunnels: string[] = [];
  beforeAll(async () => {
    folder = await makeTemporaryFolder('example-clients');
    data = await temporaryFolder();
    const authority = authorityIn(folder);
    ca = authority.ca;
    sandbox = await runSandbox(data.path, {
      naming: namingWithOverrides({
        'header-prefix': NAMES.prefix,
        'company-scheme': NAMES.company,
        'partner-scheme': NAMES.partner,
      }),
      certificate: authority.issue('service', `DNS:${HOST}`),
      allowHosts: [HOST],
    });
    audience = await audienceOf(sandbox);
    // This proxy replaces a name server: every tunnel leads to this machine.
    proxy = createServer().on('connect', (request, socket, head) => {
      tunnels.push(String(request.url));
      const upstream = connect(sandbox.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    proxy.close();
    proxy.closeAllConnections();
    expect(sandbox.reports).toEqual([]);
    await sandbox.stop();
    await data.remove();
    await removeFolder(folder);
  });

  const environment = (who: 'company' | 'partner', authority: string): Record<string, string> => {
    const { company, partner } = sandbox.ready;
    const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return {
      SVC_BASE_URL: `https://${HOST}:${sandbox.port}`,
      SVC_COMPANY_ID: String(company.id),
      ...(who === 'company'
        ? { SVC_USER_ID: String(company.adminUserId), SVC_API_KEY: company.apiKey }
        : { SVC_PARTNER_ID: String(partner.id), SVC_PARTNER_API_KEY: partner.apiKey }),
      SVC_HEADER_PREFIX: NAMES.prefix,
      SVC_COMPANY_SCHEME: NAMES.company,
      SVC_PARTNER_SCHEME: NAMES.partner,
      ...{ HTTPS_PROXY: through, https_proxy: through },
      ...(authority === '' ? {} : { SSL_CERT_FILE: authority, CURL_CA_BUNDLE: authority }),
    };
  };

  describe.each(LANGUAGES)('$name', (language) => {
    beforeEach(({ skip }) => {
      if (!language.isHere) skip(`${language.name} is left out: it needs ${language.needs}`);
    });

    it.each(['company', 'partner'] as const)('runs a whole campaign, signed by a %s', async (who) => {
      tunnels.length = 0;
      const { stdout, stderr, exitCode } = await run(language, audience, environment(who, ca));
      expect([exitCode, stderr, stdout]).toEqual([0, '', EXPECTED]);
      expect(new Set(tunnels)).toEqual(new Set([`${HOST}:${sandbox.port}`]));
    });

    it('sends nothing to a service with an untrusted certificate', async () => {
      const before = await sandbox.service.store.db.all(sql<Row<'nonce'>>`select * from nonce`);
      const target = ['request', 'POST', '/v1/folder', '{"name":"Secret"}'];
      const { exitCode } = await run(language, target, environment('company', ''));
      expect(exitCode).toBeGreaterThan(0);
      expect(exitCode).not.toBe(10);
      expect(await sandbox.service.store.db.all(sql<Row<'nonce'>>`select * from nonce`)).toEqual(before);
    });
  });
});

describe('retries only safe requests', () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let sandbox: SocketSandbox;
  beforeAll(async () => {
    data = await temporaryFolder();
    sandbox = await runSandbox(data.path);
  });
  afterAll(async () => {
    await sandbox.stop();
    await data.remove();
  });
  afterEach(async () => {
    await sandbox.control('fault clear');
    const { json } = await sandbox.api('GET', '/v1/folder');
    for (const { id } of json.response.data ?? []) await sandbox.api('DELETE', `/v1/folder/${id}`);
  });

  const request = (language: Language, ...words: readonly string[]) => {
    const { baseUrl, company } = sandbox.ready;
    return run(language, ['request', ...words], {
      SVC_BASE_URL: baseUrl,
      SVC_COMPANY_ID: String(company.id),
      SVC_USER_ID: String(company.adminUserId),
      SVC_API_KEY: company.apiKey,
    });
  };
  const folders = async (): Promise<number> =>
    (await sandbox.api('GET', '/v1/folder')).json.response.count ?? 0;
  const fault = (kind: string, match: string, times = 1) =>
    sandbox.control('fault set', { kind, match, times });
  const POST = ['POST', '/v1/folder', '{"name":"News"}'] as const;

  describe.each(LANGUAGES)('$name', (language) => {
    beforeEach(({ skip }) => {
      if (!language.isHere) skip(`${language.name} is left out: it needs ${language.needs}`);
    });

    it.each<readonly [string, string, readonly string[], number, number]>([
      ['lost-answer', 'a POST whose answer is lost is not sent again: exit 10', POST, 10, 1],
      ['error', 'a POST that fails with a 5xx is not sent again', POST, 1, 0],
      ['rate-limit', 'a POST that was limited is sent again', POST, 0, 1],
    ])('%s: %s', async (kind, _, words, exit, made) => {
      await fault(kind, 'POST /v1/folder');
      const { exitCode } = await request(language, ...words);
      expect([exitCode, await folders()]).toEqual([exit, made]);
    });

    it.each(['lost-answer', 'reset', 'error', 'rate-limit'])('retries a GET after %s', async (kind) => {
      await fault(kind, 'GET /v1/account');
      const { exitCode, stdout } = await request(language, 'GET', '/v1/account');
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"contactemail"')]);
    });

    it('treats a DELETE whose response was lost as done', async () => {
      const { json } = await sandbox.api('POST', '/v1/folder', { name: 'News' });
      await fault('lost-answer', 'DELETE');
      const { exitCode } = await request(language, 'DELETE', `/v1/folder/${json.response.data.id}`);
      expect([exitCode, await folders()]).toEqual([0, 0]);
    });

    it("reports a page that is not the service's as an error, not as an empty list", async () => {
      const server = createServer((_, answer) => answer.writeHead(404).end('<h1>Not Found</h1>'));
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const { exitCode } = await run(language, ['request', 'GET', '/v1/folder'], {
        SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        ...{ SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: '0'.repeat(32) },
      });
      server.close();
      expect(exitCode).toBeGreaterThan(0);
    });
  });
});
