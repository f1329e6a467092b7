/**
 * Do Not Contact and the account. Interface, "doNotContact", "user" and "account"; contract, "Sandbox": `company key`,
 * `credits set`; "Safety": a key is shown only on request.
 */
import { describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { hasBrowser, linkTo, nextPage, type Visit } from '../../support/pages.ts';

const { on, looksWell, asked, api, sandbox } = visits();

describe.runIf(hasBrowser)('Do Not Contact', () => {
  it('shows entries newest first, each once, on pages with keyset paging', async () => {
    for (let at = 0; at < 120; at += 1)
      await api('POST', '/v1/doNotContact', {
        contactdata: `gone${String(at).padStart(3, '0')}@example.net`,
      });
    const found: string[] = [];
    await on('dnc', async ({ page }) => {
      for (;;) {
        found.push(...(await page.locator('.entry .what').allInnerTexts()));
        const older = page.locator('.pager [rel=next]');
        if ((await older.count()) === 0) break;
        await nextPage(page, () => page.keyboard.press('ArrowRight'));
      }
      await nextPage(page, () => page.keyboard.press('ArrowLeft'));
      expect(page.url()).toContain('after=');
      expect(await page.locator('.entry').count()).toBe(50);
    });
    expect(found.length).toBe(new Set(found).size);
    expect(found[0]).toBe('gone119@example.net');
    expect(found.filter((each) => each.startsWith('gone'))).toHaveLength(120);
  });

  it('are accessible, narrow and wide, light and dark', async () => {
    await looksWell('dnc', 'dnc');
    await looksWell('dnc?search=nosuch', 'dnc-nothing');
    await looksWell('account', 'account');
  });

  it('shows its place in the navigation, also in a narrow window', async () => {
    const inView = async ({ page }: Visit): Promise<boolean> => {
      const box = (await page.evaluate(
        `document.querySelector('.pages [aria-current]').getBoundingClientRect().toJSON()`,
      )) as { left: number; right: number; width: number };
      return box.width > 0 && box.left >= 0 && box.right <= 360;
    };
    const narrow = { look: { width: 360, colorScheme: 'light' } } as const;
    expect(await on('clock', inView, narrow)).toBe(true);
    expect(await on('outbox', inView, narrow)).toBe(true);
  });

  it('tells what a person did that put them on the list', async () => {
    await asked('event unsubscribe', { task: 2, subscriber: 17 });
    await on('dnc', async ({ page }) => {
      const first = page.locator('.entry').first();
      expect(await first.locator('.reason').innerText()).toBe(
        'Unsubscribed from Three new coffees, and a rainy-day recipe',
      );
      // Nobody knows the reason of the entries of the API.
      expect(await page.locator('.reason').count()).toBe(1);
      await nextPage(page, () => first.locator('.reason a').click());
      expect(page.url()).toMatch(/outbox\/t2-17$/);
      await page.goto(`${sandbox().ready.baseUrl}/ui/1/dnc`);
      page.on('dialog', (dialog) => void dialog.accept());
      await nextPage(page, () =>
        page.locator('.entry').first().getByRole('button', { name: 'Remove' }).click(),
      );
    });
  });

  it('is searched by the beginning of an entry', async () => {
    await on('dnc', async ({ page }) => {
      await page.keyboard.press('/');
      await page.keyboard.type('GONE01');
      await nextPage(page, () => page.keyboard.press('Enter'));
      const found = await page.locator('.entry .what').allInnerTexts();
      expect(found).toEqual(Array.from({ length: 10 }, (_, at) => `gone01${at}@example.net`));
    });
    await on('dnc?search=gone', async ({ page }) => {
      expect(await page.locator('.entry').count()).toBe(50);
      await nextPage(page, () => page.locator('.pager [rel=next]').click());
      expect(await page.locator('.entry .what').first().innerText()).toBe('gone050@example.net');
    });
  });

  it('adds an address, whose subscriber is deleted, and removes it again', async () => {
    const { id } = await asked('subscriber create', { email: 'leaves@example.com', lists: [1] });
    await on('dnc', async ({ page }) => {
      page.on('dialog', (dialog) => void dialog.accept());
      await page.getByLabel('Add').fill('Leaves@example.com');
      await nextPage(page, () => page.getByRole('button', { name: 'Add to the list' }).click());
      expect(await page.locator('.entry .what').first().innerText()).toBe('leaves@example.com');
      const left = await asked('subscriber list', { after: id - 1 });
      expect(left.map((each: { id: number }) => each.id)).not.toContain(id);
      const first = page.locator('.entry').first();
      expect(await first.textContent()).toContain('svc dnc remove leaves@example.com');
      await nextPage(page, () => first.getByRole('button', { name: 'Remove' }).click());
      expect(await page.locator('.said').innerText()).toContain('is no longer on Do Not Contact');
      expect(await page.locator('.entry .what').first().innerText()).toBe('gone119@example.net');
    });
  });

  it('rejects invalid values in the words of the service', async () => {
    await on(
      'dnc',
      async ({ page }) => {
        await page.getByLabel('Add').fill('gone001@example.net');
        await nextPage(page, () => page.getByRole('button', { name: 'Add to the list' }).click());
        expect(await page.locator('.said.refused').innerText()).toContain('on the Do Not Contact list');
      },
      { javaScript: false },
    );
  });
});

describe.runIf(hasBrowser)('the account', () => {
  it('shows credits, users and contents', async () => {
    const record = await api('GET', '/v1/account/1');
    const users = await api('GET', '/v1/user');
    await on('account', async ({ page }) => {
      const text = await page.locator('main').innerText();
      expect(text).toContain(record.emailcreditbalance.toLocaleString('en-GB'));
      expect(text).toContain(record.smscreditbalance.toLocaleString('en-GB'));
      for (const { username } of users) expect(text).toContain(username);
    });
  });

  it('shows the credits that were set', async () => {
    await on(
      'account',
      async ({ page }) => {
        await page.getByLabel('E-mail').fill('1234');
        await page.getByLabel('SMS').fill('56');
        await nextPage(page, () => page.getByRole('button', { name: 'Set' }).click());
        const text = await page.locator('main').textContent();
        expect(text).toContain('There are 1,234 e-mail credits and 56 SMS credits now.');
        expect(text).toContain('svc sandbox credits set --email 1234 --sms 56');
      },
      { javaScript: false },
    );
    expect(await api('GET', '/v1/account/1')).toMatchObject({
      emailcreditbalance: 1234,
      smscreditbalance: 56,
    });
  });

  it('shows its key only in the response to the button, and no address or store contains it', async () => {
    const { apiKey } = await asked('company key', { id: 1 });
    await on('account', async ({ page, context }) => {
      expect(await page.content()).not.toContain(apiKey);
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await nextPage(page, () => page.getByRole('button', { name: 'Show the key' }).click());
      const answer = await answered;
      expect(answer.status()).toBe(200);
      expect(answer.headers()['cache-control']).toContain('no-store');
      expect(await page.locator('.secret').innerText()).toBe(apiKey);
      expect(page.url()).not.toContain(apiKey);
      expect(page.url()).not.toContain('done=');
      const again = await context.newPage();
      await again.goto(page.url());
      expect(await again.content()).not.toContain(apiKey);
    });
  });
});

it('has the key on no page except the response to that button', async () => {
  const { apiKey } = await asked('company key', { id: 1 });
  const opened = await sandbox().get(
    (await linkTo(sandbox(), 'account')).slice(sandbox().ready.baseUrl.length),
  );
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  for (const page of [
    'account',
    'outbox',
    'tasks',
    'automations',
    'lists',
    'subscribers',
    'dnc',
    'requests',
    'clock',
  ]) {
    const { status, text } = await sandbox().get(`/ui/1/${page}`, { headers: { cookie } });
    expect(status, page).toBe(200);
    expect(text, page).not.toContain(apiKey);
  }
});
