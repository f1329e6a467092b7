/** Contract, "The everyday screen": the port of the data folder, or else 4010, or else a free one (stderr says which). */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeUnexpectedPort } from '../../../../src/cli/commands/sandbox/start.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('port');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (port: number): string => `http://127.0.0.1:${port}`;

describe('the note on a port', () => {
  it.each([
    ['new data on the default port', undefined, [4010, 0], 4010, undefined],
    [
      'new data, default port taken',
      undefined,
      [4010, 0],
      33_701,
      'Port 4010 is taken, so the sandbox uses 33701.',
    ],
    ['any free port, as asked', undefined, [0], 33_701, undefined],
    ['the port of its data', 33_701, [33_701, 4010, 0], 33_701, undefined],
    [
      'another port than that of its data',
      33_701,
      [33_701, 4010, 0],
      4010,
      'The port of this sandbox was 33701',
    ],
    ['--port other than that of its data', 33_701, [4010], 4010, 'lead to port 33701.'],
  ] as const)('%s', (_, own, wanted, port, note) => {
    const said = describeUnexpectedPort({ lastPort: own, portsToTry: [...wanted] }, at(port));
    if (note === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(note);
  });
});

/** Starts the sandbox in this process, waits until it is ready, and returns its messages. */
async function startOnce(...flags: string[]) {
  const ending = new AbortController();
  let stdout = '';
  const stream = {
    isTTY: false,
    columns: undefined,
    write: async (text: string) => {
      stdout += text;
      if (text.includes('\n')) setTimeout(() => ending.abort(), 50);
    },
  };
  const argv = ['sandbox', 'start', '--data', folder, '--seed', 'empty', '--profile', 'none', '-o', 'json'];
  const { stderr, exitCode } = await runCli([...argv, ...flags], {
    ...{ stdout: stream, signal: ending.signal },
    env: { SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') },
  });
  const [line = ''] = stdout.split('\n');
  return { exitCode, stderr, port: line === '' ? undefined : Number(new URL(JSON.parse(line).baseUrl).port) };
}

/** Holds a port while `work` runs. */
async function whileTaken<T>(work: (port: number) => Promise<T>, wanted = 0): Promise<T> {
  const other = createServer();
  await new Promise<void>((done) => other.listen(wanted, '127.0.0.1', done));
  const address = other.address();
  try {
    return await work(typeof address === 'object' && address ? address.port : 0);
  } finally {
    await new Promise((done) => other.close(done));
  }
}

describe('sandbox start', () => {
  it('reuses the port of its data, or another one if that port is taken, and says so', async () => {
    const first = await startOnce('--port', '0');
    expect(first.port).toBeGreaterThan(0);
    const again = await startOnce();
    expect(again.stderr).not.toContain('The port of this sandbox');
    expect(again.port).toBe(first.port);
    const moved = await whileTaken(() => startOnce(), first.port);
    expect(moved.port).not.toBe(first.port);
    expect(moved.stderr).toContain(`The port of this sandbox was ${first.port} and is now ${moved.port}.`);
  });

  it('fails with exit 2 if the port of --port or --listen is taken, and leaves no data', async () => {
    await whileTaken(async (port) => {
      const given = await startOnce('--port', String(port));
      expect([given.exitCode, given.port]).toEqual([2, undefined]);
      expect(given.stderr).toContain(`--port ${port}: the port is taken`);
      expect(given.stderr).toContain('leave out --port to use a free one');
      const listen = await startOnce('--listen', `127.0.0.1:${port}`);
      expect(listen.exitCode).toBe(2);
      expect(listen.stderr).toContain(`--listen 127.0.0.1:${port}: the port is taken`);
      expect(listen.stderr).toContain('--listen HOST:PORT');
    });
    const corrected = await startOnce('--port', '0');
    expect([corrected.exitCode, corrected.stderr]).toEqual([0, expect.not.stringContaining('is ignored')]);
  });

  it('ignores a port file without a port', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'port.json'), '{"port":"x"}', { mode: 0o600 });
    expect((await startOnce('--port', '0')).stderr).not.toContain('The port of this sandbox');
  });
});
