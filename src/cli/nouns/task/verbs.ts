import { isRefusalOfRecord } from '../../../client/requests/errors.ts';
import { titleOf } from '../../../client/requests/record-title.ts';
import { cancelTask } from '../../../client/sends/cancel.ts';
import { type TaskRecord, task } from '../../../service/resources/task.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { CliError, ItemError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { COLOR_TONE_BY_TASK_STATE, columnsOfResource } from '../../output/columns.ts';
import type { Column } from '../../output/result.ts';
import { createDescriptionOutcome, isRecordDescribed } from '../../request/description.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import {
  readRecordById,
  readRecordId,
  resolveRecord,
  resolveRecordByPartOfName,
} from '../../request/references.ts';
import {
  createOutcomeFromRecord,
  createWriteOutcome,
  printNoteAboutWrite,
} from '../../request/write-outcome.ts';
import { DryRunEndedError } from '../../session/dry-run.ts';
import { readJournalEntriesOfSessionUser } from '../../session/own-entries.ts';
import type { Changes, Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import { createVerbToGetRecord, idPositional } from '../generic/read.ts';
import { taskCreate } from './create.ts';
import { warnIfCreditsRanOut } from './credit-stop.ts';
import { taskGuard } from './guard.ts';
import { taskList } from './list.ts';
import { taskReport } from './report.ts';
import { formatTaskCancelQuestion } from './task-words.ts';
import { taskUpdate } from './update.ts';
import { taskWait } from './wait.ts';
import { taskWatch } from './watch.ts';

/** On a terminal, shows `stopped?` for a completed task whose credits may have run out. */
const taskGet: Verb = {
  ...createVerbToGetRecord(task),
  run: async (session, { positionals: [text = ''] }) => {
    const record = await resolveRecordByPartOfName(session, task, text);
    const outcome = createOutcomeFromRecord(task, record);
    const { result } = outcome;
    if (!session.context.stdout.isTTY || result.kind !== 'object') return outcome;
    const stopped = await warnIfCreditsRanOut(session, record);
    if (await isRecordDescribed(session)) {
      const { describeTask } = await import('./description.ts');
      return createDescriptionOutcome(session, await describeTask(session, record, stopped !== undefined));
    }
    return stopped ? { result: { ...result, columns: result.columns.map(withPossibleStop) } } : outcome;
  },
};

/** The state `stopped?` is only likely: the service does not report the number of sent messages. */
function withPossibleStop(column: Column): Column {
  if (!column.computed) return column;
  const tone = COLOR_TONE_BY_TASK_STATE['stopped'];
  const word = () => ({ text: 'stopped?', ...(tone ? { tone } : {}) });
  return { ...column, computed: { ...column.computed, word } };
}

const taskCancel: Verb = {
  name: 'cancel',
  summary: 'Cancel tasks that are not completed',
  about: 'If one of several tasks is not found, none is cancelled. Exits with 8 if the service refuses some',
  work: 'changes',
  does: 'removes',
  asks: true,
  section: 'States and transitions',
  example: 'task cancel Q4 --yes',
  exits: { 8: 'some were refused' },
  positionals: [{ ...idPositional(task), variadic: true }],
  flags: [],
  companies: 'writes',
  run: async (session, { positionals }) => {
    requireYesFlagOrTerminal(
      session,
      `cancel ${positionals.length === 1 ? 'task' : 'tasks'} ${positionals.join(', ')}`,
    );
    const records = new Map<string, TaskRecord>();
    for (const text of positionals) {
      const record = await resolveRecord(session, task, text);
      records.set(String(record.id), record);
    }
    const [record, ...others] = records.values();
    if (record === undefined) throw new UsageError('no task was given', { hint: 'run svc task cancel ID' });
    if (others.length > 0) return cancelAll(session, [record, ...others]);
    await confirmActionWithAccountShown(session, formatTaskCancelQuestion(record));
    const cancelled = await cancelTask(await session.client(), readRecordId(record));
    await printNoteAboutWrite(session, `cancelled ${titleOf(task, cancelled)}`);
    return createWriteOutcome(session, task, cancelled, 'Cancelled');
  },
};

/** Continues after a task that the service refuses to cancel. Any other error ends the run. */
async function cancelAll(
  session: Invocation & Tell & ServiceAccess & Changes,
  tasks: readonly TaskRecord[],
): Promise<Outcome> {
  const titles = tasks.map((each) => titleOf(task, each));
  await confirmActionWithAccountShown(session, `cancel ${tasks.length} tasks: ${titles.join(', ')}`);
  const client = await session.client();
  const rows: TaskRecord[] = [];
  let refused = 0;
  for (const [index, record] of tasks.entries()) {
    try {
      rows.push(await cancelTask(client, readRecordId(record)));
    } catch (error) {
      if (error instanceof DryRunEndedError) continue;
      const isRefusal = isRefusalOfRecord(error);
      if (!isRefusal) {
        if (!session.dryRun.isOn)
          await session.warn(`stopped; not cancelled: ${titles.slice(index).join(', ')}`);
        throw error;
      }
      refused += 1;
      await session.report(new ItemError(`cannot cancel ${titles[index]}`, { cause: error }));
    }
  }
  return {
    result: { kind: 'rows', rows, ...columnsOfResource(task), empty: 'Nothing was cancelled.' },
    exit: refused > 0 ? EXIT.partial : EXIT.done,
  };
}

const taskUndo: Verb = {
  name: 'undo',
  summary: 'Cancel the last task that your profile created',
  about: 'To see the task that svc would cancel, run svc log list --resource task',
  work: 'changes',
  does: 'removes',
  asks: true,
  section: 'States and transitions',
  example: 'task undo --yes',
  flags: [],
  run: async (session) => {
    requireYesFlagOrTerminal(session, 'cancel the last task');
    const made = (await readJournalEntriesOfSessionUser(session)).filter(
      ({ resource, method, state }) => resource === task.name && method === 'POST' && state !== 'failed',
    );
    const last = made.at(-1);
    const hint =
      'find the task with svc task list --sort id --reverse, and cancel it with svc task cancel ID';
    if (last === undefined)
      throw new CliError('not-found', 'svc log list shows no task that this profile created', {
        exit: EXIT.notFound,
        hint,
      });
    if (last.state !== 'done' || last.id === null)
      throw new CliError(
        'unknown',
        `the journal doesn't show whether the last task was created (see svc log show ${last.n})`,
        { exit: EXIT.unknown, hint },
      );
    const client = await session.clientWith({ undoes: last.n });
    const record = await readRecordById(session, task, last.id);
    const title = titleOf(task, record);
    if (record.cancelled === true) {
      await printNoteAboutWrite(session, `${title} was cancelled before`);
      return createWriteOutcome(session, task, record, 'Already cancelled:');
    }
    if (record.completed === true)
      throw new CliError('too-late', `${title} is completed and cannot be cancelled`, {
        exit: EXIT.conflict,
      });
    await confirmActionWithAccountShown(session, formatTaskCancelQuestion(record));
    const cancelled = await cancelTask(client, last.id);
    await printNoteAboutWrite(session, `cancelled ${title}`);
    return createWriteOutcome(session, task, cancelled, 'Cancelled');
  },
};

export const taskVerbs: readonly Verb[] = [
  ...[taskList, taskGet, taskCreate, taskUpdate, taskCancel, taskUndo],
  ...[taskWait, taskWatch, taskGuard, taskReport],
];
