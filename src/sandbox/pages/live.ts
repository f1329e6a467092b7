/** Notifies open pages of changes by server-sent events. The pages then fetch the changes themselves. */
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { type Db, readStoreChangeCounter } from '../store/open.ts';
import { PAGE_HEADERS } from './page.ts';

/** Maximum number of open streams. Further windows have to be reloaded by hand. */
const MAX_STREAMS = 50;
const LOOK_MS = 500;
/** Checks without a change before a keep-alive line, without which proxies would close the connection. */
const SILENCE_TURNS = 30;

const tellChange = (stream: SSEStreamingApi, changes: string): Promise<void> =>
  stream.writeSSE({ event: 'changed', data: changes });

/** @param signal aborted when the sandbox stops */
export function createPageUpdateStreams(db: Db, signal: AbortSignal | undefined) {
  /** Open streams, each with the function that ends it. */
  const streams = new Map<SSEStreamingApi, () => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen: string | undefined;
  let silent = 0;
  // A page that reads slowly must not hold up the others. A write never rejects.
  const toAll = (write: (stream: SSEStreamingApi) => Promise<unknown>): void => {
    for (const stream of streams.keys()) void write(stream);
  };
  const look = async (): Promise<void> => {
    const changes = await readStoreChangeCounter(db);
    silent += 1;
    if (seen !== undefined && changes !== seen) {
      silent = 0;
      toAll((stream) => tellChange(stream, changes));
    } else if (silent >= SILENCE_TURNS) {
      silent = 0;
      toAll((stream) => stream.write(': still here\n\n'));
    }
    seen = changes;
  };
  const next = (): void => {
    timer = undefined;
    if (streams.size === 0) {
      seen = undefined;
      return;
    }
    timer = setTimeout(() => {
      look().then(next, next);
    }, LOOK_MS).unref();
  };
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    for (const end of streams.values()) end();
  });
  return {
    /** Notifies a page of changes after the counter that it `shown` (`readStoreChangeCounter`). Returns 503 for too many streams. */
    open: async (context: Context, shown: string): Promise<Response> => {
      const changes = await readStoreChangeCounter(db);
      if (streams.size >= MAX_STREAMS || signal?.aborted)
        return new Response(null, { status: 503, headers: { ...PAGE_HEADERS, 'retry-after': '30' } });
      const response = streamSSE(context, async (stream) => {
        const ended = new Promise<void>((end) => {
          streams.set(stream, end);
          stream.onAbort(end);
        });
        seen ??= changes;
        if (timer === undefined) next();
        void stream.write('retry: 2000\n\n');
        // Only this page needs the changes since it was made. The timer notifies the others.
        if (changes !== shown) void tellChange(stream, changes);
        await ended;
        streams.delete(stream);
      });
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
      return response;
    },
  };
}
