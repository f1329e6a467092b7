/** Shows how many companies are done, on a redrawn line of the terminal. */
import { canRedrawLines, createRedrawnLines, usableTerminalColumns } from '../output/redraw.ts';
import type { Context } from '../outside/context.ts';
import type { GlobalFlagValues } from '../session/globals.ts';

export interface CompanyProgressDisplay {
  readonly done: (hasFailed: boolean) => Promise<void>;
  /** The line is drawn again after the next completed company. */
  readonly clear: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const REDRAW_MS = 200;

interface ProgressParts {
  readonly context: Pick<Context, 'stderr' | 'env'> & { readonly clock: Pick<Context['clock'], 'now'> };
  readonly globals: Pick<GlobalFlagValues, 'plain' | 'quiet'>;
}

export function createCompanyProgressDisplay(
  { context, globals }: ProgressParts,
  total: number,
): CompanyProgressDisplay {
  const { stderr, env, clock } = context;
  const drawing =
    canRedrawLines(stderr, env, globals.plain) && !globals.quiet ? createRedrawnLines(stderr) : undefined;
  let count = 0;
  let failed = 0;
  // A shorter run needs no line.
  let drawnAt = clock.now();
  let isDrawn = false;
  let isOver = false;
  const clear = async (): Promise<void> => {
    if (!isDrawn) return;
    isDrawn = false;
    // A failed write of progress must not stop the work.
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
      await drawing.draw([text.slice(0, usableTerminalColumns(stderr))]).catch(() => undefined);
    },
    clear,
    end: async () => {
      isOver = true;
      await clear();
    },
  };
}
