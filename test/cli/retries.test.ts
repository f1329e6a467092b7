/** `--retries n`: at most n attempts after the first, for a POST with any cause. With 0, svc never sends a request twice. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';
import { withEverything } from '../support/everything.ts';
import { PARTNER, runCli } from '../support/run-cli.ts';
import { NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** One command line for every POST of the interface. */
const CREATES: Readonly<Record<string, readonly string[]>> = {
  account: ['account', 'create', '--name', 'A', '--contactemail', 'a@example.com'],
  user: [
    ...['user', 'create', '--username', 'ada', '--firstname', 'A', '--lastname', 'B'],
    ...['--email', 'a@example.com', '--password', 'canary77'],
  ],
  sms: ['sms', 'send', '--to', '447700900124', '--from', 'Example', '--text', 'New', '--now', '--yes'],
  smsMessage: ['sms-message', 'create', '--name', 'New', '--from', 'Example', '--text', 'Hi'],
  emailMessage: [
    ...['email', 'create', '--name', 'New', '--subject', 'B', '--from-name', 'C'],
    ...['--reply-to', 'a@example.com', '--html', '<p>D</p>', '--text', 'D'],
  ],
  task: [
    ...['task', 'create', '--name', 'New', '--channel', 'email', '--message', 'Free'],
    ...['--list', '1', '--at', '+1d'],
  ],
  folder: ['folder', 'create', '--name', 'New'],
  doNotContact: ['dnc', 'add', 'new@example.com', '--yes'],
  subscriberProfileData: [
    ...['subscriber-data', 'create', '--subscriber', '1', '--field', '2', '--value', 'green'],
  ],
  ...Object.fromEntries(
    ['click', 'open', 'subscription', 'date'].map((kind) => [
      `${kind}Automation`,
      [
        ...['automation', 'create', '--kind', kind, '--name', 'New'],
        ...['--actiontype', 'notify', '--actiontarget', 'a@example.com'],
        ...(kind === 'subscription' ? ['--list', '1'] : kind === 'date' ? [] : ['--message', '2']),
      ],
    ]),
  ),
  smsAutomation: [
    'automation',
    'create',
    '--kind',
    'sms',
    '--name',
    'New',
    '--keyword',
    'NEW',
    '--list',
    '1',
  ],
};

const error = (code: number): string =>
  JSON.stringify({ status: 'error', response: { code, message: 'no' } });

/** Failures of a POST that normally cause another attempt. */
const FAILURES: Readonly<Record<string, () => Promise<WireResponse>>> = {
  'a lost answer': () => Promise.reject(new TransportError('unknown', 'cut')),
  'a refused connection': () => Promise.reject(new TransportError('not-sent', 'refused')),
  'a 429': async () => ({ status: 429, headers: { 'retry-after': '1' }, body: error(429) }),
  'a 503': async () => ({ status: 503, headers: {}, body: error(503) }),
  'a 401 from a clock an hour ahead': async () => ({
    status: 401,
    headers: { date: new Date((NOW + 3600) * 1000).toUTCString() },
    body: error(401),
  }),
};

async function failing(fail: () => Promise<WireResponse>) {
  const sandbox = await withEverything();
  const posts: WireRequest[] = [];
  const transport: Transport = (request) => {
    if (request.method !== 'POST') return sandbox.service.handle(request);
    posts.push(request);
    return fail();
  };
  return { posts, transport };
}

describe.each(Object.keys(FAILURES))('after %s', (failure) => {
  it.each(Object.keys(CREATES))('--retries 0 sends the POST of %s once', async (name) => {
    const { posts, transport } = await failing(FAILURES[failure] ?? Promise.reject);
    const argv = [...(CREATES[name] ?? []), '--retries', '0'];
    const run = await runCli(argv, { transport, ...(name === 'account' ? { env: PARTNER } : {}) });
    expect(run.exitCode, run.stderr).not.toBe(0);
    expect(posts).toHaveLength(1);
  });

  it('--retries 0 sends each row of a file once', async () => {
    const { posts, transport } = await failing(FAILURES[failure] ?? Promise.reject);
    const cwd = await makeTemporaryFolder('retries');
    try {
      await writeFile(join(cwd, 'new.csv'), 'new@example.com\n');
      const run = await runCli(['dnc', 'import', 'new.csv', '--yes', '--retries', '0'], { transport, cwd });
      expect(run.exitCode).not.toBe(0);
      expect(posts).toHaveLength(1);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});

it.each([
  [[], 3],
  [['--retries', '1'], 2],
  [['--retries', '2'], 3],
])('dnc add %j counts lost responses and 429 together: %i attempts', async (flags, attempts) => {
  let turn = 0;
  const { posts, transport } = await failing(() => {
    turn += 1;
    const fail = FAILURES[turn % 2 === 1 ? 'a 429' : 'a lost answer'];
    return fail ? fail() : Promise.reject(new Error());
  });
  const run = await runCli(['dnc', 'add', 'new@example.com', '--yes', ...flags], { transport });
  expect(run.exitCode).not.toBe(0);
  expect(posts).toHaveLength(attempts);
});
