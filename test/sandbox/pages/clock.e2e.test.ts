/** Contract, "Sandbox" (clock, snapshots) and "The sandbox, for people and teams" (requests), as pages. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { signRequest } from '../../../src/service/auth/sign.ts';
import {
  type Browser,
  flawsIn,
  hasBrowser,
  launch,
  nextPage,
  type Visit,
  visit,
} from '../../support/pages.ts';
import { postgresOfTests } from '../../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
const START = 1_796_115_600;
/** This machine's time, in milliseconds. A machine whose clock is ahead of START could not set a sandbox to it. */
const MACHINE = (START - 86_400) * 1000;

const open: (() => Promise<void>)[] = [];
let browser: Browser | undefined;
let sandbox: SocketSandbox;
async function begin(clock: 'manual' | 'real'): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
  const folder = await temporaryFolder();
  open.push(folder.remove);
  const machine = clock === 'manual' ? { machineNow: () => MACHINE } : {};
  sandbox = await runSandbox(folder.path, { clock, seed: 'demo', ...machine });
  const running = sandbox;
  open.push(async () => {
    expect(running.reports).toEqual([]);
    await running.stop();
  });
  if (clock === 'manual') await sandbox.control('clock set', { time: START });
  if (hasBrowser) browser ??= await launch();
}
beforeEach(() => begin('manual'));
afterAll(async () => {
  await browser?.close();
  for (const close of open.splice(0).reverse()) await close();
});

async function on<T>(
  path: string,
  work: (seen: Visit) => Promise<T>,
  options?: Parameters<typeof visit>[3],
): Promise<T> {
  if (!browser) throw new Error('no browser');
  const seen = await visit(browser, sandbox, path, options);
  try {
    return await work(seen);
  } finally {
    await seen.close();
  }
}

const shows = async (): Promise<number> => (await sandbox.control('clock show')).json.data.time;
const press = async ({ page }: Visit, name: string): Promise<string> => {
  await nextPage(page, () => page.getByRole('button', { name, exact: true }).click());
  expect(page.url()).toContain('done=');
  return page.locator('.said').innerText();
};

async function schedule(at: number): Promise<number> {
  const made = await sandbox.api('POST', '/v1/task', {
    ...{ name: 'Advent', channel: 'email', message_id: 1, list_id: 1, search_id: null, scheduledtime: at },
  });
  return made.json.response.data.id;
}

describe.runIf(hasBrowser)('the clock', () => {
  it('moves once on a double press, and shows that it is being moved', async () => {
    await on('clock', async ({ page }) => {
      const pressed = () =>
        page.evaluate(`(() => {
          const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === '+1 hour');
          button.click();
          button.click();
          return [button.getAttribute('aria-busy'), document.documentElement.className];
        })()`);
      let seen: unknown;
      await nextPage(page, async () => {
        seen = await pressed();
      });
      expect(seen).toEqual(['true', 'busy']);
      expect(await page.locator('[aria-busy], .busy').count()).toBe(0);
      expect(await shows()).toBe(START + 3600);
    });
  });

  it('is accessible, narrow and wide, light and dark', async () => {
    await schedule(START + 7200);
    await sandbox.control('snapshot save', { name: 'before-advent' });
    await on('clock', async (seen) => {
      // This check comes before the test's own messages.
      expect(seen.complaints).toEqual([]);
      expect(await flawsIn(seen, 'clock')).toEqual([]);
      expect(await seen.page.title()).toContain('Tue 2026-12-01 09:00:00');
      expect(await seen.page.locator('.due').innerText()).toMatch(
        /2026-12-01 11:00\s+in 2 hours[\s\S]*Advent/,
      );
    });
  });

  it('moves by an hour, a day and a week, and shows what ran', async () => {
    await schedule(START + 7200);
    await on('clock', async (seen) => {
      expect(await press(seen, '+1 hour')).toContain('Nothing was due');
      expect(await shows()).toBe(START + 3600);
      expect(await press(seen, '+1 day')).toMatch(/Ran [0-9]+ due steps?\./);
      expect(await shows()).toBe(START + 3600 + 86_400);
      await press(seen, '+1 week');
      expect(await shows()).toBe(START + 3600 + 8 * 86_400);
      const outbox = seen.page.getByRole('link', { name: 'Outbox', exact: true }).first();
      await nextPage(seen.page, () => outbox.click());
      expect(await seen.page.locator('[data-row]').first().innerText()).toContain('Task Advent');
    });
  });

  it('moves to the next event, and until no work is due', async () => {
    await schedule(START + 7200);
    await on('clock', async (seen) => {
      await press(seen, 'Next event');
      expect(await shows()).toBe(START + 7200);
      await press(seen, 'Run everything');
      expect(await seen.page.locator('.empty').innerText()).toContain('Nothing is due');
    });
  });

  it('accepts the same times as the command line, and reports others', async () => {
    await on('clock', async (seen) => {
      await seen.page.getByLabel('To', { exact: true }).fill('tomorrow 09:00');
      expect(await press(seen, 'Set')).toContain('Wed 2026-12-02 09:00:00');
      expect(await shows()).toBe(START + 86_400);
      for (const [text, why] of [
        ['yesterday', 'is not a time'],
        ['2020-01-01 09:00', 'cannot go back'],
      ] as const) {
        await seen.page.getByLabel('To', { exact: true }).fill(text);
        const set = seen.page.getByRole('button', { name: 'Set', exact: true });
        await nextPage(seen.page, () => set.click());
        expect(await seen.page.locator('.said.refused').innerText()).toContain(why);
        expect(await seen.page.getByLabel('To', { exact: true }).inputValue()).toBe(text);
      }
      expect(await shows()).toBe(START + 86_400);
    });
  });

  // PostgreSQL refuses snapshots (src/sandbox/README.md, "What stays in the data folder").
  it.skipIf(postgresOfTests() !== undefined)(
    'saves a snapshot, restores and deletes it, and asks before each destructive action',
    async () => {
      await on('clock', async (seen) => {
        const asked: string[] = [];
        let answer = false;
        seen.page.on('dialog', async (dialog) => {
          asked.push(dialog.message());
          await (answer ? dialog.accept() : dialog.dismiss());
        });
        await seen.page.getByLabel('Name').fill('one');
        expect(await press(seen, 'Save a snapshot')).toContain('one is saved');
        await sandbox.control('clock advance', { seconds: 86_400 });
        await seen.page.getByRole('button', { name: 'Restore' }).click();
        expect(await shows()).toBe(START + 86_400);
        answer = true;
        await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/clock`);
        expect(await press(seen, 'Restore')).toContain('data of the snapshot one is restored');
        expect(await shows()).toBe(START);
        await seen.page.goto(`${sandbox.ready.baseUrl}/ui/1/clock`);
        expect(await press(seen, 'Delete')).toContain('is deleted');
        expect((await sandbox.control('snapshot list')).json.data).toEqual([]);
        expect(asked).toEqual([
          'Replace all data of the sandbox with the snapshot one?',
          'Replace all data of the sandbox with the snapshot one?',
          'Delete the snapshot one?',
        ]);
      });
    },
  );

  it('works without JavaScript', async () => {
    await on(
      'clock',
      async (seen) => {
        await press(seen, '+1 day');
        expect(await shows()).toBe(START + 86_400);
      },
      { javaScript: false },
    );
  });

  it('has no buttons if it is real', async () => {
    await begin('real');
    await on('clock', async ({ page }) => {
      expect(await page.locator('.moves').count()).toBe(0);
      expect(await page.locator('.lead').innerText()).toContain('real time');
      expect(await page.getByRole('button', { name: 'Save a snapshot' }).isVisible()).toBe(true);
    });
  });
});

describe.runIf(hasBrowser)('a change during the visit', () => {
  it('is shown at once at the top of the page, and is otherwise announced without moving the page', async () => {
    const id = await schedule(START + 7200);
    await on('outbox?view=all', async ({ page }) => {
      const first = page.locator('[data-row]').first();
      const before = await first.innerText();
      // Someone else moves the clock.
      await sandbox.control('clock advance', { seconds: 8000 });
      await page.locator('[data-row]', { hasText: 'Advent' }).first().waitFor();
      expect(await first.innerText()).not.toBe(before);
      expect(await page.locator('.bar .clock time').innerText()).toBe('Tue 2026-12-01 11:13');
      expect(await first.getAttribute('href')).toContain(`t${id}-`);
    });
    await on('outbox?view=all', async ({ page }) => {
      await page.evaluate('scrollTo(0, 900)');
      const shown = await page.locator('[data-row]').allInnerTexts();
      await sandbox.control('event subscribe', { list: 2, subscriber: 1 });
      await sandbox.control('clock advance', { seconds: 60 });
      await page.locator('.news').waitFor({ state: 'visible' });
      expect(await page.evaluate('scrollY')).toBe(900);
      expect(await page.locator('[data-row]').allInnerTexts()).toEqual(shown);
      await page.locator('.news').click();
      await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    });
  });

  it('is sent to no more windows than it can serve, and the streams end with the sandbox', async () => {
    const link = (await sandbox.control('open', {})).json.data.url.slice(sandbox.ready.baseUrl.length);
    const cookie = ((await sandbox.get(link)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const all = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(`${sandbox.ready.baseUrl}/ui/1/events`, { headers: { cookie }, signal: all.signal }),
      ),
    );
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await fetch(`${sandbox.ready.baseUrl}/ui/1/events`, { headers: { cookie } })).status).toBe(503);
    const ended = Promise.all(streams.map((each) => each.text()));
    await sandbox.stop();
    // The streams end properly. They are not cut off after five seconds like requests in flight, whose text could not be read.
    for (const text of await ended) expect(text).toMatch(/^retry: 2000\n\n/);
    all.abort();
    await begin('manual');
  });
});

describe.runIf(hasBrowser)('the requests', () => {
  const wronglySigned = (): Promise<unknown> => {
    const { company } = sandbox.ready;
    const headers = signRequest(
      { method: 'GET', path: '/v1/folder' },
      { kind: 'company', companyId: company.id, userId: company.adminUserId, apiKey: 'f'.repeat(32) },
      { nonce: 'n'.repeat(40), date: new Date(MACHINE).toUTCString() },
    );
    return sandbox.get('/v1/folder', { headers });
  };

  it('are accessible, narrow and wide, light and dark, and a 401 explains itself', async () => {
    await sandbox.api('GET', '/v1/folder');
    await sandbox.api('GET', '/v1/task/999');
    await wronglySigned();
    await on('requests?status=401', async (seen) => {
      expect(await seen.page.locator('.requests .row').count()).toBe(1);
      const all = seen.page.getByRole('link', { name: 'All', exact: true });
      await nextPage(seen.page, () => all.click());
      expect(await seen.page.locator('.requests .row').count()).toBe(3);
      expect(await flawsIn(seen, 'requests')).toEqual([]);
      await nextPage(seen.page, () => seen.page.locator('.requests .row').first().click());
      expect(await flawsIn(seen, 'request-401')).toEqual([]);
      expect(await seen.page.locator('.why').innerText()).toMatch(
        /signature[\s\S]*GET[\s\S]*Their SHA-1 begins with/,
      );
      expect(await seen.page.content()).not.toContain(sandbox.ready.company.apiKey);
    });
  });

  it('have a page each, with headers, both bodies, the reason and a script that sends them again', async () => {
    await sandbox.api('POST', '/v1/folder', { name: "It's <b>new</b>" });
    await sandbox.api('POST', '/v1/sms', { msisdn: 'x' });
    await on('requests?group=4xx', async (seen) => {
      const { page } = seen;
      await nextPage(page, () => page.locator('.requests .row').first().click());
      expect(await page.locator('.why').innerText()).toMatch(/msisdn[\s\S]*fromaddress/);
      await nextPage(page, () => page.getByRole('link', { name: 'Older' }).click());
      expect(await page.locator('h1').innerText()).toBe('POST /v1/folder');
      expect(await page.locator('.why').count()).toBe(0);
      expect(await page.locator('.headers').innerText()).toMatch(/authorization\s+SvcHash \[left out\]/);
      const [sent, answer] = await page.locator('.body').allInnerTexts();
      expect(JSON.parse(sent ?? '')).toEqual({ name: "It's <b>new</b>" });
      expect(JSON.parse(answer ?? '')).toMatchObject({ status: 'ok', response: { count: 1 } });
      expect(await page.locator('.curl pre').innerText()).toContain('curl -i -X POST');
      expect(await flawsIn(seen, 'request')).toEqual([]);
      await page.goto(`${sandbox.ready.baseUrl}/ui/1/requests/999999`);
      expect(await page.locator('main').innerText()).toContain('request 999999 not found');
    });
  });

  it('are found by a text of their path', async () => {
    await sandbox.api('GET', '/v1/folder');
    await sandbox.api('GET', '/v1/smsDestination');
    await on('requests', async ({ page }) => {
      await page.fill('#search', 'smsdest');
      await nextPage(page, () => page.keyboard.press('Enter'));
      expect(await page.locator('.requests .path').allInnerTexts()).toEqual(['/v1/smsDestination']);
      expect(await page.inputValue('#search')).toBe('smsdest');
    });
  });

  it('say which faults are active, and clear them', async () => {
    await on('requests', async ({ page }) => expect(await page.locator('.faults').count()).toBe(0));
    await sandbox.control('fault set', { kind: 'error', rate: 0.3, match: 'GET /v1/task' });
    await sandbox.control('fault set', { kind: 'slow', delay: 1500, times: 2 });
    await on('requests', async (seen) => {
      const { page } = seen;
      expect((await page.locator('.faults li').allInnerTexts()).map((text) => text.trim())).toEqual([
        'error: responds with 503 and changes nothing, for 30 % of requests to GET /v1/task',
        'slow: delays the request before processing it by 1.5 s, for all requests, 2 more times',
      ]);
      expect(await flawsIn(seen, 'requests-faults')).toEqual([]);
      await nextPage(page, () => page.getByRole('button', { name: 'Clear all faults' }).click());
      expect(await page.locator('.said').innerText()).toContain('Cleared 2 faults.');
      expect(await page.locator('.faults').count()).toBe(0);
    });
    expect((await sandbox.control('fault list')).json.data).toEqual([]);
  });

  it("hide svc's own requests, and do not report an empty list as a fault", async () => {
    const { company } = sandbox.ready;
    const { id: companyId, adminUserId: userId, apiKey } = company;
    const signer = { kind: 'company', companyId, userId, apiKey } as const;
    const date = new Date(MACHINE).toUTCString();
    const headers = signRequest({ method: 'GET', path: '/v1/form' }, signer, { nonce: 'd'.repeat(40), date });
    await sandbox.get('/v1/form', { headers: { ...headers, 'user-agent': 'svc (doctor)' } });
    await sandbox.api('GET', '/v1/form?name=nobody');
    await sandbox.api('GET', '/v1/form/999');
    await on('requests', async ({ page }) => {
      const rows = (): Promise<string[]> => page.locator('.requests .row').allInnerTexts();
      expect((await rows()).filter((row) => row.includes('(doctor)'))).toEqual([]);
      const badgeOf = (path: string) =>
        page.locator('.requests .row', { hasText: path }).first().locator('.badge').getAttribute('class');
      expect(await badgeOf('/v1/form?name=nobody')).toContain('plain');
      expect(await badgeOf('/v1/form/999')).toContain('warn');
      const all = page.getByRole('link', { name: 'With doctor and completion' });
      await nextPage(page, () => all.click());
      expect((await rows()).filter((row) => row.includes('(doctor)'))).toHaveLength(1);
    });
  });

  it('appear as they arrive, and can be paged to the oldest', async () => {
    await on('requests', async ({ page }) => {
      expect(await page.locator('.empty').innerText()).toContain('No requests yet');
      await sandbox.api('GET', '/v1/folder');
      await page.locator('.requests .row').waitFor();
      for (let turn = 0; turn < 149; turn += 1) await sandbox.api('GET', `/v1/folder/${turn}`);
      await page.goto(`${sandbox.ready.baseUrl}/ui/1/requests`);
      expect(await page.locator('.requests .row').count()).toBe(100);
      await nextPage(page, () => page.locator('[rel=next]').click());
      expect(await page.locator('.requests .row').count()).toBe(50);
    });
  });
});
