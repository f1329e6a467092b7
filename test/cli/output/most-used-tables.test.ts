/** The most used tables as a person sees them on a terminal: the sandbox's demo company, under a stopped clock. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProfileStore } from '../../../src/client/profiles/store.ts';
import { displayWidth } from '../../../src/kit/text/display-width.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { inOrder } from '../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { KEYS, NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const COMMANDS = [
  'folder list',
  'usage',
  'task list',
  'task get 2',
  'email list',
  'sms-message list',
  'dnc list',
  'automation list',
  'automation list --kind click',
  'automation get subscription:1',
  'user list',
  'sms list',
  'link list --message 1',
  'account get',
  'sandbox outbox list --limit 4',
  'profile list',
];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let configDir: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo', machineNow: () => NOW * 1000 });
  const send = (...argv: readonly string[]) =>
    inOrder(['sms', 'send', '--from', 'HarbourCafe', '--yes', ...argv], outside(80));
  await send('--to', '447700900321', '--message', 'Your order is ready', '--now');
  await send('--to', '447700900322', '--message', 'We open at ten tomorrow: see you there', '--at', '+2h');
  configDir = await makeTemporaryFolder('tables');
  const store = openProfileStore({ configDir, platform: process.platform });
  const ids = { companyId: 100, userId: 1, apiKey: KEYS.company };
  await store.save({ name: 'prod', kind: 'company', baseUrl: 'https://api.example.com', ...ids });
  const partner = { partnerId: 7, keyCommand: 'pass show svc/partner' };
  await store.save({ name: 'reseller', kind: 'partner', baseUrl: 'https://api.example.com', ...partner });
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
  await rm(configDir, { recursive: true });
});

function outside(columns: number) {
  const transport: Transport = (request) => sandbox.service.handle(request);
  const { company } = sandbox.ready;
  const env = {
    ...{ SVC_COMPANY_ID: String(company.id), SVC_USER_ID: String(company.adminUserId) },
    ...{ SVC_API_KEY: company.apiKey, NO_COLOR: '1' },
    ...(configDir === undefined ? {} : { SVC_CONFIG_DIR: configDir }),
  };
  return { transport, columns, env, now: NOW };
}

// Contract, "Output": tables. `npx vitest run -u` writes the pictures again; look at them before you commit them.
it.each([40, 80, 200])('at %i columns', async (columns) => {
  const pictures: string[] = [];
  // Details show every attribute, so a very narrow terminal itself wraps their values.
  const commands = columns < 80 ? COMMANDS.filter((each) => !each.includes(' get')) : COMMANDS;
  for (const command of commands) {
    const argv = [...command.split(' '), ...(command.startsWith('sandbox') ? ['--data', folder.path] : [])];
    const { run, order } = await inOrder(argv, outside(columns));
    expect(run.exitCode).toBe(0);
    const lines = order.join('').split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    pictures.push(`$ svc ${command}\n${order.join('')}`);
  }
  await expect(pictures.join('\n')).toMatchFileSnapshot(`../../golden/tables-${columns}.txt`);
});
