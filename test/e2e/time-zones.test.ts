/** Contract, "Flags for attributes": never the machine's zone. The output for scripts must not depend on the machine. */
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const ZONES = ['UTC', 'America/St_Johns', 'Pacific/Kiritimati'];
const COMMANDS = [
  'task list',
  'task get 1',
  'task watch 1',
  'task watch 1 -o csv',
  'log list',
  'log list -o ndjson',
  'log list -o yaml',
  'log tail',
  'log show 1',
  'sandbox outbox list --limit 3',
  'sandbox clock show',
];

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('zones');
  await run('UTC', 'sandbox start --port 0 --clock manual --detach --data data');
  await run('UTC', 'folder create --name Zones');
});
afterAll(async () => {
  await run('UTC', 'sandbox stop');
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

async function run(zone: string, line: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_PROFILE: 'sandbox',
    TZ: zone,
  };
  const { stdout } = await execa(process.execPath, [svc, ...line.split(' ')], {
    env,
    extendEnv: false,
    cwd: home,
  });
  return stdout;
}

it.each(COMMANDS)('svc %s is the same in every zone', async (line) => {
  const asked = line.includes(' -o ') ? line : `${line} -o json`;
  const [first, ...others] = await Promise.all(ZONES.map((zone) => run(zone, asked)));
  expect(first).toMatch(/[0-9]{10}|T[0-9:.]+Z/);
  expect(others).toEqual([first, first]);
});
