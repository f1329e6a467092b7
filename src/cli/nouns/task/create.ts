/** `svc task create`: what sends to thousands. `createTask` is the order of its steps. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Values } from '../../../schema/resource.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import type { FlagShape } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { givenFor } from '../../request/attribute-flags.ts';
import { type Draft, readBody } from '../../request/body.ts';
import { creditsFlag } from '../../request/credits.ts';
import { madeBefore } from '../../request/idempotency-key.ts';
import { guardTime } from '../../request/send-time.ts';
import { finishBody, recordResult } from '../../request/submit.ts';
import type { Session } from '../../session/session.ts';
import { sureClient, withstanding } from '../../session/sure-client.ts';
import { createFlags, sendCreate, withKey } from '../generic/create.ts';
import { cancelIfCut } from './cancel-and-confirm.ts';
import { cancelUnlessPaid, tellEmptyBalance, tellSmsBefore } from './credits.ts';
import { resolveDuplicateRun } from './duplicate-key.ts';
import { tellDuplicates } from './duplicates.ts';
import { cancelUnlessExpected, expectFlag, TIME_TO_CANCEL } from './expect-size.ts';
import { holdFlag, holdIn, holdTask, withHold } from './hold.ts';
import { confirmCreationNow, mustBeConfirmableNow } from './now.ts';
import { needSendTime, nowFlag, withSendTime } from './schedule.ts';

export const taskCreate: Verb = {
  name: 'create',
  summary: 'Schedule a message to a list or a search',
  example: 'task create --channel email --message 1 --name Q4 --list 1 --at +1d',
  flags: [nowFlag, expectFlag, creditsFlag, holdFlag, ...createFlags(task).map(withOther)],
  companies: 'writes',
  run: async (session, input) =>
    mayBeCancelled(input)
      ? // Until it is told to stay, whatever ends the run cancels it.
        withstanding(session, () => createTask(session, input))
      : createTask(session, input),
};

/** Interface, Endpoints, task: exactly one of list_id and search_id. */
function withOther(flag: FlagShape): FlagShape {
  const other = { 'list-id': '--search', 'search-id': '--list' }[flag.name];
  return other === undefined ? flag : { ...flag, describe: `${flag.describe} (or ${other})` };
}

/** Read, check, look for what an earlier run made, guard, send, and keep or cancel what was made. */
async function createTask(session: Session, input: Input): Promise<Outcome> {
  const read = withKey(input, await readBody(session, task, 'POST', input));
  const draft = scheduleDraft(session, input, read);
  mustBeConfirmableNow(session, input);
  const body = await finishBody(session, task, 'POST', draft);
  const earlier = await madeBefore(session, task, input, body['name']);
  if (earlier) {
    await checkEarlier(session, input, earlier);
    return recordResult(task, earlier);
  }
  const isTimely = await guardCreation(session, input, body);
  const made = await sendTask(session, input, body, isTimely);
  return recordResult(task, await keepOrCancel(session, input, made));
}

/** The draft with its time: that of `--at` or `--now`, and no sooner than `--hold` allows. */
export function scheduleDraft(session: Session, input: Input, draft: Draft): Draft {
  const hold = holdIn(input);
  const needsTime = cancellingFlag(input);
  if (needsTime !== undefined) refuseTooSoon(input, hold, needsTime);
  const held = hold === undefined ? draft : withHold(session, draft, hold);
  return needSendTime(withSendTime(session, input, held));
}

/** What an earlier run with the same `--key` made is held against the same limits. */
export async function checkEarlier(session: Session, input: Input, record: JsonObject): Promise<void> {
  if (session.dryRun.isOn) return;
  await cancelUnlessExpected(session, input, record);
  await cancelUnlessPaid(session, input, record);
}

/**
 * Tells what a person should know before it is sent, asks where it goes out at once, and refuses a time too near.
 * @returns what has to hold before each attempt
 */
export async function guardCreation(
  session: Session,
  input: Input,
  body: Values,
): Promise<(() => Promise<void>) | undefined> {
  const time = Number(body['scheduledtime']);
  await tellDuplicates(session, body);
  await tellSmsBefore(session, input, body);
  if (input.get(nowFlag)) {
    await tellEmptyBalance(session, body);
    await confirmCreationNow(session, body);
    return undefined;
  }
  const hold = holdIn(input);
  const margins = cancellingFlag(input) === undefined ? {} : TIME_TO_CANCEL;
  // The hold was measured just now, and the clock goes on while names are looked up.
  const isHeld = hold !== undefined && time - (await session.latestNow()) <= hold;
  return guardTime(session, 'scheduledtime', time, isHeld ? { ...margins, leastAhead: 60 } : margins);
}

/** The POST. Of what may have to be cancelled it is found out, once it may have been sent, whether it was made. */
export async function sendTask(
  session: Session,
  input: Input,
  body: Values,
  isTimely: (() => Promise<void>) | undefined,
): Promise<JsonObject> {
  if (!mayBeCancelled(input)) return sendCreate(session, task, body, isTimely && { beforeAttempt: isTimely });
  const { client, before: isToBeSent } = await sureClient(session);
  return sendCreate(session, task, body, {
    client,
    beforeAttempt: async () => {
      await isTimely?.();
      isToBeSent();
    },
  });
}

/** The task that stays, once its size, its cost, a run beside this one and its hold have been seen to. */
export async function keepOrCancel(session: Session, input: Input, made: JsonObject): Promise<JsonObject> {
  const keep = async (): Promise<JsonObject> => {
    const hold = holdIn(input);
    // Not from when it was made: what comes next takes time of it.
    const until = (await session.latestNow()) + (hold ?? 0);
    await cancelUnlessExpected(session, input, made);
    await cancelUnlessPaid(session, input, made);
    const staying = await resolveDuplicateRun(session, input, made);
    if (hold !== undefined && staying === made)
      await holdTask(session, made, Math.min(until, Number(made['scheduledtime'])));
    return staying;
  };
  return mayBeCancelled(input) ? cancelIfCut(session, made, keep) : keep();
}

const mayBeCancelled = (input: Input): boolean =>
  input.get(holdFlag) !== undefined || cancellingFlag(input) !== undefined;

/** The flag, if any, by which it may have to be cancelled again. */
function cancellingFlag(input: Input): string | undefined {
  if (input.get(expectFlag)) return `--${expectFlag.name}`;
  return input.get(creditsFlag) ? `--${creditsFlag.name}` : undefined;
}

/** Contract, "Safety": `--expect-size` needs time to cancel. */
function refuseTooSoon(input: Input, hold: number | undefined, flag: string): void {
  if (input.get(nowFlag)) throw new UsageError(`${flag} needs time to cancel, so it excludes --now`);
  if (
    hold === undefined ||
    hold >= (TIME_TO_CANCEL.leastAhead ?? 0) ||
    givenFor(input, task, 'scheduledtime')
  )
    return;
  throw new UsageError(`${flag} needs time to cancel`, {
    hint: 'hold it for 5m at least, or give --at',
  });
}
