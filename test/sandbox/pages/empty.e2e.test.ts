/** Contract, "The sandbox, for people and teams": an empty page shows the command that fills it. */
import { describe, expect, it } from 'vitest';
import { visits } from '../../support/page-visits.ts';
import { hasBrowser } from '../../support/pages.ts';

const { on, looksWell } = visits({ seed: 'empty' });

const FILLED_BY = {
  tasks: 'svc task create --help',
  automations: 'svc automation create --help',
  lists: 'svc sandbox list create --name Newsletter',
  subscribers: 'svc sandbox subscriber create --list 1 --email amelia@example.com',
  dnc: 'svc dnc add no.thanks@example.org',
} as const;

describe.runIf(hasBrowser).each(Object.entries(FILLED_BY))('%s of an empty company', (path, command) => {
  it('names the command', async () => {
    await on(path, async ({ page }) => {
      expect(await page.locator('.empty').innerText()).toContain(command);
    });
  });

  it('is accessible, narrow and wide, light and dark', async () => {
    await looksWell(path, `empty-${path}`);
  });
});

describe.runIf(hasBrowser)('the account of an empty company', () => {
  it('still shows all pages', async () => {
    await on('account', async ({ page }) => {
      expect(await page.locator('.credits').textContent()).toContain('svc sandbox credits set');
      // No button adds a sender, so the command shows at once.
      expect(await page.locator('main').innerText()).toContain('svc sandbox sender add');
    });
  });
});
