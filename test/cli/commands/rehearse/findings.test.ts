/** docs/rehearse.md: what each finding means. Contract, "Rehearse": the members of the JSON. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('rehearse-findings');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string) =>
  runCli(line.split(' '), { cwd: folder, transport: demo.transport, env: demo.admin });
const rehearse = async (flags: string) => {
  const run = await svc(`rehearse ${flags} -o json`);
  expect(run.stderr).toBe('');
  return { exitCode: run.exitCode, story: JSON.parse(run.stdout) };
};
const edit = async (change: (text: string) => string, file = 'spring.yaml'): Promise<void> => {
  const path = join(folder, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
};

describe('credits-short: a task or a rule runs out of credits', () => {
  it('is told of a rule whose messages are not sent', async () => {
    // The send takes 443, so an answer to each opening finds 57.
    await demo.db.run(sql`update account set emailcreditbalance = 500 where id = 1`);
    await edit((text) =>
      text
        .replace('actiontype: addtolist', 'actiontype: email_autoresponder')
        .replace('actiontarget: 2', 'actiontarget: thanks')
        .replace('after: 2d', 'after: 1h'),
    );
    const { story, exitCode } = await rehearse('spring.yaml --for 8d --audience opens=100%');
    const open = story.rules.find(({ key }: { key: string }) => key === 'loyalty');
    expect(open).toMatchObject({ sent: 57, skipped: 386 });
    expect(exitCode).toBe(11);
    expect(story.findings).toEqual([
      {
        ...{ rule: 'credits-short', severity: 'error' },
        message: `rule ${open.rule} (Spring readers join the loyalty club) runs out of credits: 386 messages not sent`,
        at: expect.stringMatching(/^2026-12-07 1[0-9]:/),
      },
    ]);
  });

  it('counts the recipients whom the send did not reach as left out: stopped', async () => {
    await demo.db.run(sql`update account set emailcreditbalance = 100 where id = 1`);
    const { story } = await rehearse('spring.yaml --for 6d1h');
    expect(story.sends[0]).toMatchObject({ sent: 100, size: 443, leftOut: { stopped: 343 } });
  });
});

it('too-close: two sends to one list within --apart, whatever their channels are', async () => {
  await edit((text) =>
    text
      .replace('list: 1\n', 'list: 3\n')
      .replace('at: +10d', 'at: 2026-12-07 12:00')
      .replace(/ +expect-size.*\n/g, ''),
  );
  const { story } = await rehearse('spring.yaml --for 7d');
  expect(story.findings).toEqual([
    {
      ...{ rule: 'too-close', severity: 'warning', at: '2026-12-07 12:00' },
      message: expect.stringContaining('goes to list 3 3 hours after task'),
    },
  ]);
});

describe('night: a send between 21:00 and 08:00', () => {
  it('is told of a send whose rate lets it run into the night', async () => {
    await edit((text) => text.replace('at: monday 09:00', 'at: 2026-12-07 19:00\n    rate: 60'));
    const { story } = await rehearse('spring.yaml --for 7d');
    const [send] = story.sends;
    expect(send.until - send.time).toBeGreaterThan(7 * 3600);
    expect(story.findings).toEqual([
      {
        ...{ rule: 'night', severity: 'warning', at: '2026-12-07 19:00' },
        message: expect.stringMatching(
          /is still being sent at night: it ends at 2026-12-08 02:2[0-9] in Europe\/London$/,
        ),
      },
    ]);
  });

  it('is not told of a slow send that ends before 21:00', async () => {
    await edit((text) => text.replace('at: monday 09:00', 'at: 2026-12-07 19:00\n    rate: 250'));
    expect((await rehearse('spring.yaml --for 7d')).story.findings).toEqual([]);
  });
});

describe('lint: a message has a lint finding', () => {
  const schedule = async (): Promise<void> => {
    await edit(
      (text) => text.replace('</body>', '<a href="http://localhost/x">Sale</a></body>'),
      'content/spring.html',
    );
    const created = await runCli(
      [
        ...['email', 'create', '--name', 'Local', '--subject', 'Local', '--from-name', 'Harbour'],
        ...['--from', 'news@harbourcoffee.example', '--reply-to', 'hello@harbourcoffee.example'],
        ...['--html-file', 'content/spring.html', '--text-file', 'content/spring.txt', '-o', 'json'],
      ],
      { cwd: folder, transport: demo.transport, env: demo.admin },
    );
    const { id } = JSON.parse(created.stdout);
    // Another program scheduled the message, without a check.
    const task = { channel: 'email', message_id: Number(id), list_id: 1, search_id: null, name: 'Local' };
    const body = JSON.stringify({ ...task, scheduledtime: NOW + 86_400 });
    const made = await svc(`api POST /v1/task --yes --data ${body}`);
    expect(made.exitCode).toBe(0);
  };

  it('is told of the message of a task that is scheduled already', async () => {
    await schedule();
    const { story, exitCode } = await rehearse('--for 5d');
    expect(exitCode).toBe(11);
    const linted = JSON.parse((await svc('email lint Local -o json')).stdout) as {
      rule: string;
      severity: string;
    }[];
    const expected = linted.filter(({ severity }) => severity !== 'info').map(({ rule }) => rule);
    expect(expected).toEqual(['local-address']);
    expect(story.findings.map(({ rule }: { rule: string }) => rule)).toEqual(['lint']);
    expect(story.findings[0].message).toMatch(/^e-mail message [0-9]+: .*\[[a-z-]+\]$/);
  });
});
