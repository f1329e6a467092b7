/**
 * The pages about lists and subscribers. Contract, "Sandbox": lists, subscribers, fields and searches are made in the sandbox; "The
 * sandbox, for people and teams": `sandbox open` shows lists.
 */
import { describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { hasBrowser, nextPage, type Visit } from '../../support/pages.ts';

const { on, looksWell, asked, sandbox } = visits();

const idsOn = ({ page }: Visit): Promise<string[]> =>
  page
    .locator('.people [data-row]')
    .evaluateAll((rows) => rows.map((row) => (row as unknown as { id: string }).id));

describe.runIf(hasBrowser)('the lists', () => {
  it('are accessible, narrow and wide, light and dark', async () => {
    await looksWell('lists', 'lists');
    await looksWell('lists/1', 'list');
    await looksWell('subscribers/97', 'subscriber');
    await looksWell('subscribers?address=nobody@example.com', 'no-subscriber');
  });

  it('are all listed with their subscriptions, and so are searches and fields', async () => {
    await on('lists', async ({ page }) => {
      for (const list of await asked('list list')) {
        const row = page.locator(`#list-${list.id}`);
        expect(await row.innerText()).toContain(list.name);
        expect(await row.locator('.n').innerText()).toBe(list.subscriptions.toLocaleString('en-GB'));
      }
      const text = await page.locator('main').innerText();
      for (const { name } of await asked('search list')) expect(text).toContain(name);
      for (const { name } of await asked('field list')) expect(text).toContain(name);
    });
  });

  it('are paged from the first subscriber to the last and back, each once', async () => {
    const all = await asked('subscriber list', { list: 1 });
    const wanted = all.map(({ id }: { id: number }) => `subscriber-${id}`);
    await on('lists/1', async (seen) => {
      const pages: string[][] = [];
      for (;;) {
        pages.push(await idsOn(seen));
        const next = seen.page.locator('.pager [rel=next]');
        if ((await next.count()) === 0) break;
        await nextPage(seen.page, () => seen.page.keyboard.press('ArrowRight'));
      }
      expect(pages.flat()).toEqual(wanted);
      for (const page of pages.toReversed().slice(1)) {
        await nextPage(seen.page, () => seen.page.keyboard.press('ArrowLeft'));
        expect(await idsOn(seen)).toEqual(page);
      }
      expect(await seen.page.locator('.pager [rel=prev]').count()).toBe(0);
    });
  });

  it('find subscribers by address, number and id', async () => {
    const all = await asked('subscriber list', { list: 1 });
    const one = all.find(({ email, msisdn }: Record<string, unknown>) => email !== null && msisdn !== null);
    for (const text of [one.email, one.email.toUpperCase(), `+${one.msisdn}`, String(one.id)])
      await on('lists', async ({ page }) => {
        await page.keyboard.press('/');
        await page.keyboard.type(text);
        await nextPage(page, () => page.keyboard.press('Enter'));
        expect(page.url()).toMatch(new RegExp(`/subscribers/${one.id}$`));
        expect(await page.locator('h1').innerText()).toBe(one.email);
      });
    await on('lists?search=nobody@example.com', async ({ page }) => {
      expect(await page.locator('.empty').innerText()).toContain(
        'svc sandbox subscriber create --list 1 --email nobody@example.com',
      );
    });
  });

  it('name the command that fills an empty one', async () => {
    const { id } = await asked('list create', { name: 'Empty' });
    await on(`lists/${id}`, async ({ page }) => {
      expect(await page.locator('.empty').innerText()).toContain(
        `svc sandbox subscriber create --list ${id}`,
      );
    });
  });

  it.each(['lists/999', 'lists/x', 'subscribers/999999', 'subscribers/x'])(
    '%s is not found',
    async (path) => {
      await on(path, async ({ page }) => {
        expect(await page.locator('h1').innerText()).toBe('Not found');
      });
    },
  );
});

describe.runIf(hasBrowser)('a subscriber', () => {
  it('shows lists, profile and the reasons that block messages', async () => {
    const suspended = (await asked('subscriber list', {})).find(
      (each: Record<string, unknown>) => each['emailsuspended'] === true,
    );
    await on(`subscribers/${suspended.id}`, async ({ page }) => {
      const facts = await page.locator('.facts').innerText();
      expect(facts).toContain(suspended.email);
      expect(facts).toContain('suspended');
      expect(await page.locator('.pairs [data-row]').count()).toBe(suspended.lists.length);
      expect(await page.locator('.told').innerText()).toMatch(/firstname/i);
    });
  });

  it('joins a list, and the triggered rules are shown', async () => {
    const { id } = await asked('subscriber create', { email: 'joins@example.com', lists: [2] });
    await on(
      `subscribers/${id}`,
      async ({ page }) => {
        await page.getByLabel('Joins').selectOption('1');
        await nextPage(page, () => page.getByRole('button', { name: 'Subscribe' }).click());
        expect(await page.locator('.said').innerText()).toContain('Welcome newcomers, queued for');
        expect(await page.locator('#on-1').count()).toBe(1);
      },
      { javaScript: false },
    );
    expect(await asked('queue', { rule: 'subscription:1' })).toMatchObject([{ subscriber: id }]);
  });
});

it('a page of subscribers has those before a place as well as those after it', async () => {
  const { json } = await sandbox().control('subscriber list', { before: 10, limit: 3 });
  expect(json.data.map(({ id }: { id: number }) => id)).toEqual([7, 8, 9]);
  const of = (await asked('subscriber list', { list: 2 })).map(({ id }: { id: number }) => id);
  const before = await asked('subscriber list', { list: 2, before: of[6], limit: 4 });
  expect(before.map(({ id }: { id: number }) => id)).toEqual(of.slice(2, 6));
});
