/**
 * The notice appears at most once a day, on a terminal, and never in CI. It comes from an address that the user set, and sends no data
 * about the user.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import about from '../../../package.json' with { type: 'json' };
import type { Context } from '../../../src/cli/outside/context.ts';
import { announceUpdate, isNewerVersion } from '../../../src/cli/outside/update-notice.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const { saveLatestVersion } = createRequire(import.meta.url)('../../../bin/update.js') as {
  readonly saveLatestVersion: (file: string) => Promise<void>;
};

const DAY = 86_400_000;
let home: string;
let file: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('update');
  file = join(home, 'update.json');
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function start(
  now: number,
  {
    env = {},
    isTTY = true,
  }: { readonly env?: Readonly<Record<string, string>>; readonly isTTY?: boolean } = {},
): Promise<{ readonly said: string; readonly asked: readonly (readonly string[])[] }> {
  let said = '';
  const asked: (readonly string[])[] = [];
  await announceUpdate({
    env: { SVC_UPDATE_URL: 'https://example.com/svc.json', SVC_STATE_DIR: home, ...env },
    clock: { now: () => now },
    homeDir: home,
    platform: 'linux',
    stderr: {
      isTTY,
      write: async (text: string) => {
        said += text;
      },
    },
    startInBackground: (args: readonly string[]) => asked.push(args),
  } as unknown as Context);
  return { said, asked };
}

const knows = (latest: string): void =>
  writeFileSync(
    file,
    JSON.stringify({ ...(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}), latest }),
  );

describe('the notice', () => {
  const NEWS = `svc 99.0.0 is available (you have ${about.version}). To turn this notice off, set SVC_NO_UPDATE_NOTICE=1.\n`;

  it('is fetched in the background and printed at the next start, each once a day', async () => {
    expect(await start(DAY)).toEqual({ said: '', asked: [['__update', file]] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    knows('99.0.0');
    expect(await start(DAY + 1000)).toEqual({ said: NEWS, asked: [] });
    expect(await start(DAY + 2000)).toEqual({ said: '', asked: [] });
    expect(await start(2 * DAY + 1500)).toEqual({ said: NEWS, asked: [['__update', file]] });
  });

  it.each([about.version, '0.0.1', '99.0.0-beta.1', 'latest', ''])(
    'is not printed for %j',
    async (version) => {
      knows(version);
      expect((await start(DAY)).said).toBe('');
    },
  );

  it.each<[string, Parameters<typeof start>[1]]>([
    ['without an address', { env: { SVC_UPDATE_URL: '' } }],
    ['with SVC_NO_UPDATE_NOTICE=1', { env: { SVC_NO_UPDATE_NOTICE: '1' } }],
    ['in CI', { env: { CI: 'true' } }],
    ['without a terminal', { isTTY: false }],
  ])('is not printed %s, and nothing is requested or stored', async (_, outside) => {
    expect(await start(DAY, outside)).toEqual({ said: '', asked: [] });
    expect(existsSync(file)).toBe(false);
  });

  it('causes no delay if its file is damaged or cannot be written', async () => {
    writeFileSync(file, '{"asked":"x"');
    expect((await start(DAY)).asked).toHaveLength(1);
    expect(await start(DAY, { env: { SVC_STATE_DIR: '/dev/null/x' } })).toEqual({ said: '', asked: [] });
  });

  it('compares versions by their numbers', () => {
    expect([
      isNewerVersion('0.10.0', '0.9.9'),
      isNewerVersion('1.0.0', '0.9.9'),
      isNewerVersion('0.9.10', '0.9.9'),
    ]).toEqual([true, true, true]);
    expect([
      isNewerVersion('0.9.9', '0.10.0'),
      isNewerVersion('0.9.9', '0.9.9'),
      isNewerVersion('x', '0.9.9'),
    ]).toEqual([false, false, false]);
  });
});

describe('the background process', () => {
  let server: Server;
  let requests: IncomingMessage[];
  let answer: { readonly status?: number; readonly location?: string; readonly body: string };
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request);
      const { status = 200, location, body } = answer;
      response.writeHead(status, location === undefined ? {} : { location }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env['SVC_UPDATE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/svc.json`;
    writeFileSync(file, '{"asked":5,"told":4}');
  });
  afterEach(() => {
    delete process.env['SVC_UPDATE_URL'];
    server.close();
  });
  const noted = (): unknown => JSON.parse(readFileSync(file, 'utf8'));

  it('stores the version, and sends nothing about this machine', async () => {
    answer = { body: '{"version":"99.0.0","more":1}' };
    await saveLatestVersion(file);
    expect(noted()).toEqual({ asked: 5, told: 4, latest: '99.0.0' });
    const [{ method, url, headers } = {}] = requests;
    expect([method, url, headers?.['user-agent']]).toEqual(['GET', '/svc.json', 'svc']);
    expect(
      Object.keys(headers ?? {}).filter((name) => /^(x-|cookie|authorization|referer)/.test(name)),
    ).toEqual([]);
  });

  it.each([
    { body: '{"version":"99.0.0"}', status: 500 },
    { body: '', status: 302, location: 'http://127.0.0.1/elsewhere' },
    { body: 'not JSON' },
    { body: '{"version":"\\u001b[31m9"}' },
    { body: '{"version":9}' },
    { body: `{"version":"99.0.0","pad":"${'x'.repeat(20_000)}"}` },
  ])('is silent and stores nothing for $status', async (given) => {
    answer = given;
    await saveLatestVersion(file);
    expect(noted()).toEqual({ asked: 5, told: 4 });
  });

  it('sends requests only over HTTPS, except on this machine', async () => {
    process.env['SVC_UPDATE_URL'] = 'http://example.com/svc.json';
    await saveLatestVersion(file);
    process.env['SVC_UPDATE_URL'] = 'file:///etc/hosts';
    await saveLatestVersion(file);
    expect([noted(), requests]).toEqual([{ asked: 5, told: 4 }, []]);
  });
});
