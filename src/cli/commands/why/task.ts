/** Explains why a task can't be changed, and what is still possible (interface, "States and transitions": task). */
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { phaseOf } from '../../../resources/task-status.ts';
import { assertNever } from '../../../schema/resource.ts';
import { idIn } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import type { Advice, Explanation, FormatMoment } from './answer.ts';

/** Explains a task. It is locked only by its own state, and permanently. */
export async function whyTask(session: Session, record: JsonObject): Promise<Explanation> {
  const { name } = record;
  const id = idIn(record);
  const title = titleOf(task, record);
  const phase = phaseOf(record, await session.serviceNow());
  const lock = { kind: 'task', id, name: typeof name === 'string' ? name : null, until: null };
  const own = { locked: true, by: [lock], free: null };
  const start = Number(record['scheduledtime']);
  const ended = (moment: FormatMoment): string =>
    typeof record['endtime'] === 'number' ? `: ${moment(record['endtime'])}` : '';
  switch (phase) {
    case 'scheduled':
      return {
        locked: false,
        by: [],
        free: null,
        words: (moment) => ({
          title: `${title} is not locked: it can be changed and cancelled until it starts.`,
          reasons: [`It is scheduled for ${moment(start)}.`],
          next: [cancelling(String(id))],
        }),
      };
    case 'sending':
      return {
        ...own,
        words: (moment) => ({
          title: `${title} is locked: it is being sent.`,
          reasons: [
            `Its start was ${moment(start)}. Its recipients and its time can no longer be changed; sent messages stay sent.`,
          ],
          next: [cancelling(String(id))],
        }),
      };
    case 'completed':
      return {
        ...own,
        words: (moment) => ({
          title: `${title} is locked: it is completed.`,
          reasons: [`It has been sent${ended(moment)}. A completed task can never be changed or cancelled.`],
          next: [{ text: 'Its outcome:', command: `task report ${String(id)}` }, again],
        }),
      };
    case 'cancelled':
      return {
        ...own,
        words: (moment) => ({
          title: `${title} is locked: it is cancelled.`,
          reasons: [`It was cancelled${ended(moment)}. This cannot be undone.`],
          next: [again],
        }),
      };
    default:
      return assertNever(phase);
  }
}

const cancelling = (id: string): Advice => ({
  text: 'It can be cancelled until it is completed:',
  command: `task cancel ${id}`,
});

const again: Advice = {
  text: 'To send the message again, create another task:',
  command: 'task create --help',
};
