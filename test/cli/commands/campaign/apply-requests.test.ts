/**
 * Contract, "Campaigns as files": `svc apply` "refuses if the observed state has changed. It asks, and does the steps in order." So it reads
 * the service once before the question, to say what it would do, and once after it, before the first write. A run that writes nothing
 * has no second look.
 */
import { cp, rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { RULE_KINDS, ruleResource } from '../../../../src/service/resources/rule-kinds.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

/** What one look lists (README of campaign, "Requests"). In the demo, each list fits in one request. */
const ONE_LOOK = [
  ...['folder', 'emailMessage', 'smsMessage', 'task'],
  ...RULE_KINDS.map((kind) => ruleResource(kind).name),
];

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('looks');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns how often a command reads each whole list of a look, and the number of its writes. */
async function countLooks(...argv: readonly string[]) {
  const looks = new Map(ONE_LOOK.map((name) => [name, 0]));
  let writes = 0;
  const transport: Transport = async (request, signal) => {
    const name = request.path.replace('/v1/', '');
    if (request.method === 'GET' && request.query === 'sort=id&count=200')
      looks.set(name, (looks.get(name) ?? 0) + 1);
    if (['POST', 'PUT', 'DELETE'].includes(request.method)) writes += 1;
    return demo.transport(request, signal);
  };
  const run = await runCli(argv, { cwd: folder, transport, env: demo.admin });
  expect(run.exitCode, run.stderr).toBe(0);
  return { looks: Object.fromEntries(looks), writes };
}

const timesEach = (count: number) => Object.fromEntries(ONE_LOOK.map((name) => [name, count]));

it('looks once before the question and once after it, for a file', async () => {
  const { looks, writes } = await countLooks('apply', 'spring.yaml', '--yes');
  expect(looks).toEqual(timesEach(2));
  expect(writes).toBeGreaterThanOrEqual(7);
});

it('looks once before the question and once after it, for a plan', async () => {
  expect((await countLooks('plan', 'spring.yaml', '--out', 'p.json')).looks).toEqual(timesEach(1));
  const { looks, writes } = await countLooks('apply', 'p.json', '--yes');
  expect(looks).toEqual(timesEach(2));
  expect(writes).toBeGreaterThanOrEqual(7);
});

it.each([['spring.yaml'], ['p.json']])(
  'looks once if %s has nothing left to do, or for --dry-run',
  async (file) => {
    await countLooks('plan', 'spring.yaml', '--out', 'p.json');
    expect(await countLooks('apply', file, '--dry-run')).toEqual({ looks: timesEach(1), writes: 0 });
    await countLooks('apply', file, '--yes');
    expect(await countLooks('apply', file, '--yes')).toEqual({ looks: timesEach(1), writes: 0 });
  },
);
