/** Contract, "Insight": a browser's view of the page of `task report --html FILE`. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Outside, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';
import { hasChromium, lookAt } from '../../../support/web-page.ts';

let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
let cwd: string;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
  cwd = await makeTemporaryFolder('report');
});
afterEach(() => removeFolder(cwd));

const svc = (words: readonly string[], outside: Outside = {}) =>
  runCli(['task', 'report', ...words], { transport: service.transport, cwd, ...outside });

/** Makes an e-mail task that was completed an hour ago, a minute after its start. */
const put = (more: object = {}) =>
  sandbox.put('task', {
    ...{ account_id: 1, user_id: 1, list_id: 1, message_id: 1, channel: 'email', name: 'Spring' },
    ...{ completed: 1, scheduledtime: NOW - 3600, endtime: NOW - 3540, cdate: NOW - 86_400 },
    ...{ size: 400, emailuniqueopens: 100, emailuniqueclicks: 25, emailuniqueunsubscriptions: 2 },
    ...{ emailuniquebounces: 8, emailuniquecomplaints: 1 },
    ...more,
  });

describe.runIf(hasChromium)('the page in Chromium (skipped if it is not installed)', () => {
  it.each([
    [360, false],
    [360, true],
    [1280, false],
    [1280, true],
  ])('%i pixels, dark: %s', async (width, isDark) => {
    await put({ name: `Donaudampfschifffahrtsgesellschaftskapitänsmütze${'x'.repeat(60)}`, size: 1_234_567 });
    await put({ name: 'Summer', size: 2_345_678, emailuniqueopens: 1_130_000 });
    for (const words of [['1'], ['1', '--compare', '2']]) {
      await svc([...words, '--html', 'report.html', '--force']);
      const seen = await lookAt(join(cwd, 'report.html'), { width, isDark });
      expect(seen).toMatchObject({
        clientWidth: width,
        scrollWidth: width,
        background: isDark ? 'rgb(25, 31, 30)' : 'rgb(255, 255, 255)',
        spoiled: [],
      });
      expect(seen.leastFont).toBeGreaterThanOrEqual(12);
    }
  });
});
