import type { Finding } from '../../kit/schema/resource.ts';
import {
  createConflictError,
  createForbiddenError,
  refuseFindings,
} from '../../service/protocol/service-errors.ts';
import type { Channel } from '../../service/resources/task.ts';
import { type Call, requireCallerUserId, requireFeature } from '../request/call.ts';
import { toSqlRow } from '../request/present.ts';
import { markMessageUsed } from '../store/messages.ts';
import { findRowOfAccount, insertRow } from '../store/rows.ts';
import {
  changeTask,
  countAudience,
  type TaskAudience,
  type TaskRow,
  zeroTaskStatistics,
} from '../store/tasks.ts';
import type { BehaviourOf, SentValues } from './behaviour.ts';
import { checkListReference, checkMessageReference } from './references.ts';

type Sent = SentValues<'task'>;

export const task: BehaviourOf<'task', 'task'> = {
  create: async (call, values) => {
    const channel: Channel = values.channel === 'sms' ? 'sms' : 'email';
    requireFeatures(call, channel);
    refuseFindings([
      await checkMessageReference(call, channel, 'message_id', values.message_id),
      ...(await checkAudience(call, values)),
    ]);
    const scheduledtime = notBefore(call.now, values.scheduledtime);
    const userId = requireCallerUserId(call);
    const id = await insertRow(call.db, 'task', {
      ...toSqlRow(values),
      account_id: call.caller.accountId,
      user_id: userId,
      scheduledtime,
      due: Math.ceil(scheduledtime),
      size: await countAudience(call.db, channel, audienceIn(userId, values.list_id, values.search_id)),
      ...zeroTaskStatistics(channel),
      cdate: call.now,
    });
    await markMessageUsed(call.db, channel, Number(values.message_id));
    return id;
  },
  update: async (call, current, values) => {
    const { id } = current;
    if (current.cancelled === 1) throw createConflictError(`Task ${id} is cancelled`);
    if (current.completed === 1) throw createConflictError(`Task ${id} is completed`);
    refuseFindings(await checkAudience(call, values));
    await changeTask(call.db, id, {
      ...(await changedAudience(call, current, values)),
      ...(values.name === undefined ? {} : { name: values.name }),
      ...changedTime(call, current, values),
      ...(values.cancelled === true ? { cancelled: 1, endtime: call.now, due: null } : {}),
    });
  },
};

function requireFeatures({ caller }: Call, channel: Channel): void {
  requireFeature(caller.account, channel === 'email' ? 'enableemail' : 'enablesms');
  requireFeature(caller.account, channel === 'email' ? 'enablesendbulkemail' : 'enablesendbulksms');
}

/** Interface, task: "A `scheduledtime` earlier than the current Unix time is set to the current time." */
const notBefore = (now: number, time: number | undefined): number => Math.max(now, Number(time));

function audienceIn(user_id: number, list: Sent['list_id'], search: Sent['search_id']): TaskAudience {
  const idOrNull = (id: typeof list): number | null => (id == null ? null : Number(id));
  return { user_id, list_id: idOrNull(list), search_id: idOrNull(search) };
}

/** Returns a finding for a list or a search that does not exist. Throws a 403 for a list that the caller may not use. */
async function checkAudience(call: Call, values: Sent): Promise<readonly (Finding | undefined)[]> {
  const { list_id, search_id } = values;
  const hasSearch =
    search_id == null ||
    (await findRowOfAccount(call.db, 'search', call.caller.accountId, Number(search_id)));
  return [
    list_id == null ? undefined : await checkListReference(call, 'list_id', list_id),
    hasSearch
      ? undefined
      : { attribute: 'search_id', value: search_id, reason: `is not a search: ${search_id}` },
  ];
}

/** Returns a new audience of the task with its size (docs/wire.md, "size"). Throws a 409 if the send has started. */
async function changedAudience(call: Call, current: TaskRow, values: Sent) {
  const { list_id = current.list_id, search_id = current.search_id } = values;
  const after = audienceIn(current.user_id, list_id, search_id);
  if (after.list_id === current.list_id && after.search_id === current.search_id) return {};
  requireNotStarted(current);
  if (call.caller.restricted && after.search_id !== null && current.user_id !== call.caller.userId)
    throw createForbiddenError(`Task ${current.id} was made by another user, who may reach other people`);
  const size = await countAudience(call.db, current.channel, after);
  return { list_id: after.list_id, search_id: after.search_id, size };
}

function changedTime(call: Call, current: TaskRow, values: Sent) {
  if (values.scheduledtime === undefined || values.scheduledtime === current.scheduledtime) return {};
  requireNotStarted(current);
  const scheduledtime = notBefore(call.now, values.scheduledtime);
  return { scheduledtime, due: Math.ceil(scheduledtime) };
}

function requireNotStarted(current: TaskRow): void {
  if (current.started === 1) throw createConflictError(`Task ${current.id} is being sent`);
}
