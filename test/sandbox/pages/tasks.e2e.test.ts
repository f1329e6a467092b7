/**
 * The pages about tasks. Interface, "task": scheduled times, sizes and statistics; contract, "Insight": the calendar and its
 * clashes; "The sandbox, for people and teams": `sandbox open` shows tasks.
 */
import { describe, expect, it } from 'vitest';
import { formatTime } from '../../../src/kit/text/timezone.ts';
import { visits } from '../../support/page-visits.ts';
import { hasBrowser, nextPage } from '../../support/pages.ts';

const { on, looksWell, asked, api } = visits();
const ZONE = 'Europe/London';
const local = (seconds: number): string => formatTime(seconds, ZONE, 'table');

/** Creates a task of the demo's newsletter list that is due in this many seconds. */
async function taskIn(seconds: number, name: string): Promise<number> {
  const { time } = await asked('clock show');
  const { id } = await api('POST', '/v1/task', {
    ...{ channel: 'email', message_id: 1, name, scheduledtime: time + seconds },
    ...{ list_id: 1, search_id: null },
  });
  return id;
}

describe.runIf(hasBrowser)('the calendar of tasks', () => {
  it('has each task of its weeks on its day in the zone of the company, at its time', async () => {
    const id = await taskIn(3 * 86_400 + 600, 'In three days');
    const { scheduledtime } = await api('GET', `/v1/task/${id}`);
    await on('tasks', async ({ page }) => {
      const cell = page.locator('.day-cell', { has: page.locator(`#task-${id}`) });
      expect(await cell.locator('h2 time').getAttribute('datetime')).toBe(local(scheduledtime).slice(0, 10));
      expect(await page.locator(`#task-${id}`).innerText()).toContain(local(scheduledtime).slice(11));
    });
  });

  it('marks tasks that reach the same people less than an hour apart', async () => {
    const one = await taskIn(5 * 86_400, 'First');
    const two = await taskIn(5 * 86_400 + 1800, 'Second');
    const far = await taskIn(5 * 86_400 + 7200, 'Much later');
    await on('tasks', async ({ page }) => {
      for (const id of [one, two]) expect(await page.locator(`#task-${id} .clash`).count()).toBe(1);
      expect(await page.locator(`#task-${far} .clash`).count()).toBe(0);
      expect(await page.locator(`#task-${one} .clash`).getAttribute('title')).toContain(
        `task ${two} (Second)`,
      );
    });
    await on(`tasks/${one}`, async ({ page }) => {
      expect(await page.locator('.facts').innerText()).toContain('Second, 30 minutes later');
    });
  });

  it('moves by four weeks, also by keys, and links to the nearest tasks if there are none', async () => {
    await on('tasks?from=2030-01-07', async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe('Tasks, 7 Jan to 3 Feb');
      expect(await page.locator('.empty').innerText()).toContain('Last task before:');
      await nextPage(page, () => page.keyboard.press('ArrowRight'));
      expect(page.url()).toContain('from=2030-02-04');
      await nextPage(page, () => page.keyboard.press('ArrowLeft'));
      expect(page.url()).toContain('from=2030-01-07');
    });
  });

  it('shows part of a day with many tasks, and all of them on the page of the day', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 9; at += 1) ids.push(await taskIn(9 * 86_400 + at, `Many ${at}`));
    const { scheduledtime } = await api('GET', `/v1/task/${ids[0]}`);
    const day = local(scheduledtime).slice(0, 10);
    await on('tasks', async ({ page }) => {
      const cell = page.locator('.day-cell', { has: page.locator(`time[datetime="${day}"]`) });
      expect(await cell.locator('.plan').count()).toBe(6);
      await nextPage(page, () => cell.getByText('3 more').click());
      expect(page.url()).toContain(`day=${day}`);
      expect(await page.locator('[data-row]').count()).toBe(9);
    });
  });

  it('shows tasks in progress with their progress', async () => {
    const { time } = await asked('clock show');
    const { id } = await api('POST', '/v1/task', {
      ...{ channel: 'email', message_id: 1, name: 'Slowly', scheduledtime: time + 60, rate: 60 },
      ...{ list_id: 1, search_id: null },
    });
    await asked('clock advance', { seconds: 600 });
    const { sent, size } = await asked('task show', { id });
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(size);
    await on('tasks', async ({ page }) => {
      expect(await page.locator(`#sending-${id}`).innerText()).toContain(`${sent} of ${size}`);
      expect(await page.locator(`#task-${id}`).innerText()).toContain('sending');
    });
  });

  it('is also a list, the latest start first, with results and paging', async () => {
    // More tasks at one second than a page holds.
    for (let at = 0; at < 55; at += 1) await taskIn(20 * 86_400, `Same second ${at}`);
    const all = await api('GET', '/v1/task?sort=scheduledtime&reverse=true&count=200');
    await on('tasks', async ({ page }) => {
      await nextPage(page, () => page.getByRole('link', { name: 'List', exact: true }).click());
      const ids = () =>
        page
          .locator('.tasks [data-row]')
          .evaluateAll((rows) => rows.map((row) => (row as unknown as { id: string }).id));
      const first = await ids();
      expect(first).toHaveLength(50);
      await nextPage(page, () => page.getByRole('link', { name: 'Earlier →' }).click());
      expect([...first, ...(await ids())]).toEqual(
        all.slice(0, 100).map(({ id }: { id: number }) => `task-${id}`),
      );
      expect(await page.locator('#task-2').innerText()).toMatch(/\d+ opened · \d+ clicked/);
      await nextPage(page, () => page.getByRole('link', { name: '← Latest' }).click());
      expect(await ids()).toEqual(first);
    });
    await looksWell('tasks?view=list', 'tasks-list');
  });

  it('finds a task by its id and by its name', async () => {
    const id = await taskIn(86_400, 'Needle');
    for (const text of [String(id), 'Needle'])
      await on('tasks', async ({ page }) => {
        await page.keyboard.press('/');
        await page.keyboard.type(text);
        await nextPage(page, () => page.keyboard.press('Enter'));
        expect(await page.locator(`.tasks #task-${id}`).count()).toBe(1);
      });
    await on('tasks?search=nosuch', async ({ page }) => {
      expect(await page.locator('.empty').innerText()).toContain('svc task list');
    });
  });

  it('shows a name as text, never as HTML', async () => {
    const id = await taskIn(86_400, '<b onclick=x>Bold</b>');
    for (const path of ['tasks', `tasks/${id}`])
      await on(path, async ({ page }) => {
        expect(await page.locator('main').innerText()).toContain('<b onclick=x>Bold</b>');
      });
  });

  // The page has the tasks of the other tests: clashes, a full day, and one in progress.
  it('is accessible, narrow and wide, light and dark', async () => {
    await looksWell('tasks?search=Needle', 'tasks-found');
    await looksWell('tasks', 'tasks');
  });
});

describe.runIf(hasBrowser)('a task', () => {
  it('is accessible, narrow and wide, light and dark', async () => {
    await looksWell('tasks/2', 'task');
    await looksWell(`tasks/${await taskIn(86_400, 'Tomorrow')}`, 'task-scheduled');
  });

  it('has the counts of the service and of the sandbox', async () => {
    const told = await asked('task show', { id: 2 });
    const record = await api('GET', '/v1/task/2');
    await on('tasks/2', async ({ page }) => {
      const legend = await page.locator('.legend').innerText();
      expect(legend.replaceAll(',', '')).toContain(`${told.sent} sent`);
      expect(legend.replaceAll(',', '')).toContain(`${told.skipped} left out`);
      const rows = await page.locator('.funnel tr').allInnerTexts();
      expect(rows.join('\n').replaceAll(',', '')).toContain(`Opened\t${record.emailuniqueopens}\t`);
    });
  });

  it('shows opens and clicks over time, and clicks by link, as numbers and as bars', async () => {
    const { time } = await asked('clock show');
    const nasty = '<img src=x onerror=top.ran=1>';
    const message = await api('POST', '/v1/emailMessage', {
      ...{ name: nasty, subject: nasty, fromname: 'Shop', fromemail: 'news@harbourcoffee.example' },
      ...{ replyemail: 'hello@harbourcoffee.example', text: 'x' },
      html: `<a href="https://example.com/${encodeURIComponent(nasty)}?a='%22">1</a><a href="https://example.com/2">2</a>`,
    });
    const { id } = await api('POST', '/v1/task', {
      ...{ channel: 'email', message_id: message.id, name: nasty, scheduledtime: time + 60 },
      ...{ list_id: 1, search_id: null },
    });
    await asked('clock advance', { seconds: 120 });
    await on(`tasks/${id}`, async ({ page }) => {
      expect(await page.locator('#reactions').innerText()).toContain(
        'No recipient has opened or clicked yet.',
      );
      expect(await page.locator('#links').innerText()).toContain('The message has 2 links.');
    });
    await asked('event open', { task: id, share: 0.3, over: 20_000 });
    await asked('event click', { task: id, share: 0.1, over: 40_000 });
    await asked('clock advance', { seconds: 90_000 });
    const activity = await asked('task activity', { id });
    const [{ clicks, target }] = await asked('task clicks', { id });
    await on(`tasks/${id}`, async ({ page }) => {
      const rows = await page.locator('#reactions tbody tr').allInnerTexts();
      const first = activity[0];
      expect(rows[0]?.split(/\s+/)).toEqual([
        ...local(first.time).split(' '),
        ...[first.opened, first.clicked].map(String),
      ]);
      const opened = rows.map((row) => Number(row.split('\t').at(-2)));
      const total = opened.reduce((sum, each) => sum + each, 0);
      expect(total).toBe((await api('GET', `/v1/task/${id}`)).emailuniqueopens);
      expect(await page.locator('#reactions svg').count()).toBeGreaterThan(1);
      const link = await page.locator('#links tbody tr').first().innerText();
      expect(link).toContain(String(clicks));
      expect(link).toContain(target.replace('https://', ''));
      expect(await page.evaluate('typeof window.ran')).toBe('undefined');
      expect(await page.locator('main img').count()).toBe(0);
    });
    await looksWell(`tasks/${id}`, 'task-reactions');
  });

  it('names who was left out, with the reasons', async () => {
    const left = await asked('task skipped', { id: 2, limit: 25 });
    expect(left.length).toBeGreaterThan(0);
    await on('tasks/2', async ({ page }) => {
      const rows = await page.locator('#left-out .rows li').allInnerTexts();
      expect(rows.length).toBe(left.length);
      expect(rows[0]).toContain(left[0].email);
      expect(rows.join('\n')).toContain('The subscriber is suspended for the channel');
    });
  });

  it.each([true, false])(
    'is cancelled after a question (JavaScript: %s), and says so',
    async (javaScript) => {
      const id = await taskIn(86_400, 'To be cancelled');
      await on(
        `tasks/${id}`,
        async ({ page }) => {
          const asks: string[] = [];
          page.on('dialog', (dialog) => {
            asks.push(dialog.message());
            void dialog.accept();
          });
          expect(await page.locator('.deeds').textContent()).toContain(`svc task cancel ${id}`);
          await nextPage(page, () => page.getByRole('button', { name: 'Cancel the task' }).click());
          expect(asks).toHaveLength(javaScript ? 1 : 0);
          expect(await page.locator('.facts').innerText()).toContain('cancelled');
          expect(await page.locator('.deeds').count()).toBe(0);
        },
        { javaScript },
      );
      expect((await api('GET', `/v1/task/${id}`)).cancelled).toBe(true);
    },
  );

  it('cannot be cancelled after it has ended, in the words of the service', async () => {
    const id = await taskIn(86_400, 'Cancelled elsewhere');
    // Without its script the page keeps the button, although somebody else cancelled the task.
    await on(
      `tasks/${id}`,
      async ({ page }) => {
        await api('PUT', `/v1/task/${id}`, { cancelled: true });
        await nextPage(page, () => page.getByRole('button', { name: 'Cancel the task' }).click());
        expect(await page.locator('.said.refused').innerText()).toContain('is cancelled');
      },
      { javaScript: false },
    );
  });

  it('is not found if it is missing', async () => {
    await on('tasks/999999', async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe('Not found');
      await nextPage(page, () => page.getByRole('link', { name: 'Go to Tasks' }).click());
      expect(page.url()).toMatch(/\/tasks$/);
    });
  });
});
