import { titleOf } from '../../../client/record-title.ts';
import { task } from '../../../resources/task.ts';
import { cancelTask } from '../../../sends/cancel.ts';
import type { Verb } from '../../command/command.ts';
import { confirmOnAccount } from '../../request/account-questions.ts';
import { mustBeConfirmable } from '../../request/guards.ts';
import { idIn, recordOf } from '../../request/references.ts';
import { printWriteNote, written } from '../../request/written.ts';
import { idPositional } from '../generic/get.ts';
import { cancellationOf } from './task-words.ts';

export const taskCancel: Verb = {
  name: 'cancel',
  summary: 'Cancel a task that is not completed',
  work: 'changes',
  section: 'States and transitions',
  example: 'task cancel Q4 --yes',
  positionals: [idPositional(task)],
  flags: [],
  companies: 'writes',
  run: async (session, { positionals: [text = ''] }) => {
    mustBeConfirmable(session, `cancel task ${text}`);
    const record = await recordOf(session, task, text);
    const id = idIn(record);
    await confirmOnAccount(session, cancellationOf(record));
    const cancelled = await cancelTask(await session.client(), id);
    await printWriteNote(session, `cancelled ${titleOf(task, cancelled)}`);
    return written(session, task, cancelled, 'Cancelled');
  },
};
