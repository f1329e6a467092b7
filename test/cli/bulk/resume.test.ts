/** After Ctrl-C svc knows for every row whether it was sent. The next run continues at once, or says that it must wait. */
import { expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { type Bulk, bulkFolder } from './folder.ts';

const IMPORT = ['dnc', 'import', 'gone.csv', '--yes', '-o', 'json'];
const ROWS = 600;

async function begun(): Promise<Bulk> {
  const bulk = await bulkFolder();
  await bulk.write('gone.csv', Array.from({ length: ROWS }, (_, row) => `p${row}@example.com\n`).join(''));
  return bulk;
}

/**
 * Runs a job and interrupts it.
 * @param at number of POSTs before the interruption
 */
async function interrupted(bulk: Bulk, at: number) {
  const controller = new AbortController();
  let posts = 0;
  const transport: Transport = async (request, signal) => {
    if (request.method === 'POST') {
      posts += 1;
      const own = posts;
      // As many rows as permitted are in flight, and the others wait.
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (own === at) controller.abort(new DOMException('Ctrl-C', 'AbortError'));
    }
    return bulk.service.transport(request, signal);
  };
  return bulk.svc(IMPORT, { transport, signal: controller.signal });
}

it.each([20, 300])(
  'after Ctrl-C at row %i the next run looks up nothing and waits for nothing',
  async (at) => {
    await using bulk = await begun();
    const first = await interrupted(bulk, at);
    const { added, open } = JSON.parse(first.stdout);
    expect([first.exitCode, added + open, open > 0]).toEqual([130, ROWS, true]);
    // Two interruptions, because the second run is a resumed run.
    const second = await interrupted(bulk, 5);
    expect([second.exitCode, second.stderr.includes('continuing an earlier run')]).toEqual([130, true]);
    const before = bulk.service.sent.length;
    const sleeps: number[] = [];
    const last = await bulk.svc(IMPORT, { onSleep: (passed) => sleeps.push(passed) });
    expect([last.exitCode, JSON.parse(last.stdout)]).toMatchObject([0, { added: ROWS, skipped: 0, open: 0 }]);
    expect(sleeps).toEqual([]);
    const requests = bulk.service.sent.slice(before);
    expect(requests.filter(({ method }) => method === 'GET')).toEqual([]);
    expect(bulk.service.sent.filter(({ method }) => method === 'POST')).toHaveLength(ROWS);
  },
);

it('a row without a response makes the next run wait, and svc says why and for how long at most', async () => {
  await using bulk = await begun();
  const controller = new AbortController();
  const transport: Transport = async (request, signal) => {
    if (request.method !== 'POST') return bulk.service.transport(request, signal);
    controller.abort(new DOMException('Ctrl-C', 'AbortError'));
    throw new TransportError('unknown', 'the connection was cut');
  };
  await bulk.svc(IMPORT, { transport, signal: controller.signal });
  let looked = 0;
  const late: Transport = async (request, signal) => {
    if (request.method === 'GET') looked += 1;
    return bulk.service.transport(request, signal);
  };
  const run = await bulk.svc(IMPORT, { transport: late });
  expect([run.exitCode, JSON.parse(run.stdout)]).toMatchObject([0, { added: ROWS }]);
  expect(looked).toBeGreaterThan(0);
  expect(run.stderr).toMatch(
    /checking if the service stored [0-9]+ rows? \(at most [0-9]+ seconds\); Ctrl-C is safe/,
  );
});
