import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depth, SEED, tried } from '../../support/depth.ts';
import { withEverything } from '../../support/everything.ts';
import { setAccount } from '../../support/messages.ts';
import { PARTNER, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW } from '../../support/sandbox.ts';

/** Contract, "Safety": every delete, `task cancel`, `dnc add` and `dnc import`, `dnc remove`. */
const DESTRUCTIVE: readonly (readonly [string, string])[] = [
  ['folder delete News', 'DELETE /v1/folder/1'],
  ['email delete 1', 'DELETE /v1/emailMessage/1'],
  ['sms-message delete Free', 'DELETE /v1/smsMessage/1'],
  ['user delete sub2', 'DELETE /v1/user/3'],
  ['automation delete open:1', 'DELETE /v1/openAutomation/1'],
  ['task cancel Sale', 'PUT /v1/task/1'],
  ['dnc add new@example.com', 'POST /v1/doNotContact'],
  ['dnc remove old@example.com', 'DELETE /v1/doNotContact'],
  ['dnc remove --id 1', 'DELETE /v1/doNotContact/1'],
  ['api DELETE /v1/folder/1', 'DELETE /v1/folder/1'],
];

describe.each(DESTRUCTIVE)('svc %s', (line, write) => {
  it('needs --yes without a terminal, and sends nothing', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    for (const more of [[], ['--no-input']]) {
      const run = await runCli([...line.split(' '), ...more], { transport, tty: more.length > 0 });
      expect(run).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
      expect(run.stderr.replace(/\s+/g, ' ')).toContain('needs --yes; nothing was sent');
    }
    expect(sent).toEqual([]);
  });

  it('asks on a terminal, and sends nothing after a no', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(line.split(' '), { transport, tty: true, answers: [false] });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.questions).toHaveLength(1);
    expect(run.stderr).toContain('not confirmed; nothing was sent');
    expect(writesIn(sent)).toEqual([]);
  });

  it('runs after a yes or with --yes, and is only shown with --dry-run', async () => {
    const asked = serviceOf(await withEverything());
    const run = await runCli(line.split(' '), { transport: asked.transport, tty: true, answers: [true] });
    expect(run.exitCode).toBe(0);
    expect(writesIn(asked.sent)).toEqual([write]);

    const told = serviceOf(await withEverything());
    const rehearsed = await runCli([...line.split(' '), '--dry-run', '-o', 'json'], told);
    const { method, path } = JSON.parse(rehearsed.stdout);
    expect(`${method} ${path}`).toBe(write);
    expect(writesIn(told.sent)).toEqual([]);
    expect((await runCli([...line.split(' '), '--yes'], told)).exitCode).toBe(0);
    expect(writesIn(told.sent)).toEqual([write]);
  });
});

describe('a whole domain on Do Not Contact', () => {
  const add = ['dnc', 'add', 'Example.COM'];

  it.each([
    ['no flags', add, 'needs --yes --domain-ok'],
    ['--yes alone', [...add, '--yes'], 'needs --yes --domain-ok'],
    ['--domain-ok alone', [...add, '--domain-ok'], 'needs --yes --domain-ok'],
  ])('needs more than %s without a terminal', async (_, argv, words) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(argv, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(sent).toEqual([]);
  });

  it('is added with --yes --domain-ok', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli([...add, '--yes', '--domain-ok', '-o', 'json'], { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ contactdata: 'example.com' });
  });

  it('must be typed on a terminal', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const wrong = await runCli(add, { transport, tty: true, answers: ['yes'] });
    expect(wrong.exitCode).toBe(2);
    expect(writesIn(sent)).toEqual([]);
    const right = await runCli(add, { transport, tty: true, answers: ['example.com'] });
    expect(right.exitCode).toBe(0);
    expect(right.questions).toEqual([
      'To add all of example.com to Do Not Contact and delete its subscribers, of Company (company 1, from the ' +
        'environment), type example.com:',
    ]);
  });
});

// Interface, accountFeatures, locked: "users cannot access the account or make API calls".
describe('svc features set --locked', () => {
  const lock = ['features', 'set', '--locked'];
  const env = PARTNER;

  it.each([
    ['no flags', lock],
    ['--yes alone', [...lock, '--yes']],
    ['--lock-ok alone', [...lock, '--lock-ok']],
  ])('needs more than %s without a terminal, because it locks everyone out', async (_, argv) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(argv, { transport, env });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('to lock all users out needs --yes --lock-ok; nothing was sent');
    expect(sent).toEqual([]);
  });

  it('runs with --yes --lock-ok', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    expect((await runCli([...lock, '--yes', '--lock-ok'], { transport, env })).exitCode).toBe(0);
    expect(writesIn(sent)).toEqual(['PUT /v1/accountFeatures/1']);
  });

  it('also applies to a body', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const argv = ['features', 'set', '--data', '{"locked":true}', '--yes'];
    expect((await runCli(argv, { transport, env })).exitCode).toBe(2);
    expect(sent).toEqual([]);
  });

  it('asks on a terminal for the name of the company', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    for (const wrong of ['1', 'yes', 'Other'])
      expect((await runCli(lock, { transport, env, tty: true, answers: [wrong] })).exitCode).toBe(2);
    expect(writesIn(sent)).toEqual([]);
    const right = await runCli(lock, { transport, env, tty: true, answers: ['Company'] });
    expect(right.exitCode).toBe(0);
    expect(right.questions).toEqual([
      'To lock all users out of Company (company 1, from the environment), type Company:',
    ]);
    expect(writesIn(sent)).toEqual(['PUT /v1/accountFeatures/1']);
  });

  it("accepts other code points than the keyboard's for a name, or the id if the name cannot be typed", async () => {
    const sandbox = await createTestSandbox();
    const { transport } = serviceOf(sandbox);
    await setAccount(sandbox, { name: 'Cafe\u0301' });
    expect((await runCli(lock, { transport, env, tty: true, answers: ['Caf\u00e9'] })).exitCode).toBe(0);
    await setAccount(sandbox, { name: 'A\u0007B' });
    const odd = await runCli(lock, { transport, env, tty: true, answers: ['1'] });
    expect(odd.questions).toEqual([expect.stringContaining('type 1:')]);
  });
});

it('a question prints no control sequences from the service', async () => {
  const sandbox = await createTestSandbox();
  const folder = { account_id: IDS.company, name: 'a\u001b]0;owned\u0007b', cdate: NOW, mdate: NOW };
  await sandbox.put('folder', folder);
  const { transport } = serviceOf(sandbox);
  const run = await runCli(['folder', 'delete', '1'], { transport, tty: true, answers: [false] });
  expect(run.questions).toEqual([expect.stringContaining('Really delete folder 1 (a␛]0;owned\\x07b), ')]);
});

// Acceptance, F7: with any other flags, no request is sent without the guard's flag, or after a wrong answer.
const CASES = depth('SVC_GUARDS', { few: 40, full: 1_000 });
it(`${CASES} lines without the flag of their guard send no write (SVC_SEED=${SEED})`, async () => {
  const { transport, sent } = serviceOf(await withEverything());
  const company = {};
  const domain = fc.constantFrom(
    'example.com',
    'Example.COM',
    'example.co.uk',
    'xn--mnchen-3ya.example',
    'mail.example.com',
  );
  const guarded = fc.oneof(
    fc
      .constantFrom(...DESTRUCTIVE)
      .map(([line]) => ({ argv: line.split(' '), enough: ['--yes'], env: company })),
    domain.map((name) => ({ argv: ['dnc', 'add', name], enough: ['--yes', '--domain-ok'], env: company })),
    fc
      .constantFrom('/v1/folder/1', '/v1/doNotContact?contactdata=a@example.com', '/v1/task/1')
      .map((path) => ({ argv: ['api', 'DELETE', path], enough: ['--yes'], env: company })),
    fc
      .constantFrom(['--locked'], ['--locked', 'true'], ['--locked=true'], ['--data', '{"locked":true}'])
      .map((words) => ({
        argv: ['features', 'set', ...words],
        enough: ['--yes', '--lock-ok'],
        env: PARTNER,
      })),
  );
  const others = fc.subarray(
    [
      ['-o', 'json'],
      ['--quiet'],
      ['--debug'],
      ['--no-validate'],
      ['--no-journal'],
      ['--retries', '0'],
      ['--plain'],
    ],
    { maxLength: 4 },
  );
  const answer = fc.constantFrom<string | boolean>(false, '', 'yes', 'y', 'example', 'Other', 'no');
  await fc.assert(
    fc.asyncProperty(
      guarded,
      others,
      fc.nat(),
      fc.option(answer),
      async ({ argv, enough, env }, flags, some, given) => {
        // A random selection of the required flags, but never all of them.
        const part = enough.filter((_, at) => at !== some % enough.length && (some >> 3) % 2 === 1);
        const before = sent.length;
        const run = await runCli([...argv, ...part, ...flags.flat()], {
          transport,
          env,
          ...(given === null ? {} : { tty: true, answers: [given, given, given] }),
        });
        expect(run.exitCode).toBe(2);
        expect(writesIn(sent.slice(before))).toEqual([]);
      },
    ),
    { numRuns: CASES, seed: SEED },
  );
  tried('F7', CASES);
});
