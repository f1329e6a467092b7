/** Notifies open pages of changes by server-sent events. The pages then fetch the changes themselves. */
import { changeMark } from '../store/change-mark.ts';
import type { Db } from '../store/open.ts';
import { PAGE_HEADERS } from './headers.ts';

export interface Live {
  /**
   * Opens a stream of changes for a page. It closes when the sandbox stops. Returns 503 if too many streams are open.
   * @param shown the mark of the latest change that the page knows
   */
  readonly open: (shown: string) => Promise<Response>;
}

/** Highest number of open streams. Further windows have to be reloaded by hand. */
const MOST_STREAMS = 50;
const LOOK_MS = 500;
/** Turns without an event before a keep-alive line is sent. Proxies close a connection that is silent for longer. */
const SILENCE_TURNS = 30;

const changedTo = (changes: string): string => `event: changed\ndata: ${changes}\n\n`;

/** Creates the streams. @param signal aborted when the sandbox stops */
export function createLiveUpdates(db: Db, signal: AbortSignal | undefined): Live {
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
          // Only this page needs the changes since it was made. The timer notifies the others.
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
