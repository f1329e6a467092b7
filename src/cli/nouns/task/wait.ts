import { formatDuration } from '../../../kit/text/duration.ts';
import { task } from '../../../service/resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { choiceFlag, durationFlag } from '../../command/flag.ts';
import { timeoutFlag } from '../../command/globals.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { resolveId } from '../../request/references.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';
import { idPositional } from '../generic/read.ts';
import { outOfCreditsError, watchCreditBalance } from './credit-stop.ts';
import { pollTask } from './poll.ts';

const STATES = ['completed', 'cancelled'] as const;

const untilFlag = choiceFlag('until', STATES, {
  describe: 'State to wait for',
  value: 'state',
  default: 'completed',
});
const intervalFlag = durationFlag('interval', {
  describe: 'Time between two checks of the task',
  unit: 'milliseconds',
  default: '5s',
});

export const taskWait: Verb = {
  name: 'wait',
  summary: 'Wait until a task is completed or cancelled',
  live: true,
  work: 'finds',
  exits: {
    1: 'the task ended in another state than --until, or the wait timed out',
    8: 'out of credits',
    10: 'may have run out of credits',
  },
  methods: ['GET'],
  example: 'task wait 1 --until completed --timeout 2h',
  about:
    '--timeout limits the whole wait. With --until completed (the default), fails if the task is cancelled. With --until cancelled, fails if the task is completed. Exits 8 if the task runs out of credits, and 10 if svc cannot tell whether the credits ran out',
  ownsTimeout: true,
  positionals: [idPositional(task)],
  flags: [untilFlag, intervalFlag],
  run: async (session, input) => {
    const until = input.get(untilFlag);
    const span = input.get(timeoutFlag) ?? Number.POSITIVE_INFINITY;
    const interval = input.get(intervalFlag);
    const polling = { interval: () => interval, deadline: session.context.clock.now() + span };
    const id = await resolveId(session, task, input.positionals[0] ?? '');
    const credits = watchCreditBalance(session);
    const most = Number.isFinite(span) ? `at most ${formatDuration(span / 1000)}` : 'without a time limit';
    const about = `Waiting until task ${id} is ${until} (${most}). Ctrl-C is safe: nothing is changed.`;
    for await (const record of pollTask(session, id, { ...polling, about })) {
      await credits.observe(record);
      if (record[until] === true) {
        const stopped = await credits.detectOutOfCredits();
        if (stopped) throw outOfCreditsError(stopped);
        return createOutcomeFromRecord(task, record);
      }
      const other = STATES.find((state) => record[state] === true);
      if (other) throw new CliError('other-state', `task ${id} is ${other}`, { exit: EXIT.failed });
    }
    throw new CliError('timeout', `task ${id} is not ${until} yet`, {
      exit: EXIT.failed,
      hint: 'Nothing was changed. To wait longer, use --timeout.',
    });
  },
};
