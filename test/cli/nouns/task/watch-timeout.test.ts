import { expect, it } from 'vitest';
import { withEverything } from '../../../support/everything.ts';
import { runCli, serviceOf } from '../../../support/run-cli.ts';

/** Contract, "Global flags": --timeout. Without it, a watch runs as long as its task waits. */
it.each([[{}], [{ tty: true }], [{ tty: true, flags: ['--plain'] }]])(
  'task watch --timeout ends with exit 1: %j',
  async ({ flags = [], ...outside }: { readonly tty?: boolean; readonly flags?: readonly string[] }) => {
    const { transport } = serviceOf(await withEverything());
    let passed = 0;
    const run = await runCli(['task', 'watch', '1', '--timeout', '5m', ...flags], {
      transport,
      ...outside,
      env: { NO_COLOR: '1' },
      onSleep: (milliseconds) => {
        passed = milliseconds;
      },
    });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(
      'svc: task 1 has not ended yet\nHint: Nothing was changed. To watch longer, use --timeout.\n',
    );
    expect(passed).toBeLessThan(5 * 60_000);
  },
);
