/**
 * Contract, "Rehearse": `sandbox clone` and `rehearse` of a service on a socket. The service's own record shows that
 * they "only read": "only GET and HEAD". `--open` "keeps the sandbox and shows its pages" until Ctrl-C.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openProfileStore } from '../../src/client/profiles/store.ts';
import { builtSvc } from '../support/built-package.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let script: string;
let home: string;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: SocketSandbox;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('rehearse');
  await mkdir(join(home, 'tmp'));
  await cp('examples/campaign', join(home, 'campaign'), { recursive: true });
  folder = await temporaryFolder();
  service = await runSandbox(folder.path, { seed: 'demo' });
  const { baseUrl, company } = service.ready;
  await openProfileStore({ configDir: join(home, 'config'), platform: process.platform }).save({
    ...{ name: 'shop', kind: 'company', baseUrl },
    ...{ companyId: company.id, userId: company.adminUserId, apiKey: company.apiKey },
  });
});
afterEach(async () => {
  await service.stop();
  await folder.remove();
  await removeFolder(home);
});

const outside = () => ({
  cwd: home,
  extendEnv: false,
  env: {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    SVC_CONFIG_DIR: join(home, 'config'),
    BROWSER: join(home, 'browser'),
  },
});
const svc = (...argv: readonly string[]) => execa(process.execPath, [script, ...argv], outside());

/** Returns the requests to /v1 that the service has recorded, oldest first. The service writes its record a moment later. */
async function recorded(): Promise<readonly { readonly method: string; readonly path: string }[]> {
  await sleep(1500);
  const { json } = await service.control('requests', { limit: 1000 });
  return json.data;
}

describe("the service's log of requests has only reads after svc rehearse", () => {
  it.each([
    ['sandbox clone', ['sandbox', 'clone', '--from', 'shop', '--data', 'copy']],
    ['rehearse of a file', ['rehearse', 'campaign/spring.yaml']],
    ['rehearse of scheduled tasks', ['rehearse']],
  ])('%s', async (_, argv) => {
    expect(await recorded()).toEqual([]);
    await svc(...argv);
    const requests = await recorded();
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter(({ method }) => !['GET', 'HEAD'].includes(method))).toEqual([]);
    expect(requests.map(({ path }) => path.split('?')[0])).toEqual(
      expect.arrayContaining(['/v1/task', '/v1/emailMessage']),
    );
  });

  it('has a write of another command, which proves that it would show a write', async () => {
    await svc('folder', 'create', '--name', 'Seen', '--yes');
    expect((await recorded()).map(({ method }) => method)).toContain('POST');
  });
});

describe('rehearse --open', () => {
  it('starts, shows the rehearsed account, and after Ctrl-C leaves nothing behind', async () => {
    await writeFile(join(home, 'browser'), '#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n', { mode: 0o755 });
    const before = (await readdir(home)).sort();
    const run = execa(process.execPath, [script, 'rehearse', 'campaign/spring.yaml', '--open'], {
      ...outside(),
      reject: false,
    });
    const address = new URL(await opened());
    expect(await readdir(join(home, 'tmp'))).toEqual([expect.stringMatching(/^svc-rehearse-/)]);
    const page = await shown(address);
    expect(page).toContain('Spring sale to the newsletter');

    run.kill('SIGINT');
    const { exitCode, stdout, stderr } = await run;
    expect([0, 130]).toContain(exitCode);
    expect(stdout).toContain('Rehearsal of Harbour Coffee Roasters (company 1)');
    expect(stderr).toContain('Press Ctrl-C to delete the copy.');
    expect(`${stdout}${stderr}`).not.toContain(address.href);
    await expect(fetch(address.origin)).rejects.toThrow();
    expect(await readdir(join(home, 'tmp'))).toEqual([]);
    expect((await readdir(home)).filter((name) => !before.includes(name))).toEqual(['opened']);
  });

  it('leaves nothing behind if no browser can be opened', async () => {
    const run = await execa(process.execPath, [script, 'rehearse', '--open'], {
      ...outside(),
      reject: false,
    });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('cannot open the browser');
    expect(await readdir(join(home, 'tmp'))).toEqual([]);
  });

  /** Returns the address that the browser was given. */
  async function opened(): Promise<string> {
    for (let tries = 0; tries < 600; tries += 1) {
      const text = await readFile(join(home, 'opened'), 'utf8').catch(() => '');
      if (text !== '') return text;
      await sleep(100);
    }
    throw new Error('no browser was opened');
  }

  /** Returns the page behind the link, which first sets a cookie. */
  async function shown(address: URL): Promise<string> {
    let at = address;
    const cookies: string[] = [];
    for (let hops = 0; hops < 5; hops += 1) {
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie: cookies.join('; ') } });
      cookies.push(...answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''));
      const next = answer.headers.get('location');
      if (next === null) return answer.text();
      at = new URL(next, at);
    }
    throw new Error('too many redirects');
  }
});
