/**
 * Contract, "Safety": whatever ends `task create` between its POST and its last check, "the task is cancelled where it fails
 * `expect-size`, `max-credits` or `hold`, or the exit is 5 or 10 and names the task". The test cuts a run once at each of its requests.
 */
import { describe, expect, it } from 'vitest';
import { type Cut, type CutService, type CutWhen, openCutService } from '../support/cuts.ts';
import { depth } from '../support/depth.ts';
import { setAccount } from '../support/messages.ts';

const WAYS: readonly CutWhen[] =
  depth('SVC_CUTS', { few: 1, full: 3 }) > 1 ? ['before', 'after', 'lost'] : ['after'];
const create = (channel: string, ...flags: readonly string[]): readonly string[] => [
  ...[
    'task',
    'create',
    '--name',
    'Sale',
    '--channel',
    channel,
    '--message',
    '1',
    '--list',
    '1',
    '--at',
    '+1h',
  ],
  ...flags,
];

/** List 1 has three subscribers, and the balance pays for two. Every live task breaks its limit. */
const LIMITS = [
  { name: '--expect-size', argv: create('email', '--expect-size', '1..1') },
  { name: '--check-credits', argv: create('email', '--check-credits') },
  { name: '--check-credits of SMS', argv: create('sms', '--check-credits') },
  { name: '--hold', argv: create('email', '--hold', '10m') },
  { name: '--hold --expect-size', argv: create('email', '--hold', '10m', '--expect-size', '3') },
  { name: '--hold --key', argv: create('email', '--hold', '10m', '--key', 'build-7') },
];

async function open(): Promise<CutService> {
  const service = await openCutService();
  await setAccount(service.sandbox, { emailcreditbalance: 2, smscreditbalance: 2 });
  return service;
}

const uncutRuns = new Map<readonly string[], readonly string[]>();
/** Returns the requests of a run that nothing interrupts. Each command runs once, because it always sends the same requests. */
async function requestsOf(argv: readonly string[]): Promise<readonly string[]> {
  const known = uncutRuns.get(argv);
  if (known !== undefined) return known;
  const uncut = await open();
  const { requests } = await uncut.run(argv);
  await uncut.close();
  uncutRuns.set(argv, requests);
  return requests;
}

describe('svc task create interrupted at each request', () => {
  it.each(LIMITS)(
    '$name',
    async ({ argv }) => {
      const requests = await requestsOf(argv);
      // Before the POST no task can be left behind; the full run shows this.
      const first = WAYS.length > 1 ? 1 : requests.indexOf('POST /v1/task');
      expect(first).toBeGreaterThanOrEqual(1);
      const left: string[] = [];
      for (const when of WAYS)
        for (const isTerminalGone of [false, true])
          for (let at = first; at <= requests.length; at += 1) {
            const service = await open();
            const run = await service.run(argv, { at, when, isTerminalGone });
            const [task] = await service.live();
            if (task !== undefined)
              left.push(`${when} ${at}: task ${task['id']}, exit ${run.exitCode}: ${run.stderr}`);
            await service.close();
          }
      expect(left).toEqual([]);
    },
    600_000,
  );
});

describe('svc task create with a terminal that closes before the response to the POST', () => {
  it.each(LIMITS)('$name finds the task and cancels it', async ({ argv }) => {
    const at = (await requestsOf(argv)).indexOf('POST /v1/task') + 1;
    const service = await open();
    await service.run(argv, { at, when: 'lost', isTerminalGone: true });
    expect(await service.sandbox.rows('task')).toMatchObject([{ cancelled: 1 }]);
    await service.close();
  });
});

describe('svc task create that is interrupted and cannot cancel', () => {
  it.each(LIMITS)('$name exits with 10 and names the task', async ({ argv }) => {
    const at = (await requestsOf(argv)).indexOf('POST /v1/task') + 1;
    for (const cut of [
      { at, when: 'after', isServiceGone: true },
      { at, when: 'after', isServiceGone: true, isSilent: true },
      { at, when: 'lost', isServiceGone: true },
    ] satisfies readonly Cut[]) {
      const service = await open();
      const run = await service.run(argv, cut);
      // A size in the response needs no other request, and a hold counts down without any request.
      const isOver = cut.isSilent && argv.includes('--hold') && run.exitCode === 0;
      if (!isOver) {
        expect([cut, run.exitCode, await service.live()]).toMatchObject([cut, 10, [{ id: 1 }]]);
        expect(run.stderr).toMatch(cut.when === 'lost' ? /Sale/ : /task 1\b.* IS NOT CANCELLED/);
      }
      await service.close();
    }
  });

  // Contract: "Cancelling is retried until the send time, at least ten minutes".
  it.each([
    ['+1h', 'until the send time', 59],
    ['+5m', 'for ten minutes, when the send time is nearer', 9],
  ])('%s: it retries %s', async (at, _, minutes) => {
    const argv = [...create('email', '--expect-size', '1..1'), '--at', at];
    const post = (await requestsOf(argv)).indexOf('POST /v1/task') + 1;
    const service = await open();
    const run = await service.run(argv, { at: post, when: 'after', isServiceGone: true });
    expect(run.exitCode).toBe(10);
    expect(run.stderr).toContain('svc tries again until the task is due');
    // A pause lasts at most a minute, so there are more attempts than minutes.
    expect(run.requests.filter((each) => each === 'PUT /v1/task/1').length).toBeGreaterThan(minutes);
    expect(run.stderr).toContain('svc task cancel 1 --yes');
    await service.close();
  });
});

describe('the input of a check', () => {
  // Interface, task: `size` may be null in a response. It is read again before the task is checked.
  it.each([
    ['1..1', 2, 1],
    ['3', 0, 0],
  ])(
    'reads a size again if the response lacks it: --expect-size %s exits with %i',
    async (range, exitCode, cancelled) => {
      const service = await open();
      const alter: Cut['alter'] = ({ method }, answer) =>
        method === 'POST' ? { ...answer, body: answer.body.replace('"size":3', '"size":null') } : answer;
      const run = await service.run(create('email', '--expect-size', range), { at: 0, when: 'after', alter });
      expect(run.requests).toContain('GET /v1/task/1');
      expect(run.exitCode).toBe(exitCode);
      expect(await service.sandbox.rows('task')).toMatchObject([{ size: 3, cancelled }]);
      await service.close();
    },
  );
});
