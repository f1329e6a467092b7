import { titleOf } from '../../../client/requests/record-title.ts';
import { cancelTask, cancelTaskWithRetries } from '../../../client/sends/cancel.ts';
import { type StatisticName, type TaskRecord, task, taskPhase } from '../../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { choiceFlag, percentFlag, wholeNumberFlag } from '../../command/flag.ts';
import { CliError, findUncaughtErrorThatAborted, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { readRecordId, resolveId } from '../../request/references.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';
import { DryRunEndedError } from '../../session/dry-run.ts';
import type { Ports } from '../../session/ports.ts';
import { createSendDependencies, withSignalGuard } from '../../session/send-ports.ts';
import { idPositional } from '../generic/read.ts';
import {
  createAdaptivePollInterval,
  intervalFlag,
  type PollInterval,
  pollTask,
  readPollInterval,
} from './poll.ts';
import { countOf, PAST_TENSES } from './report-figures.ts';
import { estimateMaxMessagesSentSoFar } from './task-words.ts';

const limitFlag = (name: string, statistic: StatisticName, example: string) => ({
  ...percentFlag(name, { describe: `Limit of ${statistic}, such as ${example}`, value: 'share' }),
  statistic,
});
type LimitFlag = ReturnType<typeof limitFlag>;

const limitFlags: readonly LimitFlag[] = [
  limitFlag('max-bounce', 'bounces', '5%'),
  limitFlag('max-complaint', 'complaints', '0.1%'),
  limitFlag('max-unsubscribe', 'unsubscriptions', '2%'),
];

const thenFlag = choiceFlag('then', ['cancel', 'fail'], {
  describe: 'Cancel the task, or only exit 1',
  value: 'action',
  default: 'fail',
});
const ifStoppedFlag = choiceFlag('if-stopped', ['cancel', 'leave'], {
  describe: 'At Ctrl-C: cancel or leave it',
  value: 'action',
  default: 'leave',
});

const minSentFlag = wholeNumberFlag('min-sent', {
  describe: 'Messages before the first check',
  default: 100,
});

export const taskGuard: Verb = {
  name: 'guard',
  summary: 'Watch a task, and cancel it if too many recipients bounce or complain',
  about:
    'Exits 0 if the task completes within the limits, and 1 if it exceeds one or someone else cancels it. Exits 5 if it completes before svc can cancel it, and 10 if it may still be running. A limit is a share of the recipients sent to so far. A smaller task is checked at its end. At Ctrl-C, svc checks once more',
  live: true,
  work: 'changes',
  does: 'removes',
  exits: { 1: 'a limit was exceeded' },
  methods: ['GET', 'PUT'],
  example: 'task guard 1 --max-bounce 5% --max-complaint 0.1% --then cancel',
  positionals: [idPositional(task)],
  flags: [...limitFlags, thenFlag, ifStoppedFlag, minSentFlag, intervalFlag],
  run: async (session, input) => {
    const settings = readSettings(input);
    const pace = readPollInterval(input, intervalNearLimits(settings.limits));
    const id = await resolveId(session, task, input.positionals[0] ?? '');
    return withSignalGuard(session, async () => {
      let known: TaskRecord | undefined;
      try {
        const about = `Checking whether task ${id} stays within your limits, until it is completed or cancelled. To stop, press Ctrl-C.`;
        for await (const record of pollTask(session, id, { interval: pace, about })) {
          known = record;
          const verdict = await checkLimits(session, record, settings);
          if (verdict) return verdict;
        }
      } catch (cause) {
        if (known === undefined || isGuardResult(cause)) throw cause;
        return handleInterruption(session, known, settings, cause);
      }
      throw new Error(`svc stopped watching task ${id} before the task ended`);
    });
  },
};

/** Any error other than a result of the guard or of a dry run is an interruption. */
const isGuardResult = (cause: unknown): boolean =>
  cause instanceof CliError || cause instanceof UsageError || cause instanceof DryRunEndedError;

interface Limit {
  readonly flag: LimitFlag;
  /** Share, from 0 to 1, of the recipients to whom the task has sent so far. */
  readonly most: number;
}

type GuardSettings = ReturnType<typeof readSettings>;

/** Undefined while the task runs within its limits. */
async function checkLimits(
  session: Ports,
  record: TaskRecord,
  settings: GuardSettings,
): Promise<Outcome | undefined> {
  const { limits, leastSent, isToCancel } = settings;
  refuseMissingStatistics(limits, record);
  const now = await session.serviceNow();
  const sent = estimateMaxMessagesSentSoFar(record, now);
  const over =
    sent >= Math.min(leastSent, Number(record.size))
      ? limits.find((limit) => shareOf(limit, record, sent) > limit.most)
      : undefined;
  if (over) return stop(session, record, excessOf(over, record, sent), isToCancel);
  const phase = taskPhase(record, now);
  if (phase === 'cancelled')
    throw new CliError('other-state', `task ${String(record.id)} was cancelled by someone else`, {
      exit: EXIT.failed,
    });
  return phase === 'completed' ? createOutcomeFromRecord(task, record) : undefined;
}

/**
 * Runs after a signal, a closed terminal or an outage. Cancels a task within its limits only with
 * `--if-stopped cancel`, because a cancellation is final, and some recipients may already have the message.
 */
async function handleInterruption(
  session: Ports,
  known: TaskRecord,
  settings: GuardSettings,
  cause: unknown,
): Promise<Outcome> {
  const { context } = session;
  const id = readRecordId(known);
  const title = titleOf(task, known);
  const ifStopped = `if this check is stopped too, run svc task cancel ${id}${session.accountFlags} --yes`;
  const isWarned = await session
    .warn(`svc task guard was stopped; checking ${title} once more; ${ifStopped}`)
    .then(
      () => true,
      () => false,
    );
  const second = isWarned && context.stderr.isTTY ? context.exitSignals?.allowForceQuit() : undefined;
  const signal = second ?? new AbortController().signal;
  const client = await session.clientWith({ signal, ifInterrupted: ifStopped });
  const record = (await client.get(task, id).catch(() => undefined)) ?? known;
  const verdict = await checkLimits(session, record, settings);
  if (verdict) return verdict;
  const { message, exit: ownExit } = explainError(cause);
  const isInterrupted = context.signal.aborted && !findUncaughtErrorThatAborted(context.signal);
  const failure = ownExit === EXIT.done ? EXIT.failed : ownExit;
  const exit = isInterrupted ? EXIT.interrupted : failure;
  if (!settings.isCancelledIfStopped)
    throw new CliError('unguarded', `svc no longer watches ${title}: ${message}`, {
      exit,
      hint: `To watch the task again, run the same command. To cancel the task, run svc task cancel ${id}${session.accountFlags}.`,
      cause,
    });
  await cancel(session, record, 'the guard was stopped');
  throw new CliError('interrupted', `cancelled ${title} because svc task guard was stopped: ${message}`, {
    exit,
    hint: `Run svc task report ${id} to see the result.`,
    cause,
  });
}

async function stop(
  session: Ports,
  record: TaskRecord,
  excess: string,
  isToCancel: boolean,
): Promise<Outcome> {
  const id = readRecordId(record);
  const over = (words: string, hint: string): CliError =>
    new CliError('limit-exceeded', `${excess}; ${words}`, { exit: EXIT.failed, hint });
  if (!isToCancel)
    throw over('the task continues', `To cancel the task, run svc task cancel ${id}${session.accountFlags}.`);
  await cancel(session, record, excess);
  throw over('the task is cancelled', `Run svc task report ${id} to see the result.`);
}

async function cancel(session: Ports, record: TaskRecord, why: string): Promise<void> {
  if (session.dryRun.isOn) await cancelTask(await session.client(), readRecordId(record));
  else await cancelTaskWithRetries(createSendDependencies(session), record, { why });
}

/** At most 15 seconds, or 2 seconds while a statistic is above half of its limit. */
function intervalNearLimits(limits: readonly Limit[]): PollInterval {
  const own = createAdaptivePollInterval();
  return (record, now, isStopped) => {
    const sent = estimateMaxMessagesSentSoFar(record, now);
    const isNear = limits.some((limit) => shareOf(limit, record, sent) > limit.most / 2);
    return Math.min(isNear ? NEAR : FAR, own(record, now, isStopped));
  };
}

const NEAR = 2000;
const FAR = 15_000;

const countReached = ({ flag }: Limit, record: TaskRecord): number => countOf(record, flag.statistic) ?? 0;

const shareOf = (limit: Limit, record: TaskRecord, sent: number): number =>
  sent > 0 ? countReached(limit, record) / sent : 0;

function excessOf(limit: Limit, record: TaskRecord, sent: number): string {
  const count = countReached(limit, record);
  const share = `${((100 * count) / sent).toFixed(2)}%`;
  const words = `${count} of ${sent} recipients of task ${String(record.id)} ${PAST_TENSES[limit.flag.statistic]}`;
  return `${words}: ${share}; the limit is ${Number((100 * limit.most).toFixed(4))}%`;
}

/** A statistic is null if it does not apply to the task's channel (interface, task). */
function refuseMissingStatistics(limits: readonly Limit[], record: TaskRecord): void {
  const lacking = limits.find(({ flag }) => countOf(record, flag.statistic) === undefined);
  if (!lacking) return;
  throw new UsageError(
    `--${lacking.flag.name}: a task of channel ${String(record.channel)} counts none that ${PAST_TENSES[lacking.flag.statistic]}`,
  );
}

function readSettings(input: Input) {
  const limits = limitFlags.flatMap((flag): readonly Limit[] => {
    const most = input.get(flag);
    return most === undefined ? [] : [{ flag, most }];
  });
  if (limits.length === 0)
    throw new UsageError('svc task guard needs a limit', {
      hint: 'add --max-bounce 5% or --max-complaint 0.1%',
    });
  const isToCancel = input.get(thenFlag) === 'cancel';
  const isCancelledIfStopped = input.get(ifStoppedFlag) === 'cancel';
  if (isCancelledIfStopped && !isToCancel) throw new UsageError('--if-stopped cancel needs --then cancel');
  return { limits, leastSent: Math.max(1, input.get(minSentFlag)), isToCancel, isCancelledIfStopped };
}
