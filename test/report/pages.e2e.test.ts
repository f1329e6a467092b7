/** Contract, "Rehearse", `--html`: the pages of `rehearse --html`, `plan --html`, `task report --html` and `usage --html` in Chromium. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoService } from '../support/demo-service.ts';
import {
  type Browser,
  changeLook,
  findingsOf,
  hasBrowser,
  LOOKS,
  launch,
  overflowOf,
  visitFile,
} from '../support/pages.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox, NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await makeTemporaryFolder('pages');
  await cp('examples/campaign', folder, { recursive: true });
  const demo = await openDemoService();
  const svc = async (line: string, env = demo.admin) => {
    const run = await runCli(line.split(' '), { cwd: folder, transport: demo.transport, env });
    if (![0, 11].includes(run.exitCode)) throw new Error(run.stderr);
  };
  await svc('rehearse spring.yaml --html good.html');
  await svc('plan spring.yaml --out spring.plan --html plan.html');
  const change = async (file: string, from: string, to: string) => {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(folder, file), text.replace(from, to));
  };
  await change('spring.yaml', 'name: Spring sale to the newsletter', `name: Spring ${'sale'.repeat(40)}`);
  await change('spring.yaml', 'monday 09:00', 'monday 22:30');
  await change(
    'content/spring.html',
    '</body>',
    '<a href="/sale">Sale</a><img src="https://example.com/x.png" alt="A cup"><style>p{background:url(https://example.com/y.png)}</style></body>',
  );
  await svc('rehearse spring.yaml --html bad.html');
  await cp('examples/campaign', join(folder, 'before'), { recursive: true });
  await svc('apply before/spring.yaml --yes');
  await svc('plan spring.yaml --html plan-bad.html --tz Asia/Kolkata');
  expect(await readFile(join(folder, 'plan-bad.html'), 'utf8')).toContain('<ins>');
  await svc('usage --month 2026-11 --companies 1,2 --html usage.html', demo.partner);
  const sandbox = await createTestSandbox();
  const { transport } = serviceOf(sandbox);
  const task = {
    account_id: 1,
    user_id: 1,
    list_id: 1,
    message_id: 1,
    channel: 'email',
    cdate: NOW - 86_400,
  };
  const times = { completed: 1, scheduledtime: NOW - 3600, endtime: NOW - 3540 };
  const counts = {
    size: 1_234_567,
    emailuniqueopens: 300_000,
    emailuniqueclicks: 25_000,
    emailuniquebounces: 8,
  };
  await sandbox.put('task', { ...task, ...times, ...counts, name: `Donaudampfschifffahrt${'x'.repeat(60)}` });
  await sandbox.put('task', { ...task, ...times, ...counts, name: 'Summer', emailuniqueopens: 1_130_000 });
  for (const line of ['task report 1 --html report.html', 'task report 1 --compare 2 --html compare.html'])
    await runCli(line.split(' '), { transport, cwd: folder });
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await removeFolder(folder);
});

describe.skipIf(!hasBrowser)('in a browser', () => {
  it.each(['good', 'bad', 'plan', 'plan-bad', 'usage', 'report', 'compare'])(
    '%s.html: axe-core finds nothing, nothing is wider than the window, and no other file is loaded',
    async (name) => {
      const path = join(folder, `${name}.html`);
      const { page, context, complaints, close } = await visitFile(browser, path);
      const loaded: string[] = [];
      // The route sees what leaves the page, and no request that a policy blocks. Events of a page that is left say "aborted" for both.
      await context.route('**', (route) => {
        loaded.push(route.request().url());
        return route.continue();
      });
      await page.reload();
      for (const look of LOOKS) {
        await changeLook(page, look);
        const at = `file-${name}-${look.width}-${look.colorScheme}`;
        const { violations, overflow } = await findingsOf(page, at);
        const cut = await page.evaluate(
          `[...document.querySelectorAll('h1,h2,h3,th,td,dd,li,p')].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)`,
        );
        expect([at, violations, overflow, cut]).toEqual([at, [], 0, []]);
      }
      for (const width of [600, 700, 768, 900, 1000]) {
        await page.setViewportSize({ width, height: 900 });
        expect([name, width, await overflowOf(page)]).toEqual([name, width, 0]);
      }
      expect(loaded.filter((url) => /^(https?|file):/.test(url))).toEqual([pathToFileURL(path).href]);
      expect(complaints.filter((text) => !text.includes('Content Security Policy'))).toEqual([]);
      await close();
    },
  );

  it('shows the messages as they look, and opens what is folded in print', async () => {
    const { page, close } = await visitFile(browser, join(folder, 'bad.html'));
    const frame = page.frameLocator('iframe').first();
    expect(await frame.locator('body').innerText()).toContain('Sale');
    expect(await frame.locator('img[src], a:not([href="#"])').count()).toBe(0);
    const limit = page.locator('details li').first();
    expect(await limit.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await limit.isVisible()).toBe(true);
    await close();
  });
});
