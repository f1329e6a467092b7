/** This verb can send to thousands of people. `createTask` lists its steps in order. */

import { titleOf } from '../../../client/requests/record-title.ts';
import {
  createLimitsCheck,
  INVALID_NUMBER_RANGE_FAULT,
  parseNumberRange,
} from '../../../client/sends/cost.ts';
import type { TaskCheck } from '../../../client/sends/errors.ts';
import { makeTask, requireSendableTask } from '../../../client/sends/make-task.ts';
import { SEND_TIME_MARGINS, SEND_TIME_MARGINS_IF_CANCELLABLE } from '../../../client/sends/send-time.ts';
import { isId } from '../../../kit/schema/integer.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import { type TaskBody, type TaskRecord, task } from '../../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { type FlagShape, parsedFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { readUnparsedAttributeFlagValue } from '../../request/attribute-flags.ts';
import { type BodyDraft, finishRequestBody, readBody } from '../../request/body.ts';
import { checkCreditsFlag } from '../../request/credits.ts';
import { bothFlag, flagsForCreate, tellEarlierRun, withKeyMark } from '../../request/key.ts';
import { allowLintErrorsFlag, refuseLintErrorsOfRecord } from '../../request/message-lint.ts';
import { checkSendTimeAndCreateRecheck, sendNowFlag, warnAboutNight } from '../../request/send-time.ts';
import {
  createOutcomeFromRecord,
  createWriteOutcome,
  printNoteAboutWrite,
} from '../../request/write-outcome.ts';
import type { Clocks, Invocation, Ports, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { createSendDependencies } from '../../session/send-ports.ts';
import { createTaskCreditsCheck, printSmsCostPerRecipient, warnIfBalanceIsEmpty } from './credits.ts';
import type { KeyedCreation } from './same-send.ts';
import {
  applySendNowFlag,
  confirmImmediateTask,
  holdBeforeSendFlag,
  moveSendTimeAfterHoldCountdown,
  readHoldSeconds,
  requireSendTime,
  requireYesFlagOrTerminalForSendNow,
} from './schedule.ts';

const expectFlag = parsedFlag(
  'expect-size',
  { describe: "Cancel if the task's size is outside this range", value: 'from..to' },
  (text) => {
    const value = parseNumberRange(text);
    return value === undefined ? { fault: INVALID_NUMBER_RANGE_FAULT } : { value };
  },
);

export const taskCreate: Verb = {
  name: 'create',
  summary: 'Create a task that sends a message to a list or saved search',
  work: 'changes',
  does: 'sends',
  asks: true,
  exits: { 2: 'the message has lint errors' },
  methods: ['POST'],
  example: 'task create --channel email --message 1 --name Q4 --list 1 --at +1d',
  flags: [
    sendNowFlag,
    expectFlag,
    checkCreditsFlag,
    holdBeforeSendFlag,
    allowLintErrorsFlag,
    ...flagsForCreate(task).map(withAlternative),
    bothFlag,
  ],
  companies: 'writes',
  run: createTask,
};

/** A task has exactly one of list and search (interface, Endpoints, task), so help names the other flag. */
function withAlternative(flag: FlagShape): FlagShape {
  const other = { 'list-id': '--search', 'search-id': '--list' }[flag.name];
  return other === undefined ? flag : { ...flag, describe: `${flag.describe} (or use ${other})` };
}

async function createTask(session: Ports, input: Input): Promise<Outcome> {
  const named = withKeyMark(input, await readTask(session, input));
  const draft = scheduleDraft(session, input, named);
  requireYesFlagOrTerminalForSendNow(session, input);
  const body = await finishRequestBody(session, task, 'POST', draft);
  const { keyedCreation, warnAboutSameSends } = await import('./same-send.ts');
  const keyed = await keyedCreation(session, input, body);
  const earlier = await keyed?.findEarlier();
  if (earlier) return createOutcomeFromRecord(task, await requireEarlier(session, input, earlier));
  const recheckTime = await guardCreation(session, input, body, warnAboutSameSends);
  const done = input.get(sendNowFlag) ? 'Sending' : 'Scheduled';
  return createWriteOutcome(
    session,
    task,
    await sendTask(session, input, { body, recheckTime, keyed }),
    done,
  );
}

/** Asks a person for missing values. A task needs either a list or a search (interface, task). */
async function readTask(session: Ports, input: Input): Promise<BodyDraft> {
  const draft = await readBody(session, task, 'POST', input);
  const { list_id: list = null, search_id: search = null } = draft.body;
  return askForMissingAttributes(session, task, input, draft, {
    also: list === null && search === null ? ['list_id'] : [],
    without: input.get(sendNowFlag) || input.has(holdBeforeSendFlag) ? ['scheduledtime'] : [],
  });
}

/**
 * `--hold` moves the send time to the end of the countdown, but leaves a past time to the later checks. A
 * draft without any time gets a finding.
 */
function scheduleDraft(session: Invocation & Tell & Clocks, input: Input, draft: BodyDraft): BodyDraft {
  const hold = readHoldSeconds(input);
  const needsTime = cancellingFlag(input);
  if (needsTime !== undefined) refuseTooSoon(input, hold, needsTime);
  const held = hold === undefined ? draft : moveSendTimeAfterHoldCountdown(session, draft, hold);
  return requireSendTime(applySendNowFlag(session, input, held));
}

/** The task of an earlier run with the same `--key` must pass the limits that apply to a new task. */
async function requireEarlier(session: Ports, input: Input, record: TaskRecord): Promise<TaskRecord> {
  await tellEarlierRun(session, task, record);
  if (session.dryRun.isOn) return record;
  return requireSendableTask(createSendDependencies(session), record, {
    mayBeCancelled: mayBeCancelled(input),
    checks: checksOf(session, input),
  });
}

/**
 * Prints warnings and the send time, confirms an immediate send, and refuses a send time that is too near.
 * @returns a check before each attempt of the request, if one is needed
 */
async function guardCreation(
  session: Ports,
  input: Input,
  body: TaskBody,
  warnAboutSameSends: (session: Ports, body: TaskBody) => Promise<void>,
): Promise<(() => Promise<void>) | undefined> {
  const time = Number(body.scheduledtime);
  await refuseLintErrorsOfTask(session, input, body);
  await warnAboutSameSends(session, body);
  await warnAboutNight(session, [time]);
  // In other cases, svc prints the cost later, together with the number of recipients.
  if (input.get(sendNowFlag) || session.dryRun.isOn) await printSmsCostPerRecipient(session, body);
  if (input.get(sendNowFlag)) {
    await warnIfBalanceIsEmpty(session, body);
    await confirmImmediateTask(session, body);
    return undefined;
  }
  const margins = cancellingFlag(input) === undefined ? SEND_TIME_MARGINS : SEND_TIME_MARGINS_IF_CANCELLABLE;
  return checkSendTimeAndCreateRecheck(session, 'scheduledtime', time, margins, readHoldSeconds(input));
}

/** Contract, "Safety". */
async function refuseLintErrorsOfTask(
  session: Invocation & Tell & ServiceAccess & Profiles,
  input: Input,
  body: TaskBody,
): Promise<void> {
  const resource = body.channel === 'sms' ? smsMessage : emailMessage;
  const { message_id: id = null } = body;
  if (isId(id)) await refuseLintErrorsOfRecord(session, input, resource, id);
}

/** If another run with the same `--key` created the task first, cancels the new one and returns the first. */
async function sendTask(
  session: Invocation & Tell & ServiceAccess & Clocks,
  input: Input,
  given: {
    readonly body: TaskBody;
    readonly recheckTime: (() => Promise<void>) | undefined;
    readonly keyed: KeyedCreation | undefined;
  },
): Promise<TaskRecord> {
  const { body, recheckTime, keyed } = given;
  // Directly before the POST, after the checks of the profile's approvals.
  const refuseDuplicate =
    keyed &&
    (async () => {
      await keyed.refuseSameSend();
      await recheckTime?.();
    });
  return makeTask(createSendDependencies(session), {
    body,
    recheckTime: refuseDuplicate ?? recheckTime,
    mayBeCancelled: mayBeCancelled(input),
    checks: checksOf(session, input),
    hold: readHoldSeconds(input),
    onMade: (made) => printNoteAboutWrite(session, `made ${titleOf(task, made)}`),
    findRival: keyed?.findRival,
  });
}

function checksOf(session: Tell & ServiceAccess, input: Input): readonly TaskCheck[] {
  const limits = { expectSize: input.get(expectFlag) ?? null, maxCredits: null };
  const title = ({ id }: TaskRecord): string => `task ${String(id)}`;
  return [
    createLimitsCheck(limits, title, 'Check the list, or change --expect-size.'),
    createTaskCreditsCheck(session, input),
  ];
}

const mayBeCancelled = (input: Input): boolean =>
  input.get(holdBeforeSendFlag) !== undefined || cancellingFlag(input) !== undefined;

/** Returns a given flag that may cancel the task after its creation. */
function cancellingFlag(input: Input): string | undefined {
  if (input.get(expectFlag)) return `--${expectFlag.name}`;
  return input.get(checkCreditsFlag) ? `--${checkCreditsFlag.name}` : undefined;
}

/** Otherwise svc would have too little time to cancel the task (contract, "Safety": `--expect-size`). */
function refuseTooSoon(input: Input, hold: number | undefined, flag: string): void {
  if (input.get(sendNowFlag))
    throw new UsageError(`cannot combine ${flag} with --now: svc needs time to cancel the task`);
  if (hold === undefined || hold >= SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead) return;
  if (readUnparsedAttributeFlagValue(input, task, 'scheduledtime')) return;
  throw new UsageError(`with ${flag}, svc needs more time to cancel the task`, {
    hint: 'add --hold 5m, or a later --at',
  });
}
