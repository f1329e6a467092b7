/** Acceptance, F2: for every response of a service, a process ends in time, within 512 MB, and with a message. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { okText, runSvc, startStub } from '../support/stub-service.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const MEGABYTES = 60;
const MOST_RSS_MB = 512;

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await bundleForNode('test/support/rss-process.ts');
  home = await makeTemporaryFolder('large');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

/** Yields `before`, then this many megabytes of `unit`, then `after`. */
function* flood(before: string, unit: string, after: string, megabytes = MEGABYTES): Generator<string> {
  yield before;
  const part = unit.repeat(Math.ceil(65_536 / unit.length));
  for (let sent = 0; sent < megabytes * 1e6; sent += part.length) yield part;
  yield after;
}

const OPEN = '{"status":"ok","response":{"count":1,"next":null,"data":[';
const ROW = '{"id":1,"name":"News","list_count":0,"subscription_count":0,"cdate":1,"mdate":1},';
const FLOODS: Readonly<Record<string, readonly [string, string, string]>> = {
  brackets: ['', '[', ''],
  'brackets in a row': [`${OPEN}{"id":1,"x":`, '[', ''],
  braces: [`${OPEN}{"id":1,"x":`, '{"a":', ''],
  'flat rows': [OPEN, ROW, '{"id":2}]}}'],
  'empty objects': [`${OPEN}{"id":1,"x":[`, '{},', '1]}]}}'],
  'one text': [`${OPEN}{"id":1,"x":"`, 'x', '"}]}}'],
  blanks: ['', ' ', ''],
};

describe(`${MEGABYTES} MB of`, () => {
  it.each(Object.keys(FLOODS))('%s exit with 1 and a message, and use less than 512 MB', async (name) => {
    const [before, unit, after] = FLOODS[name] ?? ['', '', ''];
    await using stub = await startStub(() => ({ body: flood(before, unit, after) }));
    const nodeFlags = ['--max-old-space-size=400'];
    const run = await runSvc(svc, ['folder', 'list', '-o', 'json'], { port: stub.port, home, nodeFlags });
    const { error, rss } = lastLines(run.stderr);
    expect([name, run.code, error]).toMatchObject([name, 1, { kind: 'not-ours', exit: 1 }]);
    expect(rss).toBeLessThan(MOST_RSS_MB);
  });
});

describe('just below the limits', () => {
  const rows = (count: number, size: number) => {
    const data = Array.from({ length: count }, (_, n) => `{"id":${n + 1},"name":"${'x'.repeat(size)}"}`);
    return okText(`[${data.join(',')}]`);
  };

  it.each([
    ['10 MB of flat rows', () => ({ body: flood(OPEN, ROW, '{"id":2}]}}', 10) })],
    ['900,000 values', () => ({ body: `${OPEN}{"id":1,"x":[${'{},'.repeat(440_000)}1]}]}}` })],
  ])('%s is read with less than 512 MB', async (_name, answer) => {
    await using stub = await startStub(answer);
    const run = await runSvc(svc, ['folder', 'list', '-o', 'ndjson'], { port: stub.port, home });
    // Repeated ids make no difference here, because this is one whole page.
    expect([run.code, run.stdout.startsWith('{"id":1')]).toEqual([0, true]);
    expect(lastLines(run.stderr).rss).toBeLessThan(MOST_RSS_MB);
  });

  it('messages of 300 kB are requested in pages of fewer rows, and all arrive', async () => {
    await using stub = await startStub(({ query }) => {
      const start = Number(query.get('start') ?? 1);
      const count = Math.min(Number(query.get('count') ?? 200), 121 - start);
      const data = Array.from(
        { length: count },
        (_, n) => `{"id":${start + n},"name":"${'x'.repeat(300_000)}"}`,
      );
      return {
        body: okText(`[${data.join(',')}]`, start + count > 120 ? 'null' : String(start + count), count),
      };
    });
    const run = await runSvc(svc, ['email', 'list', '--sort', 'id', '-o', 'id'], { port: stub.port, home });
    expect([run.code, run.stdout.trim().split('\n').length]).toEqual([0, 120]);
    expect(stub.asked.map(({ query }) => query.get('count'))).toEqual(['200', '50', '50', '50']);
    expect(lastLines(run.stderr).rss).toBeLessThan(MOST_RSS_MB);
  });

  it('reports a single record that is too large', async () => {
    await using stub = await startStub(() => ({ body: rows(1, 17 * 1024 * 1024) }));
    const run = await runSvc(svc, ['email', 'get', '1', '-o', 'json'], { port: stub.port, home });
    expect([run.code, lastLines(run.stderr).error]).toMatchObject([
      1,
      { kind: 'not-ours', message: expect.stringContaining('larger than 16 MiB') },
    ]);
    expect(stub.asked).toHaveLength(1);
  });
});

/** Returns the error of svc, and the memory that the process reported after it. */
function lastLines(stderr: string): { readonly error: unknown; readonly rss: number } {
  const lines = stderr.trim().split('\n');
  const rss = Number(/^rss ([0-9]+)$/.exec(lines.at(-1) ?? '')?.[1]);
  // A slow machine also prints lines about long waits.
  const error = JSON.parse(lines.find((line) => line.startsWith('{')) ?? '{}').error;
  return { error, rss };
}
