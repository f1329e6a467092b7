/**
 * The documentation site in a real Chromium, opened from a folder as `file://`. The tests cover light and dark views on a phone and a
 * desktop, search, the color switch, copying, and the page in print.
 */
import { cp, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  changeLook,
  findingsOf,
  hasBrowser,
  LOOKS,
  type Look,
  launch,
  looksAt,
  visitFile,
} from '../support/pages.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let folder: string;
let site: string;
let seconds: number;
let browser: Browser;
beforeAll(async () => {
  folder = await makeTemporaryFolder('documentation');
  site = join(folder, 'site');
  const began = performance.now();
  await execa('node', ['.config/docs.js', 'site', site]);
  seconds = (performance.now() - began) / 1000;
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await removeFolder(folder);
});

/** Twelve pages, with at least one of each kind. */
const PAGES = [
  'index.html',
  'guides/about.html',
  'guides/install.html',
  'guides/sending.html',
  'guides/configuration.html',
  'commands/index.html',
  'commands/task-create.html',
  'resources/task.html',
  'topics/time.html',
  'reference/glossary.html',
  'developers/contract.html',
  '404.html',
] as const;

const open = (path: string, look?: Look) => visitFile(browser, join(site, path), look);

async function sizes(): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(site, { recursive: true });
  const each = await Promise.all(names.map(async (name) => [name, await stat(join(site, name))] as const));
  return new Map(each.filter(([, stats]) => stats.isFile()).map(([name, stats]) => [name, stats.size]));
}

it('is built in one step, and is small', async () => {
  const found = await sizes();
  const total = [...found.values()].reduce((sum, size) => sum + size, 0);
  const first = ['index.html', 'assets/site.css', 'assets/site.js'].reduce(
    (sum, name) => sum + (found.get(name) ?? 0),
    0,
  );
  // The build alone takes 4 seconds on two cores.
  console.log({ seconds, files: found.size, total, first, index: found.get('assets/search-index.js') });
  expect(total).toBeLessThan(10_000_000);
  expect(first).toBeLessThan(60_000);
  expect(found.get('assets/search-index.js')).toBeLessThan(1_500_000);
});

it('never replaces a folder with other contents', async () => {
  const other = join(folder, 'other');
  await cp('examples/campaign', other, { recursive: true });
  const run = await execa('node', ['.config/docs.js', 'site', other], { reject: false });
  expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
  expect(await readdir(other)).toEqual(await readdir('examples/campaign'));
});

describe.skipIf(!hasBrowser)('in a browser', () => {
  it.each(PAGES)('%s: axe-core finds nothing, and no page is wider than the window', async (path) => {
    const { page, complaints, requested, close } = await open(path);
    for (const look of looksAt(path)) {
      await changeLook(page, look);
      const name = `site-${path.replaceAll(/\W+/g, '-')}-${look.width}-${look.colorScheme}`;
      const { violations, overflow } = await findingsOf(page, name);
      expect([name, violations, overflow, complaints]).toEqual([name, [], 0, []]);
    }
    expect(requested.filter((url) => !url.startsWith(pathToFileURL(site).href))).toEqual([]);
    await close();
  });

  it('search finds a command, a guide and a section, says how long it took, and the first result opens with Enter', async () => {
    const { page, complaints, requested, close } = await open('guides/sending.html');
    expect(requested.filter((url) => url.includes('search'))).toEqual([]);
    await page.keyboard.press('/');
    for (const [words, path] of [
      ['task create', 'commands/task-create.html'],
      ['schedule a message', 'commands/task-create.html'],
      ['set a budget', 'guides/sending.html#set-a-budget'],
      ['approvl', 'approv'],
      ['exit codes', 'exit-codes.html'],
      ['--expect-size', 'commands/task-create.html'],
      ['--hold', 'commands/task-create.html'],
      ['schedule a send', 'commands/task-create.html'],
      ['timezone', 'topics/time.html'],
      ['uninstall', 'commands/completion-uninstall.html'],
    ] as const) {
      await page.fill('#search', '');
      await page.fill('#search', words);
      const first = page.locator('#results li a').first();
      await first.waitFor();
      const addresses = await page.evaluate(
        "[...document.querySelectorAll('#results li a')].map(({ href, textContent }) => href + textContent)",
      );
      expect([words, addresses]).toEqual([words, expect.arrayContaining([expect.stringContaining(path)])]);
      expect([words, (addresses as readonly string[])[0]]).not.toEqual([
        words,
        expect.stringContaining('/developers/'),
      ]);
      const milliseconds = Number(await page.locator('#results').getAttribute('data-milliseconds'));
      // A busy machine is slow, so the time is printed. The aim is 50 ms.
      console.log({ words, milliseconds });
      expect(milliseconds).toBeGreaterThanOrEqual(0);
    }
    await page.fill('#search', 'task create');
    await page.locator('#results li a', { hasText: 'svc task create' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    expect(await page.title()).toBe('svc task create · svc');
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(looksAt('search'))('search is readable at $width in $colorScheme', async (look) => {
    const { page, close } = await open('index.html', look);
    await page.fill('#search', 'schedule');
    await page.locator('#results li a').first().waitFor();
    const { violations, overflow } = await findingsOf(page, `site-search-${look.width}-${look.colorScheme}`);
    expect([violations, overflow]).toEqual([[], 0]);
    await page.fill('#search', 'qqqqqqqqqq');
    await page.getByText('No page has “qqqqqqqqqq”.').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('#results').isVisible()).toBe(false);
    await close();
  });

  it('the switch of colors cycles through system, light and dark, whatever the system has', async () => {
    const { page, close } = await open('index.html', { width: 1280, colorScheme: 'dark' });
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const [LIGHT, DARK] = ['rgb(247, 247, 245)', 'rgb(17, 22, 21)'];
    const seen = [await background()];
    for (let count = 0; count < 3; count += 1) {
      await page.click('.scheme');
      seen.push(await background());
    }
    expect(seen).toEqual([DARK, LIGHT, DARK, DARK]);
    expect(await page.locator('.scheme').getAttribute('aria-label')).toBe('Colors: as the system');
    await page.click('.scheme');
    await page.reload();
    expect(await background()).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.click('.scheme');
    expect(await background()).toBe(DARK);
    await close();
  });

  it('a button copies code, and only the commands of a console', async () => {
    const { page, context, close } = await open('guides/about.html');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (text: string): Promise<unknown> => {
      const block = page.locator('.code', { hasText: text }).first();
      await block.hover();
      await block.getByRole('button').click();
      await block.getByText('Copied').waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copied('npm ci && npm test')).toBe('# Run the tests.\nnpm ci && npm test');
    expect(await copied('Rehearsal of Harbour')).toBe('svc rehearse spring.yaml');
    await close();
  });

  it('tabs show one variant, by mouse, keys and address, and all of them in print and without scripts', async () => {
    const { page, close } = await open('guides/install.html');
    const apt = page.getByText('sudo apt install');
    const scoop = page.getByText('scoop install');
    const seen = async () => [await apt.isVisible(), await scoop.isVisible()];
    expect(await seen()).toEqual([true, false]);
    await page.getByRole('tab', { name: 'Windows' }).click();
    expect(await seen()).toEqual([false, true]);
    await page.keyboard.press('ArrowLeft');
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Homebrew');
    await page.locator('.contents').getByText('Windows').click();
    expect(await seen()).toEqual([false, true]);
    await page.emulateMedia({ media: 'print' });
    expect(await seen()).toEqual([true, true]);
    expect(await page.locator('h3', { hasText: 'Windows' }).isVisible()).toBe(true);
    await close();
    const plain = await visitFile(browser, join(site, 'guides/install.html'), LOOKS[0], false);
    expect(await plain.page.getByText('scoop install').isVisible()).toBe(true);
    expect(await plain.page.getByRole('tab').count()).toBe(0);
    await plain.close();
  });

  it.each([1280, 768] as const)('no code is cut at %i pixels', async (width) => {
    const { page, close } = await open('index.html');
    await page.setViewportSize({ width, height: 900 });
    const cut: string[] = [];
    for (const path of (await sizes()).keys()) {
      if (!/^(guides|topics|commands\/task|examples)\b.*html$|^reference/.test(path)) continue;
      if (!path.endsWith('.html')) continue;
      await page.goto(pathToFileURL(join(site, path)).href);
      const wide = await page.evaluate(
        "[...document.querySelectorAll('pre')].filter((each) => each.scrollWidth > each.clientWidth + 1).length",
      );
      if (wide !== 0) cut.push(path);
    }
    expect(cut).toEqual([]);
    await close();
  });

  it('on a phone the menu opens, leads to another page, and closes with Escape', async () => {
    const { page, close } = await open('index.html', { width: 360, colorScheme: 'light' });
    const navigation = page.locator('#navigation');
    expect(await navigation.isVisible()).toBe(false);
    await page.click('.menu');
    expect(await navigation.isVisible()).toBe(true);
    const { violations, overflow } = await findingsOf(page, 'site-menu-360-light');
    expect([violations, overflow]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
    expect(await navigation.isVisible()).toBe(false);
    await page.click('.menu');
    await Promise.all([page.waitForEvent('load'), navigation.getByText('Sending safely').click()]);
    expect(await page.title()).toBe('Sending safely · svc');
    await close();
  });

  it('every page works without scripts, with the menu below the text', async () => {
    const { page, close } = await visitFile(browser, join(site, 'guides/sending.html'), LOOKS[0], false);
    expect(await page.locator('#search').isVisible()).toBe(false);
    await page.click('.menu');
    expect(await page.locator('#navigation').isVisible()).toBe(true);
    expect(page.url()).toMatch(/#navigation$/);
    await close();
  });

  it('a print has only the text, and wraps long lines', async () => {
    const { page, close } = await open('guides/about.html');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['header', '#navigation', '.turn', '.contents'])
      expect(await page.locator(part).isVisible()).toBe(false);
    expect(await page.locator('article').isVisible()).toBe(true);
    const wide = await page.evaluate(
      "[...document.querySelectorAll('pre')].filter((each) => each.scrollWidth > each.clientWidth).length",
    );
    expect(wide).toBe(0);
    await page.pdf({ path: join(folder, 'index.pdf') });
    expect((await readFile(join(folder, 'index.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    await close();
  });
});
