/** The sandbox's pages in a real Chromium. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { CHROMIUM_NAMES, findChromium } from '../../src/cli/outside/browser.ts';
import { depth, SEED } from './depth.ts';
import type { SocketSandbox } from './running-sandbox.ts';

export type { Browser, Page } from 'playwright-core';

const PROGRAM = findChromium({ env: process.env, platform: process.platform });
export const hasBrowser = PROGRAM !== undefined;

export async function launch(): Promise<Browser> {
  if (PROGRAM === undefined) throw new Error(`PATH has none of ${CHROMIUM_NAMES.join(', ')}`);
  // Loading it takes a second, and tests that only read the HTML of pages do not need it.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
}

export interface Look {
  /** The width in CSS pixels. */
  readonly width: 360 | 768 | 1280;
  readonly colorScheme: 'light' | 'dark';
}

/** All views of a page. */
export const LOOKS: readonly Look[] = [
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
];

/** SVC_VIEWS=4, as in the nightly run, checks a page in all views and keeps a picture of each, which takes seconds of a browser. */
const hasAllViews = depth('SVC_VIEWS', { few: 2, full: 4 }) === 4;

/**
 * Returns the views in which a page is checked: two of the four, with each width and each color scheme once. The seed decides which two.
 * With SVC_VIEWS=4, returns all four.
 */
export function looksAt(name: string): readonly Look[] {
  if (hasAllViews) return LOOKS;
  const isDarkNarrow = (name.length + SEED) % 2 === 0;
  return LOOKS.filter(
    ({ width, colorScheme }) => (width === 360) === ((colorScheme === 'dark') === isDarkNarrow),
  );
}

const WIDE: Look = { width: 1280, colorScheme: 'light' };

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The messages of the page in the console, and its exceptions. */
  readonly complaints: string[];
  /** Requested addresses on any other host. */
  readonly outside: string[];
  readonly close: () => Promise<void>;
}

/** Opens a page of the sandbox by a separate link, as `svc sandbox open` does. */
export async function visit(
  browser: Browser,
  sandbox: Pick<SocketSandbox, 'control' | 'ready'>,
  path: string,
  { look = WIDE, javaScript = true }: { readonly look?: Look; readonly javaScript?: boolean } = {},
): Promise<Visit> {
  const { page, context, complaints } = await openWindow(browser, look, javaScript);
  const outside: string[] = [];
  // A request that a policy blocks is reported as failed, although it never left the browser.
  const note = (request: Request): void => {
    const url = request.url();
    const isStopped = /csp|BLOCKED_BY_(?:CSP|RESPONSE)/.test(request.failure()?.errorText ?? '');
    const isElsewhere = !url.startsWith(sandbox.ready.baseUrl) && /^(https?|wss?|ftp|file):/.test(url);
    if (isElsewhere && !isStopped) outside.push(url);
  };
  context.on('requestfinished', note);
  context.on('requestfailed', note);
  await page.goto(await linkTo(sandbox, path));
  return { page, context, complaints, outside, close: () => context.close() };
}

/** A page of a folder, opened as `file://`, with all addresses that it requested. */
export interface FileVisit extends Pick<Visit, 'page' | 'context' | 'complaints' | 'close'> {
  /** Addresses of all requests. */
  readonly requested: string[];
}

/**
 * Opens a file in the browser.
 * @param path the absolute path of the file
 */
export async function visitFile(
  browser: Browser,
  path: string,
  look: Look = WIDE,
  javaScript = true,
): Promise<FileVisit> {
  const { page, context, complaints } = await openWindow(browser, look, javaScript);
  const requested: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  return { page, context, complaints, requested, close: () => context.close() };
}

/**
 * Performs an action that leads to another document, and returns when that document has loaded. A click, a key or a submission alone
 * returns before the old document is gone. The address may be the same before and after.
 */
export async function nextPage(page: Page, act: () => Promise<unknown>): Promise<void> {
  await page.waitForLoadState();
  await Promise.all([page.waitForEvent('load'), act()]);
}

/** Returns a link that starts a session. */
export async function linkTo({ control }: Pick<SocketSandbox, 'control'>, page: string): Promise<string> {
  const { json } = await control('open', { page });
  return String(json.data.url);
}

/** Sends a message with this HTML to one subscriber of a new list. Returns the id of the delivery. */
export async function sendEmail({ api, control }: SocketSandbox, html: string): Promise<string> {
  const made = await api('POST', '/v1/emailMessage', {
    ...{ name: `Page ${html.length}`, subject: 'A message', fromname: 'Harbour Coffee' },
    ...{ fromemail: 'news@harbourcoffee.example', replyemail: 'hello@harbourcoffee.example' },
    ...{ text: 'As text: https://example.com/text', html },
  });
  if (made.status !== 202) throw new Error(made.text);
  const { time } = (await control('clock show')).json.data;
  await control('credits set', { email: 100_000 });
  const list = (await control('list create', { name: `Page ${made.json.response.data.id}` })).json.data.id;
  await control('subscriber import', { lists: [list], rows: [{ email: 'reader@example.com' }] });
  const task = await api('POST', '/v1/task', {
    ...{
      name: 'Page',
      channel: 'email',
      message_id: made.json.response.data.id,
      list_id: 1,
      search_id: null,
    },
    scheduledtime: time + 60,
  });
  if (task.status !== 202) throw new Error(task.text);
  await control('clock run');
  const found = await control('outbox list', { task: task.json.response.data.id, limit: 1 });
  const [entry] = found.json.data;
  if (!entry) throw new Error(`nothing was delivered: ${(await control('log list', { limit: 3 })).text}`);
  return entry.id;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = fileURLToPath(new URL('../.screenshots', import.meta.url));

export interface Seen {
  /** The serious or critical findings of axe-core: the rule, and the place. */
  readonly serious: readonly string[];
  /** The pixels by which the page is wider than the window. */
  readonly overflow: number;
}

/**
 * Keeps a screenshot of a page with faults, and of each with SVC_VIEWS=4.
 * @param count the number of faults
 */
async function picture(page: Page, name: string, count: number, fullPage: boolean): Promise<void> {
  if (count === 0 && !hasAllViews) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage });
}

/** Returns all findings of axe-core, whatever their weight, and the pixels by which the page is wider than the window. */
export async function findingsOf(
  page: Page,
  name: string,
): Promise<{ readonly violations: readonly string[]; readonly overflow: number }> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run(document, { preload: false, resultTypes: ['violations'] }).then(({ violations }) => violations
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))`,
  )) as readonly string[];
  const overflow = await overflowOf(page);
  await picture(page, name, violations.length + overflow, false);
  return { violations, overflow };
}

export const overflowOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));

/** Returns the problems of the page for people who cannot see it well, or who point with a finger. */
export async function look({ page }: Visit, name: string): Promise<Seen> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  // This code is text, because it runs with other globals than the tests.
  const serious = (await page.evaluate(
    `axe.run(document, { iframes: false, resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))`,
  )) as readonly string[];
  const overflow = await overflowOf(page);
  await picture(page, name, serious.length + overflow, true);
  return { serious, overflow };
}

/** Checks the page in several views, one after the other. Returns its flaws, which should be none. */
export async function flawsIn(visit: Visit, name: string): Promise<readonly object[]> {
  const flaws: object[] = [];
  for (const each of looksAt(name)) {
    await changeLook(visit.page, each);
    const at = `${name}-${each.width}-${each.colorScheme}`;
    const { serious, overflow } = await look(visit, at);
    if (serious.length > 0 || overflow !== 0) flaws.push({ at, serious, overflow });
  }
  // Between a phone and a desk, the rules for columns differ and the names do not.
  await changeLook(visit.page, { width: 768, colorScheme: 'light' });
  const overflow = await overflowOf(visit.page);
  if (overflow !== 0) flaws.push({ at: `${name}-768`, overflow });
  return flaws;
}

/** Shows the page in another view. */
export async function changeLook(page: Page, look: Look): Promise<void> {
  await page.setViewportSize(viewportOf(look));
  await page.emulateMedia({ colorScheme: look.colorScheme });
}

const viewportOf = ({ width }: Look) => ({ width, height: width === 360 ? 780 : 900 });

/** Opens an empty page in a separate window. `complaints` are the errors and warnings of its console. */
async function openWindow(
  browser: Browser,
  look: Look,
  javaScriptEnabled: boolean,
): Promise<Pick<Visit, 'page' | 'context' | 'complaints'>> {
  const context = await browser.newContext({
    viewport: viewportOf(look),
    colorScheme: look.colorScheme,
    javaScriptEnabled,
  });
  // A time limit for a hang, as in the tests, because a busy machine is slow.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, context, complaints };
}
