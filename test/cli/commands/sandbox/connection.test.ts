/**
 * The control plane may not respond, may be cut off, or may now belong to another program. No command hangs or reports a "bug" (attack
 * L4).
 */
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StartTimer, startMachineTimer } from '../../../../src/client/requests/ports.ts';
import { dataDirAt, lockDataDir } from '../../../../src/sandbox/data/data-dir.ts';
import { NOBODY, type Run, runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

type Talk = (socket: Socket, request: string) => void;

let folder: string;
let server: Server;
let talk: Talk;
let heard: string[];
const sockets = new Set<Socket>();
beforeEach(async () => {
  heard = [];
  folder = await makeTemporaryFolder('control');
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      heard.push(String(chunk).split(' ')[1] ?? '');
      talk(socket, String(chunk));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await writeFile(
    join(folder, 'sandbox.json'),
    JSON.stringify({
      pid: process.pid,
      port,
      baseUrl: `http://127.0.0.1:${port}`,
      controlToken: 'x'.repeat(64),
    }),
    { mode: 0o600 },
  );
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const svc = (argv: readonly string[], timer: StartTimer = startMachineTimer): Promise<Run> =>
  runCli(['sandbox', ...argv, '--data', folder], { env: NOBODY, timer });

const answer = (body: unknown): string => {
  const text = JSON.stringify(body);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`;
};

/** Only a sandbox that never answers makes a command wait for the whole timeout. */
const TALKS: readonly (readonly [string, string, Talk])[] = [
  ['never answers', '20ms', () => undefined],
  ['resets the connection', '200ms', (socket) => socket.resetAndDestroy()],
  ['ends it without a word', '200ms', (socket) => socket.end()],
  [
    'breaks off in its answer',
    '200ms',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"da', () => socket.destroy()),
  ],
];

describe.each(TALKS)('a sandbox that %s', (_, timeout, how) => {
  beforeEach(() => {
    talk = how;
  });

  it.each([['list', 'list'], ['status'], ['clock', 'show'], ['outbox', 'list']])(
    'exits with 7 for a command that reads (%s %s)',
    async (...argv) => {
      const { exitCode, stdout, stderr } = await svc([...argv.filter(Boolean), '--timeout', timeout]);
      expect([exitCode, stdout]).toEqual([7, '']);
      expect(stderr).toMatch(/^svc: the sandbox at 127\.0\.0\.1:[0-9]+ /);
      expect(stderr).toContain('Hint: ');
      expect(stderr).not.toMatch(/bug|hang up|inside svc/);
    },
  );

  it.each([
    ['list', 'create', '--name', 'N'],
    ['clock', 'advance', '1h'],
    ['event', 'open', '--message', '1', '--subscriber', '1'],
  ])(
    'exits with 10 for a command that changes something, because it may have been done (%s %s)',
    async (...argv) => {
      const { exitCode, stdout, stderr } = await svc([...argv, '--timeout', timeout]);
      expect([exitCode, stdout]).toEqual([10, '']);
      expect(stderr).toMatch(
        /the outcome of "[a-z]+ [a-z]+" is unknown\nHint: before you run the command again, check whether the change was made; /,
      );
      expect(stderr).not.toMatch(/bug|hang up|inside svc/);
    },
  );

  it('stop kills no process', async () => {
    // The lock of its folder says that its process is alive.
    const hold = lockDataDir(dataDirAt(folder));
    const { exitCode, stderr } = await svc(['stop', '--timeout', timeout]);
    hold.release();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is running but does not respond')]);
  });
});

it('reports that no sandbox is running if another program without HTTP has the port', async () => {
  talk = (socket) => socket.end('220 mail.example ESMTP\r\n');
  const { exitCode, stderr } = await svc(['list', 'list']);
  expect([exitCode, stderr]).toEqual([7, expect.stringContaining('no sandbox is running in')]);
});

it('sends a long operation only to a sandbox that responds, and waits for it', async () => {
  talk = (socket, request) => {
    if (request.includes('/control/status ')) socket.end(answer({ data: { pid: 1 }, zone: 'UTC' }));
    else socket.end(answer({ data: { clock: 'manual', time: 5, done: 0 }, zone: 'UTC' }));
  };
  // Acts as if the wait were longer than 2 seconds. test/cli/session/notes.test.ts tests the machine's own timer.
  const late: StartTimer = (milliseconds, fire) => {
    if (milliseconds === 2000) fire();
    return () => undefined;
  };
  const { exitCode, stdout, stderr } = await svc(['clock', 'advance', '1h', '-o', 'json'], late);
  expect([exitCode, JSON.parse(stdout).time, heard]).toEqual([
    0,
    5,
    ['/control/status', '/control/clock/advance'],
  ]);
  // Contract: a wait of more than 2 seconds is never silent.
  expect(stderr).toMatch(
    /^waiting for the sandbox to run "clock advance" \(without a time limit\); Ctrl-C only stops waiting\n$/,
  );
});
