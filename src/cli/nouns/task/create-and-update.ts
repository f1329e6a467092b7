/** Making and changing tasks: what sends to thousands is guarded here. */
import { task } from '../../../resources/task.ts';
import { type Flag, type Input, isOn, textOf } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Draft } from '../../request/body.ts';
import { creditsFlag } from '../../request/credits.ts';
import { recordOf } from '../../request/references.ts';
import { guardTime } from '../../request/send-time.ts';
import type { Session } from '../../session/session.ts';
import type { Creation } from '../generic/create.ts';
import { updateVerb } from '../generic/update.ts';
import { cancelUnlessPaid, refuseUnlessPaid, tellEmptyBalance, tellUnlessPaid } from './credits.ts';
import { oneOfEach } from './duplicate-key.ts';
import { tellDuplicates } from './duplicates.ts';
import { cancelUnlessExpected, expectFlag, rangeIn, TIME_TO_CANCEL } from './expect-size.ts';
import { heldBack, holdFlag, holdIn, holdTask } from './hold.ts';
import { confirmChangeNow, confirmCreationNow, mustBeConfirmableNow } from './now.ts';
import { undoneIfCut } from './undo-if-cut.ts';

const nowFlag: Flag = {
  name: 'now',
  describe: 'Send at once; the only way to do so, and it asks or needs --yes',
  group: 'Attributes',
};

const creation: Creation = {
  summary: 'Schedule a message to a list or a search',
  about: 'The other of list_id and search_id is null',
  example:
    'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 09:00"',
  flags: [nowFlag, expectFlag, creditsFlag, holdFlag],
  prepare: (session, input, draft) => {
    const hold = holdIn(input);
    const needsTime = cancellingFlag(input);
    if (needsTime !== undefined) refuseTooSoon(input, hold, needsTime);
    const held = hold === undefined ? draft : heldBack(session, draft, hold);
    const prepared = scheduled(session, input, held, true);
    mustBeConfirmableNow(session, input);
    return prepared;
  },
  guard: async (session, input, body) => {
    const time = Number(body['scheduledtime']);
    await tellDuplicates(session, body);
    if (isOn(input, 'now')) {
      await tellEmptyBalance(session, body);
      await confirmCreationNow(session, body);
      return undefined;
    }
    const hold = holdIn(input);
    const margins = cancellingFlag(input) === undefined ? {} : TIME_TO_CANCEL;
    // The hold was measured just now, and the clock goes on while names are looked up.
    const isHeld = hold !== undefined && time - (await session.latestNow()) <= hold;
    return guardTime(session, 'scheduledtime', time, isHeld ? { ...margins, leastAhead: 60 } : margins);
  },
  found: async (session, input, record) => {
    await cancelUnlessExpected(session, input, record);
    await cancelUnlessPaid(session, input, record);
  },
  after: async (session, input, record) => {
    const hold = holdIn(input);
    // Not from when it was made: what comes next takes time of it.
    const until = (await session.latestNow()) + (hold ?? 0);
    await cancelUnlessExpected(session, input, record);
    await cancelUnlessPaid(session, input, record);
    const staying = await oneOfEach(session, input, record);
    if (hold !== undefined && staying === record)
      await holdTask(session, record, Math.min(until, Number(record['scheduledtime'])));
    return staying;
  },
};

const mayBeCancelled = (input: Input): boolean =>
  textOf(input, holdFlag.name) !== undefined || cancellingFlag(input) !== undefined;

export const taskCreate = undoneIfCut(creation, mayBeCancelled);

/** The flag, if any, by which it may have to be cancelled again. */
function cancellingFlag(input: Input): string | undefined {
  if (rangeIn(input)) return `--${expectFlag.name}`;
  return isOn(input, creditsFlag.name) ? `--${creditsFlag.name}` : undefined;
}

/** Contract, "Safety": `--expect-size` needs time to cancel. */
function refuseTooSoon(input: Input, hold: number | undefined, flag: string): void {
  if (isOn(input, 'now')) throw new UsageError(`${flag} needs time to cancel, so it excludes --now`);
  if (hold === undefined || hold >= (TIME_TO_CANCEL.leastAhead ?? 0) || textOf(input, 'scheduledtime'))
    return;
  throw new UsageError(`${flag} needs time to cancel`, {
    hint: 'hold it for 5m at least, or give --at',
  });
}

export const taskUpdate = updateVerb(task, {
  about:
    'With one of --list and --search the other is set to null, since exactly one of them may be set. ' +
    'To cancel, use svc task cancel',
  example: 'task update 12 --at "2026-12-01 09:00"',
  flags: [nowFlag, creditsFlag],
  prepare: (session, input, draft) => {
    const prepared = scheduled(session, input, withOtherTarget(draft), false);
    if (isOn(input, creditsFlag.name) && TARGETS.some((name) => Object.hasOwn(prepared.body, name)))
      throw new UsageError('--check-credits cannot know the size that another list or search gives', {
        hint: 'leave it out for a warning; or make a new task with it, and cancel this one',
      });
    mustBeConfirmableNow(session, input);
    return prepared;
  },
  guard: async (session, input, body) => {
    if (body['cancelled'] === true)
      throw new UsageError('to cancel a task, use svc task cancel', { hint: 'it asks first' });
    if (isOn(input, creditsFlag.name))
      await refuseUnlessPaid(session, await recordOf(session, task, input.positionals[0] ?? ''));
    const time = body['scheduledtime'];
    if (typeof time !== 'number' && typeof time !== 'bigint') return undefined;
    if (!isOn(input, 'now')) return guardTime(session, 'scheduledtime', Number(time));
    await confirmChangeNow(session, body, input.positionals[0] ?? '');
    return undefined;
  },
  after: async (session, body, record) => {
    if ([...TARGETS, 'scheduledtime'].some((name) => Object.hasOwn(body, name)))
      await tellUnlessPaid(session, record);
  },
});

const TARGETS = ['list_id', 'search_id'];

/** `--now` is the service's own now: its clock is the one that decides. */
function scheduled(session: Session, input: Input, draft: Draft, required: boolean): Draft {
  const given = Object.hasOwn(draft.body, 'scheduledtime');
  const isFaulty = draft.findings.some(({ attribute }) => attribute === 'scheduledtime');
  if (isOn(input, 'now')) {
    if (given || isFaulty) throw new UsageError('--at and --now exclude each other');
    const meanwhile = Math.floor(session.context.clock.now() / 1000);
    const later = new Map(draft.later).set('scheduledtime', async () => ({
      value: Math.floor(await session.serviceNow()),
    }));
    return { ...draft, body: { ...draft.body, scheduledtime: meanwhile }, later };
  }
  if (given || isFaulty || !required) return draft;
  const finding = {
    attribute: 'scheduledtime',
    reason: 'is required',
    instead: 'give --at, or --now to send at once',
  };
  return { ...draft, findings: [...draft.findings, finding] };
}

/** Interface, task PUT: exactly one of the two may be non-null. */
function withOtherTarget(draft: Draft): Draft {
  const { list_id, search_id } = draft.body;
  if (list_id !== undefined && list_id !== null && search_id === undefined)
    return { ...draft, body: { ...draft.body, search_id: null } };
  if (search_id !== undefined && search_id !== null && list_id === undefined)
    return { ...draft, body: { ...draft.body, list_id: null } };
  return draft;
}
