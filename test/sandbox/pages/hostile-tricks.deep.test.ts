/** The tricks that hostile.test.ts is about are real ones: where nothing holds a message back, they do harm. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tricks } from '../../support/hostile-html.ts';
import { type Browser, hasBrowser, launch } from '../../support/pages.ts';

let browser: Browser;
let evil: Server;
let address = '';
const came: string[] = [];
beforeAll(async () => {
  evil = createServer(({ url = '', method }, answer) => {
    const bare = /^\/bare\/([0-9]+)$/.exec(url)?.[1];
    if (bare !== undefined) {
      answer.setHeader('content-type', 'text/html; charset=utf-8');
      answer.end(`<!doctype html>${Object.values(tricks(address))[Number(bare)] ?? ''}`);
      return;
    }
    came.push(`${method} ${url}`);
    answer.setHeader('access-control-allow-origin', '*');
    answer.end('window.ran = 1; top.ran = 1');
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  const at = evil.address();
  address = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`;
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => evil.close(resolve));
});

describe.runIf(hasBrowser)('a hostile message', () => {
  it('would do harm where nothing holds it back: the tricks are real ones', async () => {
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
      await page.waitForTimeout(20);
      const ran = await page.evaluate('typeof window.ran').catch(() => 'gone');
      if (came.length > before || ran !== 'undefined' || !page.url().includes('/bare/')) harmful.push(at);
    }
    await page.close();
    came.length = 0;
    expect(harmful.length).toBeGreaterThan(40);
  });
});
