import { titleOf } from '../../../client/record-title.ts';
import { task } from '../../../resources/task.ts';
import { cancelTask } from '../../../sends/cancel.ts';
import type { Verb } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { readRecordById } from '../../request/references.ts';
import { createWriteOutcome, printNoteAboutWrite } from '../../request/write-outcome.ts';
import { readJournalEntriesOfSessionUser } from '../../session/own-entries.ts';
import { formatTaskCancelQuestion } from './task-words.ts';

export const taskUndo: Verb = {
  name: 'undo',
  summary: 'Cancel the last task that your profile created',
  about: 'To see the task that svc would cancel, run svc log list --resource task',
  work: 'changes',
  section: 'States and transitions',
  example: 'task undo --yes',
  flags: [],
  run: async (session) => {
    requireYesFlagOrTerminal(session, 'cancel the last task');
    const made = (await readJournalEntriesOfSessionUser(session)).filter(
      ({ resource, method, state }) => resource === task.name && method === 'POST' && state !== 'failed',
    );
    const last = made.at(-1);
    if (last === undefined)
      throw new CliError('not-found', 'svc log list shows no task that this profile created', {
        exit: EXIT.notFound,
        hint: 'find the task with svc task list --sort id --reverse, and cancel it with svc task cancel ID',
      });
    if (last.state !== 'done' || last.id === null)
      throw new CliError(
        'unknown',
        `the journal doesn't show whether the last task was created (see svc log show ${last.n})`,
        {
          exit: EXIT.unknown,
          hint: 'find the task with svc task list --sort id --reverse, and cancel it with svc task cancel ID',
        },
      );
    const client = await session.clientWith({ undoes: last.n });
    const record = await readRecordById(session, task, last.id);
    const title = titleOf(task, record);
    if (record['cancelled'] === true) {
      await printNoteAboutWrite(session, `${title} was cancelled before`);
      return createWriteOutcome(session, task, record, 'Already cancelled:');
    }
    if (record['completed'] === true)
      throw new CliError('too-late', `${title} is completed and cannot be cancelled`, {
        exit: EXIT.conflict,
      });
    await confirmActionWithAccountShown(session, formatTaskCancelQuestion(record));
    const cancelled = await cancelTask(client, last.id);
    await printNoteAboutWrite(session, `cancelled ${title}`);
    return createWriteOutcome(session, task, cancelled, 'Cancelled');
  },
};
