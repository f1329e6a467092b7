/**
 * A new user, in a real pseudo-terminal of 80 columns, types the commands of docs/campaigns.md, "Campaigns as files", line by line. They
 * lead from an empty machine to a campaign that was planned, approved, applied and delivered. test/golden/campaign-readme.txt keeps the
 * user's screen for readers; `npx vitest run … test/e2e/campaign-readme.test.ts -u` writes it again.
 */
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { ENTER, hasPseudoTerminals, inTerminal, type Typed } from '../support/pseudo-terminal.ts';
import { commandsOf } from '../support/readme.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { OTHER_PORT } from '../support/without-chance.ts';

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('readme');
  await mkdir(join(home, 'bin'));
  await installSvc(join(home, 'bin'), script);
  await cp('examples', join(home, 'examples'), { recursive: true });
});
afterEach(async () => {
  await execa('svc', ['sandbox', 'stop'], { ...outside(), extendEnv: false, reject: false });
  await removeFolder(home);
});

/**
 * Returns an environment without a profile. It has no variable of svc except for the pager, which would wait for a key after a long page.
 */
const outside = () => ({
  cwd: home,
  env: {
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    USER: 'ada',
    TZ: 'UTC',
    SVC_PAGER: 'cat',
  },
});

const svc = async (...argv: readonly string[]): Promise<unknown> =>
  JSON.parse((await execa('svc', [...argv, '-o', 'json'], { ...outside(), extendEnv: false })).stdout);

/** Commands that ask a question, which gets a yes. */
const ASKING = /^svc (apply|approve) /;
const YES: Typed = { after: ['Really', '(y/N)'], type: `y${ENTER}` };
/** The width of the one line with the name of the temporary folder, which may be long. */
const WIDE = 160;

/** Replaces values that differ between runs: places, times, keys and digests. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(home, '~')
    // A slow machine prints this line.
    .replace(/^waiting for .*\n/gim, '')
    // London's clocks differ from UTC only in summer.
    .replace(/^ +that is .*\(UTC\)\n/gm, '')
    .replace(/127\.0\.0\.1:[0-9]+/g, '127.0.0.1:PORT')
    .replace(OTHER_PORT, '')
    .replace(/\(process [0-9]+\)/g, '(process PID)')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/SHA256:[A-Za-z0-9+/]{43}/g, 'SHA256:FINGERPRINT')
    .replace(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) 20[0-9]{2}-[0-9]{2}-[0-9]{2}/g, 'DAY DATE')
    .replace(/20[0-9]{2}-[0-9]{2}-[0-9]{2}/g, 'DATE')
    .replace(/DATE( |\n +)[0-9]{2}:[0-9]{2}(:[0-9]{2})?( [+-][0-9]{2}:[0-9]{2})?/g, 'DATE$1TIME')
    .replace(/in [0-9]+ (day|hour|minute|second)s?( [0-9]+ (hour|minute|second)s?)?/g, 'in SO LONG');

describe.skipIf(!hasPseudoTerminals)('the section of docs/campaigns.md', () => {
  it('works unchanged line by line, and the campaign is delivered as in the file', async () => {
    const [lines = []] = await commandsOf('docs/campaigns.md', 'Campaigns as files');
    expect(lines.filter((line) => ASKING.test(line))).toHaveLength(2);
    let text = '';
    let expected: readonly string[] = [];
    for (const line of lines) {
      // Checks the sent messages while the sandbox still runs.
      if (line === 'svc sandbox stop') await expectDelivered(expected);
      if (line.startsWith('svc sandbox clock advance')) expected = await addressees();
      const columns = line.startsWith('svc sandbox start') ? WIDE : 80;
      const person = ASKING.test(line) ? [YES] : [];
      const { shown, exitCode } = await inTerminal(['sh', '-c', line], { ...outside(), columns }, person);
      expect([line, exitCode, shown]).toEqual([line, 0, expect.anything()]);
      text += `$ ${line}\n${shown === '' ? '' : `${shown}\n`}\n`;
      // The file's "monday 09:00" has to be far enough ahead on every day on which this runs.
      if (line.startsWith('svc sandbox start')) await svc('sandbox', 'clock', 'set', 'wednesday 12:00');
    }
    expect(text).not.toContain('PRIVATE KEY');
    await expect(withoutChance(text)).toMatchFileSnapshot('../golden/campaign-readme.txt');
  });

  /** Returns the recipients of the newsletter before the send. */
  async function addressees(): Promise<readonly string[]> {
    const rows = await svc('sandbox', 'subscriber', 'list', '--list', '1', '--all');
    return (rows as readonly { readonly email: string | null; readonly emailsuspended: boolean }[])
      .flatMap(({ email, emailsuspended }) => (email === null || emailsuspended ? [] : [email]))
      .sort();
  }

  async function expectDelivered(expected: readonly string[]): Promise<void> {
    const tasks = (await svc('task', 'list')) as readonly { readonly name: string; readonly size: number }[];
    const own = tasks.filter(({ name }) => name.includes('[svc-'));
    expect(own.map(({ size }) => size).sort()).toEqual([211, 447]);
    const sent = await svc('sandbox', 'outbox', 'list', '--all');
    const newsletter = (sent as readonly { readonly subject: string; readonly to: string }[])
      .filter(({ subject }) => subject === 'Spring coffee offers')
      .map(({ to }) => to);
    expect(expected.length).toBeGreaterThan(400);
    expect(newsletter.sort()).toEqual(expected);
  }
});
