/**
 * The pages of messages. Contract, "The sandbox, for people and teams": `sandbox open messages` shows every e-mail and SMS message of the
 * company, also before a task or rule sends it, with the preview and the checks of delivered messages. Interface, "emailMessage", "smsMessage".
 */
import { describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { flawsIn, hasBrowser, nextPage, type Visit } from '../../support/pages.ts';

const { on, looksWell, asked, api, sandbox } = visits();

const EMAIL = {
  ...{ subject: 'A subject', fromname: 'Harbour Coffee', fromemail: 'news@harbourcoffee.example' },
  ...{ replyemail: 'hello@harbourcoffee.example', text: 'A text', html: '<p>A text</p>' },
};

const draft = (name: string, more: object = {}) =>
  api('POST', '/v1/emailMessage', { ...EMAIL, name, ...more });

const idsOn = ({ page }: Visit): Promise<string[]> =>
  page
    .locator('.messages [data-row]')
    .evaluateAll((rows) => rows.map((row) => (row as unknown as { id: string }).id));

describe.runIf(hasBrowser)('the messages', () => {
  it('are in the navigation, each with its use', async () => {
    const { time } = await asked('clock show');
    const { id } = await draft('For tomorrow');
    await api('POST', '/v1/task', {
      ...{ channel: 'email', message_id: id, name: 'Tomorrow', scheduledtime: time + 86_400 },
      ...{ list_id: 1, search_id: null },
    });
    await on('outbox', async (seen) => {
      const { page } = seen;
      await nextPage(page, () => page.getByRole('link', { name: 'Messages', exact: true }).click());
      const all = await api('GET', '/v1/emailMessage?count=200');
      expect(await idsOn(seen)).toEqual(all.map((each: { id: number }) => `message-${each.id}`).toReversed());
      expect(await page.locator(`#message-${id} .state`).innerText()).toBe('starts in 24 hours');
      expect(await page.locator('#message-1 .state').innerText()).toBe('443 sent');
      expect(await page.locator('#message-3 .state').innerText()).toBe('by 1 rule');
      expect(await page.locator('#message-6 .state').innerText()).toBe('not sent');
    });
    await on('messages?show=unsent', async (seen) => {
      expect(await idsOn(seen)).toEqual([id, 6, 5, 4, 3].map((each) => `message-${each}`));
    });
    await on('messages?channel=sms', async ({ page }) => {
      expect(await page.locator('#message-1').innerText()).toContain('Harbour Coffee: free cupping tonight');
    });
  });

  it('are accessible, narrow and wide, light and dark', async () => {
    await looksWell('messages', 'messages');
    await looksWell('messages?channel=sms&show=unsent', 'messages-sms');
    // The tracking pixel of the message is blocked, which the console mentions.
    for (const [path, name] of [
      ['messages/email:6', 'stored-message'],
      ['messages/email:3?as=1', 'stored-message-as'],
      ['messages/email:1?view=clients', 'stored-message-clients'],
    ] as const)
      await on(path, async (seen) => {
        expect(await flawsIn(seen, name)).toEqual([]);
        expect(seen.outside).toEqual([]);
      });
    await looksWell('messages/sms:1?view=checks', 'stored-sms');
  });

  it('are found by a part of the name or the subject, while typing too', async () => {
    await on('messages?search=HAMPER', async (seen) => {
      expect(await idsOn(seen)).toEqual(['message-6']);
      const { page } = seen;
      await page.locator('#search').fill('nothing like it');
      await page.locator('.empty').waitFor();
      expect(page.url()).toContain('search=nothing');
    });
  });

  it('are paged from the newest to the oldest and back, each once', async () => {
    for (let at = 0; at < 70; at += 1) await draft(`Draft ${at}`);
    const all = await api('GET', '/v1/emailMessage?count=200');
    await on('messages', async (seen) => {
      const first = await idsOn(seen);
      await nextPage(seen.page, () => seen.page.keyboard.press('ArrowRight'));
      const second = await idsOn(seen);
      expect([...first, ...second]).toEqual(
        all.map(({ id }: { id: number }) => `message-${id}`).toReversed(),
      );
      expect(await seen.page.locator('.pager [rel=next]').count()).toBe(0);
      await nextPage(seen.page, () => seen.page.keyboard.press('ArrowLeft'));
      expect(await idsOn(seen)).toEqual(first);
    });
  });
});

describe.runIf(hasBrowser)('a message that is not sent yet', () => {
  it('shows its preview and the same checks as svc email lint', async () => {
    const { id } = await draft('Faulty', {
      subject: 'FREE!!! MONEY!!!',
      html: '<p style="position:fixed">Hello {{ field.Firstname | there }}</p><a href="https://example.com/offer">Offer</a>',
    });
    await on(`messages/email:${id}`, async ({ page }) => {
      const frame = page.frameLocator('.stage iframe');
      expect(await frame.locator('p').first().innerText()).toBe('Hello there');
      expect(await page.getByRole('link', { name: /^Links/ }).innerText()).toMatch(/\d/);
      expect(await page.getByRole('link', { name: 'Headers' }).count()).toBe(0);
      await nextPage(page, () => page.getByRole('link', { name: /^Checks/ }).click());
      expect(await page.locator('.checks').innerText()).toMatch(/warning|error/);
      // The place of a finding leads to its line.
      await nextPage(page, () => page.locator('.checks a.rule').first().click());
      expect(page.url()).toContain(`messages/email:${id}?view=source#`);
      await nextPage(page, () => page.getByRole('link', { name: /^Clients/ }).click());
      expect(await page.locator('.checks').innerText()).toContain('position');
    });
  });

  it('is shown as a subscriber would get it', async () => {
    const { id } = await draft('Personal', {
      html: '<p>Hello {{ field.Firstname | there }} at {{ email }}</p>',
    });
    const [reader] = (await asked('subscriber list', { list: 1, limit: 1 })) as [
      { id: number; email: string },
    ];
    const [named] = (await api('GET', `/v1/subscriberProfileData?subscriber_id=${reader.id}`)).filter(
      (each: { subscriberprofilefield_id: number }) => each.subscriberprofilefield_id === 1,
    );
    await on(
      `messages/email:${id}`,
      async ({ page }) => {
        await page.getByLabel('Subscriber').fill(reader.email);
        await nextPage(page, () => page.getByRole('button', { name: 'Show', exact: true }).click());
        const frame = page.frameLocator('.stage iframe');
        expect(await frame.locator('p').first().innerText()).toBe(`Hello ${named.value} at ${reader.email}`);
      },
      { javaScript: false },
    );
    await on(`messages/email:${id}?as=nobody@example.com`, async ({ page }) => {
      expect(await page.getByRole('alert').last().innerText()).toBe(
        'No subscriber has this address, number or id.',
      );
    });
  });

  it('is reached from its task, names its tasks and rules, and is reached from a delivered message', async () => {
    await on('tasks/2', async ({ page }) => {
      await nextPage(page, () => page.locator('.facts a[href*="messages/"]').click());
      expect(await page.locator('h1').innerText()).toBe('November news');
      await nextPage(page, () => page.locator('.aside a[href$="tasks/2"]').click());
      expect(page.url()).toMatch(/tasks\/2$/);
    });
    await on('messages/email:3', async ({ page }) => {
      expect(await page.locator('.aside a[href*="automations/subscription:"]').count()).toBe(1);
    });
    const [{ id }] = await asked('outbox list', { task: 2, limit: 1 });
    await on(`outbox/${id}`, async ({ page }) => {
      await nextPage(page, () => page.locator('.facts a[href$="messages/email:1"]').click());
      expect(await page.locator('h1').innerText()).toBe('November news');
    });
  });

  it('shows a hostile message as text, and runs nothing', async () => {
    const nasty = `"><script>top.ran=1</script><img src=x onerror=top.ran=1>'`;
    const { id } = await draft(nasty, {
      ...{ subject: nasty, text: nasty, fromname: nasty.slice(0, 60) },
      html: `<p id="mark">${nasty}</p><script>top.ran=1</script><a href="javascript:top.ran=1">x</a>`,
    });
    const sms = await api('POST', '/v1/smsMessage', { name: nasty, fromname: 'Harbour', message: nasty });
    const hostile = encodeURIComponent(nasty);
    await on('messages', async ({ page, outside }) => {
      for (const path of [
        ...['messages', `messages?search=${hostile}`, `messages?channel=${hostile}&show=${hostile}`],
        ...['html', 'both', 'text', 'source', 'links', 'checks', 'clients', 'headers', hostile].map(
          (view) => `messages/email:${id}?view=${view}`,
        ),
        ...[
          `messages/email:${id}?as=${hostile}`,
          `messages/sms:${sms.id}`,
          `messages/sms:${sms.id}?view=checks`,
        ],
      ]) {
        await page.goto(`${sandbox().ready.baseUrl}/ui/1/${path}`);
        expect([path, await page.evaluate('typeof window.ran')]).toEqual([path, 'undefined']);
        expect([path, await page.locator('script:not([src]), main img').count()]).toEqual([path, 0]);
      }
      expect(outside).toEqual([]);
    });
    await on('messages', async ({ page }) => {
      expect(await page.locator(`#message-${id}`).innerText()).toContain(nasty);
    });
  });

  it.each(['messages/email:999', 'messages/sms:0', 'messages/x:1', 'messages/1'])(
    '%s is not found',
    async (path) => {
      await on(path, async ({ page }) => {
        expect(await page.locator('h1').innerText()).toBe('Not found');
      });
    },
  );

  it('is not found once it is deleted, although its task keeps it', async () => {
    const { id } = await draft('Short life');
    await api('DELETE', `/v1/emailMessage/${id}`);
    await on(`messages/email:${id}`, async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe('Not found');
    });
  });
});
