import { titleOf } from '../../../client/record-title.ts';
import { task } from '../../../resources/task.ts';
import { cancelTask } from '../../../sends/cancel.ts';
import type { Verb } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { confirmOnAccount } from '../../request/account-questions.ts';
import { mustBeConfirmable } from '../../request/guards.ts';
import { recordWithId } from '../../request/references.ts';
import { tellWritten, written } from '../../request/written.ts';
import { ownEntriesOf } from '../../session/own-entries.ts';
import { cancellationOf } from './task-words.ts';

export const taskUndo: Verb = {
  name: 'undo',
  summary: 'Cancel the last task that this profile created',
  about: 'Which one that is, the journal tells: svc log list --resource task',
  example: 'task undo --yes',
  flags: [],
  run: async (session) => {
    mustBeConfirmable(session, 'cancel the last task');
    const made = (await ownEntriesOf(session)).filter(
      ({ resource, method, state }) => resource === task.name && method === 'POST' && state !== 'failed',
    );
    const last = made.at(-1);
    if (last === undefined)
      throw new CliError('not-found', 'the journal knows no task that this profile made', {
        exit: EXIT.notFound,
        hint: 'svc task list --sort id --reverse shows the newest; svc task cancel ID cancels one',
      });
    if (last.state !== 'done' || last.id === null)
      throw new CliError('unknown', `whether the last task was made is not known (svc log show ${last.n})`, {
        exit: EXIT.unknown,
        hint: 'svc task list --sort id --reverse shows the newest; svc task cancel ID cancels one',
      });
    const client = await session.clientWith({ undoes: last.n });
    const record = await recordWithId(session, task, last.id);
    const title = titleOf(task, record);
    if (record['cancelled'] === true) {
      await tellWritten(session, `${title} is cancelled already`);
      return written(session, task, record, 'Already cancelled:');
    }
    if (record['completed'] === true)
      throw new CliError('too-late', `${title} is completed; it cannot be cancelled any more`, {
        exit: EXIT.conflict,
      });
    await confirmOnAccount(session, cancellationOf(record));
    const cancelled = await cancelTask(client, last.id);
    await tellWritten(session, `cancelled ${title}`);
    return written(session, task, cancelled, 'Cancelled');
  },
};
