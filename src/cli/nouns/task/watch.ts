import { groupThousands } from '../../../kit/text/words.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { STATISTIC_ATTRIBUTES, type TaskRecord, task, taskPhase } from '../../../service/resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { timeoutFlag } from '../../command/globals.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { type Column, columnsNamed } from '../../output/result.ts';
import { type Id, resolveId } from '../../request/references.ts';
import type { Clocks, Invocation, Notes, Tell } from '../../session/ports.ts';
import { idPositional } from '../generic/read.ts';
import { type CreditBalanceWatch, watchCreditBalance } from './credit-stop.ts';
import {
  createAdaptivePollInterval,
  intervalFlag,
  pollTask,
  readPollInterval,
  type TaskPollOptions,
} from './poll.ts';
import { computeTaskFigures, PAST_TENSES, sortStatisticRows } from './report-figures.ts';
import { describeTaskProgress } from './task-words.ts';

const WATCHED = ['size', ...Object.values(STATISTIC_ATTRIBUTES).flat()] as const;

export const taskWatch: Verb = {
  name: 'watch',
  summary: 'Show the progress of a task until it ends',
  about:
    'On a terminal, redraws the progress in place. Without a terminal, or with -o, prints a new line for each change. Exits 1 if the task has not ended within --timeout',
  work: 'finds',
  methods: ['GET'],
  example: 'task watch 1',
  output: 'ndjson',
  live: true,
  ownsTimeout: true,
  positionals: [idPositional(task)],
  flags: [intervalFlag],
  run: async (session, input) => {
    const span = input.get(timeoutFlag) ?? Number.POSITIVE_INFINITY;
    const polling = {
      interval: readPollInterval(input, createAdaptivePollInterval()),
      deadline: session.context.clock.now() + span,
    };
    const id = await resolveId(session, task, input.positionals[0] ?? '');
    const credits = watchCreditBalance(session);
    // The caller stops when the task ends.
    async function* records(options: Pick<TaskPollOptions, 'about' | 'sleep'> = {}) {
      for await (const record of pollTask(session, id, { ...polling, ...options })) {
        await credits.observe(record);
        yield record;
      }
      throw new CliError('timeout', `task ${id} has not ended yet`, {
        exit: EXIT.failed,
        hint: 'Nothing was changed. To watch longer, use --timeout.',
      });
    }
    if (await isDrawn(session)) {
      const { drawTaskUntilItEnds } = await import('./watch-view.ts');
      await session.withoutWaitLines(() => drawTaskUntilItEnds(session, (sleep) => records({ sleep })));
      await warnIfStoppedEarly(session, credits);
      return { result: { kind: 'nothing' } };
    }
    if (session.globals.plain && isForPerson(session)) {
      await printProgress(session, id, records());
      await warnIfStoppedEarly(session, credits);
      return { result: { kind: 'nothing' } };
    }
    const about = `Watching task ${id} until it is completed or cancelled. Ctrl-C is safe: nothing is changed.`;
    const rows = changes(session, records({ about }), credits);
    const columns: readonly Column[] = [
      { name: 'time', kind: 'timestamp' },
      { name: 'state' },
      ...columnsNamed(WATCHED),
    ];
    return { result: { kind: 'rows', rows, columns, empty: 'nothing changed' } };
  },
};

/** The drawing goes to stderr and data to stdout, so both must be terminals. */
async function isDrawn(session: Invocation): Promise<boolean> {
  const { context, globals } = session;
  if (!isForPerson(session)) return false;
  const { canRedrawLines } = await import('../../output/redraw.ts');
  return canRedrawLines(context.stderr, context.env, globals.plain);
}

function isForPerson({ context, globals: { output, fields, query } }: Invocation): boolean {
  const isAsked = output !== undefined || fields !== undefined || query !== undefined;
  return !isAsked && context.stdout.isTTY;
}

/** Screen readers cannot follow a drawing, so `--plain` prints each change as a sentence. */
async function printProgress(
  session: Tell & Clocks,
  id: Id,
  records: AsyncIterable<TaskRecord>,
): Promise<void> {
  let before = '';
  for await (const record of records) {
    const now = await session.serviceNow();
    const counts = sortStatisticRows(computeTaskFigures(record)).flatMap(({ statistic, count }) =>
      statistic === 'size' ? [] : [`${groupThousands(count)} ${PAST_TENSES[statistic]}`],
    );
    const line = `task ${id}: ${[describeTaskProgress(record, now).words, ...counts].join(', ')}`;
    if (line !== before) await session.warn(line);
    before = line;
    const phase = taskPhase(record, now);
    if (phase === 'completed' || phase === 'cancelled') return;
  }
}

async function warnIfStoppedEarly(session: Notes, credits: CreditBalanceWatch): Promise<void> {
  const stopped = await credits.detectOutOfCredits();
  if (stopped) await session.warn(stopped.words);
}

async function* changes(
  session: Tell & Clocks,
  records: AsyncIterable<TaskRecord>,
  credits: CreditBalanceWatch,
) {
  let before = '';
  for await (const record of records) {
    const state = taskPhase(record, await session.serviceNow());
    const counts = Object.fromEntries(WATCHED.map((name) => [name, record[name] ?? null]));
    const now = formatJson([state, counts]);
    if (now !== before) yield { time: Math.floor(await session.serviceNow()), state, ...counts };
    before = now;
    if (state === 'completed' || state === 'cancelled') {
      await warnIfStoppedEarly(session, credits);
      return;
    }
  }
}
