/**
 * Someone else wrote the message. Contract, "The sandbox, for people and teams"; acceptance, X4: with any content, a message in a browser
 * runs no code, sends no request, opens no other page and reads no cookie. This also holds for the page around it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHtmlInert } from '../../../src/kit/text/html-inert.ts';
import { tried } from '../../support/depth.ts';
import { type Elsewhere, startElsewhere, tricks } from '../../support/hostile-html.ts';
import { type Browser, hasBrowser, launch, linkTo, sendEmail, visit } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let browser: Browser;
let evil: Elsewhere;
let address = '';
let came: string[] = [];
beforeAll(async () => {
  evil = await startElsewhere();
  ({ address, came } = evil);
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
  await evil.close();
});

/** Returns the counts of recipients' actions, none of which a page may cause. */
const counts = async (): Promise<unknown> => {
  const { data } = (await sandbox.api('GET', '/v1/task?count=200')).json.response;
  return [data, (await sandbox.control('clock show')).json.data];
};

const MARK = '<p id="mark">this is the message</p>';

describe.runIf(hasBrowser)('a hostile message', () => {
  it('runs no code, sends no request and opens no other page, whatever it tries', async () => {
    const names = Object.keys(tricks(address));
    expect(names.length).toBeGreaterThan(70);
    const ids: string[] = [];
    // Sends each trick as a real message, so personalisation and tracking have changed it.
    for (const trick of Object.values(tricks(address))) ids.push(await sendEmail(sandbox, `${MARK}${trick}`));
    const before = await counts();
    const seen = await visit(browser, sandbox, 'outbox');
    const { page, context } = seen;
    const opened: string[] = [];
    context.on('page', (each) => opened.push(each.url()));
    page.on('dialog', (dialog) => {
      opened.push(`dialog ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    for (const [at, id] of ids.entries()) {
      const name = names[at] ?? '';
      const path = `${sandbox.ready.baseUrl}/ui/1/outbox/${id}`;
      await page.goto(path);
      const frame = page.frames().find((each) => each.url().includes('frame=html'));
      expect([
        name,
        await frame?.evaluate('Document.prototype.querySelector.call(document, "#mark")?.textContent'),
      ]).toEqual([name, expect.anything()]);
      const bait = frame?.locator('#bait').first();
      if (bait && (await bait.count()) > 0) {
        // Tries the mouse and the keyboard.
        await bait.click({ force: true, timeout: 2000, noWaitAfter: true }).catch(() => undefined);
        await bait.focus({ timeout: 1000 }).catch(() => undefined);
        await page.keyboard.press('Enter');
      }
      await page.waitForTimeout(30);
      expect([
        name,
        page.url(),
        await page.evaluate('typeof window.ran'),
        opened,
        seen.outside,
        came,
      ]).toEqual([name, path, 'undefined', [], [], []]);
      expect(await page.title()).not.toBe('ran');
      // It is still the frame of the message, may run no scripts, and has no cookie to read.
      expect([name, await page.locator('.stage iframe').getAttribute('sandbox')]).toEqual([
        name,
        'allow-same-origin',
      ]);
      expect([name, page.frames().some((each) => each.url().includes(`${id}?frame=html`))]).toEqual([
        name,
        true,
      ]);
      expect(
        await frame?.evaluate('(() => { try { return document.cookie } catch { return "none" } })()'),
      ).toMatch(/^(none)?$/);
    }
    expect(await counts()).toEqual(before);
    await seen.close();
    tried('X11', names.length);
  });

  it('shows the surrounding page if it is opened in its own window', async () => {
    const id = await sendEmail(
      sandbox,
      `${MARK}<script>document.title='ran'</script><a href="${address}/alone">x</a>`,
    );
    const seen = await visit(browser, sandbox, 'outbox');
    await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/outbox/${id}?frame=html`);
    expect(seen.page.url()).toBe(`${sandbox.ready.baseUrl}/ui/1/outbox/${id}`);
    expect(await seen.page.title()).toContain('A message');
    await seen.close();
  });

  it('has a policy that is sufficient by itself, and requires no cookie', async () => {
    const cookie = await cookieOf();
    const { headers } = await sandbox.get('/ui/1/outbox/t2-480?frame=html', { headers: { cookie } });
    expect(headers.get('content-security-policy')).toBe(
      "sandbox allow-same-origin; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('is quoted everywhere else: subject, sender, text, source, headers', async () => {
    const nasty = `"><script>top.ran=1</script><img src=x onerror=top.ran=1>'`;
    const made = await sandbox.api('POST', '/v1/emailMessage', {
      ...{
        name: nasty,
        subject: nasty,
        fromname: nasty.slice(0, 60),
        fromemail: 'news@harbourcoffee.example',
      },
      ...{ replyemail: 'hello@harbourcoffee.example', text: nasty, html: `<p>${nasty}</p>` },
    });
    expect(made.status).toBe(202);
    await sandbox.control('credits set', { email: 100_000 });
    const { time } = (await sandbox.control('clock show')).json.data;
    const task = await sandbox.api('POST', '/v1/task', {
      ...{
        name: nasty,
        channel: 'email',
        message_id: made.json.response.data.id,
        list_id: 1,
        search_id: null,
      },
      scheduledtime: time + 60,
    });
    await sandbox.control('clock run');
    const id = (await sandbox.control('outbox list', { task: task.json.response.data.id, limit: 1 })).json
      .data[0].id;
    const seen = await visit(browser, sandbox, 'outbox');
    for (const path of [
      ...[
        'outbox',
        `outbox?search=${encodeURIComponent(nasty)}`,
        `outbox?channel=${encodeURIComponent(nasty)}`,
      ],
      ...['text', 'source', 'headers', 'links', 'html', encodeURIComponent(nasty)].map(
        (view) => `outbox/${id}?view=${view}`,
      ),
      ...['clock', `requests?status=${encodeURIComponent(nasty)}`],
    ]) {
      await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/${path}`);
      expect([path, await seen.page.evaluate('typeof window.ran')]).toEqual([path, 'undefined']);
      expect([path, await seen.page.locator('script:not([src]), main img').count()]).toEqual([path, 0]);
    }
    expect(seen.outside).toEqual([]);
    await seen.close();
  });
});

async function cookieOf(): Promise<string> {
  const link = await linkTo(sandbox, 'outbox');
  const { headers } = await sandbox.get(link.slice(sandbox.ready.baseUrl.length));
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

describe('HTML made inert', () => {
  it.each([
    ['<a href="https://x.example" target=_top>y</a>', '<a href="#" >y</a>'],
    ['<p onclick=x()>y</p>', '<p >y</p>'],
    ['<meta http-equiv=refresh content=0><p>y</p>', '<p>y</p>'],
    ['<form action=/x><input name=a></form>', '<input name=a></form>'],
  ])('%s becomes %s', (html, wanted) => {
    expect(makeHtmlInert(html, 'light')).toMatch(new RegExp(`${wanted.replaceAll(/[?.*+()[\]]/g, '\\$&')}$`));
  });

  it('keeps the appearance of a message', () => {
    const html =
      '<!doctype html><html><head><style>p{color:red}</style></head><body bgcolor="#fff"><table><tr><td style="padding:1px">x</td></tr></table></body></html>';
    const head = html.indexOf('<html>');
    const inert = makeHtmlInert(html, 'light');
    expect(inert.startsWith('<!doctype html><meta charset')).toBe(true);
    expect(inert.endsWith(html.slice(head))).toBe(true);
  });
});
