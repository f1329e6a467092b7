/**
 * Contract, "Rehearse": `svc rehearse` reads the account, applies the files to a copy in memory, moves its clock, and reports the result.
 */
import { createHash, randomBytes } from 'node:crypto';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { Transport, WireRequest } from '../../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { type Outside, type Run, runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { type Node, parsePage, textOf } from '../../../support/web-page.ts';

let folder: string;
let demo: DemoService;
let requests: WireRequest[];
const setUp = async (): Promise<void> => {
  folder = await makeTemporaryFolder('rehearse');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
  requests = [];
};
const removeFiles = () => rm(folder, { recursive: true });
beforeEach(setUp);
afterEach(removeFiles);

const recorded: Transport = (request) => {
  requests.push(request);
  return demo.transport(request);
};
const svc = (line: string, outside: Outside = {}) =>
  runCli(line.split(' '), { cwd: folder, transport: recorded, env: demo.admin, ...outside });
const json = async (line: string) => {
  const run = await svc(`${line} -o json`);
  return { ...run, story: JSON.parse(run.stdout) };
};
const edit = async (change: (text: string) => string, file = 'spring.yaml'): Promise<void> => {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
};
const rulesIn = (story: { readonly findings: readonly { readonly rule: string }[] }) =>
  new Set(story.findings.map(({ rule }) => rule));

/** `svc rehearse spring.yaml`, and what it left. A rehearsal takes long, so several tests check this one. */
let shipped: {
  readonly run: Run;
  readonly requests: readonly WireRequest[];
  readonly files: Readonly<Record<'before' | 'after', readonly string[]>>;
  readonly records: Readonly<Record<'before' | 'after', readonly string[]>>;
};
beforeAll(async () => {
  await setUp();
  const listRecords = () =>
    Promise.all(
      ['task list', 'email list', 'sms-message list', 'automation list', 'account get'].map(
        async (list) => (await svc(`${list} -o json`)).stdout,
      ),
    );
  const before = { files: await readdir(folder, { recursive: true }), records: await listRecords() };
  requests = [];
  const run = await svc('rehearse spring.yaml');
  const sent = requests;
  requests = [];
  shipped = {
    ...{ run, requests: sent },
    files: { before: before.files, after: await readdir(folder, { recursive: true }) },
    records: { before: before.records, after: await listRecords() },
  };
  await removeFiles();
});

describe('svc rehearse spring.yaml with the demo company', () => {
  it('prints sends, rules, people, audience and findings in 80 columns', async () => {
    const { run } = shipped;
    expect(run.stderr).toBe('');
    expect(run.exitCode).toBe(0);
    expect(run.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    await expect(run.stdout).toMatchFileSnapshot('../../../golden/rehearse.txt');
    const [shown = ''] = run.stdout.split('\nNot known');
    expect(await readFile('README.md', 'utf8')).toContain(shown.trimEnd());
  });

  it('prints the documented JSON', async () => {
    const { story, exitCode } = await json('rehearse spring.yaml');
    expect(exitCode).toBe(0);
    expect(Object.keys(story)).toEqual([
      ...[
        'company',
        'from',
        'until',
        'audience',
        'sends',
        'rules',
        'sequences',
        'series',
        'people',
        'findings',
        'estimated',
        'unknown',
      ],
    ]);
    expect(story.company).toMatchObject({ id: 1, name: 'Harbour Coffee Roasters' });
    expect(story.audience).toMatchObject({ source: 'account', seed: 1, unsubscribes: 0, complaints: 0 });
    const [newsletter, last] = story.sends;
    expect(Object.keys(newsletter)).toEqual(
      expect.arrayContaining([
        ...[
          'time',
          'local',
          'task',
          'key',
          'channel',
          'list',
          'size',
          'sent',
          'leftOut',
          'credits',
          'balance',
        ],
      ]),
    );
    expect(newsletter).toMatchObject({
      key: 'newsletter',
      local: '2026-12-07 09:00',
      channel: 'email',
      list: 1,
    });
    expect(newsletter.sent).toBe(newsletter.size);
    expect(last).toMatchObject({ key: 'last-day', channel: 'sms', list: 3 });
    const [click, open] = story.rules;
    expect([click.key, open.key]).toEqual(['thank-you', 'loyalty']);
    expect(click.sent).toBe(Math.round(story.audience.clicks * newsletter.sent));
    expect(open.ran).toBe(Math.round(story.audience.opens * newsletter.sent));
    // A person who clicks gets the newsletter, and the thanks an hour later.
    expect(story.people).toEqual({ mostInADay: 2, mostInAWeek: 3 });
    expect(story.findings.every(({ severity }: { severity: string }) => severity === 'warning')).toBe(true);
  });

  it('sends only GET and HEAD, and does not change the account', () => {
    const { requests: sent, records } = shipped;
    expect(sent.length).toBeGreaterThan(5);
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(
      sent.map(({ path }) => path).filter((path) => /doNotContact|subscriberProfile/.test(path)),
    ).toEqual([]);
    expect(records.after).toEqual(records.before);
  });

  it('leaves no file behind', () => {
    expect(shipped.files.after).toEqual(shipped.files.before);
  });

  it('gives the same result for the same seed, and other times for another seed', async () => {
    const stories = await Promise.all(
      [1, 1, 2].map(async (seed) => (await json(`rehearse spring.yaml --for 6d2h --seed ${seed}`)).story),
    );
    expect(stories[1]).toEqual(stories[0]);
    expect(stories[2].sends).toEqual(stories[0].sends);
    expect(stories[2].rules).not.toEqual(stories[0].rules);
  });

  it('takes the shares of --audience', async () => {
    const { story } = await json('rehearse spring.yaml --audience opens=50%,clicks=10%');
    expect(story.audience).toEqual({
      ...{ opens: 0.5, clicks: 0.1, unsubscribes: 0, complaints: 0, bounces: 0, source: 'flag', seed: 1 },
    });
    expect(story.rules.map(({ ran }: { ran: number }) => ran)).toEqual([
      Math.round(story.sends[0].sent * 0.1),
      Math.round(story.sends[0].sent * 0.5),
    ]);
  });

  it('takes the sizes of --list-size', async () => {
    await edit((text) => text.replace(/ +expect-size: 300\.\.500\n/, ''));
    const { story } = await json('rehearse spring.yaml --for 6d1h --list-size 1=1234');
    expect(story.sends[0]).toMatchObject({ list: 1, size: 1234, sent: 1234 });
  });

  it('waits after a 429 and continues', async () => {
    let refused = 0;
    const run = await svc('rehearse spring.yaml', {
      transport: async (request) => {
        if (refused < 2 && request.path === '/v1/task') {
          refused += 1;
          return { status: 429, headers: { 'retry-after': '7' }, body: '' };
        }
        return recorded(request);
      },
    });
    expect([run.exitCode, refused]).toEqual([0, 2]);
    expect(run.stdout).toBe(shipped.run.stdout);
  });
});

describe('svc rehearse without a file', () => {
  it('shows tasks that are already scheduled', async () => {
    const { story, exitCode } = await json('rehearse');
    expect(exitCode).toBe(0);
    const scheduled = JSON.parse((await svc('task list --status scheduled -o json')).stdout);
    expect(story.sends.map(({ task }: { task: number }) => task)).toEqual(
      scheduled.map(({ id }: { id: number }) => id),
    );
  });
});

describe('findings of svc rehearse', () => {
  it('are warnings of a send at night and of two sends to a list within --apart', async () => {
    await edit((text) =>
      text
        .replace('at: monday 09:00', 'at: 2026-12-07 22:30')
        .replace('list: 3\n    at: +10d', 'list: 3\n    at: 2026-12-08 10:00')
        .replace(
          'tasks:\n',
          'tasks:\n  again:\n    name: Again\n    message: thanks\n    list: 1\n    at: 2026-12-08 12:00\n',
        ),
    );
    const { story, exitCode } = await json('rehearse spring.yaml --for 8d');
    expect(exitCode).toBe(0);
    expect(rulesIn(story)).toEqual(new Set(['night', 'too-close']));
    const strict = await json('rehearse spring.yaml --for 8d --strict --apart 1h');
    expect(strict.exitCode).toBe(11);
    expect(rulesIn(strict.story)).toEqual(new Set(['night']));
  });

  // The clocks of London go back on 31 October 2027 at 02:00.
  it.each([
    ['2027-10-31 01:30 +01:00', '+01:00', '2027-10-31 01:30'],
    ['2027-10-31 01:30 +00:00', '+00:00', '2027-10-31 01:30'],
  ])('are a warning for a time that exists twice: %s', async (at, offset, local) => {
    const now = Date.UTC(2027, 9, 20, 9) / 1000;
    demo = await openDemoService(now);
    await edit((text) => text.replace('at: monday 09:00', `at: ${at}`));
    const run = await svc('rehearse spring.yaml --for 11d -o json', { now });
    const { findings } = JSON.parse(run.stdout);
    expect(findings.filter(({ rule }: { rule: string }) => rule === 'clock-change')).toEqual([
      {
        ...{ rule: 'clock-change', severity: 'warning', at: local },
        message: expect.stringMatching(
          `${local} exists twice, because the clocks go back; the message is sent at Sun 2027-10-31 01:30:00 \\${offset} `,
        ),
      },
    ]);
    expect(run.exitCode).toBe(0);
    expect((await svc('rehearse spring.yaml --for 11d --strict', { now })).exitCode).toBe(11);
  });

  // The clocks of London go forward on 28 March 2027 at 01:00. Contract, "Insight": svc skips a day that lacks the actionhour.
  it.each([
    ['01:00:00', ['2027-03-28 01:00']],
    ['00:00:00', []],
    ['02:00:00', []],
  ])('are a warning for a day that lacks the hour of a rule: %s', async (hour, days) => {
    const now = Date.UTC(2027, 2, 24, 9) / 1000;
    demo = await openDemoService(now);
    await edit((text) =>
      text
        .replace('at: monday 09:00', 'at: 2027-03-26 09:00')
        .replace('after: 2d', `after: 2d\n    actionhour: "${hour}"`),
    );
    const run = await svc('rehearse spring.yaml --for 8d --audience opens=100% -o json', { now });
    const { findings, rules } = JSON.parse(run.stdout);
    const { rule: ref, name } = rules.find(({ key }: { key: string | null }) => key === 'loyalty');
    const found = findings.filter(({ rule }: { rule: string }) => rule === 'clock-change');
    expect(found).toEqual(
      days.map((at) => ({
        ...{ rule: 'clock-change', severity: 'warning', at },
        message: `rule ${ref} (${name}): ${at} does not exist, because the clocks go forward; the rule acts a day later`,
      })),
    );
  });

  it('are absent for a time that exists once, an hour before and after the change', async () => {
    const now = Date.UTC(2027, 9, 20, 9) / 1000;
    demo = await openDemoService(now);
    for (const at of ['2027-10-31 00:30', '2027-10-31 02:30']) {
      await edit((text) => text.replace(/at: (monday 09:00|2027-.*)/, `at: ${at}`));
      const { findings } = JSON.parse((await svc('rehearse spring.yaml --for 11d -o json', { now })).stdout);
      expect(findings.map(({ rule }: { rule: string }) => rule)).not.toContain('clock-change');
    }
  });

  it('list a send after the end of the rehearsal as unknown', async () => {
    await edit((text) => text.replace('at: monday 09:00', 'at: 2027-10-31 12:00'));
    const { story } = await json('rehearse spring.yaml --for 90d');
    expect(story.sends.some(({ key }: { key: string }) => key === 'newsletter')).toBe(false);
    expect(story.unknown.join('\n')).toMatch(
      /task [0-9]+ \(Spring sale to the newsletter\) is due on 2027-10-31/,
    );
  });

  it('are errors if credits run out, with exit 11', async () => {
    await demo.db.run(sql`update account set emailcreditbalance = 300 where id = 1`);
    const { story, exitCode } = await json('rehearse spring.yaml --for 6d1h');
    expect(exitCode).toBe(11);
    expect(story.findings).toContainEqual(
      expect.objectContaining({ rule: 'credits-short', severity: 'error', at: '2026-12-07 09:00' }),
    );
    expect(story.sends[0].size).toBeGreaterThan(300);
    expect(story.sends[0]).toMatchObject({ sent: 300, balance: 0 });
  });

  it('are errors if rules trigger each other', async () => {
    await edit(
      (text) => `${text}
  first: {kind: subscription, name: First, list_id: 1, actiontype: copytolist, actiontarget: 3, after: 1d, weekends: true}
  second: {kind: subscription, name: Second, list_id: 3, actiontype: copytolist, actiontarget: 1, after: 1d, weekends: true}
`,
    );
    const { story, exitCode } = await json('rehearse spring.yaml');
    expect(exitCode).toBe(11);
    expect(rulesIn(story)).toContain('loop');
  });

  it('are errors for errors of lint', async () => {
    await edit((text) => text.replace('</body>', '<a href="/sale">Sale</a></body>'), 'content/spring.html');
    const { story, exitCode } = await json('rehearse spring.yaml --for 1h');
    expect(exitCode).toBe(11);
    expect(story.findings).toContainEqual(
      expect.objectContaining({
        rule: 'lint',
        severity: 'error',
        at: expect.stringMatching(/spring\.html:[0-9]+/),
      }),
    );
  });

  it('are errors for blocked steps', async () => {
    await edit((text) => text.replace('expect-size: 300..500', 'expect-size: 1..2'));
    const { story, exitCode } = await json('rehearse spring.yaml --for 1h');
    expect(exitCode).toBe(11);
    expect(rulesIn(story)).toContain('blocked');
  });
});

describe('forms of svc rehearse', () => {
  it('--format markdown is a comment for a pull request', async () => {
    const { stdout, exitCode } = await svc('rehearse spring.yaml --format markdown');
    expect(exitCode).toBe(0);
    await expect(stdout).toMatchFileSnapshot('../../../golden/rehearse.md');
  });

  const pageOf = async (line: string) => {
    const run = await svc(`${line} --html story.html --force`);
    expect(run.stderr).toBe('wrote story.html\n');
    const text = await readFile(join(folder, 'story.html'), 'utf8');
    const { nodes, faults } = parsePage(text);
    expect(faults).toEqual([]);
    const named = (name: string) => nodes.filter(({ nodeName }) => nodeName === name);
    return { ...run, text, nodes, named };
  };

  it('--html begins with the verdict, the time and the file, and folds what is not known', async () => {
    const { exitCode, named, nodes } = await pageOf('rehearse spring.yaml');
    expect(exitCode).toBe(0);
    const digest = createHash('sha256')
      .update(await readFile(join(folder, 'spring.yaml')))
      .digest('hex');
    expect(named('p').map(textOf)[0]).toBe('✔ No findings.');
    expect(named('dd').map(textOf).slice(0, 3)).toEqual([
      '2026-12-01 09:00 UTC',
      'until 2026-12-11 09:25 UTC',
      `spring.yaml, SHA-256 ${digest}`,
    ]);
    expect(named('tr').map(textOf)).toContain(
      '2026-12-07 09:00 E-mail Spring sale to the newsletter list 1 about 443 of 443 443 24,557',
    );
    expect(named('summary').map(textOf)).toEqual(['Not known: 6 limits of this rehearsal']);
    const [body] = nodes.filter(({ nodeName }) => nodeName === 'body');
    // For people without svc: no flag, and rules by their names.
    expect(textOf(body as Node)).not.toMatch(/--[a-z]/);
    expect(named('li').map(textOf).join()).toContain('“Welcome newcomers”: queued');
    expect((await svc('rehearse spring.yaml --html story.html')).exitCode).toBe(2);
  });

  it('--html shows errors before warnings, as words with a sign', async () => {
    await edit((text) => text.replace('at: monday 09:00', 'at: monday 22:30'));
    await edit((text) => text.replace('</body>', '<a href="/sale">Sale</a></body>'), 'content/spring.html');
    const { exitCode, named } = await pageOf('rehearse spring.yaml');
    expect([exitCode, named('p').map(textOf)[0]]).toEqual([11, '✖ 1 error , 1 warning.']);
    expect(named('li').map(textOf).slice(0, 2)).toEqual([
      expect.stringMatching(/^✖ Error content\/spring\.html:/),
      expect.stringMatching(/^▲ Warning 2026-12-07 22:30 : task 5/),
    ]);
  });

  it('--html shows the messages in frames that load nothing and run nothing', async () => {
    await edit(
      (text) =>
        text.replace(
          '</body>',
          '<script>x</script><img src="https://a.example/x.png" srcset="data:x 1x, https://a.example/y.png 2x" onerror="x()"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><iframe src="https://a.example"></iframe><a href="https://a.example">"\'</a></body>',
        ),
      'content/spring.html',
    );
    const { named, text } = await pageOf('rehearse spring.yaml --audience clicks=10%');
    expect(text).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    const frames = named('iframe').map(({ attrs = [] }) =>
      Object.fromEntries(attrs.map(({ name, value }) => [name, value])),
    );
    expect(frames.map(({ title }) => title)).toEqual(['Spring coffee offers', 'Your spring coffee']);
    expect(frames.map(({ sandbox, src }) => [sandbox, src])).toEqual([
      ['', undefined],
      ['', undefined],
    ]);
    expect(frames[0]?.['srcdoc']).toContain('data:image/gif');
    expect(frames.map(({ srcdoc }) => srcdoc).join()).not.toMatch(/a\.example|onerror|<iframe/);
    expect(named('h3').map(textOf)).toContain('SMS Spring sale, last day');
  });

  it('shows text of the account without control characters', async () => {
    await edit((text) =>
      text.replace('name: Spring sale to the newsletter', 'name: "Sale \\u202E\\e[31m | <b>"'),
    );
    expect((await svc('rehearse spring.yaml --for 6d1h')).stdout).not.toContain('\u001b');
    const markdown = (await svc('rehearse spring.yaml --for 6d1h --format markdown')).stdout;
    expect(markdown).not.toMatch(/<b>|\u202e|\x1b/);
  });
});

describe('bad input of svc rehearse', () => {
  it.each([
    ['a file that is missing', 'rehearse nosuch.yaml', 'file nosuch.yaml not found'],
    ['an invalid share', 'rehearse spring.yaml --audience opens=x', 'opens'],
    ['shares over 100 %', 'rehearse spring.yaml --audience opens=90%,bounces=20%', '100%'],
    ['an invalid list size', 'rehearse spring.yaml --list-size 1', '--list-size 1'],
    ['a list named twice', 'rehearse spring.yaml --list-size 1=2 --list-size 1=3', 'twice'],
    ['a span over 90 days', 'rehearse spring.yaml --for 91d', '--for'],
  ])('exits with 2 for %s, before a request', async (_, line, words) => {
    const run = await svc(line);
    expect([run.exitCode, run.stdout, requests.length]).toEqual([2, '', 0]);
    expect(run.stderr).toContain(words);
  });

  it('exits with 7 for an unreachable service, before it makes anything', async () => {
    const before = await readdir(folder, { recursive: true });
    const run = await svc('rehearse spring.yaml --html story.html', {
      transport: async () => {
        throw new TransportError('not-sent', 'refused');
      },
    });
    expect([run.exitCode, run.stdout]).toEqual([7, '']);
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it('names records that the user may not read, and continues', async () => {
    const run = await svc('rehearse spring.yaml --for 1h -o json', {
      transport: async (request) =>
        request.path === '/v1/smsDestination' ? { status: 403, headers: {}, body: '' } : recorded(request),
    });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout).unknown.join('\n')).toMatch(
      /SMS ?destinations: this user has no permission to read these records/i,
    );
  });

  it('exits with 2 for a plan of another company', async () => {
    expect((await svc('plan spring.yaml --out spring.plan')).exitCode).toBe(0);
    expect((await svc('rehearse spring.plan --for 1h --html story.html')).exitCode).toBe(0);
    const { sha256 } = JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8'));
    expect(await readFile(join(folder, 'story.html'), 'utf8')).toContain(
      `spring.plan, SHA-256 <code>${sha256}</code>`,
    );
    const run = await svc('rehearse spring.plan', {
      env: { ...demo.admin, SVC_COMPANY_ID: '2' },
    });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('the plan is for company 1');
  });

  it('exits with 2 for plans together with files', async () => {
    expect((await svc('plan spring.yaml --out spring.plan')).exitCode).toBe(0);
    expect((await svc('rehearse spring.plan spring.yaml')).exitCode).toBe(2);
    expect((await svc('rehearse spring.plan --prune')).exitCode).toBe(2);
  });

  it.each([1, 4, 9])('exits with 130 after Ctrl-C at request %i, and leaves nothing behind', async (at) => {
    const controller = new AbortController();
    let count = 0;
    const before = await readdir(folder, { recursive: true });
    const run = await svc('rehearse spring.yaml --html story.html', {
      signal: controller.signal,
      transport: async (request) => {
        count += 1;
        if (count === at) controller.abort(new Error('interrupted'));
        return recorded(request);
      },
    });
    expect([run.exitCode, run.stdout]).toEqual([130, '']);
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it.each([1, 10, 20])(
    'exits with 130 after Ctrl-C in the copy, at its request %i, and leaves nothing behind',
    async (at) => {
      const reads = shipped.requests.length;
      const controller = new AbortController();
      let count = 0;
      const before = await readdir(folder, { recursive: true });
      const run = await svc('rehearse spring.yaml --html story.html', {
        signal: controller.signal,
        // Each request to the copy takes a nonce.
        random: (octets) => {
          if (requests.length === reads) count += 1;
          if (count === at) controller.abort(new Error('interrupted'));
          return randomBytes(octets);
        },
      });
      expect([run.exitCode, run.stdout, count >= at]).toEqual([130, '', true]);
      expect(await readdir(folder, { recursive: true })).toEqual(before);
    },
  );
});
