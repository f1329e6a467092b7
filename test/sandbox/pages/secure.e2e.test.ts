/** Contract, "The sandbox, for people and teams": over HTTPS the pages are the same, and their cookie never leaves HTTPS. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorityIn } from '../../support/certificates.ts';
import { type Browser, hasBrowser, launch, nextPage } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox } from '../../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';

let folder: string;
let sandbox: SocketSandbox;
let browser: Browser;
beforeAll(async () => {
  folder = await makeTemporaryFolder('secure-pages');
  const certificate = authorityIn(folder).issue('sandbox', 'DNS:localhost,IP:127.0.0.1');
  sandbox = await runSandbox(join(folder, 'data'), { certificate, clock: 'manual', seed: 'demo' });
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await removeFolder(folder);
});

describe.runIf(hasBrowser)('over HTTPS', () => {
  it('the session is only for this host and HTTPS, and its forms work', async () => {
    // The browser does not trust the authority of a test.
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const link = sandbox.openPage('outbox/t2-480');
    expect(link).toMatch(/^https:\/\/127\.0\.0\.1:/);
    await page.goto(link);
    expect(await page.locator('h1').innerText()).toBe('Three new coffees, and a rainy-day recipe');
    expect(await context.cookies()).toEqual([
      expect.objectContaining({
        name: `__Host-svc-pages-${sandbox.port}`,
        path: '/',
        ...{ secure: true, httpOnly: true, sameSite: 'Strict' },
      }),
    ]);
    expect(await page.evaluate('document.cookie')).toBe('');
    await nextPage(page, () => page.getByRole('button', { name: 'Open', exact: true }).click());
    expect(page.url()).toContain('done=');
    expect(await page.locator('.said').innerText()).toContain('opened the message');
    await context.close();
  });
});
