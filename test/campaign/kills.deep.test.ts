/**
 * Contract, "Campaigns as files": `svc apply` "when cut off goes on where it was when run again: nothing is made twice". The real
 * process, killed by strace at each system call of its main thread that writes to a socket or a file, against a sandbox with a socket.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/envelope.ts';
import { builtSvc } from '../support/built-package.ts';
import { depth } from '../support/depth.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

if (!hasStrace)
  process.stdout.write('kills.deep.test.ts is skipped: strace, which kills the process, is not here\n');

const CALLS = 'write,writev,pwrite64,sendto,sendmsg';
/** So many at least: a POST and a PUT for each of the three, and the looks. Fewer would mean that they are not seen. */
const LEAST = 30;
/** At how many of ten calls in a row it is killed. */
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
  await rm(home, { recursive: true, force: true });
  await rm(dirname(svc), { recursive: true, force: true });
});

describe.skipIf(!hasStrace)('svc apply, killed at each system call that sends something', () => {
  it('and run again: everything is there once, and as the file says', { timeout: 3_600_000 }, async () => {
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      if ((nth * OF_TEN) % 10 >= OF_TEN) continue;
      const campaign = `Kill ${nth}`;
      const list: number = (await sandbox.control('list create', { name: campaign })).json.data.id;
      const file = await campaignFile(nth, campaign, list);
      const once = { messages: ['Hello'], tasks: [[false, list]], rules: [false] };
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
  });
});

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

/** Of a campaign with a list of its own for each kill, so that one sandbox serves for all and none does what another does. */
async function campaignFile(nth: number, campaign: string, list: number): Promise<string> {
  const path = join(home, `${nth}.yaml`);
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

/** What there is under the name of the campaign: of each record what tells whether it acts. */
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
