/**
 * A person acts as the recipient. Interface, "task" (unique counts) and "Automation rules": the effects of an open, a click, an
 * unsubscription, a complaint, a bounce and an inbound SMS; contract, "Sandbox": each works as in `svc sandbox event`.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, hasBrowser, launch, look, nextPage, type Visit, visit } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const open: (() => Promise<void>)[] = [];
let browser: Browser | undefined;
let sandbox: SocketSandbox;
beforeEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  const folder = await temporaryFolder();
  open.push(folder.remove);
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  const running = sandbox;
  open.push(async () => {
    expect(running.reports).toEqual([]);
    await running.stop();
  });
  if (hasBrowser) browser ??= await launch();
});
afterAll(async () => {
  await browser?.close();
  for (const close of open.splice(0).reverse()) await close();
});

/** The message of task 2, which has sent message 1 to subscriber 480: olive.rossi480@example.net. */
const EMAIL = 'outbox/t2-480';
/** The SMS of task 3. */
const SMS = 'outbox/t3-480';

async function on<T>(path: string, work: (seen: Visit) => Promise<T>, javaScript = true): Promise<T> {
  if (!browser) throw new Error('no browser');
  const seen = await visit(browser, sandbox, path, { javaScript });
  try {
    return await work(seen);
  } finally {
    await seen.close();
  }
}

const press = async ({ page }: Visit, name: string, at = 0): Promise<string> => {
  const button = page.locator('.recipient').getByRole('button', { name, exact: true }).nth(at);
  await nextPage(page, () => button.click());
  return page.locator('.said').innerText();
};

const task = async (id: number) => (await sandbox.api('GET', `/v1/task/${id}`)).json.response.data;
const onDnc = async (address: string): Promise<boolean> =>
  (await sandbox.api('GET', `/v1/doNotContact?contactdata=${encodeURIComponent(address)}`)).status === 200;

describe.runIf(hasBrowser)('the recipient of an e-mail', () => {
  it('opens it: the count of the task rises, and the page shows it', async () => {
    const { emailuniqueopens: before } = await task(2);
    const said = await on(EMAIL, async (seen) => {
      const text = await press(seen, 'Open');
      const { serious } = await look(seen, 'recipient-opened');
      expect(serious).toEqual([]);
      return text;
    });
    const { emailuniqueopens: after } = await task(2);
    expect(said).toContain('olive.rossi480@example.net opened the message.');
    if (after === before) expect(said).not.toContain('Unique opens');
    else expect(said).toContain(`Unique opens of the task: ${before} → ${after}`);
    // A second open changes no unique count.
    await on(EMAIL, async (seen) => {
      expect(await press(seen, 'Open')).not.toContain('Unique opens');
    });
  });

  it("clicks a link: shows the link's rules, their actions and times, and those that did not match", async () => {
    const [rule] = (await sandbox.api('GET', '/v1/clickAutomation')).json.response.data;
    const link = (await sandbox.api('GET', `/v1/emailMessageLink/${rule.link_id}`)).json.response.data;
    const links = (await sandbox.api('GET', `/v1/emailMessageLink?message_id=${link.message_id}`)).json
      .response.data;
    const at = links.findIndex(({ id }: { id: number }) => id === link.id);
    const sent = (await sandbox.control('outbox list', { task: link.task_id, limit: 1 })).json.data[0];
    const before = (await sandbox.control('queue', { limit: 10 })).json.data;
    await on(`outbox/${sent.id}`, async (seen) => {
      await seen.page.getByLabel('Link to click').selectOption({ index: at });
      expect(await seen.page.locator('.recipient .command code').first().innerText()).toContain(
        `--link ${link.id} `,
      );
      const said = await press(seen, 'Click');
      expect(await seen.page.getByLabel('Link to click').inputValue()).toBe(String(link.id));
      expect(said).toContain(`${sent.to} clicked the link.`);
      expect(said).toContain(rule.name);
      expect(said).toContain(`click:${rule.id}`);
      const { serious } = await look(seen, 'recipient-clicked');
      expect(serious).toEqual([]);
      const queued = (await sandbox.control('queue', { limit: 10 })).json.data;
      if (queued.length > before.length) expect(said).toContain('queued');
      await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/clock`);
      expect(await seen.page.locator('.due .row').count()).toBe(queued.length);
    });
  });

  it('unsubscribes: is added to Do Not Contact, and deleted as a subscriber', async () => {
    await on(EMAIL, async (seen) => {
      const said = await press(seen, 'Unsubscribe');
      expect(said).toContain('Do Not Contact');
      expect(said).toMatch(/Unique unsubscriptions of the task: \d+ → \d+/);
      expect(await onDnc('olive.rossi480@example.net')).toBe(true);
      // The page itself reports an action that is no longer possible.
      await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/${EMAIL}`);
      const again = await press(seen, 'Unsubscribe');
      expect(again.length).toBeGreaterThan(10);
    });
  });

  it.each([
    ['Complain', 'complained', 'emailuniquecomplaints'],
    ['Bounce', 'bounced', 'emailuniquebounces'],
  ])('%s is counted by the task', async (label, word, count) => {
    const before = (await task(2))[count];
    await on(EMAIL, async (seen) => expect(await press(seen, label)).toContain(word));
    expect((await task(2))[count]).toBeGreaterThanOrEqual(before);
  });

  it('is shown with what this person did, each with its time', async () => {
    const [, first, second] = (await sandbox.api('GET', '/v1/emailMessageLink?message_id=1')).json.response
      .data;
    await on(EMAIL, async (seen) => {
      const rows = async (): Promise<string[]> =>
        (await seen.page.locator('.history li').allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' '));
      const before = await rows();
      expect(before[0]).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} Sent$/);
      await press(seen, 'Open');
      for (const { id } of [second, first, second]) {
        await seen.page.getByLabel('Link to click').selectOption(String(id));
        await press(seen, 'Click');
      }
      await press(seen, 'Complain');
      await sandbox.control('clock advance', { seconds: 3600 });
      await press(seen, 'Bounce');
      const did = (await rows()).map((row) => row.slice('2026-12-01 09:00 '.length));
      const clicked = [first, second].map(
        ({ target }) => `Clicked ${target.replace(/^https:\/\/(www\.)?/, '')}`,
      );
      expect(did).toEqual(expect.arrayContaining(['Sent', 'Opened', ...clicked, 'Complained', 'Bounced']));
      expect(did.filter((row) => row === clicked[1])).toHaveLength(1);
      expect(did.at(-1)).toBe('Bounced');
      const { events } = (await sandbox.control('outbox show', { id: 't2-480' })).json.data;
      expect(events).toHaveLength(did.length);
      expect(events).toEqual(
        expect.arrayContaining([
          {
            time: expect.any(Number),
            event: 'clicked',
            link: second.id,
            title: second.name || second.target,
          },
        ]),
      );
    });
  });

  it('clicks the chosen link without JavaScript', async () => {
    await on(
      EMAIL,
      async (seen) => {
        const choice = seen.page.getByLabel('Link to click');
        const label = (await choice.locator('option').nth(1).innerText()).trim();
        await choice.selectOption({ index: 1 });
        await press(seen, 'Click');
        expect(await seen.page.locator('.history').innerText()).toContain(label);
      },
      false,
    );
  });

  it('confirms the opt-in, and the log has it', async () => {
    await on(EMAIL, async (seen) => expect(await press(seen, 'Confirm opt-in')).toContain('confirmed'));
    expect((await sandbox.control('log list')).json.data.at(-1).text).toContain(
      'olive.rossi480@example.net has confirmed',
    );
  });

  it('acts without JavaScript, and reloading the page repeats nothing', async () => {
    await on(
      EMAIL,
      async (seen) => {
        await press(seen, 'Open');
        const before = await task(2);
        await seen.page.reload();
        expect(await seen.page.locator('.said').innerText()).toContain('opened the message');
        expect(await task(2)).toEqual(before);
      },
      false,
    );
  });

  it('acts with the keyboard alone', async () => {
    await on(EMAIL, async ({ page }) => {
      for (let turn = 0; turn < 60; turn += 1) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate('document.activeElement?.textContent')) === 'Open') break;
      }
      await nextPage(page, () => page.keyboard.press('Enter'));
      expect(page.url()).toContain('done=');
      expect(await page.locator('.said').innerText()).toContain('opened the message');
    });
  });

  it('shows the equivalent command beside each button', async () => {
    await on(EMAIL, async ({ page }) => {
      const commands = await page.locator('.recipient .command code').allInnerTexts();
      expect(commands).toEqual(
        expect.arrayContaining([
          'svc sandbox event open --message 1 --subscriber 480 --task 2',
          'svc sandbox event click --link 1 --subscriber 480 --task 2',
          'svc sandbox event unsubscribe --task 2 --subscriber 480',
          'svc sandbox event complaint --task 2 --subscriber 480',
          'svc sandbox event bounce --task 2 --subscriber 480',
        ]),
      );
    });
  });

  it('can open, click and unsubscribe from a message of a rule', async () => {
    const made = await sandbox.control('subscriber create', { lists: [2], email: 'new@example.com' });
    await sandbox.control('event subscribe', { list: 1, subscriber: made.json.data.id });
    await sandbox.control('clock run');
    const [sent] = (await sandbox.control('outbox list', { to: 'new@example.com', channel: 'email' })).json
      .data;
    await on(`outbox/${sent.id}`, async (seen) => {
      expect(await seen.page.locator('.facts').innerText()).toContain('Subscription rule Welcome newcomers');
      expect(await press(seen, 'Open')).toContain('opened');
      await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/outbox/${sent.id}`);
      expect(await press(seen, 'Unsubscribe')).toContain('Do Not Contact');
    });
    expect(await onDnc(sent.to)).toBe(true);
  });
});

describe.runIf(hasBrowser)('the recipient of an SMS', () => {
  it('answers it, which triggers the rule of the keyword', async () => {
    const [destination] = (await sandbox.api('GET', '/v1/smsDestination')).json.response.data;
    const [rule] = (await sandbox.api('GET', '/v1/smsAutomation')).json.response.data;
    await on(SMS, async (seen) => {
      const { page } = seen;
      await page.getByLabel('To', { exact: true }).fill(String(destination.destination));
      await page.getByLabel('Answer').fill(`${destination.keyword ?? ''} ${rule.keyword}`.trim());
      await nextPage(page, () => page.getByRole('button', { name: 'Send the SMS' }).click());
      expect(page.url()).toContain('done=');
      const said = await page.locator('.said').innerText();
      expect(said).toContain('447700900480 answered');
      expect(said).toContain(rule.name);
    });
  });

  it('shows why a reply reached no one', async () => {
    await on(SMS, async ({ page }) => {
      await page.getByLabel('To', { exact: true }).fill('447700900999');
      await page.getByLabel('Answer').fill('STOP');
      await nextPage(page, () => page.getByRole('button', { name: 'Send the SMS' }).click());
      expect(page.url()).toContain('done=');
      expect((await page.locator('.said').innerText()).length).toBeGreaterThan(20);
    });
  });
});
