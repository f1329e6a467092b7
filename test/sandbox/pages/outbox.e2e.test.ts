/** Contract, "The sandbox, for people and teams": the outbox and a message, as people see them in a browser. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  flawsIn,
  hasBrowser,
  LOOKS,
  launch,
  look,
  nextPage,
  sendEmail,
  type Visit,
  visit,
} from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let browser: Browser;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  if (hasBrowser) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function on<T>(
  path: string,
  work: (seen: Visit) => Promise<T>,
  options?: Parameters<typeof visit>[3],
): Promise<T> {
  const seen = await visit(browser, sandbox, path, options);
  try {
    return await work(seen);
  } finally {
    await seen.close();
  }
}

/** Returns the rows, and reads them again if the page reloads meanwhile. On PostgreSQL the page learns of changes later. */
async function rowsOf({ page }: Visit): Promise<string[]> {
  for (;;)
    try {
      return await page.locator('[data-row]').allInnerTexts();
    } catch (error) {
      if (!String(error).includes('because of a navigation')) throw error;
      await page.waitForLoadState();
    }
}

/** Returns all deliveries, newest first. */
async function entries(filter: object = {}): Promise<{ id: string; to: string }[]> {
  return (await sandbox.control('outbox list', { ...filter, limit: 1000 })).json.data.toReversed();
}

describe.runIf(hasBrowser)('the outbox', () => {
  it('is accessible, narrow and wide, light and dark, and loads nothing from outside', async () => {
    await on('outbox', async (seen) => {
      // This check comes before the test's own messages.
      expect(seen.complaints).toEqual([]);
      expect(await flawsIn(seen, 'outbox')).toEqual([]);
      expect(seen.outside).toEqual([]);
    });
  });

  it('has a row for each send, with its count, subject and snippet, and the total', async () => {
    await on('outbox', async (seen) => {
      const { page } = seen;
      const rows = await rowsOf(seen);
      expect(await page.locator('.lead').innerText()).toBe(`${(await entries()).length} messages`);
      const tasks = (await sandbox.api('GET', '/v1/task?started=1')).json.response?.data ?? [];
      expect(rows.length).toBeGreaterThan(2);
      expect(rows.length).toBeLessThan(20 + tasks.length);
      const { length } = await entries({ task: 2 });
      expect(rows.find((row) => row.includes('Task November news'))?.split('\n')).toEqual([
        'E-mail',
        expect.stringMatching(/^Three new coffees, and a rainy-day recipe Three new coffees are in the shop/),
        `${length} recipients`,
        expect.stringMatching(/^[0-9]+ opened · [0-9]+ clicked · [0-9]+ bounced$/),
        'Task November news',
        expect.stringMatching(/^[0-9]{2}:[0-9]{2}$/),
      ]);
      await nextPage(page, () => page.locator('#row-task-2').click());
      expect(page.url()).toContain('task=2');
    });
  });

  it('of a task has its name, its counts, the place in it, and a filter by state', async () => {
    const all = await entries({ task: 2 });
    const bounced = await entries({ task: 2, state: 'bounced' });
    expect(bounced.length).toBeGreaterThan(0);
    await on('outbox?task=2', async (seen) => {
      const { page } = seen;
      const lead = (): Promise<string> => page.locator('.lead').innerText();
      expect(await page.locator('h1').innerText()).toBe('November news');
      expect(await page.title()).toMatch(/^November news · /);
      expect(await lead()).toBe(
        `Outbox · Task · ${all.length} messages · ${bounced.length} bounced · 1–50 of ${all.length}`,
      );
      expect(await flawsIn(seen, 'outbox-of-task')).toEqual([]);
      // The subject is the same in all rows, so it stands above them.
      expect(await page.locator('.subject-of-all').innerText()).toContain(
        'Three new coffees, and a rainy-day recipe',
      );
      expect((await rowsOf(seen)).every((row, at) => row.startsWith(all[at]?.to ?? '-'))).toBe(true);
      await nextPage(page, () => page.locator('[rel=next]').click());
      expect(await lead()).toContain(`51–100 of ${all.length}`);
      await nextPage(page, () => page.locator('[rel=next]').click());
      await nextPage(page, () => page.locator('[rel=prev]').click());
      expect(await lead()).toContain(`51–100 of ${all.length}`);
      await nextPage(page, () => page.locator('[rel=prev]').click());
      expect(await lead()).toContain(`1–50 of ${all.length}`);
      await nextPage(page, () => page.getByRole('link', { name: `${bounced.length} bounced` }).click());
      expect((await rowsOf(seen)).map((row) => row.split(' ')[0])).toEqual(bounced.map(({ to }) => to));
      expect(await lead()).toContain(`1–${bounced.length} of ${bounced.length}`);
      expect(await page.locator('footer .command code').textContent()).toBe(
        'svc sandbox outbox list --state bounced --task 2',
      );
      await nextPage(page, () => page.getByRole('link', { name: 'Task', exact: true }).click());
      expect(page.url()).toContain('/tasks/2');
    });
  });

  it('of a rule has its name, and a link to the page of the rule', async () => {
    const made = await sandbox.control('subscriber create', { lists: [2], email: 'newcomer@example.com' });
    await sandbox.control('event subscribe', { list: 1, subscriber: made.json.data.id });
    await sandbox.control('clock run');
    const { length } = await entries({ rule: 'subscription:1' });
    expect(length).toBeGreaterThan(0);
    await on('outbox?rule=subscription:1', async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe('Subscription rule Welcome newcomers');
      expect(await page.locator('.lead').innerText()).toMatch(
        new RegExp(`^Outbox · Rule · ${length} messages? · 1–${length} of ${length}$`),
      );
      expect(await page.locator('.lead a').nth(1).getAttribute('href')).toBe(
        '/ui/1/automations/subscription:1',
      );
    });
  });

  it('understands to:, subject:, is: and before:, and reports other values', async () => {
    const bounced = await entries({ state: 'bounced' });
    const search = async (text: string): Promise<string[]> => {
      let found: string[] = [];
      await on(`outbox?search=${encodeURIComponent(text)}`, async (seen) => {
        expect(await seen.page.inputValue('#search')).toBe(text);
        found = await rowsOf(seen);
      });
      return found;
    };
    expect(
      (await search('to:olive.rossi480@example.net')).every((row) => row.includes('olive.rossi480')),
    ).toBe(true);
    expect((await search('is:bounced')).length).toBe(Math.min(50, bounced.length));
    expect((await search('is:bounced')).every((row) => row.includes('bounced'))).toBe(true);
    const both = await search('subject:"three new coffees" is:bounced');
    expect(both.length).toBe((await entries({ state: 'bounced', task: 2 })).length);
    expect(await search('is:bounced before:2020-01-01')).toEqual([]);
    expect((await search('before:tomorrow')).length).toBe(0);
    await on('outbox?search=is:lost+before:never', async (seen) => {
      expect(await rowsOf(seen)).toEqual([]);
      expect(await seen.page.locator('.note').allInnerTexts()).toEqual([
        'is:lost is not a state. Use delivered, bounced, failed, pending.',
        'before:never is not a time. Use a date such as before:2026-12-01.',
      ]);
    });
    // The choice of a state replaces the operator.
    await on('outbox?search=is:bounced+coffees', async ({ page }) => {
      await nextPage(page, () => page.getByRole('link', { name: 'Delivered' }).click());
      expect(await page.inputValue('#search')).toBe('coffees');
      expect(page.url()).toContain('state=delivered');
    });
  });

  it('cuts no recipient in wide or narrow windows', async () => {
    await on('outbox?view=all&channel=email', async ({ page }) => {
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const cut = await page
          .locator('.who')
          .evaluateAll(
            (all) => all.filter((each) => Object(each).scrollWidth > Object(each).clientWidth).length,
          );
        expect([width, cut]).toEqual([width, 0]);
      }
    });
  });

  it('shows the keys with a visible button', async () => {
    await on('outbox', async ({ page }) => {
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await page.locator('dialog.keys').waitFor({ state: 'visible' });
    });
  });

  it('is paged from the newest to the oldest and back, each entry once', async () => {
    const wanted = (await entries()).map(({ id }) => `row-${id}`);
    await on('outbox?view=all', async ({ page }) => {
      const ids = (): Promise<string[]> =>
        page
          .locator('[data-row]')
          .evaluateAll((rows) => rows.map((row) => (row as unknown as { id: string }).id));
      const found: string[] = [];
      const pages: string[][] = [];
      for (;;) {
        pages.push(await ids());
        found.push(...(pages.at(-1) ?? []));
        const older = page.locator('.pager [rel=next]');
        if ((await older.count()) === 0) break;
        await nextPage(page, () => older.click());
      }
      expect(found).toEqual(wanted);
      expect(pages.length).toBeGreaterThan(3);
      for (const each of pages.toReversed().slice(1)) {
        await nextPage(page, () => page.locator('.pager [rel=prev]').click());
        expect(await ids()).toEqual(each);
      }
    });
  });

  it('finds recipients, subjects, texts, tasks and rules, and says if nothing matches', async () => {
    await on('outbox', async (seen) => {
      const { page } = seen;
      const search = async (text: string): Promise<string[]> => {
        // The page searches in place while a person types. Without JavaScript the button does it, see below.
        await page.fill('#search', text);
        await page.waitForURL((url) => url.searchParams.get('search') === text);
        return rowsOf(seen);
      };
      expect((await search('olive.rossi480')).every((row) => row.includes('olive.rossi480'))).toBe(true);
      expect((await search('447700900480')).join()).toContain('447700900480');
      expect((await search('RAINY-day')).join()).toContain('Three new coffees, and a rainy-day recipe');
      expect((await search('free cupping')).join()).toContain('SMS');
      expect((await search('November news')).every((row) => row.includes('Task November news'))).toBe(true);
      expect(await search('100% of nothing')).toEqual([]);
      expect(await page.locator('.empty').innerText()).toContain('No delivered message matches.');
      expect(await page.title()).toContain('“100% of nothing”');
      await page.goBack();
      await page.waitForFunction('document.title.includes("November news")');
      expect(await page.inputValue('#search')).toBe('November news');
    });
  });

  it('loses no letter that is typed during a search', async () => {
    await on('outbox', async (seen) => {
      const { page } = seen;
      const text = 'olive.rossi480@exam';
      // The searches are slow enough that some are answered while the next letters are typed.
      await page.locator('#search').pressSequentially(text, { delay: 150 });
      await page.locator('#search').pressSequentially('ple', { delay: 400 });
      await page.waitForURL((url) => url.searchParams.get('search') === `${text}ple`);
      expect(await page.inputValue('#search')).toBe(`${text}ple`);
      expect(await page.evaluate('document.activeElement.id')).toBe('search');
      expect((await rowsOf(seen)).length).toBeGreaterThan(0);
    });
  });

  it('is filtered by channel, and shows the equivalent command', async () => {
    await on('outbox?view=all', async (seen) => {
      const sms = seen.page.getByRole('link', { name: 'SMS', exact: true });
      await nextPage(seen.page, () => sms.click());
      const rows = await rowsOf(seen);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every((row) => row.startsWith('SMS'))).toBe(true);
      expect(await seen.page.locator('footer .command code').innerText()).toBe(
        'svc sandbox outbox list --channel sms',
      );
    });
  });

  it('can be used with the keyboard alone', async () => {
    await on('outbox?view=all', async ({ page }) => {
      const focused = (): Promise<string> => page.evaluate('document.activeElement.id');
      const [first, second] = (await entries()).map(({ id }) => `row-${id}`);
      await page.keyboard.press('j');
      expect(await focused()).toBe(first);
      await page.keyboard.press('j');
      expect(await focused()).toBe(second);
      await page.keyboard.press('k');
      expect(await focused()).toBe(first);
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(second);
      await page.keyboard.press('/');
      expect(await focused()).toBe('search');
      await page.keyboard.type('jk/?');
      expect(await page.inputValue('#search')).toBe('jk/?');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.locator('dialog.keys').waitFor({ state: 'visible' });
      await page.keyboard.press('Escape');
      await page.locator('dialog.keys').waitFor({ state: 'hidden' });
    });
    await on('outbox?view=all', async ({ page }) => {
      await nextPage(page, () => page.keyboard.press('ArrowRight'));
      expect(page.url()).toContain('before=');
      await nextPage(page, () => page.keyboard.press('ArrowLeft'));
      expect(page.url()).not.toContain('before=');
      await page.keyboard.press('j');
      await nextPage(page, () => page.keyboard.press('Enter'));
      expect(page.url()).toBe(`${sandbox.ready.baseUrl}/ui/1/outbox/${(await entries())[0]?.id}`);
    });
  });

  it('works without JavaScript', async () => {
    await on(
      'outbox',
      async (seen) => {
        const { page } = seen;
        await page.fill('#search', 'olive.rossi480');
        await nextPage(page, () => page.getByRole('button', { name: 'Search' }).click());
        expect((await rowsOf(seen)).length).toBeGreaterThan(0);
        await nextPage(page, () => page.locator('[data-row]').first().click());
        expect(await page.locator('h1').innerText()).toBe('Three new coffees, and a rainy-day recipe');
        // Buttons that need a script are hidden without one.
        expect(await page.locator('[data-copy]').first().isVisible()).toBe(false);
      },
      { javaScript: false },
    );
  });

  it('shows the commands that fill it if it is empty', async () => {
    const other = await temporaryFolder();
    const quiet = await runSandbox(other.path, { clock: 'manual', seed: 'empty' });
    const seen = await visit(browser, quiet, 'outbox');
    expect(await seen.page.locator('.empty').innerText()).toMatch(
      /The outbox is empty[\s\S]*svc task create --help[\s\S]*svc sandbox clock run/,
    );
    const { serious } = await look(seen, 'outbox-empty');
    expect(serious).toEqual([]);
    await seen.close();
    await quiet.stop();
    await other.remove();
  });

  it('is cleared after a question, and keeps the results of tasks', async () => {
    const other = await temporaryFolder();
    const full = await runSandbox(other.path, { clock: 'manual', seed: 'demo' });
    const seen = await visit(browser, full, 'outbox');
    const { page } = seen;
    const rows = await page.locator('[data-row]').count();
    const clear = page.getByRole('button', { name: 'Clear the outbox' });
    const questions: string[] = [];
    page.once('dialog', async (dialog) => {
      questions.push(dialog.message());
      await dialog.dismiss();
    });
    await clear.click();
    expect(questions).toEqual(['Remove all messages from the outbox? Results of tasks stay.']);
    expect(await page.locator('[data-row]').count()).toBe(rows);
    page.once('dialog', (dialog) => dialog.accept());
    const { sent } = (await full.control('task show', { id: 2 })).json.data;
    await nextPage(page, () => clear.click());
    expect(await page.locator('.said').innerText()).toMatch(/^Removed [0-9,]+ messages from the outbox\.$/);
    expect(await page.locator('.empty').innerText()).toContain('The outbox is empty.');
    expect((await full.control('outbox list', { limit: 10 })).json.data).toEqual([]);
    expect((await full.control('task show', { id: 2 })).json.data.sent).toBe(sent);
    await seen.close();
    await full.stop();
    await other.remove();
  });

  it('marks unread messages, counts them in the title of the window, and clears them on demand', async () => {
    const id = await sendEmail(sandbox, '<p>Unread</p>');
    const [, task] = /^t([0-9]+)-/.exec(id) ?? [];
    await on('outbox', async ({ page }) => {
      expect(await page.title()).toMatch(/^\(1\) Outbox/);
      expect(await page.locator('.lead b').innerText()).toBe('1 unread send');
      expect(await page.locator('.unread').getAttribute('id')).toBe(`row-task-${task}`);
      await nextPage(page, () => page.locator('.unread').click());
      await page.goto(`${sandbox.ready.baseUrl}/ui/1/outbox`);
      expect(await page.locator('.unread').count()).toBe(0);
      expect(await page.title()).toMatch(/^Outbox/);
    });
    await sendEmail(sandbox, '<p>Unread, too</p>');
    await on('outbox', async ({ page }) => {
      await nextPage(page, () => page.getByRole('button', { name: 'Mark all as read' }).click());
      expect(await page.locator('.said').innerText()).toContain('All messages are marked as read.');
      expect(await page.locator('.unread').count()).toBe(0);
    });
  });

  it('shows in the list of a send which messages are new since the list was last opened', async () => {
    const id = await sendEmail(sandbox, '<p>Unread in its list</p>');
    const [, task] = /^t([0-9]+)-/.exec(id) ?? [];
    const unread = ({ page }: Visit): Promise<readonly string[]> =>
      page.locator('.outbox .unread').evaluateAll((rows) => rows.map((row) => Object(row).id));
    const all = await on('outbox?view=all', async (seen) => {
      const rows = await unread(seen);
      expect(await seen.page.title()).toMatch(new RegExp(`^\\(${rows.length}\\) Outbox`));
      return rows;
    });
    expect(all).toHaveLength(50);
    const [one = ''] = all.map((row) => row.replace('row-', ''));
    // A message that was opened does not make the others read.
    await on(`outbox/${one}`, async () => undefined);
    expect(await on('outbox?view=all', unread)).toEqual(all.slice(1));
    expect(await on(`outbox?task=${task}`, unread)).toEqual(all.slice(1));
    expect(await on(`outbox?task=${task}`, unread)).toEqual([]);
    expect(await on('outbox?view=all', unread)).toEqual([]);
  });
});

describe.runIf(hasBrowser)('a message', () => {
  const EMAIL = 'outbox/t2-480';

  it('is accessible, narrow and wide, light and dark, in each of its parts', async () => {
    const parts = [
      ['message', EMAIL],
      ['sms', 'outbox/t3-480'],
      ['message-source', `${EMAIL}?view=source`],
      ['message-phone', `${EMAIL}?width=phone`],
      ['message-both', `${EMAIL}?view=both`],
      ['message-forced', `${EMAIL}?scheme=forced`],
      ['message-text', `${EMAIL}?view=text`],
      ['message-headers', `${EMAIL}?view=headers`],
      ['message-links', `${EMAIL}?view=links`],
      ['message-checks', `${EMAIL}?view=checks`],
      ['message-clients', `${EMAIL}?view=clients`],
    ] as const;
    for (const [name, path] of parts)
      await on(path, async (seen) => {
        expect(await flawsIn(seen, name)).toEqual([]);
        expect(seen.outside).toEqual([]);
      });
  });

  it('keeps the size of remote images, which are not loaded', async () => {
    const image = '<img src="https://cdn.example/hero.png" width="300" height="120" alt="Spring">';
    await on(`outbox/${await sendEmail(sandbox, `<!doctype html><p>${image}</p>`)}`, async (seen) => {
      const frame = seen.page.frames().find((each) => each.url().includes('frame=html'));
      const shown = await frame?.evaluate(
        `(({ offsetWidth, offsetHeight, outlineStyle }) => [offsetWidth, offsetHeight, outlineStyle])(
          Object.assign(document.images[0], { outlineStyle: getComputedStyle(document.images[0]).outlineStyle }))`,
      );
      expect(shown).toEqual([300, 120, 'dashed']);
      expect(seen.outside).toEqual([]);
    });
  });

  it('is shown at the widths of a phone, a tablet and a window', async () => {
    const widths: number[] = [];
    for (const width of ['phone', 'tablet', 'desktop'])
      await on(`${EMAIL}?width=${width}`, async ({ page }) => {
        const frame = page.frames().find((each) => each.url().includes('frame=html'));
        widths.push(Number(await frame?.evaluate('innerWidth')));
      });
    expect(widths.slice(0, 2)).toEqual([373, 766]);
    expect(widths[2]).toBeGreaterThan(600);
  });

  it('is shown as with dark and light settings, whatever the setting of the window', async () => {
    const html =
      '<html><head><meta name="color-scheme" content="light dark"><style>body{background:#fafafa}' +
      '@media (prefers-color-scheme: dark){body{background:#101820}}</style></head><body><p>Colours</p></body></html>';
    const id = await sendEmail(sandbox, html);
    const backgrounds: unknown[] = [];
    for (const scheme of ['light', 'dark'])
      for (const at of LOOKS.slice(2))
        await on(
          `outbox/${id}?scheme=${scheme}`,
          async ({ page }) => {
            const frame = page.frames().find((each) => each.url().includes('frame=html'));
            backgrounds.push(await frame?.evaluate('getComputedStyle(document.body).backgroundColor'));
          },
          { look: at },
        );
    const [light, dark] = ['rgb(250, 250, 250)', 'rgb(16, 24, 32)'];
    expect(backgrounds).toEqual([light, light, dark, dark]);
  });

  it('says so if its dark preview changes nothing, and labels the forced one as an approximation', async () => {
    const notes: string[] = [];
    const id = await sendEmail(sandbox, '<p>A message without dark styles</p>');
    for (const scheme of ['light', 'dark', 'forced'])
      await on(`outbox/${id}?scheme=${scheme}`, async ({ page }) => {
        notes.push((await page.locator('.note').allInnerTexts()).join());
      });
    expect(notes).toEqual([
      '',
      expect.stringContaining('has no dark styles'),
      expect.stringContaining('an approximation'),
    ]);
  });

  it('shows its text beside its HTML', async () => {
    await on(`${EMAIL}?view=both`, async ({ page }) => {
      expect(await page.locator('.both iframe').count()).toBe(1);
      expect(await page.locator('.both pre').innerText()).toContain('Three new coffees are in the shop');
    });
  });

  it('can be downloaded as it was sent, and the browser never shows the file', async () => {
    const { eml } = (await sandbox.control('outbox eml', { id: 't2-480' })).json.data;
    await on(EMAIL, async ({ page }) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download .eml' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('t2-480.eml');
      expect(await readFile(await download.path(), 'latin1')).toBe(eml);
    });
  });

  it('links to its person, to the page of its task, and to everything that the task sent', async () => {
    await on(EMAIL, async ({ page }) => {
      const hrefs = await page
        .locator('.facts a')
        .evaluateAll((all) => all.map((each) => Object(each).getAttribute('href')));
      expect(hrefs.slice(0, 3)).toEqual([
        expect.stringMatching(/^\/ui\/1\/subscribers\/[0-9]+$/),
        '/ui/1/tasks/2',
        '/ui/1/outbox?task=2',
      ]);
    });
  });

  it('lists each link with its effect here, its target, and faults in its address', async () => {
    const id = await sendEmail(
      sandbox,
      '<p><a href="https://example.com/a">Good</a> <a href="http://example.com/b">Plain</a></p>',
    );
    await on(`outbox/${id}?view=links`, async ({ page }) => {
      const rows = await page.locator('tbody tr').allInnerTexts();
      const cells = rows.map((row) => row.split('\t').map((cell) => cell.trim()));
      expect(cells.slice(0, 3)).toEqual([
        [
          'Good',
          'HTML',
          expect.stringMatching(/^Counts a click on link [0-9]+$/),
          'https://example.com/a',
          'ok',
        ],
        [
          ...['Plain', 'HTML', expect.stringMatching(/^Counts a click/), 'http://example.com/b'],
          'problem is not encrypted',
        ],
        ['Unsubscribe', 'HTML', 'Unsubscribes the recipient', '', ''],
      ]);
    });
  });

  it('names what mail clients do not support separately from the other checks', async () => {
    const id = await sendEmail(sandbox, '<p style="display:grid">A</p>');
    await on(`outbox/${id}`, async ({ page }) => {
      const count = page.getByRole('link', { name: 'Clients 1', exact: true });
      await nextPage(page, () => count.click());
      expect(await page.locator('.checks').innerText()).toMatch(
        /Mail clients[\s\S]*display: grid is not supported by Gmail/,
      );
    });
    await on(`outbox/${id}?view=checks`, async ({ page }) => {
      expect(await page.locator('.checks').innerText()).not.toContain('display: grid');
    });
  });

  it('has the text, the headers and the links that were sent', async () => {
    const { eml } = (await sandbox.control('outbox eml', { id: 't2-480' })).json.data;
    await on(`${EMAIL}?view=headers`, async ({ page }) => {
      const names = await page.locator('.headers th').allInnerTexts();
      expect(names).toEqual(
        expect.arrayContaining(['From', 'To', 'Subject', 'Date', 'Message-ID', 'List-Unsubscribe']),
      );
      expect(String(eml)).toContain(
        await page.locator('.headers td').nth(names.indexOf('Message-ID')).innerText(),
      );
    });
    await on(`${EMAIL}?view=links`, async ({ page }) => {
      const links = (await sandbox.api('GET', '/v1/emailMessageLink?message_id=1')).json.response.data;
      for (const { target } of links) expect(await page.locator('table').innerText()).toContain(target);
      expect(links.length).toBeGreaterThan(1);
    });
  });

  it('shows lint findings with their number, each at its place in the source', async () => {
    await on(EMAIL, async ({ page }) => {
      await nextPage(page, () => page.getByRole('link', { name: 'Clients 1', exact: true }).click());
      // Attributes that are not content are not checked, as in svc email lint.
      expect(await page.locator('.checks .badge').allTextContents()).toEqual(['warning']);
      const finding = page.locator('.findings a.rule').first();
      const name = (await finding.getAttribute('href'))?.split('#')[1] ?? '';
      await nextPage(page, () => finding.click());
      expect(page.url()).toContain('view=source');
      expect(await page.locator(`#${name}`).getAttribute('class')).toBe('found');
    });
  });

  it('is as high as its content at each width, and is at most two screens around it with 40 links', async () => {
    const links = Array.from(
      { length: 40 },
      (_, at) => `<h2>Coffee ${at}</h2><p><a href="https://example.com/c/${at}">Buy ${at}</a></p>`,
    );
    const id = await sendEmail(sandbox, `<!doctype html><body style="height:100%">${links.join('')}</body>`);
    for (const width of ['desktop', 'phone'])
      await on(`outbox/${id}?width=${width}`, async ({ page }) => {
        const frame = page.frames().find((each) => each.url().includes('frame=html'));
        const inside = 'document.documentElement.scrollHeight - innerHeight';
        await expect.poll(() => frame?.evaluate(inside), { timeout: 30_000 }).toBe(0);
        const height = Number(
          await page.locator('.stage iframe').evaluate((each) => Object(each).offsetHeight),
        );
        expect(height).toBeGreaterThan(40 * 50);
        const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
        expect(whole - height).toBeLessThan(2 * 900);
        expect(await page.locator('.recipient select').count()).toBe(1);
      });
  });

  it('is scrolled in a tall frame without JavaScript', async () => {
    await on(
      EMAIL,
      async ({ page }) => {
        const { height } = (await page.locator('.stage iframe').boundingBox()) ?? { height: 0 };
        expect(height).toBeGreaterThanOrEqual(0.8 * 900);
      },
      { javaScript: false },
    );
  });

  it('has links to the newer and the older message at its top', async () => {
    const [newest, second, third] = (await entries()).map((entry) => `/ui/1/outbox/${entry.id}`);
    await on(`outbox/${second?.split('/').at(-1)}`, async ({ page }) => {
      const pager = page.locator('.title .pager a');
      expect(await pager.evaluateAll((all) => all.map((each) => Object(each).getAttribute('href')))).toEqual([
        newest,
        third,
      ]);
    });
  });

  it('hides the commands until they are asked for, with or without JavaScript, and remembers the choice', async () => {
    for (const javaScript of [true, false])
      await on(
        EMAIL,
        async ({ page }) => {
          const command = page.locator('.recipient .command').first();
          const toggle = page.getByRole('button', { name: 'Show commands' });
          expect(await command.isVisible()).toBe(false);
          await nextPage(page, () => toggle.click());
          expect(page.url()).toBe(`${sandbox.ready.baseUrl}/ui/1/${EMAIL}`);
          expect(await command.isVisible()).toBe(true);
          expect(await toggle.getAttribute('aria-pressed')).toBe('true');
          await page.goto(`${sandbox.ready.baseUrl}/ui/1/clock`);
          expect(await page.locator('.moves .command').first().isVisible()).toBe(true);
          await nextPage(page, () => toggle.click());
          expect(await page.locator('.moves .command').first().isVisible()).toBe(false);
        },
        { javaScript },
      );
  });

  it('shows its parts, alphabet and credits as an SMS', async () => {
    await on('outbox/t3-480', async ({ page }) => {
      const text = await page.locator('.wide-facts').innerText();
      expect(text).toMatch(/1 part, 1 credit[\s\S]*GSM[\s\S]*117 characters/);
      expect(await page.locator('.bubble').innerText()).toContain('free cupping tonight');
    });
  });
});
