/**
 * Access to the pages. Contract, "The sandbox, for people and teams": `sandbox open` opens its pages in the browser;
 * the control token is never in an address.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataDirAt } from '../../../src/sandbox/data/data-dir.ts';
import { linkTo } from '../../support/pages.ts';
import {
  type Reply,
  restartSandbox,
  runSandbox,
  type SocketSandbox,
  temporaryFolder,
} from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
/** The machine's clock, in milliseconds. */
let now = Date.UTC(2026, 11, 1, 9);
const start = () => runSandbox(folder.path, { clock: 'manual', seed: 'demo', machineNow: () => now });
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await start();
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const pathOf = (url: string): string => url.slice(sandbox.ready.baseUrl.length);
const cookieOf = ({ headers }: Reply): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

async function session(page = 'outbox'): Promise<string> {
  return cookieOf(await sandbox.get(pathOf(await linkTo(sandbox, page))));
}

const visit = (path: string, cookie: string, headers: Record<string, string> = {}): Promise<Reply> =>
  sandbox.get(path, { headers: { cookie, ...headers } });

/** Uses a separate connection, with headers that `fetch` would set itself. */
const rawGet = (path: string, headers: Readonly<Record<string, string>>): Promise<string> => {
  const all = { host: `127.0.0.1:${sandbox.port}`, connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return sandbox.raw(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
};

const post = (path: string, cookie: string, headers: Record<string, string>): Promise<Reply> =>
  sandbox.get(path, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: 'do=nothing',
  });

describe('without a session', () => {
  it('/ redirects to /ui', async () => {
    const { status, headers } = await sandbox.get('/');
    expect([status, headers.get('location')]).toEqual([303, '/ui']);
  });

  it.each([
    '/ui',
    '/ui/1/outbox',
    '/ui/1/outbox/t2-480',
    '/ui/1/outbox/t2-480?frame=html',
    '/ui/1/events',
    '/ui/9/none',
  ])('%s is a 401 that names the command', async (path) => {
    const { status, text, headers } = await sandbox.get(path);
    expect(status).toBe(401);
    expect(text).toContain('svc sandbox open');
    expect(text).not.toContain('Harbour Coffee');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('an unknown cookie opens nothing', async () => {
    const name = (await session()).split('=')[0];
    for (const value of ['', 'x', 'A'.repeat(43), sandbox.ready.controlToken])
      expect((await visit('/ui/1/outbox', `${name}=${value}`)).status).toBe(401);
  });

  it('the control token opens no page', async () => {
    const { status } = await sandbox.get('/ui/1/outbox', {
      headers: { authorization: `Bearer ${sandbox.ready.controlToken}` },
    });
    expect(status).toBe(401);
  });
});

describe('a link', () => {
  it('starts a session and redirects to the page, with a cookie that scripts and other sites do not get', async () => {
    const url = await linkTo(sandbox, 'outbox/t2-480?view=text');
    expect(url).not.toContain(sandbox.ready.controlToken);
    const reply = await sandbox.get(pathOf(url));
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe('/ui/1/outbox/t2-480?view=text');
    const cookie = reply.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      // A browser sends a cookie to every port of its host. The path hides it from other programs on this machine.
      new RegExp(
        `^svc-pages-${sandbox.port}=[\\w-]{43}; Max-Age=604800; Path=/ui; HttpOnly; SameSite=Strict$`,
      ),
    );
    const { status, text } = await visit('/ui/1/outbox/t2-480?view=text', cookieOf(reply));
    expect(status).toBe(200);
    expect(text).toContain('olive.rossi480@example.net');
  });

  it('works once, and a HEAD does not use it up', async () => {
    const path = pathOf(await linkTo(sandbox, 'outbox'));
    expect((await sandbox.get(path, { method: 'HEAD' })).status).toBe(405);
    expect((await sandbox.get(path)).status).toBe(303);
    const again = await sandbox.get(path);
    expect(again.status).toBe(401);
    expect(again.text).toContain('svc sandbox open');
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it('expires after a minute', async () => {
    const path = pathOf(await linkTo(sandbox, 'outbox'));
    now += 60_000;
    expect((await sandbox.get(path)).status).toBe(401);
  });

  it.each([
    '../control',
    '//evil.example',
    'outbox/../../x',
    'a\nb',
    '\\\\evil',
    'x'.repeat(5000),
    '/ui/1//evil.example',
  ])('redirects to no other place: %j is rejected', async (page) => {
    expect((await sandbox.control('open', { page })).status).toBe(400);
  });

  it.each([
    ['outbox', '/ui/1/outbox'],
    ['/ui/1/clock', '/ui/1/clock'],
    ['http://127.0.0.1:1/ui/1/outbox/t2-480', '/ui/1/outbox/t2-480'],
    ['https://evil.example/outbox', '/ui/1/outbox'],
    ['/', '/ui/1/outbox'],
  ])('%s redirects to %s', async (page, path) => {
    const reply = await sandbox.get(pathOf(await linkTo(sandbox, page)));
    expect(reply.headers.get('location')).toBe(path);
  });

  it('makes its sender wait after ten wrong links in a minute, but a valid link still works', async () => {
    now += 61_000;
    const wrong = () => sandbox.get(`/open/${'A'.repeat(43)}`);
    for (let turn = 0; turn < 10; turn += 1) expect((await wrong()).status).toBe(401);
    const refused = await wrong();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await sandbox.get(pathOf(await linkTo(sandbox, 'outbox')))).status).toBe(303);
    now += 61_000;
    expect((await wrong()).status).toBe(401);
  });
});

describe('a session', () => {
  it('survives a restart, and the data folder has no secret of it', async () => {
    const own = await temporaryFolder();
    const first = await runSandbox(own.path, { seed: 'demo' });
    const { baseUrl } = first.ready;
    const cookie = cookieOf(await first.get((await linkTo(first, 'outbox')).slice(baseUrl.length)));
    const { sessions } = dataDirAt(own.path);
    expect(statSync(sessions).mode & 0o777).toBe(0o600);
    expect(readFileSync(sessions, 'utf8')).not.toContain(cookie.split('=')[1]);
    await first.stop();
    const second = await restartSandbox(own.path, first, { seed: 'demo' });
    // A separate connection, because fetch would reuse one that ended with the first sandbox.
    const host = `127.0.0.1:${second.port}`;
    expect(
      await second.raw(
        `GET /ui/1/outbox/t2-480 HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncookie: ${cookie}\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 200 /);
    await second.stop();
    await own.remove();
  });

  it('ends after a week', async () => {
    const cookie = await session();
    now += 7 * 86_400_000;
    expect((await visit('/ui/1/outbox', cookie)).status).toBe(401);
  });

  it('is removed with the data', async () => {
    const { removeSandboxFiles } = await import('../../../src/sandbox/data/data-dir.ts');
    const other = await temporaryFolder();
    const second = await runSandbox(other.path, { seed: 'demo' });
    await second.get((await linkTo(second, 'outbox')).slice(second.ready.baseUrl.length));
    await second.stop();
    const dir = dataDirAt(other.path);
    expect(existsSync(dir.sessions)).toBe(true);
    removeSandboxFiles(dir);
    expect(existsSync(dir.sessions)).toBe(false);
    await other.remove();
  });
});

describe('a change', () => {
  const PAGE = '/ui/1/outbox/t2-480';

  it('is accepted only from a page of the sandbox', async () => {
    const cookie = await session();
    const { baseUrl } = sandbox.ready;
    expect((await post(PAGE, cookie, { origin: baseUrl })).status).toBe(303);
    for (const origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${sandbox.port + 1}`,
      `${baseUrl}.evil.example`,
    ])
      expect((await post(PAGE, cookie, { origin })).status).toBe(403);
    expect((await post(PAGE, cookie, {})).status).toBe(403);
    expect((await post(PAGE, cookie, { origin: baseUrl, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('requires a session', async () => {
    expect((await post(PAGE, '', { origin: sandbox.ready.baseUrl })).status).toBe(401);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('is not made by %s', async (method) => {
    const headers = { cookie: await session(), origin: sandbox.ready.baseUrl };
    expect((await sandbox.get(PAGE, { method, headers })).status).toBe(405);
  });

  it('is not made by a GET', async () => {
    const cookie = await session();
    const before = (await sandbox.control('status')).json.data;
    for (const path of ['/ui', '/ui/1/outbox', PAGE, `${PAGE}?do=unsubscribe`, `${PAGE}?frame=html`])
      await visit(path, cookie);
    expect((await sandbox.control('status')).json.data).toEqual(before);
  });
});

describe('another site', () => {
  it('may link to a page, but not embed one', async () => {
    const cookie = await session();
    const followed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    // With SameSite=Strict, the browser then does not send the session cookie.
    const answer = await rawGet('/ui/1/outbox', followed);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('<a href="/ui/1/outbox">');
    for (const dest of ['iframe', 'image', 'script', 'empty'])
      for (const site of ['cross-site', 'same-site']) {
        const headers = { cookie, ...followed, 'sec-fetch-dest': dest, 'sec-fetch-site': site };
        expect(await rawGet('/ui/1/outbox', headers)).toMatch(/^HTTP\/1\.1 403 /);
      }
  });

  // Second attack L13: the guard took '/%75i/…' for no page, and the router served it as one.
  it.each([
    ...[
      '/%75i/1/outbox',
      '/u%69/1/outbox',
      '/%75%69/1/outbox',
      '/ui/1/%6futbox',
      '/%6fpen/x',
      '/ui%2f1/outbox',
    ],
    ...[
      '/ui%2F1/outbox',
      '/%2fui/1/outbox',
      '/ui\\1\\outbox',
      '/\\ui/1/outbox',
      '/ui%5c1%5coutbox',
      '/ui#/1/outbox',
    ],
    ...[
      '/ui%23/1',
      '/ui%3f/1/outbox',
      '/%2575i/1/outbox',
      '/ui%00/1/outbox',
      '/ui%0d%0a/1',
      '/%c0%afui/1/outbox',
    ],
    ...['/ui/1/outbox%', '/%zzui/1', '/%75i%3F/1', '/x/%2e%2e/ui/1/outbox', '//ui/1/outbox', '/ui/1//outbox'],
  ])('embeds no page under the path %s (2-L13)', async (path) => {
    const cookie = await session();
    for (const site of ['cross-site', 'same-site']) {
      const fetched = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
      const answer = await rawGet(path, { cookie, ...fetched });
      expect(answer).toMatch(/^HTTP\/1\.1 40[034] /);
      expect(answer).not.toContain('Harbour Coffee');
    }
  });

  it('does not stop a person who follows a link with an encoded letter', async () => {
    expect(await rawGet('/%75i/1/outbox', { cookie: await session() })).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('learns nothing from a page', async () => {
    const { headers } = await visit('/ui/1/outbox', await session());
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    });
  });

  it('gets nothing with a foreign Host', async () => {
    const text = await sandbox.raw(
      `GET /ui HTTP/1.1\r\nHost: evil.example:${sandbox.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe('unknown pages', () => {
  it.each(['/ui/1/nothing', '/ui/99/outbox', '/ui/1/outbox/t2-999999', '/ui/1/outbox/zzz'])(
    '%s is a 404',
    async (path) => {
      const { status, text } = await visit(path, await session());
      expect(status).toBe(404);
      expect(text).toContain('Not found');
    },
  );
});
