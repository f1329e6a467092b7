/** Describes a task for `task get` on a terminal (contract, "The everyday screen"). */

import { titleOf } from '../../../client/requests/record-title.ts';
import { channelOfRecord } from '../../../client/sends/cost.ts';
import { isId } from '../../../kit/schema/integer.ts';
import { capitalizeFirstLetter, groupThousands } from '../../../kit/text/words.ts';
import { replaceMarksBySigns } from '../../../service/resources/campaign-mark.ts';
import {
  MESSAGE_RESOURCES,
  type TaskRecord,
  task,
  taskPhase,
  taskStatus,
} from '../../../service/resources/task.ts';
import { createTimeWords, type RecordDescription } from '../../request/description.ts';
import type { Clocks, ServiceAccess } from '../../session/ports.ts';
import { computeTaskFigures, sizeOf } from './report-figures.ts';
import { formatTaskStatisticLabel } from './report-words.ts';
import { channelWord, describeTaskProgress, formatTaskTarget } from './task-words.ts';

/** If `isPossiblyStopped`, the credits may have run out before the task had reached all. */
export async function describeTask(
  session: ServiceAccess & Clocks,
  record: TaskRecord,
  isPossiblyStopped: boolean,
): Promise<RecordDescription> {
  const now = await session.serviceNow();
  const when = await createTimeWords(session);
  const size = sizeOf(record);
  const phase = taskPhase(record, now);
  const people = size === undefined ? '' : `${groupThousands(size)} on `;
  const what = `${await titleOfMessage(session, record)} to ${people}${formatTaskTarget(record)}`;
  const starts = when(record.scheduledtime);
  const isSent = phase === 'completed' || phase === 'sending';
  const { words } = describeTaskProgress(record, now);
  const rate = record.rate == null ? [] : [`Its rate is ${groupThousands(record.rate)} messages an hour.`];
  return {
    title: `${titleOf(task, record)}, ${isPossiblyStopped ? 'stopped?' : taskStatus(record, now)}`,
    sentences: [
      ...{
        scheduled: [`Sends ${what}: ${starts}.`],
        sending: [`Sends ${what} since ${starts}.`, `${capitalizeFirstLetter(words)}.`],
        completed: [`Sent ${what}: ${starts}. It ${words}.`],
        cancelled: [`Cancelled: ${when(record.endtime)}.`, `It would have sent ${what}: ${starts}.`],
      }[phase],
      `Created: ${when(record.cdate)}.`,
      ...rate,
      ...(record.splittest_id == null ? [] : [`It is part of split test ${record.splittest_id}.`]),
      ...(isSent ? reactionsTo(record) : []),
    ],
    ...(phase === 'cancelled'
      ? {}
      : { next: `svc task ${phase === 'completed' ? 'report' : 'watch'} ${String(record.id)}` }),
  };
}

/** Returns `e-mail message 7 (Spring sale)`, or the title without a name if the name cannot be read. */
async function titleOfMessage(session: ServiceAccess, record: TaskRecord): Promise<string> {
  const { message_id: id } = record;
  const title = `${channelWord(record)} message ${String(id)}`;
  if (!isId(id)) return title;
  const reference = { resource: MESSAGE_RESOURCES[channelOfRecord(record)].name, id };
  const name = (await session.names([reference]))(reference);
  return name === undefined ? title : `${title} (${replaceMarksBySigns(name)})`;
}

/** Returns `174 opened, 44 clicked`; empty if the service counts nothing for this channel. */
function reactionsTo(record: TaskRecord): readonly string[] {
  const counts = computeTaskFigures(record).flatMap(({ statistic, count }) =>
    statistic === 'size' ? [] : [`${groupThousands(count)} ${formatTaskStatisticLabel(statistic, true)}`],
  );
  return counts.length === 0 ? [] : [`${counts.join(', ')}.`];
}
