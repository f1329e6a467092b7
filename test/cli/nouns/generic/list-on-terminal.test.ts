/** Contract, "Flags for attributes" (50 on a terminal) and "A note about what a table leaves out stands after the table". */
import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../../src/service/protocol/wire.ts';
import { campaign } from '../../../support/campaign.ts';
import { inOrder, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW } from '../../../support/sandbox.ts';

async function withTasks(count: number) {
  const made = await campaign();
  const own = { account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: 1, list_id: 1 };
  for (let each = 1; each <= count; each += 1)
    await made.sandbox.put('task', {
      ...own,
      name: `T${each}`,
      size: 2,
      cdate: NOW,
      scheduledtime: NOW + 9e5 - each,
    });
  return made;
}

const pages = (sent: readonly WireRequest[]): number =>
  sent.filter(({ method, path }) => method === 'GET' && !/^.v1.(account|\w+Message)/.test(path)).length;

describe('svc task list', () => {
  it.each([
    [50, undefined],
    [73, 'showing the first 50 of 73; use --all to see all'],
    [199, 'showing the first 50 of 199; use --all to see all'],
    [200, 'showing the first 50 of 200 or more; use --all to see all'],
    [260, 'showing the first 50 of 200 or more; use --all to see all'],
  ])('of %i tasks prints their total number below, with at most two requests', async (count, note) => {
    const { transport, sent } = await withTasks(count);
    const { order } = await inOrder(['task', 'list'], { transport });
    const text = order.join('');
    // The task created first is the last one to be sent.
    expect([text.indexOf('T1 ') > 0, text.includes(`T${count} `)]).toEqual([true, count === 50]);
    const last = order.at(-1)?.trimEnd().split('\n').at(-1) ?? '';
    if (note === undefined) expect(last).not.toContain('showing');
    else expect(last).toBe(note);
    expect(pages(sent)).toBeLessThanOrEqual(2);
  });

  describe('on a terminal', () => {
    const own = { account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: 1, list_id: 1 };
    async function mixed() {
      const made = await campaign();
      const put = (name: string, hours: number, more: object = {}) =>
        made.sandbox.put('task', {
          ...{ ...own, name, size: 2, cdate: NOW - 9e5, scheduledtime: NOW + hours * 3600, ...more },
        });
      const over = (hours: number) => ({ endtime: NOW + hours * 3600 });
      await put('later', 48);
      await put('done long ago', -48, { completed: 1, ...over(-48) });
      await put('done', -2, { completed: 1, ...over(-2) });
      await put('called off', 72, { cancelled: 1, ...over(-1) });
      await put('being sent', -1);
      await put('soon', 1);
      return made;
    }
    const names = async (argv: readonly string[], tty = true) => {
      const { transport, sent } = await mixed();
      const run = await runCli(['task', 'list', '--no-header', '--fields', 'name', ...argv], {
        transport,
        tty,
      });
      return { names: run.stdout.trimEnd().split('\n'), requests: pages(sent) };
    };

    // Contract, "The everyday screen": the same rows in the same order on a terminal, in a pipe and in every format.
    const NEWEST = ['called off', 'later', 'soon', 'being sent', 'done', 'done long ago'];

    it.each([true, false])('prints the latest tasks first, whether on a terminal or not: %s', async (tty) => {
      expect(await names([], tty)).toEqual({ names: NEWEST, requests: 1 });
      expect(await names(['-o', 'csv'], tty)).toEqual({ names: NEWEST, requests: 1 });
    });

    it.each([
      [
        ['--completed', 'false', '--cancelled', 'false'],
        ['later', 'soon', 'being sent'],
      ],
      [['--completed'], ['done', 'done long ago']],
      [['--cancelled'], ['called off']],
      [
        ['--limit', '2'],
        ['called off', 'later'],
      ],
      [
        ['--status', 'scheduled'],
        ['later', 'soon'],
      ],
      [['--status', 'sending'], ['being sent']],
      [
        ['--status', 'completed'],
        ['done', 'done long ago'],
      ],
      [['--status', 'cancelled'], ['called off']],
      [['--status', 'scheduled', '--limit', '1'], ['later']],
    ])('applies filters and limits with and without a terminal: %j', async (argv, expected) => {
      expect((await names(argv)).names).toEqual(expected);
      expect((await names(argv, false)).names).toEqual(expected);
    });

    it('--reverse alone reverses the order, and --sort selects another', async () => {
      const stored = ['later', 'done long ago', 'done', 'called off', 'being sent', 'soon'];
      expect((await names(['--reverse'])).names).toEqual(NEWEST.toReversed());
      expect((await names(['--sort', 'id'])).names).toEqual(stored);
      expect((await names(['--sort', 'id', '--reverse'], false)).names).toEqual(stored.toReversed());
    });

    it('rejects a status that does not exist, and lists the valid ones', async () => {
      const { transport } = await mixed();
      const run = await runCli(['task', 'list', '--status', 'done'], { transport });
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('scheduled, sending, completed, cancelled, stopped');
    });
  });

  it('--quiet prints no note, scripts get all rows, and --sort keeps the given order', async () => {
    const { transport } = await withTasks(60);
    const ids = async (argv: readonly string[], tty: boolean) => {
      const run = await runCli(['task', 'list', ...argv], { transport, tty });
      return [run.stdout.split('\n').length - 1, run.stdout.split('\n')[0]?.trim(), run.stderr];
    };
    const ID = ['--no-header', '--fields', 'id'];
    expect(await ids(['-o', 'id'], false)).toEqual([60, '1', '']);
    // The limit on a terminal is only for tables.
    expect(await ids(['-o', 'id'], true)).toEqual([60, '1', '']);
    expect(await ids([...ID, '--quiet'], true)).toEqual([50, '1', '']);
    expect(await ids([...ID, '--all'], true)).toEqual([60, '1', '']);
    expect(await ids([...ID, '--sort', 'id', '--limit', '3'], true)).toEqual([3, '1', '']);
    expect(await ids([...ID, '--reverse', '--limit', '1'], true)).toEqual([1, '60', '']);
  });
});

it('says in the note of svc dnc list how to see the newest', async () => {
  const sandbox = await createTestSandbox();
  for (let each = 1; each <= 51; each += 1)
    await sandbox.put('do_not_contact', {
      account_id: IDS.company,
      contactdata: `p${each}@example.com`,
      cdate: NOW,
    });
  const { transport, sent } = serviceOf(sandbox);
  const { order } = await inOrder(['dnc', 'list'], { transport });
  expect(order.at(-1)).toBe(
    'showing the first 50 of 51; use --all to see all, newest first: --sort id --reverse\n',
  );
  expect(pages(sent)).toBe(1);
});
