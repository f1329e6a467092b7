import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putCampaignFiles } from '../support/campaign-files.ts';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Contract, "Secrets on the command line": svc hides keys and nothing else. Use, M1: names with digits vanished from messages.

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('repeated');
  await putCampaignFiles(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const errorOf = async (argv: readonly string[]): Promise<string> => {
  const done = await runCli(argv, { ...serviceOf(await withEverything()), cwd: folder });
  expect(done.exitCode).not.toBe(0);
  return done.stderr;
};

describe('an error shows what was typed', () => {
  it.each<[readonly string[], string]>([
    [['folder', 'create', 'Black Friday 2026'], 'write svc folder create --name "Black Friday 2026"\n'],
    [['folder', 'create', 'Q4-2026'], 'write svc folder create --name Q4-2026\n'],
    [['task', 'create', 'Black Friday 2026'], 'write svc task create --name "Black Friday 2026"\n'],
    [
      ['sms', 'estimate', 'Your order 4711 has left'],
      'write svc sms estimate --text "Your order 4711 has left"\n',
    ],
    [['folder', 'rename', 'Spring 2027', 'Spring'], 'write svc folder update "Spring 2027" --name Spring\n'],
    [['unsubscribe', 'ada.lovelace2@example.com'], 'svc dnc add ada.lovelace2@example.com'],
    [['block', 'bad99@example.com'], 'svc dnc add bad99@example.com'],
    [['rehearse', 'spring.yaml', '--list-size', '1=1000000000'], '--list-size 1=1000000000: must be'],
    [['dnc', 'get', 'someone99@nowhere.example'], 'dnc "someone99@nowhere.example" not found'],
    [['folder', 'list', '--jq', '.[0] | nosuch2026(17)'], '--jq: nosuch2026/1 is not defined'],
    [['folder', 'get', 'Spring sale 2027 (final)'], 'folder "Spring sale 2027 (final)" not found'],
    [['folder', 'list', '--profile', 'Shop 24'], '"Shop 24" is not a valid profile name'],
    [['email', 'get', '20261201-spring-sale-2'], '"20261201-spring-sale-2" not found'],
    [['folder', 'get', '550e8400-e29b-41d4-a716-446655440000'], '550e8400-e29b-41d4-a716-446655440000'],
    [['dnc', 'get', '447700900123 447700900456'], '447700900123 447700900456'],
    [['folder', 'get', '99999999999999999999999'], '99999999999999999999999'],
  ])('%j', async (argv, shown) => {
    const stderr = await errorOf(argv);
    expect(stderr).toContain(shown);
    expect(stderr).not.toContain('[redacted]');
  });

  it('with the first 40 characters of a long text', async () => {
    const text = 'a'.repeat(20_000);
    const forms = [
      ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--now', '--yes', '--text', text],
      ['folder', 'create', '--name', text],
      ['folder', 'list', text],
      ['folder', 'get', text],
      ['folder', text],
      [text],
      ['folder', 'list', '--limit', text],
    ];
    for (const argv of forms) {
      const stderr = await errorOf(argv);
      expect(stderr).toContain(`${'a'.repeat(40)}…`);
      expect(stderr).not.toContain('a'.repeat(41));
      expect(stderr.length).toBeLessThan(600);
    }
  });
});

describe('a key is hidden wherever it is', () => {
  it.each([
    'c4a7a29e0b6d4f13a8e95d7c2b1f6e08',
    'C4A7A29E0B6D4F13A8E95D7C2B1F6E08',
    '00000000000000000000000000000000',
    'key=c4a7a29e0b6d4f13a8e95d7c2b1f6e08;',
    'Spring 2027 c4a7a29e0b6d4f13a8e95d7c2b1f6e08',
    'c4a7a29e0b6d4f13a8e95d7c2b1f6e',
  ])('%s', async (text) => {
    const [key = ''] = /[0-9a-f]{24,}/i.exec(text) ?? [];
    for (const argv of [['folder', 'create', text], ['folder', 'get', text], [text]]) {
      const stderr = (await errorOf(argv)).toLowerCase();
      expect(stderr).not.toContain(key.toLowerCase());
    }
  });

  it('and the text around it is shown', async () => {
    expect(await errorOf(['folder', 'get', 'Spring 2027 c4a7a29e0b6d4f13a8e95d7c2b1f6e08'])).toContain(
      'folder "Spring 2027 [redacted]" not found',
    );
  });
});
