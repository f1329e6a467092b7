/** Contract, "The everyday screen": people see no epoch seconds. */
import { expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { runCli } from '../../support/run-cli.ts';

const PAST = ['sms', 'send', '--from', 'Shop', '--to', '447700900123', '--text', 'Hi', '--yes'];

it('shows a past send time as a time', async () => {
  const { transport } = await campaign();
  const run = await runCli([...PAST, '--at', '2026-11-01 09:00', '--tz', 'UTC'], { transport });
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('(given: 2026-11-01 09:00 UTC)')]);
  expect(run.stderr).not.toMatch(/\d{10}/);
});

it('has the number in JSON', async () => {
  const { transport } = await campaign();
  const run = await runCli([...PAST, '--at', '2026-11-01 09:00', '--tz', 'UTC', '-o', 'json'], { transport });
  expect(JSON.parse(run.stderr).error.details[0]).toMatchObject({ value: Date.UTC(2026, 10, 1, 9) / 1000 });
});
