/** Contract, "The everyday screen": a command that takes longer than 300 ms shows on stderr that it is working, on a terminal only. */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { type Outside, runCli } from '../../support/run-cli.ts';

/** Makes a timer that a test moves. It fires callbacks that have waited for this many milliseconds. */
function handTimer() {
  const waiting = new Set<{ readonly milliseconds: number; readonly fire: () => void }>();
  return {
    timer: (milliseconds: number, fire: () => void) => {
      const entry = { milliseconds, fire };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    pass: (milliseconds: number) => {
      for (const entry of [...waiting]) {
        if (entry.milliseconds > milliseconds) continue;
        waiting.delete(entry);
        entry.fire();
      }
    },
    left: () => waiting.size,
  };
}

/** Runs a command whose service needs this many milliseconds for each response. */
async function slowly(argv: readonly string[], takes: number, outside: Outside = {}) {
  const { transport } = await campaign();
  const hand = handTimer();
  const run = await runCli(argv, {
    ...{ tty: true, columns: 80, timer: hand.timer },
    transport: async (request, signal) => {
      hand.pass(takes);
      return transport(request, signal);
    },
    ...outside,
  });
  return { ...run, left: hand.left() };
}

const SIGN = '\rWorking…\x1b[K';
const REMOVED = '\r\x1b[K';

describe('a command that takes longer than 300 ms', () => {
  it.each([
    ['a list', ['folder', 'list']],
    ['JSON', ['folder', 'list', '-o', 'json']],
    ['an error', ['folder', 'get', '99']],
    ['a forecast', ['forecast']],
  ])('shows Working… once, and removes it before other output: %s', async (_, argv) => {
    const { stderr, left } = await slowly(argv, 200);
    expect(stderr.startsWith(SIGN + REMOVED)).toBe(true);
    expect(stderr.split(SIGN).length).toBe(stderr.split(REMOVED).length);
    expect(left).toBe(0);
  });

  it.each<[string, readonly string[], Outside]>([
    ['--quiet', ['folder', 'list', '--quiet'], {}],
    ['--plain', ['folder', 'list', '--plain'], {}],
    ['a dumb terminal', ['folder', 'list'], { env: { TERM: 'dumb' } }],
    ['no terminal', ['folder', 'list'], { tty: false }],
  ])('shows no sign: %s', async (_, argv, outside) => {
    const { stderr } = await slowly(argv, 200, outside);
    expect(stderr).not.toContain('Working');
    expect(stderr).not.toContain('\r');
  });

  it('shows no sign if it is quick', async () => {
    const { stderr, left } = await slowly(['folder', 'list'], 100);
    expect(stderr).not.toContain('Working');
    expect(left).toBe(0);
  });
});

it('shows no sign while a question is open', async () => {
  const hand = handTimer();
  const { transport } = await campaign();
  const { stderr, questions } = await runCli(['dnc', 'add', 'rivals.example'], {
    ...{ tty: true, transport, timer: hand.timer, answers: [false] },
    onQuestion: async () => hand.pass(10_000),
  });
  expect(questions).toHaveLength(1);
  expect(stderr).not.toContain('Working');
});

it('counts the seconds', async () => {
  let now = 0;
  const hand = handTimer();
  const { createWorkingIndicator } = await import('../../../src/cli/output/working-line.ts');
  let text = '';
  const stream = {
    isTTY: true,
    columns: 80,
    write: async (more: string) => {
      text += more;
    },
  };
  const context = { stdout: stream, stderr: stream, env: {}, clock: { now: () => now }, timer: hand.timer };
  const sign = createWorkingIndicator(
    context as unknown as Parameters<typeof createWorkingIndicator>[0],
    false,
  );
  hand.pass(150);
  now = 1150;
  hand.pass(1000);
  expect(text).toBe(`${SIGN}\rWorking… 1 s\x1b[K`);
  await sign?.contextParts.stdout.write('\x1b[1mrows\x1b[22m\n');
  expect(text.endsWith(`${REMOVED}\x1b[1mrows\x1b[22m\n`)).toBe(true);
  text = '';
  await sign?.contextParts.stderr.write('half a line');
  hand.pass(1000);
  await sign?.contextParts.stderr.write('\n\x1b[2Aa drawing\n');
  hand.pass(1000);
  expect(text).toBe('half a line\n\x1b[2Aa drawing\n');
});
