/**
 * Contract, "The sandbox, for people and teams": the pages are accessible in states that no other test opens: with commands and unread
 * messages, after a refusal, with a search that fails, with help, and without a session.
 */
import { describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { flawsIn, hasBrowser, nextPage, sendEmail, type Visit } from '../../support/pages.ts';

const { on, looksWell, asked, sandbox } = visits();

const withCommands = async ({ page }: Visit): Promise<void> => {
  await nextPage(page, () => page.getByRole('button', { name: 'Show commands' }).click());
  expect(await page.locator('main .command').first().isVisible()).toBe(true);
};

/** States by name: the page, and what a person does there. */
const STATES: Readonly<Record<string, readonly [path: string, act?: (seen: Visit) => Promise<void>]>> = {
  'every-message': ['outbox?view=all'],
  'search-that-fails': ['outbox?search=is:nonsense'],
  'bounced-of-a-task': ['outbox?task=2&state=bounced'],
  'message-of-a-reader': ['messages/email:1?as=12'],
  'all-subscribers': ['subscribers'],
  'missing-page': ['tasks/999'],
  'commands-of-a-message': ['outbox/t2-480', withCommands],
  'commands-of-dnc': ['dnc', withCommands],
  'commands-of-the-clock': ['clock', withCommands],
  'refused-time': [
    'clock',
    async ({ page }) => {
      await page.locator('main form input[type=text], main form input:not([type])').first().fill('yesterday');
      await nextPage(page, () => page.keyboard.press('Enter'));
      expect(await page.locator('.refused').count()).toBe(1);
    },
  ],
  keys: [
    'outbox',
    async ({ page }) => {
      await page.keyboard.press('?');
      expect(await page.locator('dialog[open]').count()).toBe(1);
    },
  ],
};

describe.runIf(hasBrowser)('is accessible, and as wide as the window', () => {
  it.each(Object.entries(STATES))('%s', async (name, [path, act]) => {
    await on(path, async (seen) => {
      await act?.(seen);
      expect(await flawsIn(seen, `state-${name}`)).toEqual([]);
    });
  });

  it('an entry of Do Not Contact with its reason', async () => {
    await asked('event unsubscribe', { task: 2, subscriber: 17 });
    await looksWell('dnc', 'state-dnc-reason');
  });

  it('unread messages, by send and in the list of the send', async () => {
    const [, task] = /^t([0-9]+)-/.exec(await sendEmail(sandbox(), '<p>Unread</p>')) ?? [];
    await looksWell('outbox', 'state-unread');
    await looksWell(`outbox?task=${task}`, 'state-unread-of-a-task');
  });

  it('a page without a session', async () => {
    await on('outbox', async (seen) => {
      await seen.context.clearCookies();
      await seen.page.reload();
      expect(await seen.page.locator('body').innerText()).toContain('svc sandbox open');
      expect(await flawsIn(seen, 'state-no-session')).toEqual([]);
    });
  });
});
