import { task } from '../../../resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { TONES } from '../../output/columns.ts';
import type { Column } from '../../output/result.ts';
import { recordOf } from '../../request/references.ts';
import { recordResult } from '../../request/submit.ts';
import { getVerb } from '../generic/get.ts';
import { warnIfStopped } from './stopped.ts';

/** Declares `task get`. On a terminal, it does not show `completed` alone if the credits may have run out. */
export const taskGet: Verb = {
  ...getVerb(task),
  run: async (session, { positionals: [text = ''] }) => {
    const record = await recordOf(session, task, text);
    const outcome = recordResult(task, record);
    const { result } = outcome;
    if (!session.context.stdout.isTTY || result.kind !== 'object') return outcome;
    const stopped = await warnIfStopped(session, record);
    return stopped ? { result: { ...result, columns: result.columns.map(asPerhapsStopped) } } : outcome;
  },
};

/** Replaces the state with `stopped?`. The service does not count sends, so the balance only makes a stop likely. */
function asPerhapsStopped(column: Column): Column {
  if (!column.workedOut) return column;
  const word = () => ({ text: 'stopped?', ...(TONES['stopped'] ? { tone: TONES['stopped'] } : {}) });
  return { ...column, workedOut: { ...column.workedOut, word } };
}
