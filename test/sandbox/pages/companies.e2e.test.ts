/** Contract, "The sandbox, for people and teams": the pages of several companies, each by itself. */
import { afterEach, expect, it } from 'vitest';
import { hasBrowser, launch, look, nextPage, visit } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(seed: 'demo'): Promise<SocketSandbox> {
  const folder = await temporaryFolder();
  ends.push(folder.remove);
  const sandbox = await runSandbox(folder.path, { clock: 'manual', seed });
  ends.push(async () => {
    expect(sandbox.reports).toEqual([]);
    await sandbox.stop();
  });
  return sandbox;
}

it.runIf(hasBrowser)('the choice is accessible', async () => {
  const sandbox = await start('demo');
  const browser = await launch();
  ends.push(() => browser.close());
  const seen = await visit(browser, sandbox, 'outbox');
  await nextPage(seen.page, () => seen.page.locator('.company').click());
  expect(await seen.page.title()).toBe('Companies');
  const { serious, overflow } = await look(seen, 'companies');
  expect({ serious, overflow }).toEqual({ serious: [], overflow: 0 });
});
