/**
 * Contract, "Safety": whatever ends `apply` between the POST of a task and its last check, "the task is cancelled where it fails
 * `expect-size`, `max-credits` or `hold`, or the exit is 5 or 10 and names the task". The test cuts a run once at each of its requests.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cut, type CutService, type CutWhen, openCutService } from '../support/cuts.ts';
import { depth } from '../support/depth.ts';
import { NOW } from '../support/sandbox.ts';

const WAYS: readonly CutWhen[] =
  depth('SVC_CUTS', { few: 1, full: 3 }) > 1 ? ['before', 'after', 'lost'] : ['after'];
const HOUR = 3600;

interface Limit {
  readonly name: string;
  readonly lines: readonly string[];
  /** Returns whether a live task breaks the promise. */
  readonly isBroken: (task: Readonly<Record<string, unknown>>) => boolean;
  readonly channel?: 'sms';
}

/** List 1 has three subscribers. Every live task breaks a hold that was interrupted. */
const LIMITS: readonly Limit[] = [
  { name: 'expect-size', lines: ['expect-size: 1..1'], isBroken: ({ size }) => size !== 1 },
  { name: 'max-credits', lines: ['max-credits: 2'], isBroken: ({ size }) => Number(size) > 2 },
  {
    name: 'max-credits of SMS',
    lines: ['max-credits: 2'],
    isBroken: ({ size }) => Number(size) > 2,
    channel: 'sms',
  },
  { name: 'hold', lines: ['hold: 10m'], isBroken: () => true },
  { name: 'hold and expect-size', lines: ['hold: 10m', 'expect-size: 3'], isBroken: () => true },
];

const EMAIL = [
  'channel: email',
  'from-name: Company',
  'reply-to: office@example.com',
  'html: content/spring.html',
];
const SMS = ['channel: sms', 'from: Company', 'message: content/spring.txt'];

function fileOf(
  { lines, channel }: Limit,
  more: { readonly list?: number; readonly rate?: number } = {},
): string {
  const message = channel === 'sms' ? SMS : [...EMAIL, 'subject: Hello', 'text: content/spring.txt'];
  return [
    ...['version: 1', 'campaign: Spring', 'messages:', '  spring:', '    name: Spring'],
    ...message.map((line) => `    ${line}`),
    ...['tasks:', '  sale:', '    name: Sale', '    message: spring', `    list: ${more.list ?? 1}`],
    `    at: ${NOW + HOUR}`,
    ...(more.rate === undefined ? [] : [`    rate: ${more.rate}`]),
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n');
}

/** The campaign before the interrupted run. */
interface Start {
  readonly name: string;
  readonly before?: { readonly list?: number; readonly rate?: number };
  readonly writes: string;
}
const STARTS: readonly Start[] = [
  { name: 'a task that is made', writes: 'POST /v1/task' },
  { name: 'a task that goes to another list', before: { list: 2 }, writes: 'PUT /v1/task/1' },
  { name: 'a task that is made again', before: { list: 2, rate: 60 }, writes: 'POST /v1/task' },
];

const APPLY = ['apply', 'c.yaml', '--yes'];

async function prepared(limit: Limit, { before }: Start): Promise<CutService> {
  const service = await openCutService();
  const file = join(service.folder, 'c.yaml');
  if (before !== undefined) {
    await writeFile(file, fileOf({ ...limit, lines: [] }, before));
    expect((await service.run(APPLY)).exitCode).toBe(0);
  }
  await writeFile(file, fileOf(limit));
  return service;
}

/** @returns undefined if the promise was kept; otherwise the reason */
async function broken(
  service: CutService,
  { isBroken }: Limit,
  end: { exitCode: number; stderr: string },
): Promise<string | undefined> {
  const live = (await service.live()).filter((task) => task['list_id'] === 1 && isBroken(task));
  const [task] = live;
  if (task === undefined) return undefined;
  const isNamed = live.every(
    ({ id, name }) => end.stderr.includes(`task ${id}`) || end.stderr.includes(String(name)),
  );
  if ([5, 10].includes(end.exitCode) && isNamed) return undefined;
  return `task ${task['id']} is live, exit ${end.exitCode}: ${end.stderr}`;
}

describe.each(STARTS)('svc apply interrupted at each request: $name', (start) => {
  const limits = LIMITS.filter(({ name }) => start.before === undefined || name !== 'hold and expect-size');
  it.each(limits)(
    '$name',
    async (limit) => {
      const uncut = await prepared(limit, start);
      const { requests } = await uncut.run(APPLY);
      await uncut.close();
      expect(requests).toContain(start.writes);
      // A hold counts down for each created task.
      const isLive = limit.name.startsWith('hold') && start.writes.startsWith('PUT');
      // Before the first write no task can be left behind; the full run shows this.
      const first = WAYS.length > 1 ? 1 : requests.indexOf(start.writes);
      const faults: string[] = [];
      let afterWrite = 0;
      for (const when of WAYS)
        for (let at = first; at <= requests.length; at += 1) {
          const service = await prepared(limit, start);
          const run = await service.run(APPLY, { at, when });
          if (run.isCut && run.requests.includes(start.writes)) afterWrite += 1;
          const fault = isLive ? undefined : await broken(service, limit, run);
          if (fault !== undefined) faults.push(`${when} ${at} (${run.requests[at - 1]}): ${fault}`);
          // The service was reachable, so every broken task is cancelled.
          const left = isLive
            ? []
            : (await service.live()).filter((task) => task['list_id'] === 1 && limit.isBroken(task));
          if (left.length > 0) faults.push(`${when} ${at}: task ${left[0]?.['id']} is not cancelled`);
          await service.close();
        }
      expect(faults).toEqual([]);
      expect(afterWrite).toBeGreaterThan(0);
    },
    600_000,
  );
});

describe('svc apply that is interrupted and cannot cancel', () => {
  it.each(LIMITS)('exits with 5 or 10 and names the task: $name', async (limit) => {
    const start: Start = { name: '', writes: 'POST /v1/task' };
    const uncut = await prepared(limit, start);
    const { requests } = await uncut.run(APPLY);
    await uncut.close();
    const at = requests.indexOf('POST /v1/task') + 1;
    for (const cut of [
      { at, when: 'after', isServiceGone: true },
      { at, when: 'after', isServiceGone: true, isSilent: true },
      { at, when: 'lost', isServiceGone: true },
    ] satisfies readonly Cut[]) {
      const service = await prepared(limit, start);
      const run = await service.run(APPLY, cut);
      expect([run.exitCode, await service.live()]).toMatchObject([10, [{ id: 1 }]]);
      expect(run.stderr).toMatch(cut.when === 'lost' ? /Sale/ : /task 1\b.* IS NOT CANCELLED/);
      await service.close();
    }
  });
});

describe('svc apply with a hold', () => {
  const [hold] = LIMITS.filter(({ name }) => name === 'hold');
  const open = () => prepared(hold as Limit, { name: '', writes: '' });

  it('counts down, and keeps the task at the end', async () => {
    const service = await open();
    const run = await service.run(APPLY);
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(': 10 minutes. Ctrl-C cancels the task.');
    expect(run.stderr).toContain('the countdown is over');
    expect(await service.live()).toHaveLength(1);
    await service.close();
  });

  it('cancels the task at Ctrl-C in the countdown, and the same command makes it again', async () => {
    const service = await open();
    const run = await service.run(APPLY, undefined, 'Ctrl-C cancels the task');
    expect(run.exitCode).toBe(130);
    expect(run.stderr).toContain('is cancelled; nothing was sent');
    expect(await service.live()).toEqual([]);
    expect((await service.run(APPLY)).exitCode).toBe(0);
    expect(await service.live()).toHaveLength(1);
    await service.close();
  });

  // The approved task was cancelled, and an old approval must not make it again.
  it('needs a new plan to make the task again after Ctrl-C in the countdown of a plan', async () => {
    const service = await open();
    expect((await service.run(['plan', 'c.yaml', '--out', 'c.plan'])).exitCode).toBe(0);
    const plan = ['apply', 'c.plan', '--yes'];
    expect((await service.run(plan, undefined, 'Ctrl-C cancels the task')).exitCode).toBe(130);
    expect(await service.live()).toEqual([]);
    expect((await service.run(plan)).exitCode).toBe(5);
    expect(await service.live()).toEqual([]);
    expect((await service.run(['plan', 'c.yaml', '--out', 'new.plan'])).exitCode).toBe(0);
    expect((await service.run(['apply', 'new.plan', '--yes'])).exitCode).toBe(0);
    expect(await service.live()).toHaveLength(1);
    await service.close();
  });

  it('cancels the task if the terminal is closed', async () => {
    const service = await open();
    const first = await service.run(APPLY);
    await service.close();
    const at = first.requests.indexOf('POST /v1/task') + 1;
    const again = await open();
    const run = await again.run(APPLY, { at, when: 'after', isTerminalGone: true, isSilent: true });
    expect(run.exitCode).toBe(1);
    expect(await again.live()).toEqual([]);
    await again.close();
  });
});
