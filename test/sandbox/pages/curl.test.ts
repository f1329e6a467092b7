/** The script on the page of a request signs it anew and sends it again. It runs in a shell here, with real curl and OpenSSL. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCurlScript } from '../../../src/sandbox/pages/curl.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const run = promisify(execFile);
const hasTools = await run('sh', ['-c', 'command -v curl && command -v openssl']).then(
  () => true,
  () => false,
);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path);
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function newestRequest() {
  const [{ id }] = (await sandbox.control('requests', { limit: 1 })).json.data;
  return (await sandbox.control('requests', { explain: id })).json.data[0];
}

describe.runIf(hasTools)('the script of a request', () => {
  it.each([
    ['GET', '/v1/account', undefined, 200],
    ['GET', "/v1/folder?name=it's%20100%25", undefined, 404],
    ['POST', '/v1/folder', { name: "It's `new` $HOME \\ %s Grüße" }, 202],
    ['HEAD', '/v1/folder', undefined, 200],
  ] as const)('%s %s', async (method, target, body, status) => {
    await sandbox.api(method, target, body);
    const first = await newestRequest();
    expect(first.status).toBe(status);
    const script = buildCurlScript(first, sandbox.ready.baseUrl, DEFAULT_WIRE_NAMING);
    expect(script).not.toContain(sandbox.ready.company.apiKey);
    const { stdout } = await run('sh', ['-c', script], {
      env: { PATH: process.env['PATH'] ?? '', SVC_API_KEY: sandbox.ready.company.apiKey },
    });
    expect(stdout).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const second = await newestRequest();
    expect(second.id).not.toBe(first.id);
    expect([second.path, second.status, second.body]).toEqual([first.path, status, first.body]);
  });
});

it('leaves the authorization of another scheme to a variable', () => {
  const headers = { authorization: 'Bearer [left out]', accept: '*/*', host: 'h' };
  const request = { method: 'GET', path: '/v1/list', headers, body: null };
  expect(buildCurlScript(request, 'http://127.0.0.1:1', DEFAULT_WIRE_NAMING)).toBe(
    [
      "curl -i -X GET 'http://127.0.0.1:1/v1/list'",
      "  -H 'accept: */*'",
      '  -H "Authorization: $AUTHORIZATION"',
    ].join(' \\\n'),
  );
});
