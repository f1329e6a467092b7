/**
 * The page of a person. Contract, "Sandbox": `subscriber history`; "The sandbox, for people and teams": the page of a subscriber shows the
 * same events, and stays after the subscriber is deleted.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { hasBrowser, nextPage } from '../../support/pages.ts';

const { on, looksWell, asked, api } = visits();

const NASTY = `"><script>top.ran=1</script><img src=x onerror=top.ran=1>'`;
const EMAIL = 'person@example.com';
const NUMBER = '447700900555';

let id = 0;
let task = 0;
beforeAll(async () => {
  ({ id } = await asked('subscriber create', { email: EMAIL, msisdn: NUMBER, lists: [1] }));
  const { time } = await asked('clock show');
  const made = await api('POST', '/v1/emailMessage', {
    ...{ name: NASTY, subject: NASTY, fromname: 'Harbour', fromemail: 'news@harbourcoffee.example' },
    ...{ replyemail: 'hello@harbourcoffee.example', text: NASTY },
    html: '<p>x</p><a href="https://example.com/sale">Sale</a>',
  });
  ({ id: task } = await api('POST', '/v1/task', {
    ...{ channel: 'email', message_id: made.id, name: NASTY, scheduledtime: time + 60 },
    ...{ list_id: 1, search_id: null },
  }));
  await asked('clock advance', { seconds: 120 });
  await asked('event open', { task, subscriber: id });
  await asked('event click', { task, subscriber: id });
  await asked('clock advance', { seconds: 60 });
  const [destination] = await api('GET', '/v1/smsDestination');
  const text = `${destination.keyword ?? ''} ${NASTY}`;
  await asked('event sms-in', { to: destination.destination, from: NUMBER, text });
});

describe.runIf(hasBrowser)('a person', () => {
  it('is accessible, narrow and wide, light and dark', async () => {
    await looksWell(`subscribers/${id}`, 'person');
  });

  it('shows each event with its message and its cause, in the order of the command', async () => {
    const events = await asked('subscriber history', { subscriber: id });
    await on(`subscribers/${id}`, async ({ page }) => {
      const rows = page.locator('.of-person ol > li');
      expect(await rows.count()).toBe(events.length);
      expect((await rows.locator('b').allInnerTexts()).slice(-3)).toEqual(['Clicked', 'Opened', 'Got']);
      const texts = await rows.allInnerTexts();
      const clicked = texts.find((text) => text.includes('Clicked')) ?? '';
      expect(clicked).toContain('example.com/sale');
      expect(clicked).toContain(NASTY);
      expect(texts.some((text) => text.includes('Wrote') && text.includes(NASTY))).toBe(true);
      expect(await page.evaluate('typeof window.ran')).toBe('undefined');
      expect(await page.locator('script:not([src]), main img').count()).toBe(0);
      await nextPage(page, () => rows.last().getByRole('link').last().click());
      expect(page.url()).toMatch(new RegExp(`/tasks/${task}$`));
    });
  });

  it('is reached from a message, from a list and from Do Not Contact', async () => {
    await on(`outbox/t${task}-${id}`, async ({ page }) => {
      await nextPage(page, () => page.locator('.facts').getByRole('link', { name: EMAIL }).click());
      expect(page.url()).toMatch(new RegExp(`/subscribers/${id}$`));
    });
    await on(`subscribers?address=${NUMBER}`, async ({ page }) => {
      expect(page.url()).toMatch(new RegExp(`/subscribers/${id}$`));
    });
    await on(`outbox?to=${EMAIL}`, async ({ page }) => {
      await nextPage(page, () => page.getByRole('link', { name: 'History of this person' }).click());
      expect(page.url()).toMatch(new RegExp(`/subscribers/${id}$`));
    });
  });

  it('is paged, also by hand, and ignores a place that is none', async () => {
    const { id: many } = await asked('subscriber create', { email: 'many@example.com', lists: [2] });
    for (let at = 0; at < 35; at += 1)
      await api('POST', '/v1/sms', { msisdn: '447700900666', fromaddress: 'Shop', message: `SMS ${at}` });
    await asked('clock run');
    await on('subscribers?address=447700900666', async ({ page }) => {
      const texts = async () => page.locator('.of-person ol > li a').allInnerTexts();
      const first = await texts();
      expect(first).toHaveLength(30);
      await nextPage(page, () => page.getByRole('link', { name: 'Older →' }).click());
      expect(new Set([...first, ...(await texts())]).size).toBe(35);
      await nextPage(page, () => page.getByRole('link', { name: '← Newest' }).click());
      expect(await texts()).toEqual(first);
    });
    await on(`subscribers/${many}?before=1-0-0-0`, async ({ page }) => {
      expect(await page.locator('.of-person').innerText()).toContain('Nothing earlier');
    });
    await on(`subscribers/${id}?before=5`, async ({ page }) => {
      expect(await page.locator('.of-person ol > li').count()).toBeGreaterThan(2);
    });
  });

  it('stays after unsubscribing, with the time since when the address is on Do Not Contact', async () => {
    await asked('event unsubscribe', { task, subscriber: id });
    await on(`subscribers/${id}`, async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe(EMAIL);
      expect(await page.locator('.facts').innerText()).toMatch(/deleted.*Do Not Contact since 20/s);
      expect(await page.locator('.of-person ol > li b').first().innerText()).toBe('Unsubscribed');
    });
    await looksWell(`subscribers/${id}`, 'person-deleted');
    await on('dnc', async ({ page }) => {
      await nextPage(page, () => page.locator('.entry').getByRole('link', { name: EMAIL }).click());
      expect(await page.locator('h1').innerText()).toBe(EMAIL);
      expect(await page.locator('.of-person ol > li b').first().innerText()).toBe('Unsubscribed');
    });
  });

  it.each([
    'subscribers?address=x',
    `subscribers?address=${encodeURIComponent(NASTY).replaceAll("'", '%27')}`,
  ])('%s is not found', async (path) => {
    await on(path, async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe('Not found');
    });
  });
});
