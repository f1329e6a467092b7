import { task } from '../../../resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { recordOf } from '../../request/references.ts';
import { recordResult } from '../../request/submit.ts';
import { getVerb } from '../generic/get.ts';
import { tellStopped } from './stopped.ts';

/** Where a person looks, `completed yes` does not stand alone when credits may have stopped it. */
export const taskGet: Verb = {
  ...getVerb(task),
  run: async (session, { positionals: [text = ''] }) => {
    const record = await recordOf(session, task, text);
    if (session.context.stdout.isTTY) await tellStopped(session, record);
    return recordResult(task, record);
  },
};
