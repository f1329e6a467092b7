/** A change of the send time or the recipients has the same checks and confirmations as a new task. */

import { titleOf } from '../../../client/requests/record-title.ts';
import { changeTask } from '../../../client/sends/make-task.ts';
import { isActiveTask } from '../../../client/sends/same-send.ts';
import { type TaskBody, task } from '../../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { type BodyDraft, readBody } from '../../request/body.ts';
import { keepCampaignMarkInNewName } from '../../request/campaign-mark.ts';
import { checkCreditsFlag } from '../../request/credits.ts';
import { type Id, resolveId, resolveRecord } from '../../request/references.ts';
import { checkSendTimeAndCreateRecheck, sendNowFlag } from '../../request/send-time.ts';
import { createWriteOutcome, printNoteAboutWrite } from '../../request/write-outcome.ts';
import type { Clocks, Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { createSendDependencies } from '../../session/send-ports.ts';
import { checkUpdateBody, createVerbToUpdateRecord } from '../generic/write.ts';
import { refuseIfBalanceIsTooLow, warnIfBalanceIsTooLow } from './credits.ts';
import { applySendNowFlag, confirmChangeToSendNow, requireYesFlagOrTerminalForSendNow } from './schedule.ts';

export const taskUpdate: Verb = {
  ...createVerbToUpdateRecord(task),
  about:
    'A task has a list or a saved search: --list sets the search to null, and --search sets the list to null. ' +
    'To cancel a task, use svc task cancel',
  does: 'sends',
  asks: true,
  example: 'task update Q4 --at "tomorrow 09:00"',
  flags: [sendNowFlag, checkCreditsFlag, ...createBodyFlags(task, 'PUT')],
  companies: 'writes',
  run: updateTask,
};

async function updateTask(session: Ports, input: Input): Promise<Outcome> {
  const [name = ''] = input.positionals;
  const read = await readBody(session, task, 'PUT', input);
  const draft = applySendNowFlag(session, input, setUnusedListOrSearchToNull(read));
  refuseUnknownSize(input, draft);
  requireYesFlagOrTerminalForSendNow(session, input);
  const body = await checkUpdateBody(session, task, draft);
  const id = await resolveId(session, task, name);
  await warnAboutSameSendsAfterUpdate(session, id, body);
  const recheckTime = await confirmTaskChange(session, input, body, name);
  const record = await changeTask(createSendDependencies(session), {
    id,
    body: await keepCampaignMarkInNewName(await session.client(), task, id, body),
    recheckTime,
    checks: [],
    mayBeCancelled: false,
  });
  await printNoteAboutWrite(session, `changed ${titleOf(task, record)}`);
  if (changesSend(body)) await warnIfBalanceIsTooLow(session, record);
  return createWriteOutcome(session, task, record, 'Updated');
}

const TARGETS = ['list_id', 'search_id'];

const changesSend = (body: TaskBody): boolean =>
  [...TARGETS, 'scheduledtime'].some((attribute) => Object.hasOwn(body, attribute));

/** A change of the time or of the recipients may make the task the same send as another one, as a new task may be. */
async function warnAboutSameSendsAfterUpdate(session: Ports, id: Id, body: TaskBody): Promise<void> {
  if (!session.globals.validate || !changesSend(body)) return;
  const record = await (await session.client()).get(task, id).catch(() => undefined);
  session.context.signal.throwIfAborted();
  if (record === undefined || !isActiveTask(record)) return;
  const { warnAboutSameSends } = await import('./same-send.ts');
  await warnAboutSameSends(session, { ...record, ...body }, id);
}

/** Only one of list and search may be non-null (interface, task PUT). */
function setUnusedListOrSearchToNull(draft: BodyDraft): BodyDraft {
  const { list_id, search_id } = draft.body;
  if (list_id !== undefined && list_id !== null && search_id === undefined)
    return { ...draft, body: { ...draft.body, search_id: null } };
  if (search_id !== undefined && search_id !== null && list_id === undefined)
    return { ...draft, body: { ...draft.body, list_id: null } };
  return draft;
}

function refuseUnknownSize(input: Input, draft: BodyDraft): void {
  if (!input.get(checkCreditsFlag) || !TARGETS.some((name) => Object.hasOwn(draft.body, name))) return;
  throw new UsageError('cannot check credits: the size of the new list or search is unknown', {
    hint: 'leave out --check-credits, or cancel this task and create a new one with it',
  });
}

/** Confirms an immediate send, and refuses an unsafe time. Returns a check before each attempt, if one is needed. */
async function confirmTaskChange(
  session: Invocation & Tell & ServiceAccess & Clocks,
  input: Input,
  body: TaskBody,
  name: string,
): Promise<(() => Promise<void>) | undefined> {
  if (body.cancelled === true)
    throw new UsageError('cannot cancel a task with update', {
      hint: 'to cancel a task, use svc task cancel',
    });
  if (input.get(checkCreditsFlag))
    await refuseIfBalanceIsTooLow(session, await resolveRecord(session, task, name));
  const time = body.scheduledtime;
  if (typeof time !== 'number' && typeof time !== 'bigint') return undefined;
  if (!input.get(sendNowFlag)) return checkSendTimeAndCreateRecheck(session, 'scheduledtime', Number(time));
  await confirmChangeToSendNow(session, body, name);
  return undefined;
}
