/**
 * docs/rehearse.md, "The audience": "A list has as many invented people as the newest task on it found. Set the size of another list with
 * --list-size", and "Limits": "Not known lists everything else that the copy can't know". A rehearsal that cannot know says so.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('unknown-sizes');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string) =>
  runCli(line.split(' '), { cwd: folder, transport: demo.transport, env: demo.admin });
const rehearse = async (flags = '') => {
  const run = await svc(`rehearse c.yaml --for 3d -o json${flags}`);
  expect(run.stderr).toBe('');
  return { exitCode: run.exitCode, story: JSON.parse(run.stdout) };
};
const writeCampaign = (task: string): Promise<void> =>
  writeFile(
    join(folder, 'c.yaml'),
    `version: 1
campaign: Sizes
messages:
  text: {channel: sms, name: Text, from: HarbourCafe, message: content/reminder.txt}
  mail:
    channel: email
    name: Mail
    subject: Hello
    from: news@harbourcoffee.example
    from-name: Harbour Coffee
    reply-to: hello@harbourcoffee.example
    html: content/spring.html
    text: content/spring.txt
tasks:
${task}`,
  );
const SMS_TO_1 = '  sms: {name: First SMS, message: text, list: 1, at: +1d}\n';

describe('a list that was only sent e-mail', () => {
  it('has as many phone numbers as its newest task found people, and the number is under "Not known"', async () => {
    await writeCampaign(SMS_TO_1);
    const { story, exitCode } = await rehearse();
    expect(exitCode).toBe(0);
    const [send] = story.sends;
    expect(send).toMatchObject({ list: 1, channel: 'sms', size: 443, sent: 443, credits: 443 });
    expect(story.estimated).toBe(true);
    expect(story.unknown.join('\n')).toMatch(/^list 1: no SMS task shows .*--list-size 1:sms=N/m);
    expect((await svc('rehearse c.yaml --for 3d')).stdout).toContain('to about 443 of 443 on list 1');
  });

  it('takes a size of one channel, or of both, from --list-size', async () => {
    await writeCampaign(SMS_TO_1);
    for (const [flags, size] of [
      [' --list-size 1:sms=200', 200],
      [' --list-size 1=300', 300],
      [' --list-size 1:email=500 --list-size 1:sms=7', 7],
    ] as const) {
      const { story } = await rehearse(flags);
      expect(story.sends).toMatchObject([{ size, sent: size, credits: size }]);
      expect(story.unknown.join('\n')).not.toContain('--list-size');
    }
  });

  it('is an error of credits if the credits do not suffice', async () => {
    await writeCampaign(SMS_TO_1);
    await demo.db.run(sql`update account set smscreditbalance = 100 where id = 1`);
    const { story, exitCode } = await rehearse();
    expect(exitCode).toBe(11);
    expect(story.findings).toContainEqual(expect.objectContaining({ rule: 'credits-short' }));
  });

  it('does not check expect-size against a number that is not known', async () => {
    await writeCampaign('  sms: {name: First SMS, message: text, list: 1, at: +1d, expect-size: 150..250}\n');
    expect((await rehearse()).exitCode).toBe(0);
    const known = await rehearse(' --list-size 1:sms=300');
    expect(known.exitCode).toBe(11);
    expect(known.story.findings).toContainEqual(expect.objectContaining({ rule: 'blocked' }));
  });

  it('is not mentioned by a rehearsal that sends no SMS', async () => {
    await writeCampaign('  mail: {name: First, message: mail, list: 1, at: +1d}\n');
    const { story } = await rehearse();
    expect(story.unknown.join('\n')).not.toContain('--list-size');
  });
});

describe('a list or a search that no task was sent to', () => {
  it.each(['mail', 'text'])('is under "Not known", and the send has no numbers: %s', async (message) => {
    await writeCampaign(
      `  first: {name: First, message: ${message}, list: 6, at: +1d, expect-size: 10..20}\n`,
    );
    const { story, exitCode } = await rehearse();
    expect([exitCode, story.findings]).toEqual([0, []]);
    expect(story.sends).toMatchObject([{ list: 6, size: null, sent: null, credits: null, balance: null }]);
    expect(story.unknown).toContainEqual(
      expect.stringMatching(/^list 6: the number of its subscribers is not known.*--list-size 6=N$/),
    );
    expect((await svc('rehearse c.yaml --for 3d')).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'to an unknown number on list 6; credits not known',
    );
    expect((await svc('rehearse c.yaml --for 3d --format markdown')).stdout).toMatch(
      /list 6 \| an unknown number \| not known/,
    );
    const given = await rehearse(' --list-size 6=15');
    expect(given.exitCode).toBe(0);
    expect(given.story.sends).toMatchObject([{ size: 15, sent: 15, credits: 15 }]);
  });

  it('is no error for a search either', async () => {
    await writeCampaign('  first: {name: First, message: mail, search: 9, at: +1d}\n');
    const { story, exitCode } = await rehearse();
    expect([exitCode, story.sends[0].size]).toEqual([0, null]);
    expect(story.unknown).toContainEqual(expect.stringMatching(/^search 9: /));
  });

  it('is no error as the target of a rule', async () => {
    await writeCampaign('  mail: {name: First, message: mail, list: 1, at: +1d}\n');
    const text = await readFile(join(folder, 'c.yaml'), 'utf8');
    await writeFile(
      join(folder, 'c.yaml'),
      `${text}automations:
  join: {kind: open, name: Join, message: mail, actiontype: addtolist, actiontarget: 8, after: 1h, actiononweekend: true}
  greet: {kind: subscription, name: Greet, list_id: 7, actiontype: email_autoresponder, actiontarget: mail, after: 1h, actiononweekend: true}
`,
    );
    const { story, exitCode } = await rehearse();
    expect([exitCode, story.findings]).toEqual([0, []]);
    expect(story.unknown.join('\n')).toMatch(/^list 7: [\s\S]*^list 8: /m);
  });
});

it.each([
  ['1:fax=3', 'must be ID=NUMBER or ID:CHANNEL=NUMBER'],
  ['1:sms', 'must be ID=NUMBER or ID:CHANNEL=NUMBER'],
])('exits with 2 for --list-size %s', async (value, words) => {
  await writeCampaign(SMS_TO_1);
  const run = await svc(`rehearse c.yaml --list-size ${value}`);
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain(words);
});

it('exits with 2 for a channel that is given twice', async () => {
  await writeCampaign(SMS_TO_1);
  const run = await svc('rehearse c.yaml --list-size 1=5 --list-size 1:sms=3');
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain('twice');
});
