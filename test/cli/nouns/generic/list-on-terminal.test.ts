/** Contract, "Flags for attributes" (50 on a terminal) and "A note about what a table leaves out stands after the table". */
import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../../src/protocol/wire.ts';
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
  ])('of %i tasks: after them how many there are, with two requests at most', async (count, note) => {
    const { transport, sent } = await withTasks(count);
    const { order } = await inOrder(['task', 'list'], { transport });
    const text = order.join('');
    // The last one made is the first one to be sent.
    expect([text.indexOf(`T${count} `) > 0, text.includes('T1 ')]).toEqual([true, count === 50]);
    const last = order.at(-1)?.trimEnd().split('\n').at(-1) ?? '';
    if (note === undefined) expect(last).not.toContain('showing');
    else expect(last).toBe(note);
    expect(pages(sent)).toBeLessThanOrEqual(2);
  });

  describe('where a person looks', () => {
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
    const OVER = ['called off', 'done', 'done long ago'];

    it('tasks stand by what is next: those being sent, the soonest, and then what is over', async () => {
      expect(await names([])).toEqual({ names: ['being sent', 'soon', 'later', ...OVER], requests: 2 });
    });

    it.each([
      [['--completed', 'false', '--cancelled', 'false'], ['being sent', 'soon', 'later'], 1],
      [['--completed'], ['done', 'done long ago'], 1],
      [['--cancelled'], ['called off'], 1],
      [['--completed', 'false'], ['being sent', 'soon', 'later', 'called off'], 2],
      [['--limit', '2'], ['being sent', 'soon'], 1],
      [['--limit', '4'], ['being sent', 'soon', 'later', 'called off'], 2],
    ])('filters and limits hold: %j', async (argv, expected, requests) => {
      expect(await names(argv)).toEqual({ names: expected, requests });
    });

    it('scripts, and who names an order, get that of the service', async () => {
      const stored = ['later', 'done long ago', 'done', 'called off', 'being sent', 'soon'];
      expect(await names([], false)).toEqual({ names: stored, requests: 1 });
      expect(await names(['--sort', 'id'])).toEqual({ names: stored, requests: 1 });
      expect(await names(['--reverse'])).toEqual({ names: stored.toReversed(), requests: 1 });
    });
  });

  it('an order that is asked for holds, --quiet is quiet, and scripts get the old order and all', async () => {
    const { transport } = await withTasks(60);
    const ids = async (argv: readonly string[], tty: boolean) => {
      const run = await runCli(['task', 'list', ...argv], { transport, tty });
      return [run.stdout.split('\n').length - 1, run.stdout.split('\n')[0], run.stderr];
    };
    expect(await ids(['-o', 'id'], false)).toEqual([60, '1', '']);
    expect(await ids(['-o', 'id', '--quiet'], true)).toEqual([50, '1', '']);
    expect(await ids(['--no-header', '--fields', 'id', '--all'], true)).toEqual([60, '60', '']);
    expect(await ids(['--no-header', '--fields', 'id', '--sort', 'id', '--limit', '3'], true)).toEqual([
      3,
      '1',
      '',
    ]);
    expect(await ids(['--no-header', '--fields', 'id', '--reverse', '--limit', '1'], true)).toEqual([
      1,
      '60',
      '',
    ]);
  });
});

it('svc dnc list: the note names the way to the newest', async () => {
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
