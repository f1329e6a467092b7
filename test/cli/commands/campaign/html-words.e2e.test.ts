/**
 * Compares the page of a plan with what Chromium makes of the same messages. Contract, "Campaigns as files"; second attack H3: the page has
 * every text that a mail program shows, and every address that it opens or loads.
 */
import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeMessage } from '../../../../src/cli/commands/campaign/message-words.ts';
import { DEFAULT_CONTENT_MARKUP_NAMES } from '../../../../src/kit/schema/resource.ts';
import { depth, SEED } from '../../../support/depth.ts';
import { HOSTILE_ADDRESS, HOSTILE_TEXT, makeHostileMessage } from '../../../support/hostile-messages.ts';
import { type Browser, hasBrowser, launch, type Page } from '../../../support/pages.ts';

const MESSAGES = depth('SVC_HOSTILE_MESSAGES', { few: 200, full: 2_000 });
/** Messages that Chromium shows at once, each in a frame. */
const BATCH = 20;
const SITE = 'http://messages.example/';

let browser: Browser;
let page: Page;
let session: CDPSession;
/** The messages at `SITE/0`, `SITE/1` and so on. Chromium can request nothing else. */
let messages: readonly string[] = [];
beforeAll(async () => {
  if (!hasBrowser) return;
  browser = await launch();
  // Mail programs run no scripts.
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.route('**', (route) => {
    const [, index] = new RegExp(`^${SITE}(\\d*)$`).exec(route.request().url()) ?? [];
    if (index === undefined) return route.abort();
    const frames = messages.map((_, at) => `<iframe src="${SITE}${at}" width="800" height="600"></iframe>`);
    const body = index === '' ? frames.join('') : messages[Number(index)];
    return route.fulfill({ contentType: 'text/html; charset=utf-8', body: body ?? '' });
  });
  page = await context.newPage();
  session = await context.newCDPSession(page);
});
afterAll(() => browser?.close());

const linesOf = (html: string): string =>
  describeMessage('email', { html }, DEFAULT_CONTENT_MARKUP_NAMES).slice(4).join('\n');

interface Seen {
  readonly texts: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
}

/** Returns what is in none of the pages of these messages. */
function missingIn(shown: readonly string[], { texts, addresses }: Seen): readonly string[] {
  const pages = shown.map(linesOf).join('\n');
  return [...texts, ...addresses].filter((each) => !pages.includes(each));
}

describe.runIf(hasBrowser)('the page of a plan', () => {
  it(`has each text and address of ${MESSAGES} hostile messages (SVC_SEED=${SEED})`, async () => {
    const seen = { texts: 0, addresses: 0 };
    for (let seed = SEED; seed < SEED + MESSAGES; seed += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, at) => makeHostileMessage(seed + at));
      const { texts, addresses } = await seenByChromium(batch);
      const missing = missingIn(batch, { texts, addresses });
      for (const [at, html] of missing.length === 0 ? [] : batch.entries()) {
        const of = missingIn([html], await seenByChromium([html]));
        expect({ seed: seed + at, missing: of }).toEqual({ seed: seed + at, missing: [] });
      }
      expect(missing).toEqual([]);
      seen.texts += texts.size;
      seen.addresses += addresses.size;
    }
    // Otherwise the comparison shows nothing.
    expect(seen.texts).toBeGreaterThan(3 * MESSAGES);
    expect(seen.addresses).toBeGreaterThan(2 * MESSAGES);
  });

  it.each([
    ['an element', '<p>zq00000001</p>', 'zq00000001'],
    ['a style', '<style>p::after{content:"zq00000002"}</style><p>y</p>', 'zq00000002'],
    ['a field', '<input placeholder="zq00000003">', 'zq00000003'],
    ['a list', '<ul style=\'list-style:"zq00000004"\'><li>y</ul>', 'zq00000004'],
    ['SVG', '<svg><text y="9">zq00000005</text></svg>', 'zq00000005'],
    ['a frame', '<iframe srcdoc="zq00000006"></iframe>', 'zq00000006'],
    ['several elements', '<p>zq00<b>00</b>0007</p>', 'zq00000007'],
  ])('is compared with the text of %s', async (_, html, text) => {
    expect([...(await seenByChromium([html])).texts]).toEqual([text]);
  });

  it('is compared with the addresses of elements and styles', async () => {
    const [first, second] = ['https://h00000001.example/p', 'https://h00000002.example/p'];
    const html = `<form action="${first}"></form><style>p{background:url(${second})}</style>`;
    expect([...(await seenByChromium([html])).addresses]).toEqual([first, second]);
  });
});

/** Returns the texts that Chromium shows for these messages, and all addresses in their elements and styles. */
async function seenByChromium(shown: readonly string[]): Promise<Seen> {
  messages = shown;
  await page.goto(SITE);
  const drawn = await session.send('DOMSnapshot.captureSnapshot', { computedStyles: [] });
  const { texts, addresses } = (await page.evaluate(`(${readFrames})()`)) as {
    readonly texts: string;
    readonly addresses: string;
  };
  // The layout has the texts of styles, fields, lists and frames, too.
  const layout = drawn.documents.map((each) =>
    each.layout.text.map((at) => drawn.strings[at] ?? '').join('\n'),
  );
  return {
    texts: new Set([...layout, texts].join('\n').match(HOSTILE_TEXT)),
    addresses: new Set(addresses.match(HOSTILE_ADDRESS)),
  };
}

/** Runs in Chromium. */
const readFrames = `() => {
  const texts = [];
  const addresses = [];
  for (const frame of document.querySelectorAll('iframe')) {
    const inner = frame.contentDocument;
    texts.push(inner.title, inner.documentElement.innerText);
    for (const element of inner.querySelectorAll('*')) {
      for (const name of ['alt', 'title', 'placeholder', 'label']) texts.push(element.getAttribute(name) ?? '');
      if (element.matches('button, input, option, param, textarea')) texts.push(element.value);
      for (const name of ['href', 'src', 'action', 'formAction', 'data', 'poster']) if (typeof element[name] === 'string') addresses.push(element[name]);
      for (const { name, value } of element.attributes) if (!/^(?:alt|title|class|style|srcdoc)$/.test(name)) addresses.push(value);
      addresses.push(element.style?.cssText ?? '');
    }
    const own = [...inner.styleSheets].filter(({ href }) => href === null);
    for (const sheet of own) for (const rule of sheet.cssRules) addresses.push(rule.cssText);
  }
  return { texts: texts.join('\\n'), addresses: addresses.join('\\n') };
}`;
