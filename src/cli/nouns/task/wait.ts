import { task } from '../../../resources/task.ts';
import { formatDuration } from '../../../text/duration.ts';
import { type Input, textOf, type Verb } from '../../command/command.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { idOf } from '../../request/references.ts';
import { recordResult } from '../../request/submit.ts';
import { idPositional } from '../generic/get.ts';
import { intervalFlag, paceIn, pollTask, spanIn } from './poll.ts';
import { followCredits, stoppedError } from './stopped.ts';

const STATES = ['completed', 'cancelled'] as const;
type State = (typeof STATES)[number];

export const taskWait: Verb = {
  name: 'wait',
  summary: 'Wait until a task is completed or cancelled',
  example: 'task wait 12 --until completed --timeout 2h',
  about:
    'Here --timeout is for the whole wait. Ending up in the other state is a failure. So is a task that stopped for ' +
    'want of credits: exit 8 where the balance shows it, 10 where it may have',
  ownsTimeout: true,
  positionals: [idPositional(task)],
  flags: [
    {
      name: 'until',
      value: 'state',
      describe: 'The state to wait for (default: completed)',
      group: 'Options',
      choices: STATES,
    },
    { ...intervalFlag, describe: 'Polling interval (default: 5s)' },
  ],
  run: async (session, input) => {
    const until = readState(input);
    const span = spanIn(input, 'timeout') ?? Number.POSITIVE_INFINITY;
    const polling = { pace: paceIn(input, () => 5000), deadline: session.context.clock.now() + span };
    const id = await idOf(session, task, input.positionals[0] ?? '');
    const credits = followCredits(session);
    const most = Number.isFinite(span)
      ? `for ${formatDuration(span / 1000)} at most`
      : 'however long it takes';
    const about = `waiting until task ${id} is ${until}, ${most}; Ctrl-C changes nothing`;
    for await (const record of pollTask(session, id, { ...polling, about })) {
      await credits.look(record);
      if (record[until] === true) {
        const stopped = await credits.stopped();
        if (stopped) throw stoppedError(stopped);
        return recordResult(task, record);
      }
      const other = STATES.find((state) => record[state] === true);
      if (other) throw new CliError('other-state', `task ${id} is ${other}`, { exit: EXIT.failed });
    }
    throw new CliError('timeout', `task ${id} is not ${until} yet`, {
      exit: EXIT.failed,
      hint: 'Nothing was changed; wait longer with --timeout.',
    });
  },
};

function readState(input: Input): State {
  const text = textOf(input, 'until') ?? 'completed';
  const state = STATES.find((each) => each === text);
  if (state) return state;
  throw new UsageError(`--until: there is no state ${text}`, { hint: `states: ${STATES.join(', ')}` });
}
