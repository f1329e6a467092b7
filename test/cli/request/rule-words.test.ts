/**
 * Contract, "The everyday screen", rule flags: `--action`, `--target`, `--weekends`, `--at-hour`; "The interface's own
 * names and values work, too". "Settled": `autoresponder` is the e-mail one; `--at-hour` takes `9`, `09`, `09:00` and
 * `09:00:00`.
 */
import { describe, expect, it } from 'vitest';
import { withEverything } from '../../support/everything.ts';
import { runCli, serviceOf } from '../../support/run-cli.ts';

const MAKE = [
  'automation',
  'create',
  '--kind',
  'click',
  '--name',
  'R',
  '--message',
  '1',
  '--link',
  '1',
].slice(0, 8);

async function made(...flags: string[]) {
  const sandbox = await withEverything();
  const run = await runCli([...MAKE, ...flags, '-o', 'json'], { transport: serviceOf(sandbox).transport });
  expect([run.exitCode, run.stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(run.stdout);
}

describe('rule flags in words', () => {
  it.each([
    ['--action add-to-list --target 1 --weekends --after 1h', 'addtolist'],
    ['--actiontype addtolist --actiontarget 1 --actiononweekend --after 1h', 'addtolist'],
    ['--action autoresponder --target 1', 'email_autoresponder'],
    ['--action email-autoresponder --target 1', 'email_autoresponder'],
    ['--action sms-autoresponder --target 1', 'sms_autoresponder'],
    ['--action notify --target a@example.com', 'notify'],
  ])('%s', async (line, actiontype) => {
    expect(await made(...line.split(' '))).toMatchObject({ actiontype });
  });

  it.each(['9', '09', '09:00', '09:00:00'])('set the hour from --at-hour %s', async (hour) => {
    const line = ['--action', 'notify', '--target', 'a@example.com', '--weekends', '--after', '0s'];
    const rule = await made(...line, '--at-hour', hour);
    expect(rule).toMatchObject({ actionhour: '09:00:00', actiononweekend: true });
  });

  it.each([
    ['--action add-to-lists --target 1', 'actiontype'],
    ['--action notify --target a@example.com --weekends --at-hour 09:30', 'actionhour'],
    ['--action notify --target a@example.com --weekends --at-hour 25', 'actionhour'],
  ])('reject %s', async (line, attribute) => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli([...MAKE, ...line.split(' ')], { transport });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(attribute)]);
  });
});
