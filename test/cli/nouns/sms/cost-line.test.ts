/** Contract, "Insight": every send shows in one line on stderr the alphabet, parts, credits, and the savings with other characters. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putList, putSms, putSubscriber, setAccount } from '../../../support/messages.ts';
import { runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const LONG = `It’s on – it’s ${'x'.repeat(140)}`;
const BECAUSE = 'SMS: UCS-2 (’ and –), 3 parts';
const SAVES = "’ → ' and – → - make it GSM, 1 part: saves";

async function service(subscribers = 0) {
  const sandbox = await createTestSandbox();
  await setAccount(sandbox, { smscreditbalance: 1000 });
  const list = await putList(sandbox);
  for (let each = 1; each <= subscribers; each += 1)
    await putSubscriber(sandbox, [list], { msisdn: `44770090010${each}` });
  return { sandbox, ...serviceOf(sandbox) };
}

const lineIn = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('SMS: '));

describe('svc sms send', () => {
  const send = (text: string) => ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', text];

  it.each([[['--now', '--yes']], [['--at', '+1h']]])(
    '%j prints the cost before it sends, as it sends',
    async (when) => {
      const { transport, sandbox } = await service();
      const run = await runCli([...send(LONG), ...when], { transport });
      expect(run.exitCode).toBe(0);
      expect(lineIn(run.stderr)).toEqual([`${BECAUSE}, 3 credits; ${SAVES} 2 credits`]);
      // svc never changes the characters by itself.
      expect(await sandbox.rows('sms')).toMatchObject([{ message: LONG }]);
    },
  );

  it('prints a short line for a plain text, and none with --quiet', async () => {
    const { transport } = await service();
    const run = await runCli([...send('Hi'), '--at', '+1h'], { transport });
    expect(lineIn(run.stderr)).toEqual(['SMS: GSM, 1 part, 1 credit']);
    expect(lineIn((await runCli([...send('Hi'), '--at', '+1h', '--quiet'], { transport })).stderr)).toEqual(
      [],
    );
  });

  it('--dry-run prints it too', async () => {
    const { transport, sent } = await service();
    const run = await runCli([...send(LONG), '--at', '+1h', '--dry-run'], { transport });
    expect(lineIn(run.stderr)).toHaveLength(1);
    expect(writesIn(sent)).toEqual([]);
  });

  it('--file prints it once for all rows', async () => {
    const { transport } = await service();
    const cwd = await makeTemporaryFolder('sms-cost');
    const rows = [LONG, LONG, 'Hi', 'Привет 😀'].map((text, index) => `44770090020${index},${text}`);
    await writeFile(join(cwd, 'sms.csv'), ['to,message', ...rows, ''].join('\n'));
    const argv = ['sms', 'send', '--file', 'sms.csv', '--from', 'Example', '--now', '--yes'];
    const run = await runCli(argv, { transport, cwd });
    expect(run.exitCode).toBe(0);
    expect(lineIn(run.stderr)).toEqual([
      "SMS: 4 in the file, 3 with characters that need UCS-2 encoding (’, –, П, р, и and 4 more); 8 parts, 8 credits; ’ → ' and – → - save 4 credits",
    ]);
  });
});

describe('svc sms-message', () => {
  it('create prints it before it creates the message', async () => {
    const { transport } = await service();
    const argv = ['sms-message', 'create', '--name', 'Sale', '--from', 'Example', '--text', LONG];
    const tried = await runCli([...argv, '--dry-run'], { transport });
    const line = `${BECAUSE}, 3 credits for each recipient; ${SAVES} 2 credits for each recipient`;
    expect(lineIn(tried.stderr)).toEqual([line]);
    expect(lineIn((await runCli(argv, { transport })).stderr)).toEqual([line]);
  });

  it('counts the 30 bytes of subinfo (interface, smsMessage)', async () => {
    const { transport } = await service();
    const argv = ['sms-message', 'create', '--name', 'Sale', '--from', 'Example', '--text', 'x'.repeat(131)];
    const run = await runCli([...argv, '--subinfo'], { transport });
    expect(lineIn(run.stderr)).toEqual(['SMS: GSM, 2 parts, 2 credits for each recipient']);
  });

  it('update prints it for the new text, if the cost changes', async () => {
    const { transport, sandbox } = await service();
    const id = await putSms(sandbox, { name: 'Sale', message: 'x'.repeat(131), subinfo: 0 });
    const update = (...argv: readonly string[]) =>
      runCli(['sms-message', 'update', String(id), ...argv], { transport });
    expect(lineIn((await update('--subinfo')).stderr)).toEqual([
      'SMS: GSM, 2 parts, 2 credits for each recipient',
    ]);
    expect(lineIn((await update('--text', 'Hi')).stderr)).toEqual([
      'SMS: GSM, 1 part, 1 credit for each recipient',
    ]);
    expect(lineIn((await update('--name', 'Other')).stderr)).toEqual([]);
  });
});

describe('svc task create of an SMS', () => {
  const create = ['task', 'create', '--name', 'Sale', '--channel', 'sms', '--message', 'Sale', '--list', '1'];

  it('prints it for the size of the task', async () => {
    const { transport, sandbox } = await service(4);
    await putSms(sandbox, { name: 'Sale', message: LONG });
    const run = await runCli([...create, '--at', '+1h'], { transport });
    expect(run.exitCode).toBe(0);
    expect(lineIn(run.stderr)).toEqual([
      `${BECAUSE}, 3 credits × 4 recipients = 12 credits; ${SAVES} 2 credits × 4 recipients = 8 credits`,
    ]);
  });

  it('--now prints it for each recipient before the question', async () => {
    const { transport, sandbox, sent } = await service(4);
    await putSms(sandbox, { name: 'Sale', message: LONG });
    let before = '';
    const written: string[] = [];
    const stderr = {
      isTTY: true,
      columns: 200,
      write: async (text: string) => void written.push(text),
    };
    await runCli([...create, '--now'], {
      ...{ transport, tty: true, answers: [false], stderr },
      onQuestion: async () => {
        before = written.join('');
      },
    });
    expect(lineIn(before)).toEqual([
      `${BECAUSE}, 3 credits for each recipient; ${SAVES} 2 credits for each recipient`,
    ]);
    expect(writesIn(sent)).toEqual([]);
  });

  it('--dry-run prints it without a size, and nothing for an e-mail', async () => {
    const { transport, sandbox } = await service(4);
    await putSms(sandbox, { name: 'Sale', message: LONG });
    const run = await runCli([...create, '--at', '+1h', '--dry-run'], { transport });
    expect(lineIn(run.stderr)).toHaveLength(1);
    expect(run.stderr).toContain('3 credits for each recipient');
  });
});
