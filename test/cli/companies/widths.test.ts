/** What a person sees of a run over many companies, or of a list, on a narrow terminal. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDemoService } from '../../support/demo-service.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { runCli } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';

const NAMES = ['Harbour Coffee Roasters Bristol', 'Harbour Coffee Roasters Cardiff'];

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
  const lines = ['id,name'];
  for (const [at, name] of NAMES.entries()) {
    const timezone = at === 0 ? 'Europe/London' : 'Europe/Dublin';
    const credits = { emailcreditbalance: 25_000 + at, smscreditbalance: 1_500 + at };
    const account = { contactemail: 'office@example.com', api_key: KEYS.other, partner_id: 1 };
    const times = { cdate: 1, mdate: 1 };
    const id = await agency.sandbox.put('account', { ...account, ...credits, ...times, name, timezone });
    lines.push(`${id},${name}`);
  }
  await agency.done(['company', 'import', '-'], { stdin: `${lines.join('\n')}\n` });
});
afterEach(() => agency.remove());

describe('at 80 columns', () => {
  it.each([
    ['account get', ['COMPANY_ID', 'EMAILCREDITBALANCE', 'SMSCREDITBALANCE']],
    ['features get', ['COMPANY_ID', 'COMPANY', 'LOCKED', 'ENABLEEMAIL', 'ENABLESMS']],
    ['usage', ['COMPANY_ID', 'COMPANY', 'EMAIL_BALANCE', 'SMS_BALANCE']],
    [
      'features set --enablesms=false --contactemail office.of.the.roasters@example.com --dry-run --write --yes',
      ['COMPANY_ID', 'BODY'],
    ],
  ])('svc %s --companies all shows what it is about', async (command, columns) => {
    const run = await agency.svc([...command.split(' '), '--companies', 'all'], { tty: true, columns: 80 });
    expect([run.stderr, run.exitCode]).toEqual([expect.any(String), 0]);
    for (const column of columns) expect(run.stdout).toContain(column);
  });

  it('a dry run hides nothing of a long body', async () => {
    const command = ['folder', 'create', '--name', 'A folder with a name of 40 characters...', '--dry-run'];
    const run = await agency.svc([...command, '--companies', 'all', '--write'], { tty: true, columns: 60 });
    expect(run.stdout.replaceAll(/\s+/g, '')).toContain('40characters..."}');
  });
});

it('svc automation list keeps the action at 60 columns', async () => {
  const { transport, admin } = await openDemoService();
  const run = await runCli(['automation', 'list'], {
    transport,
    env: { ...admin, NO_COLOR: '1' },
    tty: true,
    columns: 60,
  });
  const [heading = ''] = run.stdout.split('\n');
  expect(heading.split(/ +/)).toEqual(['ID', 'NAME', 'PAUSED', 'ACTIONTYPE']);
});

it('svc forecast keeps the time and the balance at 40 columns', async () => {
  const { transport, admin } = await openDemoService();
  const options = { transport, env: { ...admin, NO_COLOR: '1' } };
  const task = 'task create --channel email --message 1 --list 1 --name News --at +1d'.split(' ');
  expect((await runCli(task, options)).exitCode).toBe(0);
  const run = await runCli(['forecast'], {
    transport,
    env: { ...admin, NO_COLOR: '1' },
    tty: true,
    columns: 40,
  });
  const [heading = ''] = run.stdout.split('\n');
  expect(heading.split(/ +/)).toEqual(expect.arrayContaining(['TASK_ID', 'SCHEDULEDTIME', 'BALANCE']));
});
