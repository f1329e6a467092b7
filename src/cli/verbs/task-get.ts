import { task } from '../../resources/task.ts';
import { recordOf } from '../references.ts';
import { shown } from '../submit.ts';
import type { Verb } from '../verb.ts';
import { getVerb } from './get.ts';
import { tellStopped } from './task-stopped.ts';

/** Where a person looks, `completed yes` does not stand alone when credits may have stopped it. */
export const taskGet: Verb = {
  ...getVerb(task),
  run: async (session, { positionals: [text = ''] }) => {
    const record = await recordOf(session, task, text);
    if (session.context.stdout.isTTY) await tellStopped(session, record);
    return shown(task, record);
  },
};
