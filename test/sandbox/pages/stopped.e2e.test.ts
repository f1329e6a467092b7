/** A page of a sandbox that stops says so, with the command that starts it, and continues when the sandbox runs again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, changeLook, flawsIn, hasBrowser, launch, visit } from '../../support/pages.ts';
import {
  restartSandbox,
  runSandbox,
  type SocketSandbox,
  temporaryFolder,
} from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let browser: Browser;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

/** Milliseconds in which the page must notice (docs/contract.md, "The sandbox, for people and teams"). */
const NOTICED_MS = 2_000;

// A message page does not reload after changes, and a clock page does.
describe.runIf(hasBrowser).each(['clock', 'outbox/t2-480'])('an open page: %s', (path) => {
  it('says that the sandbox has stopped within two seconds, and comes back by itself', async () => {
    const seen = await visit(browser, sandbox, path);
    const { page } = seen;
    const banner = page.locator('.stopped');
    const streams = page.waitForResponse((response) => response.url().includes('/events'));
    await page.reload();
    await streams;
    expect(await banner.isVisible()).toBe(false);
    const address = page.url();

    const stopping = sandbox.stop();
    await banner.waitFor({ state: 'visible', timeout: NOTICED_MS });
    await stopping;
    expect(await banner.innerText()).toMatch(/The sandbox does not answer[\s\S]*svc sandbox start/);
    expect(await flawsIn(seen, `stopped-${path.replace(/\W/g, '-')}`)).toEqual([]);
    await changeLook(page, { width: 1280, colorScheme: 'light' });
    // Neither a link nor a form leads to the browser's own error.
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.locator('main button[type=submit]').first().click();
    expect(page.url()).toBe(address);

    sandbox = await restartSandbox(folder.path, sandbox, { clock: 'manual' });
    await banner.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.waitForURL(/requests/);
    expect(await page.locator('h1').innerText()).toBe('Requests');
    await seen.close();
  });
});

it.runIf(hasBrowser)('shows what changed meanwhile', async () => {
  const seen = await visit(browser, sandbox, 'clock');
  const { page } = seen;
  const before = await page.locator('h1').innerText();
  await sandbox.stop();
  await page.locator('.stopped').waitFor({ state: 'visible' });
  sandbox = await restartSandbox(folder.path, sandbox, { clock: 'manual' });
  await sandbox.control('clock advance', { seconds: 7200 });
  await expect.poll(() => page.locator('h1').innerText(), { timeout: 60_000 }).not.toBe(before);
  await seen.close();
});
