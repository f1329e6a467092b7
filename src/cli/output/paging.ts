/** Sends long output through a pager if stdout and stderr are terminals and nothing redraws the screen. */

import { startMachineTimer } from '../../client/requests/ports.ts';
import { isInCi } from '../../kit/text/terminal.ts';
import type { Context, Environment, OutputStream, Pager } from '../outside/context.ts';
import { countScreenRows, withoutColours, withWrite } from './redraw.ts';

interface PagerOutput {
  readonly out: OutputStream;
  /** Stderr, which holds its text back while the pager fills the screen. */
  readonly err: OutputStream;
  /** Waits until the user has left the pager, and then prints the text that `err` held back. */
  readonly end: () => Promise<void>;
}

/** Returns undefined if the variable is empty or `cat`, and in CI. */
export function pagerCommand(env: Environment): string | undefined {
  if (isInCi(env) || env.TERM === 'dumb') return undefined;
  const command = (env.SVC_PAGER ?? env.PAGER ?? 'less').trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Resolves when the user has left the pager. */
export async function runWithPager<T>(
  context: Context,
  work: (streams: Pick<Context, 'stdout' | 'stderr'>) => Promise<T>,
): Promise<T> {
  const paging = openPagerOutput(context, true);
  if (paging === undefined) return work(context);
  try {
    return await work({ stdout: paging.out, stderr: paging.err });
  } finally {
    await paging.end();
  }
}

/** Returns undefined if svc uses no pager. @param isWanted true if the flags allow a pager */
export function openPagerOutput(context: Context, isWanted: boolean): PagerOutput | undefined {
  const { env, stdout, stderr, startPager } = context;
  const command = pagerCommand(env);
  if (!isWanted || !startPager || !stdout.isTTY || !stderr.isTTY || command === undefined) return undefined;
  return pagingWith(context, () => startPager(command));
}

/** Time after which the first rows of a slow list are shown, even if they fill less than a screen. */
const SHOW_AFTER_MS = 500;
/** Maximum number of characters to keep for printing them if the pager did not run. */
const MAX_KEPT = 1_000_000;

function pagingWith(context: Context, start: () => Promise<Pager | undefined>): PagerOutput {
  const { stdout, stderr, timer = startMachineTimer } = context;
  const screen = { rows: stdout.rows || 24, columns: stdout.columns || 80 };
  let held: string[] = [];
  let notes: string[] = [];
  let rows = 0;
  let pager: Pager | undefined;
  let kept: string[] | undefined = [];
  let keptSize = 0;
  let mode: 'holding' | 'paging' | 'passing' = 'holding';
  let stopTimer: (() => void) | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  const give = async (text: string): Promise<void> => {
    keptSize += text.length;
    if (keptSize > MAX_KEPT) kept = undefined;
    kept?.push(text);
    await pager?.write(text);
  };
  const open = async (): Promise<void> => {
    stopTimer?.();
    const text = held.join('');
    held = [];
    pager = await start();
    mode = pager === undefined ? 'passing' : 'paging';
    if (pager === undefined) {
      await stdout.write(text);
      await tellNotes();
    } else await give(text);
  };
  const take = async (text: string): Promise<void> => {
    if (mode === 'passing') return stdout.write(text);
    if (mode === 'paging') return give(text);
    held.push(text);
    rows += rowsOf(text, screen.columns);
    if (rows >= screen.rows) return open();
    stopTimer ??= timer(SHOW_AFTER_MS, () => {
      inTurn(async () => (mode === 'holding' ? open() : undefined)).catch(() => undefined);
    });
  };
  const tellNotes = async (): Promise<void> => {
    const text = notes.join('');
    notes = [];
    if (text !== '') await stderr.write(text);
  };
  const end = async (): Promise<void> => {
    stopTimer?.();
    if (mode === 'holding') {
      const text = held.join('');
      held = [];
      mode = 'passing';
      if (text !== '') await stdout.write(text);
    } else if (pager !== undefined) {
      const outcome = await pager.end();
      pager = undefined;
      mode = 'passing';
      if (outcome === 'not-run' && kept) await stdout.write(kept.join(''));
    }
    await tellNotes();
  };

  const isHeldBack = (): boolean => mode === 'paging' || held.length > 0;
  return {
    out: withWrite(stdout, (text) => inTurn(() => take(text))),
    err: withWrite(stderr, async (text) => {
      if (isHeldBack()) notes.push(text);
      else await stderr.write(text);
    }),
    end: () => inTurn(end),
  };
}

/** A last line without a line break counts as a line. */
function rowsOf(text: string, columns: number): number {
  const lines = withoutColours(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return countScreenRows(lines, columns);
}
