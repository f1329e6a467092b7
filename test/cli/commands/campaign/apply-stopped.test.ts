/**
 * Contract, "Campaigns as files": "After an interruption the next run continues at the same place". A service that fails in the middle of
 * `apply` leaves an error that says so, with what is done, and the next run writes the rest once.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import type { Transport, WireResponse } from '../../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { type Run, runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('stopped');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const APPLY = ['apply', 'spring.yaml', '--yes', '--quiet'];
const apply = (transport: Transport, ...more: readonly string[]): Promise<Run> =>
  runCli([...APPLY, ...more], { cwd: folder, transport, env: demo.admin });

/**
 * Answers all requests as `broken` does from the POST of the first task on, or from the first request after the first write.
 * @param isReceived true if the service gets that request
 */
function stoppingAt(at: 'task' | 'read', broken: () => Promise<WireResponse>, isReceived = false): Transport {
  let isBroken = false;
  let writes = 0;
  return async (request, signal) => {
    const isRead = request.method === 'GET';
    const isReached = at === 'read' ? isRead && writes > 0 : request.path === '/v1/task' && !isRead;
    if (isReached && isReceived && !isBroken) await demo.transport(request, signal);
    isBroken ||= isReached;
    if (!isRead) writes += 1;
    return isBroken ? broken() : demo.transport(request, signal);
  };
}

const answering =
  (status: number, body = '') =>
  async (): Promise<WireResponse> => ({ status, headers: {}, body });
/** Only a 429 of the service itself says that the request had no effect (wire, "Responses"). */
const ENVELOPE =
  '{"status":"error","response":{"code":429,"subcode":null,"message":"Too many requests","additional_information":null}}';
const refusing = (): Promise<never> => Promise.reject(new TransportError('not-sent', 'connection refused'));
const losing = (): Promise<never> =>
  Promise.reject(new TransportError('unknown', 'the connection was reset'));

it.each([
  ['no connection', 'task', refusing, 7, 3],
  ['no connection for a read', 'read', refusing, 7, 0],
  ['429', 'task', answering(429, ENVELOPE), 9, 3],
  ['503 for a read', 'read', answering(503), 1, 0],
] as const)(
  'after %s, says what is done and to run this again, which completes it',
  async (_, at, broken, exit, done) => {
    const run = await apply(stoppingAt(at, broken));
    expect(run.exitCode, run.stderr).toBe(exit);
    expect(run.stderr).toMatch(
      new RegExp(`Hint: ${done} of 7 steps are done${done > 0 ? ': created message spring' : '\\.'}`),
    );
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'Run this again: it goes on, and sends nothing twice.',
    );
    expect(run.stderr).not.toMatch(/check whether|look for the record/i);
    await completes();
  },
);

it.each([
  ['a lost answer', losing, true],
  ['a lost request', losing, false],
  ['500', answering(500), false],
  ['503', answering(503), true],
])(
  'after %s to a POST, says until when it can arrive, and not to inquire by hand',
  async (_, broken, isReceived) => {
    const run = await apply(stoppingAt('task', broken, isReceived), '--settle', '1s');
    expect(run.exitCode, run.stderr).toBe(10);
    const text = run.stderr.replaceAll(/\s+/g, ' ');
    expect(text).toContain('3 of 7 steps are done: created message spring');
    expect(text).toContain(
      'can still arrive for 15 minutes. Run this again after that: it goes on, and sends nothing twice.',
    );
    expect(text).not.toMatch(/look for the record|repeat/);
    await completes();
  },
);

it('has the same in JSON, with the status of the service', async () => {
  const run = await apply(stoppingAt('task', answering(503)), '-o', 'json');
  const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '');
  expect(error).toMatchObject({ exit: 10, http: 503, hint: expect.stringContaining('Run this again') });
});

// The service does not show its lists, so a plan cannot know that one is missing.
it('names the item, its place and what is done if the service finds a value invalid', async () => {
  const path = join(folder, 'spring.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('list: 3', 'list: 333'));
  const run = await apply(demo.transport);
  expect(run.exitCode).toBe(6);
  expect(run.stderr).toMatch(
    /\nsvc: spring\.yaml:43:11: task last-day: list_id is not a valid list: 333\nHint: 4 of 7 steps are done: created message spring .*\n.*Correct the file and apply it again/,
  );
  await writeFile(path, text);
  await completes();
});

it('leaves the error of a step that the service refused as it is', async () => {
  const run = await apply(stoppingAt('task', answering(403)));
  expect(run.exitCode).toBe(3);
  expect(run.stderr).not.toContain('Run this again');
});

/** Expects that another run writes the rest, and that each task exists once. */
async function completes(): Promise<void> {
  const again = await apply(demo.transport);
  expect(again.exitCode, again.stderr).toBe(0);
  const tasks = await runCli(['task', 'list', '--all', '-o', 'json'], {
    transport: demo.transport,
    env: demo.admin,
  });
  const names: readonly string[] = JSON.parse(tasks.stdout)
    .filter(({ cancelled }: { readonly cancelled: boolean }) => !cancelled)
    .map(({ name }: { readonly name: string }) => name)
    .filter((name: string) => name.includes('[svc-'));
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(2);
}
