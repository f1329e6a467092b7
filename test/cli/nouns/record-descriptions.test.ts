/** Contract, "The everyday screen": `task get` and `automation get` on a terminal describe the record in sentences. */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';
import { IDS, NOW } from '../../support/sandbox.ts';

const TERMINAL = { tty: true, columns: 100, env: { NO_COLOR: '1' } } as const;

describe('task get on a terminal', () => {
  const BASE = { account_id: IDS.company, user_id: IDS.admin, list_id: 1, size: 1200, cdate: NOW - 86_400 };

  it.each([
    [
      'scheduled',
      { scheduledtime: NOW + 3 * 86_400, rate: 500 },
      [
        'task 1 (Sale ⟨9aw0rm⟩), scheduled',
        'Sends e-mail message 1 (Message) to 1,200 on list 1: Fri 2026-12-04 09:00 Europe/London, in 3 days.',
        'Created: Mon 2026-11-30 09:00 Europe/London, 24 hours ago.',
        'Its rate is 500 messages an hour.',
      ],
      'svc task watch 1',
    ],
    [
      'sending',
      { scheduledtime: NOW - 3600, rate: 500, emailuniqueopens: 7 },
      [
        'task 1 (Sale ⟨9aw0rm⟩), sending',
        'Sends e-mail message 1 (Message) to 1,200 on list 1 since Tue 2026-12-01 08:00 Europe/London, 1 hour ago.',
        'About 501 of 1,200 sent, 1 hour 24 minutes left.',
      ],
      'svc task watch 1',
    ],
    [
      'cancelled',
      { scheduledtime: NOW + 86_400, cancelled: 1, endtime: NOW - 3600 },
      [
        'task 1 (Sale ⟨9aw0rm⟩), cancelled',
        'Cancelled: Tue 2026-12-01 08:00 Europe/London, 1 hour ago.',
        'It would have sent e-mail message 1 (Message) to 1,200 on list 1: Wed 2026-12-02 09:00 Europe/London, in 24 hours.',
      ],
      undefined,
    ],
  ])('describes a task that is %s', async (_, attributes, lines, next) => {
    const { sandbox, transport } = await campaign();
    const name = 'Sale [svc-9aw0rm-abcde-mail000]';
    await sandbox.put('task', { ...BASE, name, channel: 'email', message_id: 1, ...attributes });
    const { stdout } = await runCli(['task', 'get', '1'], { transport, ...TERMINAL, columns: 100 });
    const text = stdout.replaceAll('\n', ' ');
    for (const line of lines) expect(text).toContain(line);
    expect(text).toContain('To see all attributes, add --wide.');
    if (next === undefined) expect(text).not.toContain('Next:');
    else expect(text).toContain(`Next: ${next}`);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('counts the reactions to a task that was sent', async () => {
    const { transport, admin } = await openDemoService();
    const { stdout } = await runCli(['task', 'get', '2'], {
      transport,
      ...TERMINAL,
      env: { ...admin, NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/^\d+ opened, \d+ clicked, \d+ bounced, \d+ unsubscribed, \d+ complained\.$/m);
    expect(stdout).toContain('Next: svc task report 2');
  });
});

describe('automation get on a terminal', () => {
  it.each([
    ['click:1', 'Someone clicks link 4 of e-mail message 2 (Espresso guide): 1 hour later, add to list 2.'],
    ['open:1', 'Someone opens e-mail message 3 (Welcome): notify '],
    ['subscription:1', 'Someone joins list 1: 10 minutes later, send e-mail message 3 (Welcome).'],
    [
      'date:1',
      'A subscriber reaches a date, such as a birthday: at 09:00, send e-mail message 4 (Birthday treat).',
    ],
    ['sms:1', "An SMS arrives with the keyword COFFEE: add the sender's number to list 3, "],
  ])('says when %s acts and what it does', async (rule, sentence) => {
    const { transport, admin } = await openDemoService();
    const svc = (...argv: readonly string[]) =>
      runCli(argv, { transport, ...TERMINAL, env: { ...admin, NO_COLOR: '1' } });
    const { stdout } = await svc('automation', 'get', rule);
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^automation ${rule} \\(.+\\), (active|paused)$`));
    expect(stdout.replaceAll('\n', ' ')).toContain(sentence);
    await svc('automation', 'pause', rule);
    const paused = (await svc('automation', 'get', rule)).stdout;
    expect(paused).toMatch(/, paused$/m);
    expect(paused).toContain('It does nothing while it is paused.');
  });

  it('says when an SMS rule answers', async () => {
    const { transport, admin } = await openDemoService();
    const svc = (...argv: readonly string[]) =>
      runCli(argv, { transport, ...TERMINAL, env: { ...admin, NO_COLOR: '1' } });
    expect((await svc('automation', 'update', 'sms:1', '--message-actiontimediff', '300')).exitCode).toBe(0);
    const { stdout } = await svc('automation', 'get', 'sms:1');
    expect(stdout.replaceAll('\n', ' ')).toContain('5 minutes later, answer with SMS message 2 (Seat saved)');
  });
});

describe.each([
  ['task', '2'],
  ['automation', 'click:1'],
])('%s get', (noun, id) => {
  it.each([
    [['--wide'], true],
    [['--verbose'], true],
    [['-o', 'table'], true],
    [[], false],
  ])('prints the attributes with %j (terminal: %s)', async (flags, tty) => {
    const { transport, admin } = await openDemoService();
    const run = await runCli([noun, 'get', id, ...flags], {
      transport,
      ...TERMINAL,
      tty,
      env: { ...admin, NO_COLOR: '1' },
    });
    expect(run.stdout).toMatch(/^ATTRIBUTE +VALUE\n/);
  });

  it('prints JSON with -o json, and a field with --fields', async () => {
    const { transport, admin } = await openDemoService();
    const outside = { transport, ...TERMINAL, env: { ...admin, NO_COLOR: '1' } };
    const json = JSON.parse((await runCli([noun, 'get', id, '-o', 'json'], outside)).stdout);
    expect(json).toMatchObject({ id: Number(id.replace('click:', '')) });
    expect((await runCli([noun, 'get', id, '--fields', 'name'], outside)).stdout).toMatch(/^ATTRIBUTE/);
  });
});
