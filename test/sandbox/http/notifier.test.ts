import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNotifyUrlCaller, type NotifyUrlOptions, notify } from '../../../src/sandbox/http/notifier.ts';
import { tried } from '../../support/depth.ts';
import { runSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { createTestSandbox, IDS, NOW } from '../../support/sandbox.ts';

/** Acceptance, X5: trap servers at every address to which a misread URL could lead. */
const TRAPS = ['127.0.0.1', '127.0.0.2', '127.1.2.3', '::1'] as const;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const servers: Server[] = [];
const seen: { readonly at: string; readonly request: IncomingMessage }[] = [];
let answer: Answer;
let port = 0;
let hasIpv6 = true;

const listenAt = (host: string, wanted: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      seen.push({ at: host, request });
      answer(request, response);
    });
    server.on('error', reject);
    server.listen(wanted, host, () => {
      servers.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

beforeAll(async () => {
  port = await listenAt(TRAPS[0], 0);
  await listenAt(TRAPS[1], port);
  await listenAt(TRAPS[2], port);
  await listenAt(TRAPS[3], port).catch(() => {
    hasIpv6 = false;
  });
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
beforeEach(() => {
  seen.splice(0);
  answer = (_, response) => response.end('fine');
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'here.example': ['127.0.0.2'],
  'here.localhost': ['127.0.0.2'],
  'mixed.localhost': ['127.0.0.1', '192.0.2.1'],
  'mapped.localhost': ['::ffff:127.0.0.1'],
  'nat64.localhost': ['64:ff9b::7f00:1'],
  '6to4.localhost': ['2002:7f00:1::'],
  'any.localhost': ['0.0.0.0'],
  'any6.localhost': ['::'],
  'zone.localhost': ['::1%lo'],
  'public.localhost': ['192.0.2.1'],
  'nonsense.localhost': ['not an address'],
  'mixed.example': ['127.0.0.1', '192.0.2.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  '6to4.example': ['2002:7f00:1::'],
  'any.example': ['0.0.0.0'],
  'any6.example': ['::'],
  'zone.example': ['::1%lo'],
  'public.example': ['192.0.2.1'],
  'nonsense.example': ['not an address'],
};
const options = (more: Partial<NotifyUrlOptions> = {}): NotifyUrlOptions => ({
  allowed: [],
  allowsLoopback: true,
  resolve: async (host) => NAMES[host] ?? [],
  timeout: 2000,
  ...more,
});

describe('allowed calls: this machine', () => {
  it.each([
    ['http://127.0.0.1:PORT/', '127.0.0.1'],
    ['http://127.0.0.2:PORT/', '127.0.0.2'],
    ['http://127.1:PORT/', '127.0.0.1'],
    ['http://0x7f.1:PORT/', '127.0.0.1'],
    ['http://0177.0.0.1:PORT/', '127.0.0.1'],
    ['http://2130706433:PORT/', '127.0.0.1'],
    ['http://①②⑦.0.0.1:PORT/', '127.0.0.1'],
    ['http://127。0。0。1:PORT/', '127.0.0.1'],
    ['http://127.1.2.3:PORT/', '127.1.2.3'],
    ['HTTP://LOCALHOST:PORT/', '127.0.0.1'],
    ['http://here.localhost:PORT/', '127.0.0.2'],
    ['http:\\\\127.0.0.1:PORT\\x', '127.0.0.1'],
    ['http:127.0.0.1:PORT/', '127.0.0.1'],
  ])('%s', async (form, at) => {
    expect(await notify(form.replace('PORT', String(port)), options())).toBe('200');
    expect(seen.map((each) => each.at)).toEqual([at]);
  });

  it.runIf(hasIpv6).each(['http://[::1]:PORT/', 'http://[0:0:0:0:0:0:0:1]:PORT/'])('%s', async (form) => {
    expect(await notify(form.replace('PORT', String(port)), options())).toBe('200');
    expect(seen.map((each) => each.at)).toEqual(['::1']);
  });

  it('sends a bare GET: its own host, unchanged path and query, no credentials', async () => {
    await notify(`http://here.localhost:${port}/a%20b/..%2f?x=1&y=%26#part`, options());
    const [{ request } = { request: undefined }] = seen;
    expect([request?.method, request?.url]).toEqual(['GET', '/a%20b/..%2f?x=1&y=%26']);
    expect(request?.headers).toEqual({
      host: `here.localhost:${port}`,
      accept: '*/*',
      'user-agent': 'svc-sandbox',
      connection: 'close',
    });
  });
});

describe('refused calls, which reach no trap', () => {
  it.each([
    ['file:///etc/passwd', /^not sent: the URL must begin with http:\/\/ or https:\/\/$/],
    ['ftp://127.0.0.1:PORT/', /^not sent/],
    ['gopher://127.0.0.1:PORT/', /^not sent/],
    ['data:text/plain,x', /^not sent/],
    ['javascript:alert(1)', /^not sent/],
    ['unix:/tmp/socket', /^not sent/],
    ['//127.0.0.1:PORT/', /^not sent/],
    ['', /^not sent/],
    ['http://', /^not sent/],
    ['http://127.0.0.1:99999/', /^not sent/],
    ['http://256.0.0.1/', /^not sent/],
    ['http://127.0.0.1.1:PORT/', /^not sent/],
    ['http://[127.0.0.1]:PORT/', /^not sent/],
    ['http://[::1%25lo]:PORT/', /^not sent/],
    ['http://user:secret@127.0.0.1:PORT/', /^not sent: the URL contains a user name or password$/],
    ['http://127.0.0.1:PORT@public.example/', /^not sent/],
    ['http://public.example@127.0.0.1:PORT/', /^not sent/],
    ['http://0.0.0.0:PORT/', /^not sent/],
    ['http://0:PORT/', /^not sent/],
    ['http://[::]:PORT/', /^not sent/],
    ['http://[::ffff:127.0.0.1]:PORT/', /^not sent/],
    ['http://[::ffff:7f00:1]:PORT/', /^not sent/],
    ['http://[::127.0.0.1]:PORT/', /^not sent/],
    ['http://[64:ff9b::7f00:1]:PORT/', /^not sent/],
    ['http://[64:ff9b:1::7f00:1]:PORT/', /^not sent/],
    ['http://[2002:7f00:1::]:PORT/', /^not sent/],
    ['http://[fe80::1]:PORT/', /^not sent/],
    ['http://[fd00::1]:PORT/', /^not sent/],
    ['http://10.0.0.1:PORT/', /^not sent/],
    ['http://169.254.169.254/latest/meta-data/', /^not sent/],
    ['http://192.168.0.1:PORT/', /^not sent/],
    [
      'http://192.0.2.1:PORT/',
      /^not sent: 192\.0\.2\.1 is not this machine, so the host must be allowed; --allow-notify 192\.0\.2\.1 allows it$/,
    ],
    ['http://126.255.255.255:PORT/', /^not sent/],
    ['http://128.0.0.1:PORT/', /^not sent/],
    ['http://public.example:PORT/', /^not sent/],
    ['http://mixed.example:PORT/', /^not sent/],
    ['http://mapped.example:PORT/', /^not sent/],
    ['http://nat64.example:PORT/', /^not sent/],
    ['http://6to4.example:PORT/', /^not sent/],
    ['http://any.example:PORT/', /^not sent/],
    ['http://any6.example:PORT/', /^not sent/],
    ['http://zone.example:PORT/', /^not sent/],
    ['http://nonsense.example:PORT/', /^not sent/],
    [
      'http://here.example:PORT/',
      /^not sent: here\.example is not this machine, so the host must be allowed; --allow-notify/,
    ],
    ['http://localhost.example:PORT/', /^not sent/],
    ['http://xlocalhost:PORT/', /^not sent/],
    ['http://mixed.localhost:PORT/', /^not sent/],
    ['http://mapped.localhost:PORT/', /^not sent/],
    ['http://nat64.localhost:PORT/', /^not sent/],
    ['http://6to4.localhost:PORT/', /^not sent/],
    ['http://any.localhost:PORT/', /^not sent/],
    ['http://any6.localhost:PORT/', /^not sent/],
    ['http://zone.localhost:PORT/', /^not sent/],
    ['http://public.localhost:PORT/', /^not sent/],
    ['http://nonsense.localhost:PORT/', /^not sent/],
    ['http://nowhere.localhost:PORT/', /^failed: nowhere\.localhost has no address$/],
    ['https://127.0.0.1:PORT/', /^failed/],
  ])('%s', async (form, outcome) => {
    expect(await notify(form.replace('PORT', String(port)), options())).toMatch(outcome);
    expect(seen).toEqual([]);
  });

  // Contract, Sandbox: on a sandbox for others, loopback needs --allow-notify. Otherwise a key could reach the server's own ports.
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.0.0.2:PORT/',
    'http://2130706433:PORT/',
    'http://2130706434:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://127.1.2.3:PORT/',
    'http://[::1]:PORT/',
    'http://localhost:PORT/',
    'http://here.localhost:PORT/',
    'http://LOCALHOST.:PORT/',
  ])('on a sandbox that serves other machines: %s, until its host is named', async (form) => {
    const url = form.replace('PORT', String(port));
    const asked: string[] = [];
    const forOthers = (allowed: readonly string[]) =>
      options({
        allowed,
        allowsLoopback: false,
        resolve: async (host) => {
          asked.push(host);
          return host === 'localhost' ? ['127.0.0.1'] : (NAMES[host] ?? []);
        },
      });
    const { hostname } = new URL(url);
    expect(await notify(url, forOthers([]))).toBe(
      `not sent: other machines can reach this sandbox, so the host must be allowed; --allow-notify ${hostname} allows it`,
    );
    expect([seen, asked]).toEqual([[], []]);
    if (hostname === 'localhost.' || (hostname === '[::1]' && !hasIpv6)) return;
    expect(await notify(url, forOthers([hostname.replace(/^\[(.*)\]$/, '$1')]))).toBe('200');
    expect(seen).toHaveLength(1);
  });

  /** Acceptance, X5: 150 forms: hosts outside this machine's loopback, in each form that URLs allow. */
  const hosts = [
    '0.0.0.0',
    '0',
    '00',
    '0x0',
    '0.0',
    '0x0.0x0.0x0.0x0',
    '10.0.0.1',
    '10.1',
    '167772161',
    '0x0a000001',
    '012.0.0.1',
    '100.64.0.1',
    '126.255.255.255',
    '128.0.0.0',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '172.16.0.1',
    '192.168.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '4294967295',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[2001:db8::1]',
    '[fe80::1]',
    '[fc00::1]',
    '[ff02::1]',
    '[::2]',
    '[0:0:0:0:0:0:0:2]',
    '[::ffff:0:127.0.0.1]',
    '①⓪.⓪.⓪.①',
    '１０．０．０．１',
    '10。0。0。1',
    'evil.example',
    'localhost.evil.example',
    'localhost.localdomain',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.example',
    'xn--localhost-',
    'loca1host',
    'ip6-localhost',
  ];
  const forms = [
    (host: string) => `http://${host}:PORT/`,
    (host: string) => `http://127.0.0.1:PORT@${host}:PORT/`,
    (host: string) => `HTTP:\\\\${host}:PORT\\127.0.0.1`,
  ];
  it(`calls none of ${hosts.length * forms.length} forms of hosts that are not this machine’s, and looks up only local names`, async () => {
    expect(hosts.length * forms.length).toBeGreaterThanOrEqual(150);
    const asked: string[] = [];
    const resolve = async (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    for (const host of hosts)
      for (const form of forms) {
        const url = form(host).replaceAll('PORT', String(port));
        expect([url, await notify(url, options({ resolve }))]).toEqual([
          url,
          expect.stringMatching(/^not sent: /),
        ]);
      }
    expect([asked, seen]).toEqual([[], []]);
    tried('X5', hosts.length * forms.length);
  });

  it('does not look up a name that could never be allowed (attack L15)', async () => {
    const asked: string[] = [];
    const resolve = async (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    for (const host of [
      'here.example',
      'public.example',
      'localhost.example',
      'secret-data.attacker.example',
    ])
      expect(await notify(`http://${host}:${port}/`, options({ resolve }))).toMatch(/^not sent: /);
    expect([asked, seen]).toEqual([[], []]);
  });

  it('looks up a name once, and connects to the checked address', async () => {
    let asked = 0;
    const resolve = async (): Promise<readonly string[]> => {
      asked += 1;
      return asked === 1 ? ['127.0.0.2'] : ['127.0.0.1'];
    };
    expect(await notify(`http://rebind.localhost:${port}/`, options({ resolve }))).toBe('200');
    expect([asked, seen.map((each) => each.at)]).toEqual([1, ['127.0.0.2']]);
  });

  it('calls an allowed host on any machine, and no other host', async () => {
    const resolve = async (): Promise<readonly string[]> => ['::ffff:127.0.0.1'];
    const allowed = ['hooks.example'];
    expect(await notify(`http://HOOKS.example:${port}/`, options({ resolve, allowed }))).toBe('200');
    expect(await notify(`http://hooks.example.org:${port}/`, options({ resolve, allowed }))).toMatch(
      /^not sent/,
    );
    expect(await notify(`http://a.hooks.example:${port}/`, options({ resolve, allowed }))).toMatch(
      /^not sent/,
    );
    expect(seen).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    'has a redirect by %i as its outcome, and does not follow it',
    async (status) => {
      answer = (_, response) => response.writeHead(status, { location: `http://127.0.0.2:${port}/` }).end();
      expect(await notify(`http://127.0.0.1:${port}/`, options())).toBe(String(status));
      expect(seen).toHaveLength(1);
    },
  );
});

describe('responses of any kind', () => {
  it('end at the time-out if they never come', async () => {
    answer = () => undefined;
    expect(await notify(`http://127.0.0.1:${port}/`, options({ timeout: 100 }))).toBe(
      'failed: no response within 0.1 s',
    );
  });

  it('end at the time-out if they are too slow, and so does a resolver that hangs', async () => {
    answer = (_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    expect(await notify(`http://127.0.0.1:${port}/`, options({ timeout: 100 }))).toMatch(
      /^failed: no response/,
    );
    const resolve = () => new Promise<readonly string[]>(() => undefined);
    expect(await notify('http://hangs.localhost/', options({ resolve, timeout: 50 }))).toMatch(
      /^failed: no response/,
    );
  });

  it('are truncated after 64 KiB', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    answer = (_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      response.on('close', () => closed?.());
      more();
    };
    expect(await notify(`http://127.0.0.1:${port}/`, options())).toBe('200');
    await gone;
  });

  it('are a failure and never an exception for a server that is not HTTP, or a refused connection', async () => {
    answer = (request) => request.socket.end('nonsense\r\n\r\n');
    expect(await notify(`http://127.0.0.1:${port}/`, options())).toMatch(/^failed: /);
    expect(await notify('http://127.0.0.1:1/', options())).toMatch(/^failed: .*ECONNREFUSED/);
  });
});

describe('the outcome', () => {
  it('is in the log and in the outbox', async () => {
    const sandbox = await createTestSandbox();
    const url = `http://127.0.0.1:${port}/in`;
    const row = { account_id: IDS.company, channel: 'notification', sender: '447700900123', time: NOW };
    const deliveryId = await sandbox.put('delivery', {
      ...row,
      recipient: url,
      body: `GET ${url}`,
      cause: 'rule',
    });
    const perform = createNotifyUrlCaller(sandbox.service.store, () => NOW * 1000, options());
    perform({ url, deliveryId });
    await expect.poll(() => sandbox.rows('log')).toMatchObject([{ kind: 'notify', text: `GET ${url}: 200` }]);
    expect(await sandbox.rows('delivery')).toMatchObject([{ id: deliveryId, body: `GET ${url}\n200` }]);
  });
});

// Contract, Sandbox: "A sandbox that listens beyond loopback or behind a proxy calls a loopback notifyurl only with
// --allow-notify."
it.each([
  [
    'on every address',
    { host: '0.0.0.0', allowHosts: ['127.0.0.1'] },
    /not sent: other machines can reach this sandbox/,
  ],
  ['for this machine alone', {}, /: 200$/],
] as const)('a sandbox %s', async (_, doors, outcome) => {
  const folder = await temporaryFolder();
  const sandbox = await runSandbox(folder.path, {
    machineNow: () => NOW * 1000,
    clock: 'manual',
    seed: 'demo',
    ...doors,
  });
  try {
    const notifyurl = `http://127.0.0.1:${port}/inner`;
    const { status } = await sandbox.api('PUT', '/v1/smsAutomation/1', { notifyurl });
    expect(status).toBe(200);
    const sms = { to: '447700900990', from: '447700900801', text: 'HARBOUR COFFEE' };
    await sandbox.control('event sms-in', sms);
    const told = async (): Promise<string[]> => {
      const { json } = await sandbox.control('log list');
      return json.data
        .filter(({ kind }: { kind: string }) => kind === 'notify')
        .map(({ text }: { text: string }) => text);
    };
    await expect.poll(told).toEqual([expect.stringMatching(outcome)]);
    expect(seen).toHaveLength(outcome.test(': 200') ? 1 : 0);
  } finally {
    await sandbox.stop();
    await folder.remove();
  }
});
