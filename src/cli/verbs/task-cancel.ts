import { task } from '../../resources/task.ts';
import { confirmedOnAccount } from '../account-questions.ts';
import { mustBeConfirmable } from '../guards.ts';
import { titleOf } from '../output/title.ts';
import { idIn, recordOf } from '../references.ts';
import { shown } from '../submit.ts';
import type { Verb } from '../verb.ts';
import { idPositional } from './get.ts';
import { cancellationOf } from './task-cancelling.ts';

export const taskCancel: Verb = {
  name: 'cancel',
  summary: 'Cancel one that is not completed',
  example: 'task cancel 12 --yes',
  positionals: [idPositional(task)],
  flags: [],
  run: async (session, { positionals: [text = ''] }) => {
    mustBeConfirmable(session, `cancel task ${text}`);
    const record = await recordOf(session, task, text);
    const id = idIn(record);
    await confirmedOnAccount(session, cancellationOf(record));
    const body = { cancelled: true };
    const client = await session.client();
    const cancelled = await client.update(task, id, body);
    await session.note(`cancelled ${titleOf(task, cancelled)}`);
    return shown(task, cancelled);
  },
};
