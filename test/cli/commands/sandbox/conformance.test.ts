/**
 * Contract, "The sandbox, for people and teams": `sandbox conformance` checks a service against the interface and the wire conventions.
 * It writes only to a sandbox of this user, unless --write --yes are given.
 */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProfileStore } from '../../../../src/client/profiles/store.ts';
import { createTransport } from '../../../../src/client/requests/transport/undici-transport.ts';
import { CONFORMANCE_CHECKS } from '../../../../src/features/conformance/run.ts';
import type { Transport, WireRequest, WireResponse } from '../../../../src/service/protocol/wire.ts';
import { type Outside, type Run, runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

interface Row {
  readonly check: string;
  readonly section: string;
  readonly result: 'held' | 'failed' | 'skipped';
  readonly found: string | null;
}

const checks = Object.values(CONFORMANCE_CHECKS).flat();
const writing = checks.filter(({ writes }) => writes).map(({ id }) => id);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let configDir: string;
let opened: Awaited<ReturnType<typeof createTransport>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path);
  const { baseUrl, company, partner, dataDir, controlToken } = sandbox.ready;
  opened = await createTransport({ origin: baseUrl });
  configDir = await makeTemporaryFolder('conformance');
  const store = openProfileStore({ configDir, platform: process.platform });
  await store.save({
    ...{ name: 'sandbox', kind: 'company', baseUrl, companyId: company.id, userId: company.adminUserId },
    apiKey: company.apiKey,
    sandbox: { dataDir, controlToken },
  });
  await store.save({
    ...{ name: 'sandbox-partner', kind: 'partner', baseUrl, partnerId: partner.id, companyId: company.id },
    apiKey: partner.apiKey,
    sandbox: { dataDir, controlToken },
  });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await opened.close();
  await sandbox.stop();
  await folder.remove();
  await rm(configDir, { recursive: true });
});

const NO_CREDENTIALS = {
  SVC_BASE_URL: undefined,
  SVC_COMPANY_ID: undefined,
  SVC_USER_ID: undefined,
  SVC_API_KEY: undefined,
};
const now = (): number => Math.floor(Date.now() / 1000);

/** Runs the checks with the profile that `sandbox start` writes. */
const onOwnSandbox = (profile: string, flags: readonly string[] = []): Promise<Run> =>
  runCli(['--profile', profile, 'sandbox', 'conformance', ...flags], {
    env: { ...NO_CREDENTIALS, SVC_CONFIG_DIR: configDir },
    transport: opened.transport,
    now: now(),
  });

/** Runs the checks with credentials from the environment alone, which do not prove that this is a sandbox of this user. */
function onService(flags: readonly string[], outside: Outside = {}): Promise<Run> {
  const { company, baseUrl } = sandbox.ready;
  return runCli(['sandbox', 'conformance', '--against', baseUrl, ...flags], {
    transport: opened.transport,
    now: now(),
    ...outside,
    env: {
      SVC_COMPANY_ID: String(company.id),
      SVC_USER_ID: String(company.adminUserId),
      SVC_API_KEY: company.apiKey,
      ...outside.env,
    },
  });
}

const rowsOf = ({ stdout }: Run): readonly Row[] => JSON.parse(stdout);
const named = (rows: readonly Row[], result: Row['result']): readonly string[] =>
  rows.filter((row) => row.result === result).map(({ check }) => check);

/** The number of requests that the sandbox had logged at the last call. */
let seen = 0;
async function newRequests(): Promise<
  readonly { readonly method: string; readonly path: string; readonly status: number }[]
> {
  const { json } = await sandbox.control('requests', { after: seen, limit: 1000 });
  seen = json.data.at(-1)?.id ?? seen;
  return json.data;
}

it('has at least 60 checks, each with a unique id', () => {
  expect(checks.length).toBeGreaterThanOrEqual(60);
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});

describe.each(['sandbox', 'sandbox-partner'])('on a sandbox of this user, with the profile %s', (profile) => {
  let run: Run;
  let rows: readonly Row[];
  beforeAll(async () => {
    run = await onOwnSandbox(profile, ['-o', 'json']);
    rows = rowsOf(run);
  }, 60_000);

  it.each(checks.map(({ id, says }) => [id, says]))('%s: %s', (id) => {
    expect(rows.find(({ check }) => check === id)).toMatchObject({ result: 'held', found: null });
  });

  it('exits with 0 if all checks passed, and with 11 otherwise', () => {
    expect(run.exitCode).toBe(named(rows, 'failed').length === 0 ? 0 : 11);
  });

  it('leaves no records behind', async () => {
    expect((await sandbox.api('GET', '/v1/folder')).status).toBe(404);
    expect((await sandbox.api('GET', '/v1/doNotContact')).status).toBe(404);
  });

  it('creates no task and sends no SMS', async () => {
    const written = (await newRequests()).filter(({ method }) => !['GET', 'HEAD'].includes(method));
    expect(written.length).toBeGreaterThan(20);
    expect(written.filter(({ path }) => !/^\/v1\/(folder|doNotContact)\b/.test(path))).toEqual([]);
  });
});

describe("on a target that is not this user's sandbox", () => {
  let run: Run;
  let requests: Awaited<ReturnType<typeof newRequests>>;
  beforeAll(async () => {
    await newRequests();
    run = await onService(['-o', 'json']);
    requests = await newRequests();
  }, 60_000);

  it('only reads, and reports what it skipped', async () => {
    expect(named(rowsOf(run), 'skipped').toSorted()).toEqual(writing.toSorted());
    const methods = new Set(requests.map(({ method }) => method));
    expect([...methods].toSorted()).toEqual(['GET', 'HEAD']);
    const table = await onService([]);
    expect(table.stderr).toContain('need --write --yes');
  });

  it('never sends three requests in a row that must be refused', () => {
    const statuses = requests.map(({ status }) => (status === 401 ? 'x' : '.')).join('');
    expect(statuses).toContain('xx');
    expect(statuses).not.toContain('xxx');
  });

  it('--write needs --yes without a terminal, and sends nothing without it', async () => {
    await newRequests();
    const run = await onService(['--write']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('needs --yes; nothing was sent');
    expect(await newRequests()).toEqual([]);
  });

  it('--write --yes writes nothing that could lose data, and deletes the records that it created', async () => {
    const run = await onService(['--write', '--yes', '-o', 'json']);
    const only = checks.filter(({ sandboxOnly }) => sandboxOnly).map(({ id }) => id);
    expect(only).toEqual(['delete-unnamed']);
    expect(named(rowsOf(run), 'skipped')).toEqual(only);
    expect((await sandbox.api('GET', '/v1/folder')).status).toBe(404);
  });

  it('--dry-run only reads', async () => {
    await newRequests();
    await onService(['--write', '--yes', '--dry-run']);
    expect((await newRequests()).filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('a target that responds wrongly', () => {
  const json = { 'content-type': 'application/json' };
  const RECORD = { id: 1, username: 'ada' };
  const ok = (data: unknown): string =>
    JSON.stringify({ status: 'ok', response: { count: 7, next: null, data } });
  const isBaseline = ({ path, query, headers }: WireRequest): boolean =>
    path === '/v1/account' && query === '' && headers['authorization'] !== undefined;
  /** Targets that answer the first request correctly, and then break all others in different ways. */
  const TARGETS: readonly (readonly [string, (request: WireRequest) => WireResponse])[] = [
    ['accepts everything', () => ({ status: 200, headers: json, body: ok([RECORD, RECORD]) })],
    [
      'finds everything, as text',
      () => ({ status: 200, headers: { 'content-length': '9' }, body: '<p>OK</p>' }),
    ],
    ['fails', () => ({ status: 500, headers: {}, body: '' })],
    ['refuses everything alike', () => ({ status: 401, headers: {}, body: 'no' })],
    [
      'has null for details',
      ({ method }) => ({
        status: 404,
        headers: json,
        body:
          method === 'HEAD'
            ? ''
            : '{"status":"error","response":{"code":404,"message":"Not found","additional_information":null}}',
      }),
    ],
  ];

  it('makes each check fail at least once', async () => {
    const failed = new Set<string>();
    for (const [, answer] of TARGETS) {
      let first = true;
      const transport: Transport = async (request) => {
        if (first && isBaseline(request)) {
          first = false;
          return { status: 200, headers: json, body: ok([RECORD]) };
        }
        return answer(request);
      };
      const run = await onService(['--write', '--yes', '-o', 'json'], { transport });
      expect(run.exitCode).toBe(11);
      for (const id of named(rowsOf(run), 'failed')) failed.add(id);
    }
    const always = checks.filter(({ id, sandboxOnly }) => !sandboxOnly && !failed.has(id));
    expect(always.map(({ id }) => id)).toEqual([]);
  });

  // Faults that a proxy in front of a correct sandbox causes in requests and responses.
  it.each<
    readonly [string, (request: WireRequest) => WireRequest, (answer: WireResponse) => WireResponse, string]
  >([
    [
      'drops the Allow header',
      (request) => request,
      ({ headers: { allow: _, ...headers }, ...answer }) => ({ ...answer, headers }),
      'unsupported-method',
    ],
    [
      'decodes paths',
      (request) => ({ ...request, path: decodeURIComponent(request.path) }),
      (answer) => answer,
      'path-encoded',
    ],
    [
      'cuts the slash at the end of a path, and does not sign again',
      (request) => ({ ...request, path: request.path.replace(/\/$/, '') }),
      (answer) => answer,
      'path-slash',
    ],
    [
      'answers HEAD with the length that a GET would have',
      (request) => request,
      ({ headers, ...answer }) => ({
        ...answer,
        headers: { ...headers, 'content-length': '120', connection: 'keep-alive' },
      }),
      'head-framing',
    ],
  ])('finds a proxy that %s', async (_, before, after, check) => {
    const transport: Transport = async (request, signal) =>
      after(await opened.transport(before(request), signal));
    const run = await onService(['-o', 'json'], { transport });
    expect(named(rowsOf(run), 'failed')).toContain(check);
    expect(run.exitCode).toBe(11);
  });
});

describe('a run without a result', () => {
  it('exits with 3 if the service refuses a correct signature', async () => {
    const run = await onService([], { env: { SVC_API_KEY: 'f'.repeat(32) } });
    expect([run.exitCode, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toContain('the server responds to a correctly signed GET /v1/account with 401');
  });

  it('exits 7 if the connection is refused', async () => {
    const { createTransport: open } = await import(
      '../../../../src/client/requests/transport/undici-transport.ts'
    );
    const none = await open({ origin: 'http://127.0.0.1:9' });
    const run = await onService([], { transport: none.transport });
    await none.close();
    expect([run.exitCode, run.stdout]).toEqual([7, '']);
    expect(run.stderr).toContain('cannot check 127.0.0.1:');
  });

  it.each([
    ['http://service.example.com', 'must start with https://'],
    ['https://x/v1', 'must end before /v1'],
  ])('exits with 2 for --against %s', async (url, says) => {
    const run = await runCli(['sandbox', 'conformance', '--against', url]);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(says)]);
  });

  it("does not send a profile's key to another origin", async () => {
    const run = await onOwnSandbox('sandbox', ['--against', 'https://elsewhere.example.com']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('belongs to');
  });
});

it('deletes the records it created after Ctrl-C: exit 130', async () => {
  const end = new AbortController();
  let posts = 0;
  const transport: Transport = async (request, signal) => {
    posts += request.method === 'POST' ? 1 : 0;
    if (posts === 2) end.abort();
    return opened.transport(request, signal);
  };
  const run = await onService(['--write', '--yes'], { transport, signal: end.signal });
  expect(run.exitCode).toBe(130);
  expect(posts).toBe(2);
  expect((await sandbox.api('GET', '/v1/folder')).status).toBe(404);
});
