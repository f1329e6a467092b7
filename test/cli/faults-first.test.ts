/** Faults of a command are reported before "needs --yes", once, and in the words that the user typed. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withEverything } from '../support/everything.ts';
import { type PartnerProfile, withPartnerProfile } from '../support/partner-profile.ts';
import { runCli, serviceOf, writesIn } from '../support/run-cli.ts';

describe('without --yes and without a terminal', () => {
  it('sms send --now reports faults of the SMS first', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    const argv = ['sms', 'send', '--to', 'nobody', '--from', 'Example', '--text', 'Hi', '--now'];
    const run = await runCli(argv, { transport });
    expect([run.exitCode, writesIn(sent)]).toEqual([2, []]);
    expect(run.stderr).toContain('--to (msisdn)');
    expect(run.stderr).not.toContain('--yes');
    const good = await runCli(argv.with(3, '447700900123'), { transport });
    expect(good.stderr).toContain('at once needs --yes');
  });

  describe('over many companies', () => {
    let agency: PartnerProfile;
    beforeEach(async () => {
      agency = await withPartnerProfile();
    });
    afterEach(() => agency.remove());

    it('features apply reports faults of the baseline first', async () => {
      await writeFile(join(agency.folder, 'b.yaml'), 'nosuch: true\n');
      const argv = ['features', 'apply', 'b.yaml', '--companies', '1,2', '--write'];
      const run = await agency.svc(argv);
      expect([run.exitCode, agency.sent]).toEqual([2, []]);
      expect(run.stderr).toContain('b.yaml:1:1: nosuch is not an attribute');
      expect(run.stderr).not.toContain('--yes');
      await writeFile(join(agency.folder, 'b.yaml'), 'enablecms: true\n');
      expect((await agency.svc(argv)).stderr).toContain('needs --yes');
    });
  });
});

describe('one fault', () => {
  const at = ['--at', '+3d', '--message', '1', '--channel', 'email', '--name', 'N', '--rate', '100'];

  it('that only the service finds is described in the words of the flags, once', async () => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli(['task', 'create', ...at, '--list', '77'], { transport });
    expect(run.exitCode).toBe(6);
    const lines = run.stderr.split('\n').filter((line) => line.includes('is not a valid list'));
    expect(lines).toEqual(['svc: --list (list_id) is not a valid list: 77']);
    expect(run.stderr).not.toContain('svc: list_id');
  });

  it('has the words of the flags in the JSON message, and the attributes in its details', async () => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli(['task', 'create', ...at, '--list', '77', '-o', 'json'], { transport });
    const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '');
    expect(error.message).toContain('--list (list_id) is not a valid list: 77');
    expect(error.details).toMatchObject([{ attribute: 'list_id', flag: '--list' }]);
  });

  it('about flags that must be used together names them as flags', async () => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli(['subscriber-data', 'list'], { transport });
    expect(run.stderr).toContain('needs at least one of --');
    expect(run.stderr).not.toContain('subscriber_id');
  });
});
