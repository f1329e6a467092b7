/** Long output goes through a pager on a terminal: `SVC_PAGER`, `PAGER`, less. There is no pager in CI or for output that is redrawn. */
import { describe, expect, it } from 'vitest';
import { openPagerOutput, pagerCommand } from '../../../src/cli/output/paging.ts';
import type { Context, Pager } from '../../../src/cli/outside/context.ts';

describe('pagerIn', () => {
  it.each([
    [{}, 'less'],
    [{ PAGER: 'more' }, 'more'],
    [{ SVC_PAGER: 'most -s', PAGER: 'more' }, 'most -s'],
    [{ SVC_PAGER: '', PAGER: 'more' }, undefined],
    [{ SVC_PAGER: 'cat' }, undefined],
    [{ PAGER: 'cat' }, undefined],
    [{ PAGER: '' }, undefined],
    [{ CI: 'true', PAGER: 'more' }, undefined],
    [{ CI: '0' }, 'less'],
    [{ TERM: 'dumb' }, undefined],
  ])('%j gives %s', (env, command) => {
    expect(pagerCommand(env)).toBe(command);
  });
});

const LONG = Array.from({ length: 12 }, (_, each) => `line ${each}\n`).join('');

/** A terminal of 10 rows that records the texts given to it, to stderr and to the pager, in order. */
function terminal(pager: Partial<Pager> | undefined = {}, more: Partial<Context> = {}) {
  const seen: string[] = [];
  const started: string[] = [];
  const fires: (() => void)[] = [];
  const note = (where: string) => async (text: string) => void seen.push(`${where}: ${text}`);
  const stream = { isTTY: true, columns: 20, rows: 10 };
  const context = {
    env: { PAGER: 'less -R' },
    stdout: { ...stream, write: note('stdout') },
    stderr: { ...stream, write: note('stderr') },
    timer: (_: number, fire: () => void) => {
      fires.push(fire);
      return () => void fires.splice(fires.indexOf(fire), 1);
    },
    startPager: async (command: string) => {
      started.push(command);
      return pager && { write: note('pager'), end: async () => 'read' as const, ...pager };
    },
    ...more,
  } as unknown as Context;
  return { context, seen, started, fire: () => void fires.splice(0).map((each) => each()) };
}

function opened(context: Context) {
  const paging = openPagerOutput(context, true);
  if (!paging) throw new Error('nothing is paged here');
  return paging;
}

describe('openPagerOutput', () => {
  it('output that fits the screen is written directly, without a pager', async () => {
    const { context, seen, started } = terminal();
    const { out, err, end } = opened(context);
    await out.write('short\n');
    await err.write('a note\n');
    await end();
    expect([seen, started]).toEqual([['stdout: short\n', 'stderr: a note\n'], []]);
  });

  it('longer output goes to the pager, and notes follow it', async () => {
    const { context, seen, started } = terminal();
    const { out, err, end } = opened(context);
    await err.write('before\n');
    await out.write(LONG);
    await out.write('more\n');
    await err.write('a note\n');
    expect(seen).toEqual(['stderr: before\n', `pager: ${LONG}`, 'pager: more\n']);
    await end();
    expect(seen.at(-1)).toBe('stderr: a note\n');
    expect(started).toEqual(['less -R']);
  });

  it('counts long lines by the lines of the screen, and ignores colours', async () => {
    const { context, started } = terminal();
    const { out, end } = opened(context);
    await out.write(`\x1b[1m${'x'.repeat(20)}\x1b[22m\n`.repeat(9));
    expect(started).toEqual([]);
    await out.write('x'.repeat(21));
    expect(started).toEqual(['less -R']);
    await end();
  });

  it('shows a slow list before it is complete', async () => {
    const { context, seen, fire } = terminal();
    const { out, end } = opened(context);
    await out.write('first\n');
    fire();
    await out.write('second\n');
    expect(seen).toEqual(['pager: first\n', 'pager: second\n']);
    await end();
  });

  it('a pager that cannot be started leaves plain output', async () => {
    const { context, seen } = terminal();
    const { out, err, end } = opened({ ...context, startPager: async () => undefined });
    await out.write(LONG);
    await err.write('a note\n');
    await end();
    expect(seen).toEqual([`stdout: ${LONG}`, 'stderr: a note\n']);
  });

  it('a pager that a shell did not find leaves plain output', async () => {
    const { context, seen } = terminal({ end: async () => 'not-run' });
    const { out, end } = opened(context);
    await out.write(LONG);
    await end();
    expect(seen).toEqual([`pager: ${LONG}`, `stdout: ${LONG}`]);
  });

  it('fails after the pager is closed, as with a closed pipe', async () => {
    const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const { context } = terminal({ write: () => Promise.reject(closed) });
    const { out, end } = opened(context);
    await expect(out.write(LONG)).rejects.toBe(closed);
    await end();
  });

  it.each([
    ['stdout is not a terminal', { stdout: { isTTY: false } }],
    ['stderr is not a terminal', { stderr: { isTTY: false } }],
    ['CI', { env: { CI: '1' } }],
    ['SVC_PAGER is empty', { env: { SVC_PAGER: '' } }],
    ['no program can be started', { startPager: undefined }],
  ])('uses no pager if %s', (_, more) => {
    expect(openPagerOutput(terminal({}, more as Partial<Context>).context, true)).toBeUndefined();
  });

  it('uses no pager if a flag says so', () => {
    expect(openPagerOutput(terminal().context, false)).toBeUndefined();
  });
});
