/** The stream that notifies a page of changes (src/sandbox/pages/README.md): its events, its silence and its end. */
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPageUpdateStreams } from '../../../src/sandbox/pages/live.ts';
import { putList } from '../../support/messages.ts';
import { createTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

/** The milliseconds between two checks of the store. */
const LOOK = 500;

let sandbox: TestSandbox;
let stop: AbortController;
let visit: (shown?: string) => Promise<Response>;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  stop = new AbortController();
  const live = createPageUpdateStreams(sandbox.service.store.db, stop.signal);
  const app = new Hono().get('/events', (context) => live.open(context, context.req.query('seen') ?? ''));
  visit = async (shown = '') => app.request(`/events?seen=${shown}`);
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
});

/**
 * Reads a stream in the background.
 * @returns the text so far, and whether the stream has ended
 */
function read({ body }: Response): { text: string; isOver: boolean; readonly cancel: () => Promise<void> } {
  if (!body) throw new Error('the response has no body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const state = { text: '', isOver: false, cancel: () => reader.cancel() };
  const pump = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) state.text += part.value;
    state.isOver = true;
  };
  void pump();
  return state;
}

const turns = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * LOOK);

/** Opens a stream for a page that knows all changes. */
async function upToDate(): Promise<ReturnType<typeof read>> {
  const first = read(await visit());
  await turns(0);
  const known = /data: (.*)/.exec(first.text)?.[1] ?? '';
  await first.cancel();
  const stream = read(await visit(known));
  await turns(0);
  return stream;
}

it('has the headers of an event stream, and those of a page', async () => {
  const { status, headers } = await visit();
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(headers.get('cache-control')).toContain('no-store');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});

it('begins with the reconnection delay, and the change that the page lacks', async () => {
  const stream = read(await visit('1'));
  await turns(0);
  expect(stream.text).toMatch(/^retry: 2000\n\nevent: changed\ndata: [0-9]+\n\n$/);
});

it('sends nothing to a page that has all changes, and one event for the changes of a turn', async () => {
  const stream = await upToDate();
  expect(stream.text).toBe('retry: 2000\n\n');
  await turns(3);
  expect(stream.text).toBe('retry: 2000\n\n');
  await putList(sandbox);
  await putList(sandbox);
  await turns(2);
  expect(stream.text).toMatch(/^retry: 2000\n\nevent: changed\ndata: [0-9]+\n\n$/);
});

it('sends a comment after 15 silent seconds, so that proxies keep it open', async () => {
  const stream = await upToDate();
  await turns(29);
  expect(stream.text).not.toContain(': still here');
  await turns(2);
  expect(stream.text).toMatch(/\n\n: still here\n\n$/);
});

it('is not delayed by a page that does not read', async () => {
  const stuck = await visit();
  const stream = await upToDate();
  for (let change = 0; change < 5; change += 1) {
    await putList(sandbox);
    await turns(1);
  }
  await turns(1);
  expect(stream.text.match(/event: changed/g)).toHaveLength(5);
  await stuck.body?.cancel();
});

it('ends when the sandbox stops, even if a page does not read', async () => {
  const stuck = await visit();
  const stream = read(await visit());
  await turns(0);
  stop.abort();
  await turns(0);
  expect(stream.isOver).toBe(true);
  const late = read(stuck);
  await turns(0);
  expect(late.isOver).toBe(true);
  expect((await visit()).status).toBe(503);
});

it('refuses the 51st page, and accepts another as soon as one leaves', async () => {
  const open = await Promise.all(Array.from({ length: 50 }, async () => read(await visit())));
  const refused = await visit();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  await open[0]?.cancel();
  await turns(0);
  expect((await visit()).status).toBe(200);
});

it('reads the store only while a page is open', async () => {
  const stream = read(await visit());
  await turns(2);
  expect(vi.getTimerCount()).toBe(1);
  await stream.cancel();
  await turns(2);
  expect(vi.getTimerCount()).toBe(0);
});
