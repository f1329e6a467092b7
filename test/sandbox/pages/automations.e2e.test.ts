/**
 * The pages about rules. Interface, "Automation rules" and "Events"; contract, "Insight": the graph with its loops; "The sandbox,
 * for people and teams": `sandbox open` shows rules.
 */
import { describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { hasBrowser, nextPage } from '../../support/pages.ts';

const { on, looksWell, asked, api } = visits();

const kinds = ['click', 'open', 'subscription', 'date', 'sms'] as const;

/** Makes subscription rules that add the subscribers of each list to the other one. */
async function loop(): Promise<readonly [string, string]> {
  const one = (await asked('list create', { name: 'Ping' })).id;
  const two = (await asked('list create', { name: 'Pong' })).id;
  const rule = (name: string, list: number, target: number) =>
    api('POST', '/v1/subscriptionAutomation', {
      ...{ name, list_id: list, actiontype: 'copytolist', actiontarget: String(target), summary: null },
      ...{ actiontimediff: 60, actiononweekend: true },
    });
  const [there, back] = [await rule('There', one, two), await rule('And back', two, one)];
  return [`subscription:${there.id}`, `subscription:${back.id}`];
}

describe.runIf(hasBrowser)('the rules', () => {
  it('are all listed, each with its trigger and its action', async () => {
    await on('automations', async ({ page }) => {
      for (const kind of kinds)
        for (const { id, name } of await api('GET', `/v1/${kind}Automation`))
          expect(await page.locator(`#${kind}-${id}`).innerText()).toContain(name);
      const text = await page.locator('#click-1').innerText();
      expect(text).toContain('Someone clicks link');
      expect(text).toContain('1 hour later, add to list 2');
    });
  });

  it('are in a graph with their triggers and effects, and link to their pages', async () => {
    await on('automations', async ({ page }) => {
      const graph = page.locator('svg.graph');
      expect(await graph.locator('.doer').count()).toBe(5);
      expect(await graph.locator('.doer.paused').count()).toBe(1);
      expect(await graph.locator('.edge.loop').count()).toBe(0);
      await nextPage(page, () => graph.getByRole('link', { name: /Welcome newcomers/ }).click());
      expect(page.url()).toMatch(/automations\/subscription:1$/);
    });
  });

  it('keep their names inside their boxes, and say which message was deleted', async () => {
    await api('DELETE', '/v1/emailMessage/2');
    await on('automations', async ({ page }) => {
      // One call in the page: a live update that replaces the drawing between two calls would leave boxes without a size.
      const { labels, outside } = (await page.evaluate(`(() => {
        const all = [...document.querySelectorAll('svg.graph .label > *')];
        const outside = all.filter((label) => {
          const own = label.getBoundingClientRect();
          const box = label.closest('g,a').querySelector('rect').getBoundingClientRect();
          return own.left < box.left + 8 || own.right > box.right - 8;
        });
        return { labels: all.length, outside: outside.map((label) => label.textContent) };
      })()`)) as { labels: number; outside: string[] };
      expect(labels).toBeGreaterThan(10);
      expect(outside).toEqual([]);
      expect(await page.locator('svg.graph .gone').allTextContents()).toEqual([
        expect.stringMatching(/E-mail 2deleted$/),
      ]);
    });
  });

  it('are marked if they trigger each other, until one of them is paused', async () => {
    const [there, back] = await loop();
    await on('automations', async ({ page }) => {
      expect(await page.locator('.loops').innerText()).toContain(`${there}, ${back}`);
      expect(await page.locator('svg.graph .edge.loop').count()).toBe(4);
      expect(await page.locator(`#${there.replace(':', '-')} .badge.bad`).innerText()).toBe('loop');
    });
    await on(`automations/${there}`, async ({ page }) => {
      await nextPage(page, () => page.getByRole('button', { name: 'Pause' }).click());
      expect(await page.locator('.facts').innerText()).toContain('stopped by a paused rule');
    });
    await on('automations', async ({ page }) => {
      expect(await page.locator('svg.graph .edge.loop').count()).toBe(0);
    });
    await on(`automations/${there}`, async ({ page }) => {
      await nextPage(page, () => page.getByRole('button', { name: 'Resume' }).click());
      expect(await page.locator('.said').innerText()).toContain('is active again');
    });
  });

  // This test comes after the loop was made, which is part of the picture.
  it('are accessible, narrow and wide, light and dark', async () => {
    await looksWell('automations', 'automations');
  });

  it('show names as text: no name of a rule or a list is HTML', async () => {
    const name = '"><img src=x onerror=document.title=1>';
    const { id: list } = await asked('list create', { name });
    const { id } = await api('POST', '/v1/subscriptionAutomation', {
      ...{ name, list_id: list, actiontype: 'notify', actiontarget: 'shop@example.com', summary: name },
    });
    for (const path of ['automations', `automations/subscription:${id}`, 'lists', `lists/${list}`])
      await on(path, async (seen) => {
        expect(await seen.page.locator('main').innerText(), path).toContain('"><img');
        expect(await seen.page.locator('img').count(), path).toBe(0);
        expect(seen.complaints, path).toEqual([]);
      });
    await api('DELETE', `/v1/subscriptionAutomation/${id}`);
  });

  it('can be filtered by kind', async () => {
    await on('automations?kind=sms', async ({ page }) => {
      expect(await page.locator('[data-row]').count()).toBe(1);
      expect(await page.locator('svg.graph').count()).toBe(0);
      expect(await page.locator('footer').textContent()).toContain('svc automation list --kind sms');
    });
  });

  it('show the command that creates one if there are none', async () => {
    for (const kind of kinds)
      for (const { id } of await api('GET', `/v1/${kind}Automation`))
        if (kind === 'sms') await api('DELETE', `/v1/smsAutomation/${id}`);
    await on('automations?kind=sms', async ({ page }) => {
      expect(await page.locator('.empty').innerText()).toContain('There are no rules of this kind');
    });
  });
});

describe.runIf(hasBrowser)('a rule', () => {
  it('shows queued actions with their times, and then past actions', async () => {
    const { id } = await asked('subscriber create', { email: 'queued@example.com', lists: [2] });
    await asked('event subscribe', { list: 1, subscriber: id });
    const [next] = await asked('queue', { rule: 'subscription:1' });
    await on('automations/subscription:1', async ({ page }) => {
      const row = page.locator('.timed .row').first();
      expect(await row.locator('time').getAttribute('datetime')).toBe(new Date(next.at * 1000).toISOString());
      expect(await row.innerText()).toContain(`subscriber ${id}`);
      expect(await page.locator('main').textContent()).toContain('svc sandbox queue --rule subscription:1');
      // There is no reload: the page learns of the change, as soon as it listens.
      const heard = async (): Promise<number> => {
        await asked('clock advance', { seconds: 900 });
        return page.getByRole('link', { name: 'queued@example.com' }).count();
      };
      await expect.poll(heard, { interval: 500 }).toBe(1);
      expect(await page.locator('main').innerText()).toContain('No actions are queued');
    });
  });

  it('shows the reason for a skipped action', async () => {
    const { id } = await asked('subscriber create', { msisdn: '447700900888', lists: [2] });
    await asked('event subscribe', { list: 1, subscriber: id });
    await asked('clock advance', { seconds: 3600 });
    await on('automations/subscription:1', async ({ page }) => {
      expect(await page.locator('.timed').last().innerText()).toContain('skipped');
    });
  });

  it.each([true, false])('is paused and resumed (JavaScript: %s)', async (javaScript) => {
    await on(
      'automations/date:1',
      async ({ page }) => {
        expect(await page.locator('.deeds').textContent()).toContain('svc automation pause date:1');
        await nextPage(page, () => page.getByRole('button', { name: 'Pause' }).click());
        expect((await api('GET', '/v1/dateAutomation/1')).paused).toBe(true);
        expect(await page.locator('.deeds').textContent()).toContain('svc automation resume date:1');
        await nextPage(page, () => page.getByRole('button', { name: 'Resume' }).click());
        expect(await page.locator('.said').innerText()).toContain('date:1 is active again.');
        expect((await api('GET', '/v1/dateAutomation/1')).paused).toBe(false);
      },
      { javaScript },
    );
  });

  it('is accessible, narrow and wide, light and dark', async () => {
    await looksWell('automations/subscription:1', 'automation');
  });

  it.each(['nosuch', 'click:999', 'other:1'])('%s is not found', async (name) => {
    await on(`automations/${name}`, async ({ page }) => {
      expect(await page.locator('h1').innerText()).toBe('Not found');
    });
  });
});
