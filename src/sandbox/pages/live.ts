/** Says to open pages that something changed, as server-sent events: what it was they ask for themselves. */
import { changeMark } from '../store/changes.ts';
import type { Db } from '../store/open.ts';
import { PAGE_HEADERS } from './headers.ts';

export interface Live {
  /**
   * A stream that ends with the sandbox; 503 where there are as many as there may be.
   * @param shown the changes that the page knew of
   */
  readonly open: (shown: string) => Promise<Response>;
}

/** Somebody with as many windows reloads them by hand. */
const MOST_STREAMS = 50;
const LOOK_MS = 500;
/** Proxies cut off what is silent for longer. */
const SILENCE_TURNS = 30;

const changedTo = (changes: string): string => `event: changed\ndata: ${changes}\n\n`;

/** @param signal aborted when the sandbox ends */
export function createLive(db: Db, signal: AbortSignal | undefined): Live {
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  let seen: string | undefined;
  let silent = 0;
  const send = (text: string): void => {
    for (const each of streams) each.enqueue(encoder.encode(text));
  };
  const look = async (): Promise<void> => {
    const changes = await changeMark(db);
    silent += 1;
    if (seen !== undefined && changes !== seen) {
      silent = 0;
      send(changedTo(changes));
    } else if (silent >= SILENCE_TURNS) {
      silent = 0;
      send(': still here\n\n');
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
    for (const each of streams) each.close();
    streams.clear();
  });
  return {
    open: async (shown) => {
      const changes = await changeMark(db);
      if (streams.size >= MOST_STREAMS || signal?.aborted)
        return new Response(null, { status: 503, headers: { ...PAGE_HEADERS, 'retry-after': '30' } });
      let own: ReadableStreamDefaultController<Uint8Array> | undefined;
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          own = controller;
          streams.add(controller);
          // What happened since the page was made is no news to the others.
          const news = changes === shown ? '' : changedTo(changes);
          controller.enqueue(encoder.encode(`retry: 2000\n\n${news}`));
          seen ??= changes;
          if (timer === undefined) next();
        },
        cancel: () => {
          if (own) streams.delete(own);
        },
      });
      return new Response(stream, {
        headers: { ...PAGE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' },
      });
    },
  };
}
