/** Proves that the tricks in hostile.e2e.test.ts are real: without protection, they do harm. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Elsewhere, startElsewhere, tricks } from '../../support/hostile-html.ts';
import { type Browser, hasBrowser, launch } from '../../support/pages.ts';

let browser: Browser;
let evil: Elsewhere;
let address = '';
let came: string[] = [];
beforeAll(async () => {
  evil = await startElsewhere((at) => Object.values(tricks(at)));
  ({ address, came } = evil);
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await evil.close();
});

describe.runIf(hasBrowser)('a hostile message', () => {
  it('would do harm without protection, so its tricks are real', async () => {
    const page = await browser.newPage();
    page.on('dialog', (dialog) => {
      dialog.dismiss().catch(() => undefined);
    });
    const harmful: number[] = [];
    for (const at of Object.keys(tricks(address)).keys()) {
      const before = came.length;
      await page.goto(`${address}/bare/${at}`, { waitUntil: 'load', timeout: 5000 }).catch(() => undefined);
      const bait = page.locator('#bait').first();
      if ((await bait.count().catch(() => 0)) > 0)
        await bait.click({ force: true, timeout: 500, noWaitAfter: true }).catch(() => undefined);
      await page.waitForTimeout(100);
      const ran = await page.evaluate('typeof window.ran').catch(() => 'gone');
      if (came.length > before || ran !== 'undefined' || !page.url().includes('/bare/')) harmful.push(at);
    }
    await page.close();
    came.length = 0;
    expect(harmful.length).toBeGreaterThan(40);
  });
});
