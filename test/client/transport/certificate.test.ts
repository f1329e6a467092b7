/** The certificate of a service behind a proxy, signed by the test's own authority. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchServerCertificate } from '../../../src/client/requests/transport/certificate.ts';
import { type HttpsService, httpsService } from '../../support/https-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let service: HttpsService;
let asked = 0;
let silent: Server;

beforeAll(async () => {
  folder = await makeTemporaryFolder('certificate');
  service = await httpsService(folder, async () => {
    asked += 1;
    return { status: 200, headers: {}, body: '' };
  });
  silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await service.close();
  silent.close();
  await rm(folder, { recursive: true, force: true });
});

const proxy = () => service.env['HTTPS_PROXY'] ?? '';
const ca = () => readFileSync(service.env['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8');

it('returns the expiry and the issuer of a certificate, and that the authority is not public', async () => {
  const shown = await fetchServerCertificate('https://service.test', { proxy: proxy(), ca: ca() });
  expect(shown).toMatchObject({ authority: 'Tests', isPrivate: true, problem: undefined });
  const days = ((shown?.validUntil ?? 0) - Date.now() / 1000) / 86_400;
  expect(days).toBeGreaterThan(1.9);
  expect(days).toBeLessThan(2.1);
  expect(asked).toBe(0);
});

it('says why a certificate is not trusted, and what to do', async () => {
  const shown = await fetchServerCertificate('https://service.test', { proxy: proxy() });
  expect(shown?.problem?.words).toMatch(/^TLS: the certificate of service\.test:443 /);
  expect(shown?.problem?.advice).toContain('NODE_EXTRA_CA_CERTS');
});

it('says that a certificate was issued for another host', async () => {
  const shown = await fetchServerCertificate('https://other.test', { proxy: proxy(), ca: ca() });
  expect(shown?.problem?.words).toBe('TLS: the certificate of other.test:443 is for another host');
});

it.each([
  ['nothing listens', 'https://127.0.0.1:1', {}],
  ['the proxy refuses', 'https://service.test', { proxy: 'http://127.0.0.1:1' }],
])('returns undefined if %s', async (_, origin, options) => {
  expect(await fetchServerCertificate(origin, options)).toBeUndefined();
});

it('gives up if the host does not respond', async () => {
  const { port } = silent.address() as { port: number };
  expect(await fetchServerCertificate(`https://127.0.0.1:${port}`, { timeoutMs: 50 })).toBeUndefined();
});
