/** The terminal views as a person sees them, from the first frame to the last. */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../../support/campaign.ts';
import { advance } from '../../../support/engine.ts';
import { runCli } from '../../../support/run-cli.ts';
import { createScreen } from '../../../support/screen.ts';

const NAME = '春のセール 🌸';
const UTF8 = { LANG: 'C.UTF-8' };

describe('svc task watch', () => {
  /** Watches a task to 30 subscribers at 3,600 an hour, which starts in a minute. The clock advances at each check. */
  async function watched(columns: number, env: Readonly<Record<string, string>> = UTF8, stands = false) {
    const { sandbox, create, transport } = await campaign(30);
    await runCli([...create, '--name', NAME, '--rate', '3600', '--at', '+3m'], { transport });
    const screen = createScreen(columns);
    let passed = 0;
    let done = 0;
    const run = await runCli(['task', 'watch', '1', '--interval', '10s'], {
      tty: true,
      columns,
      env: { ...env, FORCE_COLOR: undefined },
      stderr: screen,
      onSleep: (milliseconds) => {
        passed = milliseconds / 1000;
      },
      transport: async (request, signal) => {
        if (passed > done) await advance(sandbox, passed);
        done = passed;
        const answer = await transport(request, signal);
        if (stands) return answer;
        // The clock of this service advances by itself.
        const { 'x-svc-clock': _, ...headers } = answer.headers;
        return { ...answer, headers };
      },
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    return screen;
  }

  let coloured: ReturnType<typeof watched> | undefined;
  const watchedAt80 = () => {
    coloured ??= watched(80);
    return coloured;
  };

  it('draws the wait and the progress to the end, at 80 columns', async () => {
    const { frames } = await watchedAt80();
    const tellingOnes = [frames[0], frames.find((frame) => frame.includes('about')), frames.at(-1)];
    expect(tellingOnes.join('\n-----\n')).toMatchInlineSnapshot(`
      "task 1  春のセール 🌸  e-mail to 30
      ░░░░░░░░░░░░░░░░░░░░░░░  starts in 3 minutes
      opened                 0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

      -----
      task 1  春のセール 🌸  e-mail to 30
      █░░░░░░░░░░░░░░░░░░░░░░  about 1 of 30 sent, 29 seconds left
      opened                 0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

      -----
      task 1  春のセール 🌸  e-mail to 30
      ███████████████████████  completed after 1 second
      opened                 0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      "
    `);
  });

  // Contract, "Sandbox": with a manual clock time does not pass by itself, so no second may be counted.
  it('does not count time with a manual clock, and says what moves it', async () => {
    const { frames } = await watched(80, UTF8, true);
    const starting = frames.filter((frame) => frame.includes('starts in'));
    const words = starting.map((frame) => /starts in .*/.exec(frame)?.[0]);
    // Ten seconds pass between two checks, and ten frames are drawn. Only the checks move the clock.
    expect([...new Set(words)].slice(0, 3)).toEqual([
      'starts in 3 minutes',
      'starts in 2 minutes 51 seconds',
      'starts in 2 minutes 41 seconds',
    ]);
    expect(frames[0]?.trimEnd().split('\n').slice(-2)).toEqual([
      "The sandbox's clock is manual and stopped at 2026-12-01 09:00 (Europe/London);",
      'move the clock with svc sandbox clock advance 10m.',
    ]);
    expect(frames.at(-1)).not.toContain('manual');
  });

  it('draws at 200 columns', async () => {
    expect((await watched(200)).shown()).toMatchInlineSnapshot(`
      "task 1  春のセール 🌸  e-mail to 30
      ███████████████████████████████████████████████████████████  completed after 1 second
      opened                 0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      "
    `);
  });

  it('only moves the cursor with NO_COLOR; otherwise adds colour to the same text', async () => {
    const plain = await watched(80, { ...UTF8, NO_COLOR: '1' });
    expect(plain.written()).not.toMatch(/\x1b\[[0-9;]*m/);
    const painted = await watchedAt80();
    expect(painted.written()).toMatch(/\x1b\[1mtask 1 {2}春のセール 🌸\x1b\[22m/);
    expect(painted.frames).toEqual(plain.frames);
  });

  it.each([
    [{ ...UTF8, TERM: 'dumb' }, []],
    [UTF8, ['-o', 'ndjson']],
    [UTF8, ['--query', 'state']],
  ])('%j %j draws nothing', async (env, flags) => {
    const { create, transport } = await campaign();
    await runCli([...create, '--at', '+3m'], { transport });
    await runCli(['task', 'cancel', '1', '--yes'], { transport });
    const run = await runCli(['task', 'watch', '1', ...flags], { tty: true, env, transport });
    expect(run.stdout).not.toBe('');
    expect(run.stderr).toBe('');
  });
});

it('svc task watch --plain prints whole sentences, and draws nothing', async () => {
  const { create, transport } = await campaign();
  await runCli([...create, '--at', '+3m'], { transport });
  await runCli(['task', 'cancel', '1', '--yes'], { transport });
  const run = await runCli(['task', 'watch', '1', '--plain'], { tty: true, env: UTF8, transport });
  const counts = '0 opened, 0 clicked, 0 unsubscribed, 0 bounced, 0 complained';
  expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: `task 1: cancelled, ${counts}\n` });
});

describe('--hold', () => {
  async function held(columns: number) {
    const { create, transport } = await campaign();
    const screen = createScreen(columns);
    const interrupt = new AbortController();
    await runCli([...create, '--name', NAME.repeat(8), '--hold', '10m', '--quiet'], {
      transport,
      tty: true,
      stderr: screen,
      signal: interrupt.signal,
      onSleep: (passed) => passed >= 3000 && interrupt.abort(),
    });
    return screen;
  }

  it.each([80, 200])('counts down in one line of %i columns, and reports the outcome', async (columns) => {
    const screen = await held(columns);
    await expect(screen.shown()).toMatchFileSnapshot(`../../../golden/hold-${columns}.txt`);
    const counted = screen.frames.map((frame) => /^[0-9]+:[0-9]{2} left/m.exec(frame)?.[0]);
    expect([...new Set(counted)]).toEqual([undefined, '10:00 left', '9:59 left', '9:58 left', '9:57 left']);
  });
});
