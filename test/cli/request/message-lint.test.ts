/**
 * Contract, "Safety": `create` and `update` of a message report its lint errors. `task create` and `proof` refuse a message with lint errors
 * (exit 2), unless `--allow-lint-errors` is given. An empty standard input and a campaign file given as HTML are refused.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { putEmail, putSms } from '../../support/messages.ts';
import { runCli, writesIn } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const NEW = [
  'email',
  'create',
  '--name',
  'X',
  '--subject',
  'X',
  '--from-name',
  'X',
  '--reply-to',
  'a@example.com',
];
const EMPTY = 'The HTML contains no text and no image [empty-part]';

describe('a message with lint errors', () => {
  it('is created with exit 0, and named with the command that lists the errors, also with --quiet', async () => {
    const { transport } = await campaign();
    for (const more of [[], ['--quiet'], ['-o', 'json']]) {
      const run = await runCli([...NEW, '--html', '<p></p>', '--text', 'x', ...more], { transport });
      expect(run.exitCode, run.stderr).toBe(0);
      expect(run.stderr).toMatch(/Careful: email [2-4] \(X\) has 1 lint error: /);
      expect(run.stderr).toContain(`${EMPTY}. See: svc email lint `);
    }
    const sound = await runCli([...NEW, '--html', '<p>Hi</p>', '--text', 'Hi'], { transport });
    expect(sound.stderr).not.toContain('Careful');
    const unchecked = await runCli([...NEW, '--html', '<p></p>', '--text', 'x', '--no-validate'], {
      transport,
    });
    expect(unchecked.stderr).not.toContain('Careful');
  });

  it('is named by update, together with errors in attributes that stay the same', async () => {
    const { transport, sandbox } = await campaign();
    const empty = String(await putEmail(sandbox, { name: 'Empty', html: '<p></p>' }));
    const run = await runCli(['email', 'update', empty, '--name', 'Still empty'], { transport });
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      expect.stringContaining(`Careful: email ${empty} (Still empty) has 1 lint error: ${EMPTY}`),
    ]);
    const repaired = await runCli(['email', 'update', empty, '--html', '<p>Hi</p>'], { transport });
    expect([repaired.exitCode, repaired.stderr.includes('Careful')]).toEqual([0, false]);
  });

  it('is named for an SMS too', async () => {
    const { transport, sandbox } = await campaign();
    const id = String(await putSms(sandbox, { message: ' ' }));
    const run = await runCli(['sms-message', 'update', id, '--name', 'Other'], { transport });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining(`svc sms-message lint ${id}`)]);
  });

  const BROKEN = { name: 'Broken', html: '<p></p>', subject: ' ' };
  const TASK = [
    'task',
    'create',
    '--name',
    'Sale',
    '--channel',
    'email',
    '--message',
    'Broken',
    '--list',
    '1',
  ];
  it.each([
    ['task create', [...TASK, '--at', '+5d']],
    ['task create --now', [...TASK, '--now', '--yes']],
    ['task create --dry-run', [...TASK, '--at', '+5d', '--dry-run']],
    ['email proof', ['email', 'proof', 'Broken', '--list', '1', '--yes']],
  ])('is not sent by %s, without --allow-lint-errors', async (_, argv) => {
    const { transport, sandbox, sent } = await campaign();
    await putEmail(sandbox, BROKEN);
    const run = await runCli(argv, { transport });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('2 problems; nothing was sent');
    expect(run.stderr).toContain(`email 2 (Broken): ${EMPTY}`);
    expect(run.stderr).toContain('email 2 (Broken): The subject is empty [empty-part]');
    expect(run.stderr).toMatch(/--allow-lint-errors; for\s+all findings, run svc email lint 2/);
    expect(writesIn(sent)).toEqual([]);
    expect((await runCli([...argv, '--allow-lint-errors'], { transport })).exitCode).toBe(0);
  });

  it('names an error that both parts have once', async () => {
    const { transport, sandbox } = await campaign();
    const link = 'http://localhost/x';
    await putEmail(sandbox, { name: 'Broken', html: `<p><a href="${link}">x</a></p>`, text: link });
    const run = await runCli([...TASK, '--at', '+5d'], { transport });
    const json = await runCli([...TASK, '--at', '+5d', '-o', 'json'], { transport });
    expect(run.stderr.match(/Readers cannot reach it/g)).toHaveLength(1);
    expect(run.stderr).not.toContain('problems');
    expect(JSON.parse(json.stderr).error.message).toMatch(/\[local-address\]; nothing was sent$/);
  });

  it('is not sent as an SMS', async () => {
    const { transport, sandbox, sent } = await campaign();
    await putSms(sandbox, { name: 'Broken', message: ' ' });
    const task = ['task', 'create', '--name', 'S', '--channel', 'sms', '--message', 'Broken', '--list', '1'];
    for (const argv of [
      [...task, '--at', '+5d'],
      ['sms-message', 'proof', 'Broken', '--list', '1', '--yes'],
    ]) {
      const run = await runCli(argv, { transport });
      expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('--allow-lint-errors')]);
    }
    expect(writesIn(sent)).toEqual([]);
  });

  // Stored content has tracking addresses, so the targets of its links are separate records (interface, emailMessageLink).
  it('includes a link that only this machine can reach', async () => {
    const { transport } = await campaign();
    const html = '<p><a href="http://localhost:3000/">Sale</a></p>';
    const made = await runCli([...NEW, '--html', html, '--text', 'Hi', '-o', 'id'], { transport });
    expect(made.stderr).toContain('[local-address]');
    const argv = ['task', 'create', '--name', 'S', '--channel', 'email', '--message', made.stdout.trim()];
    const run = await runCli([...argv, '--list', '1', '--at', '+5d'], { transport });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('[local-address]')]);
  });

  it('is sent with --no-validate, and after a warning if svc may not read the message', async () => {
    const { transport, sandbox } = await campaign();
    await putEmail(sandbox, BROKEN);
    const argv = [...TASK.map((each) => (each === 'Broken' ? '2' : each)), '--at', '+5d'];
    const unread = await runCli(argv, {
      transport: async (request, signal) =>
        request.method === 'GET' && request.path === '/v1/emailMessage/2'
          ? { status: 403, headers: {}, body: '{}' }
          : transport(request, signal),
    });
    expect(unread.exitCode, unread.stderr).toBe(0);
    expect(unread.stderr).toContain('cannot lint email 2 before the send: ');
    expect((await runCli([...argv, '--no-validate'], { transport })).exitCode).toBe(0);
  });
});

describe('content that is surely not meant', () => {
  it.each([
    ['email create', [...NEW, '--text', 'x'], '--html-file'],
    ['email create', [...NEW, '--html', '<p>x</p>'], '--text-file'],
    ['email update', ['email', 'update', '1'], '--html-file'],
    ['email lint', ['email', 'lint'], '--html-file'],
    ['sms-message update', ['sms-message', 'update', '1'], '--text-file'],
    ['folder create', ['folder', 'create'], '--data'],
  ])('%s refuses an empty standard input', async (_, argv, flag) => {
    const { transport, sent } = await campaign();
    for (const stdin of ['', '\n']) {
      const run = await runCli([...argv, flag, '-'], { transport, stdin });
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain(`${flag} -: standard input is empty; nothing was sent`);
    }
    expect(writesIn(sent)).toEqual([]);
  });

  it.each([
    ['YAML', '# Spring\nversion: 1\ncampaign: Spring\n', 'is a campaign file, not HTML'],
    ['YAML with another first key', '---\ncompany: 1\ncampaign: Spring\n', 'is a campaign file, not HTML'],
    ['JSON', '{\n  "version": 1,\n  "campaign": "Spring"\n}\n', 'is a campaign file, not HTML'],
    ['nothing', ' \n', 'is empty; nothing was sent'],
  ])('%s is refused as HTML', async (_, text, reason) => {
    const { transport, sent } = await campaign();
    const cwd = await makeTemporaryFolder('html');
    writeFileSync(join(cwd, 'a.html'), text);
    for (const argv of [
      ['email', 'update', '1', '--html-file', 'a.html'],
      [...NEW, '--html-file', 'a.html', '--text', 'x'],
    ]) {
      const run = await runCli(argv, { transport, cwd });
      expect([run.exitCode, run.stderr]).toEqual([
        2,
        expect.stringContaining(`--html-file a.html ${reason}`),
      ]);
    }
    expect(writesIn(sent)).toEqual([]);
  });

  it.each(['News of the campaign: spring\nversion: 2 of the shop\n', '<p>\nversion: 1\n</p>'])(
    'accepts HTML that only mentions the words: %j',
    async (text) => {
      const { transport } = await campaign();
      const cwd = await makeTemporaryFolder('html');
      writeFileSync(join(cwd, 'a.html'), text);
      const run = await runCli(['email', 'update', '1', '--html-file', 'a.html'], { transport, cwd });
      expect(run.exitCode, run.stderr).toBe(0);
    },
  );
});
