/** How many of the companies are done, on a line of the terminal that is drawn over. */
import { canDraw, drawingOn, widthOf } from '../output/redraw.ts';
import type { Context } from '../outside/context.ts';
import type { Globals } from '../session/globals.ts';

export interface Progress {
  /** One more is done. */
  readonly done: (hasFailed: boolean) => Promise<void>;
  /** Takes the line away before something else is written; it comes back with the next that is done. */
  readonly clear: () => Promise<void>;
  /** Nothing more is drawn. */
  readonly end: () => Promise<void>;
}

const REDRAW_MS = 200;

interface Outside {
  readonly context: Pick<Context, 'stderr' | 'env'> & { readonly clock: Pick<Context['clock'], 'now'> };
  readonly globals: Pick<Globals, 'plain' | 'quiet'>;
}

export function createProgress({ context, globals }: Outside, total: number): Progress {
  const { stderr, env, clock } = context;
  const drawing = canDraw(stderr, env, globals.plain) && !globals.quiet ? drawingOn(stderr) : undefined;
  let count = 0;
  let failed = 0;
  // What is over sooner needs no line.
  let drawnAt = clock.now();
  let isDrawn = false;
  let isOver = false;
  const clear = async (): Promise<void> => {
    if (!isDrawn) return;
    isDrawn = false;
    // What nobody can see any more must not stop the work.
    await stderr.write('\x1b[1A\r\x1b[J').catch(() => undefined);
    await drawing?.end().catch(() => undefined);
  };
  return {
    done: async (hasFailed) => {
      count += 1;
      if (hasFailed) failed += 1;
      if (drawing === undefined || isOver || clock.now() - drawnAt < REDRAW_MS) return;
      drawnAt = clock.now();
      isDrawn = true;
      const text = `${count} of ${total} companies${failed === 0 ? '' : `, ${failed} failed`}`;
      await drawing.draw([text.slice(0, widthOf(stderr))]).catch(() => undefined);
    },
    clear,
    end: async () => {
      isOver = true;
      await clear();
    },
  };
}
