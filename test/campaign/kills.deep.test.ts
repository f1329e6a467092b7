/**
 * Contract, "Campaigns as files": after `svc apply`, "After an interruption the next run continues at the same place: nothing is created
 * or sent twice". strace kills the real process at each system call of its main thread that writes to a socket or a file. The sandbox
 * listens on a socket. Another test kills the process while it reads each response (acceptance, I9).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import { builtSvc } from '../support/built-package.ts';
import { depth, tried } from '../support/depth.ts';
import { bodyOf, forward } from '../support/relay.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';
import { listening } from '../support/stub-service.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

if (!hasStrace)
  process.stdout.write('kills.deep.test.ts is skipped: strace, which kills the process, is not here\n');

const CALLS = 'write,writev,pwrite64,sendto,sendmsg';
/** The minimum number of calls: a POST and a PUT for each of the three records, and the reads. With fewer, the test would miss some. */
const LEAST = 30;
/** The calls, out of each ten, at which the process is killed. */
const OF_TEN = depth('SVC_KILLS_OF_TEN', { few: 2, full: 10 });

let svc: string;
let home: string;
let sandbox: SocketSandbox;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('campaign-kills');
  sandbox = await runSandbox(join(home, 'data'));
  await mkdir(join(home, 'content'));
  await writeFile(join(home, 'content', 'spring.html'), '<p><a href="https://example.com/a">there</a></p>\n');
  await writeFile(join(home, 'content', 'spring.txt'), 'Hello\n');
});
afterAll(async () => {
  await sandbox.stop();
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

describe.skipIf(!hasStrace)('svc apply, killed at each system call that sends something', () => {
  it('leaves every record once and as in the file when it runs again', { timeout: 3_600_000 }, async () => {
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      if ((nth * OF_TEN) % 10 >= OF_TEN) continue;
      const { campaign, file, once } = await newCampaign(`Kill ${nth}`);
      const { exitCode, signal } = await runWithInjection(
        CALLS,
        `signal=KILL:when=${nth}`,
        apply(file),
        env(),
      );
      const isKilled = signal === 'SIGKILL' || exitCode === 137;
      expect([nth, isKilled || exitCode === 0]).toEqual([nth, true]);
      if (isKilled) {
        kills += 1;
        const again = await execa(process.execPath, apply(file), { env: env(), reject: false });
        expect([nth, again.exitCode, again.stderr]).toMatchObject([nth, 0, expect.any(String)]);
      }
      expect([nth, await found(campaign)]).toEqual([nth, once]);
      const last = await execa(process.execPath, apply(file), { env: env(), reject: false });
      expect([nth, last.exitCode, last.stderr]).toEqual([nth, 0, expect.stringContaining('No changes.')]);
      if (!isKilled) break;
    }
    process.stdout.write(`${kills} kills\n`);
    expect(kills).toBeGreaterThan((LEAST * OF_TEN) / 10);
    tried('I9', kills);
  });
});

describe('svc apply, killed while it reads a response', () => {
  // Half of a response has arrived when the process dies. The next request reaches the whole service again.
  it('I9: leaves every record once and as in the file when it runs again', {
    timeout: 3_600_000,
  }, async () => {
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      if ((nth * OF_TEN) % 10 >= OF_TEN) continue;
      const { campaign, file, once } = await newCampaign(`Half ${nth}`);
      const controller = new AbortController();
      let requests = 0;
      const relay = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
        const { status, headers, body } = await forward(
          sandbox.ready.baseUrl,
          incoming,
          await bodyOf(incoming),
        );
        requests += 1;
        outgoing.writeHead(status, headers);
        if (requests !== nth) {
          outgoing.end(body);
          return;
        }
        outgoing.write(body.subarray(0, body.length / 2), () => setTimeout(() => controller.abort(), 20));
      };
      const server = createServer((incoming, outgoing) => {
        relay(incoming, outgoing).catch(() => outgoing.destroy());
      });
      const port = await listening(server);
      const run = await execa(process.execPath, apply(file), {
        ...{ env: { ...env(), SVC_BASE_URL: `http://127.0.0.1:${port}` }, reject: false },
        ...{ cancelSignal: controller.signal, killSignal: 'SIGKILL' },
      });
      server.closeAllConnections();
      server.close();
      const isKilled = run.signal === 'SIGKILL';
      expect([nth, isKilled || run.exitCode === 0, run.stderr]).toEqual([nth, true, expect.any(String)]);
      if (isKilled) {
        kills += 1;
        const again = await execa(process.execPath, apply(file), { env: env(), reject: false });
        expect([nth, again.exitCode, again.stderr]).toMatchObject([nth, 0, expect.any(String)]);
      }
      expect([nth, await found(campaign)]).toEqual([nth, once]);
      if (!isKilled) break;
    }
    process.stdout.write(`${kills} kills while a response was read\n`);
    // At least a POST and a PUT for each of the three records, and the reads before them.
    expect(kills).toBeGreaterThanOrEqual(OF_TEN);
    tried('I9', kills);
  });
});

async function newCampaign(name: string) {
  const list: number = (await sandbox.control('list create', { name })).json.data.id;
  const file = await campaignFile(name, list);
  return { campaign: name, file, once: { messages: ['Hello'], tasks: [[false, list]], rules: [false] } };
}

const apply = (file: string): string[] => [svc, 'apply', file, '--yes'];

const env = (): Record<string, string> => {
  const { baseUrl, company } = sandbox.ready;
  return {
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_BASE_URL: baseUrl,
    SVC_COMPANY_ID: String(company.id),
    SVC_USER_ID: String(company.adminUserId),
    SVC_API_KEY: company.apiKey,
  };
};

/**
 * Writes a campaign with a separate list for each kill, so that one sandbox serves all of them without interference.
 */
async function campaignFile(campaign: string, list: number): Promise<string> {
  const path = join(home, `${campaign}.yaml`);
  await writeFile(
    path,
    `version: 1
campaign: ${campaign}
messages:
  spring: {channel: email, name: ${campaign}, from-name: Company, reply-to: office@example.com, subject: Hello, html: content/spring.html, text: content/spring.txt}
tasks:
  spring: {name: ${campaign}, message: spring, list: ${list}, at: +2d}
automations:
  welcome: {kind: subscription, name: ${campaign}, list: ${list}, actiontype: email_autoresponder, actiontarget: spring}
`,
  );
  return path;
}

/** Returns the records with the name of the campaign, each with its active state. */
async function found(campaign: string) {
  const rowsOf = async (resource: string): Promise<readonly JsonObject[]> => {
    const rows: JsonObject[] = [];
    for (let next: unknown = 1; next !== null && next !== undefined; ) {
      const { status, json } = await sandbox.api('GET', `/v1/${resource}?start=${String(next)}`);
      if (status === 404) break;
      rows.push(...json.response.data);
      next = json.response.next;
    }
    return rows.filter(({ name }) => String(name).startsWith(`${campaign} [svc-`));
  };
  return {
    messages: (await rowsOf('emailMessage')).map(({ subject }) => subject),
    tasks: (await rowsOf('task')).map(({ cancelled, list_id }) => [cancelled, list_id]),
    rules: (await rowsOf('subscriptionAutomation')).map(({ paused }) => paused),
  };
}
