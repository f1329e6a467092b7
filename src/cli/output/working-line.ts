/** Shows `Working…` on a terminal while a command prints nothing, and removes it before anything else is printed. */
import { startMachineTimer } from '../../client/requests/ports.ts';
import { type Context, type OutputStream, wrapPrompter } from '../outside/context.ts';
import { canRedrawLines, TO_LINE_END, withWrite } from './redraw.ts';

export interface WorkingIndicator {
  /** They remove the line before they print. */
  readonly contextParts: Pick<Context, 'stdout' | 'stderr' | 'prompter' | 'startPager' | 'pauseWorkingLine'>;
  readonly end: () => void;
}

/** A person sees the line after at most 300 ms, which include the start of the program. */
const SILENT_MS = 150;
const AGAIN_MS = 1000;

/** Returns undefined if nothing can be drawn. */
export function createWorkingIndicator(context: Context, plain: boolean): WorkingIndicator | undefined {
  const { stdout, stderr, prompter, startPager, env, clock, timer = startMachineTimer } = context;
  if (!canRedrawLines(stderr, env, plain)) return undefined;
  let stop: (() => void) | undefined;
  let since = 0;
  let isDrawn = false;
  let isMidLine = false;
  let isOver = false;
  /** Number of prompts and programs that use the terminal. There is no line meanwhile. */
  let paused = 0;

  const write = (text: string): void => {
    // A terminal that was closed must not end the work.
    stderr.write(text).catch(() => undefined);
  };
  const draw = (): void => {
    const seconds = Math.floor((clock.now() - since) / 1000);
    write(`\r${seconds < 1 ? 'Working…' : `Working… ${seconds} s`}${TO_LINE_END}`);
    isDrawn = true;
    stop = timer(AGAIN_MS, draw);
  };
  const remove = (): void => {
    stop?.();
    stop = undefined;
    if (isDrawn) write(`\r${TO_LINE_END}`);
    isDrawn = false;
  };
  const begin = (): void => {
    stop?.();
    stop = undefined;
    if (isOver || isMidLine || paused > 0) return;
    since = clock.now();
    stop = timer(SILENT_MS, draw);
  };
  const over = (stream: OutputStream): OutputStream =>
    withWrite(stream, async (text) => {
      remove();
      if (stream.isTTY && text !== '') {
        isMidLine = !text.endsWith('\n');
        // A drawing of the command's own shows that it is alive.
        isOver ||= DRAWING.test(text);
      }
      try {
        return await stream.write(text);
      } finally {
        begin();
      }
    });
  const pauseWorkingLine = async <T>(work: () => Promise<T>): Promise<T> => {
    paused += 1;
    remove();
    try {
      return await work();
    } finally {
      paused -= 1;
      begin();
    }
  };
  const end = (): void => {
    isOver = true;
    remove();
  };
  begin();
  return {
    contextParts: {
      ...{ stdout: over(stdout), stderr: over(stderr), pauseWorkingLine },
      prompter: wrapPrompter(prompter, pauseWorkingLine),
      startPager:
        startPager &&
        ((command) => {
          end();
          return startPager(command);
        }),
    },
    end,
  };
}

/** Color codes, which end in `m`, do not match. */
const DRAWING = /\r(?!\n)|\x1b\[[0-9;?]*[A-LN-Za-ln-z]/;
