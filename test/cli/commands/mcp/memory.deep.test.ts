/** Contract, "Assistants": "memory flat over 10,000 calls". */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openAssistant } from '../../../support/assistant.ts';
import { openDemoService } from '../../../support/demo-service.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

const CALLS = 10_000;

it(`uses no additional memory over ${CALLS} calls`, { timeout: 0 }, async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collect();
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const folder = await makeTemporaryFolder('memory');
  const { transport, admin } = await openDemoService();
  const assistant = await openAssistant([], { transport, env: admin, cwd: folder });
  const call = async (at: number): Promise<void> => {
    if (at % 3 === 0) await assistant.call('list_records', { noun: 'task' });
    else if (at % 3 === 1) await assistant.call('estimate_sms', { message: `Text ${at}` });
    else await assistant.call('get_record', { noun: 'task', id: 'no such task' });
    (assistant.wire as string[]).length = 0;
  };
  for (let at = 0; at < CALLS / 10; at += 1) await call(at);
  const before = heap();
  for (let at = 0; at < CALLS; at += 1) await call(at);
  const after = heap();
  console.info(
    `heap: ${before.toFixed(1)} MB after ${CALLS / 10} calls, ${after.toFixed(1)} MB after ${CALLS} more`,
  );
  expect(after - before).toBeLessThan(8);
  await assistant.close();
  await removeFolder(folder);
});
