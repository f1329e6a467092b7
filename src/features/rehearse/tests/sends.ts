/** Lists what a campaign sends in the copy if no person of the test file does anything, for the sends file of a test file. */

import { localDayNumber } from '../../../kit/text/timezone.ts';
import { creditsOf } from '../../../sandbox/engine/sending.ts';
import { messageById } from '../../../sandbox/store/messages.ts';
import { listReceivedMessages, type ReceivedMessage } from '../../../sandbox/store/timeline.ts';
import type { SendLine } from '../../campaign/test-file/sends-file.ts';
import { weekdayTime } from './judge.ts';
import type { Stage } from './play.ts';
import { moveTo } from './prepare.ts';

/** Returns one line for each task, and one for each rule, message and local day. */
export async function listSends(stage: Stage): Promise<readonly SendLine[]> {
  const { service, companyId, start } = stage.account;
  const lines: SendLine[] = [];
  await service.store.revertAfter(async () => {
    await moveTo(stage.account, stage.end, stage);
    const messages = await listReceivedMessages(service.store.db, companyId, start);
    for (const group of groupsOf(messages, stage)) lines.push(await lineOf(group, stage));
  });
  return lines;
}

function groupsOf(
  messages: readonly ReceivedMessage[],
  { account }: Stage,
): readonly (readonly [ReceivedMessage, ...ReceivedMessage[]])[] {
  const groups = new Map<string, [ReceivedMessage, ...ReceivedMessage[]]>();
  for (const message of messages) {
    const { task, ruleKind, rule, channel, message: id, time } = message;
    const key =
      task === null
        ? `${localDayNumber(time, account.zone)} ${ruleKind}:${rule} ${channel} ${id}`
        : `task ${task}`;
    const known = groups.get(key);
    if (known) known.push(message);
    else groups.set(key, [message]);
  }
  return [...groups.values()];
}

async function lineOf(
  group: readonly [ReceivedMessage, ...ReceivedMessage[]],
  { account, campaign }: Stage,
): Promise<SendLine> {
  const [{ time, task, ruleKind, rule, channel, message: id }] = group;
  const isTask = task !== null;
  const message = await messageById(account.service.store.db, channel, account.companyId, id);
  const local = weekdayTime(time, { account });
  return {
    day: localDayNumber(time, account.zone) - localDayNumber(account.start, account.zone),
    weekday: local.slice(0, 3),
    // A rule sends at many times of a day, which differ from seed to seed.
    clock: isTask ? local.slice(-5) : null,
    what: isTask
      ? campaign.nameOf('task', task)
      : `rule ${campaign.nameOf(`rule ${ruleKind ?? 'click'}`, rule ?? 0)}`,
    message: campaign.nameOf(channel, id),
    channel,
    recipients: group.length,
    credits: group.length * (message === undefined ? 1 : creditsOf(message)),
  };
}
