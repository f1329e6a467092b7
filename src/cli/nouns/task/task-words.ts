import { titleOf } from '../../../client/requests/record-title.ts';
import { channelOfRecord } from '../../../client/sends/cost.ts';
import { formatRoundedDuration } from '../../../kit/text/duration.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { type TaskRecord, task, taskPhase } from '../../../service/resources/task.ts';

export const channelWord = (record: Pick<TaskRecord, 'channel'>): string =>
  channelOfRecord(record) === 'sms' ? 'SMS' : 'e-mail';

interface TaskTarget {
  readonly list_id: TaskRecord['list_id'] | string;
  readonly search_id: TaskRecord['search_id'] | string;
}

/** The interface gives no names of lists and searches. */
export function formatTaskTarget({ list_id: list = null, search_id: search = null }: TaskTarget): string {
  return list !== null ? `list ${String(list)}` : `search ${String(search ?? '-')}`;
}

/** A cancelled task stays cancelled. */
export function formatTaskCancelQuestion(record: TaskRecord): string {
  return `cancel ${titleOf(task, record)} permanently (channel: ${String(record.channel)}, recipients: ${String(record.size)})`;
}

/** Without a rate (messages per hour), a started task can have sent all. A share of this maximum may be too low. */
export function estimateMaxMessagesSentSoFar(record: TaskRecord, now: number): number {
  const size = Number(record.size);
  const rate = record.rate;
  switch (taskPhase(record, now)) {
    case 'scheduled':
      return 0;
    case 'completed':
      return size;
    default: {
      if (typeof rate !== 'number' || rate <= 0) return size;
      const elapsed = Math.max(0, Math.min(now, endOf(record, now)) - Number(record.scheduledtime));
      // The first message goes out at once.
      return Math.min(size, Math.floor((elapsed * rate) / 3600) + 1);
    }
  }
}

/** `share` is that of the sent messages, from 0 to 1, if it can be estimated. */
export function describeTaskProgress(
  record: TaskRecord,
  now: number,
): { readonly words: string; readonly share?: number } {
  const [size, start, made] = [record.size, record.scheduledtime, record.cdate].map(Number);
  const phase = taskPhase(record, now);
  switch (phase) {
    case 'scheduled': {
      const [begun, starts] = [made ?? now, start ?? now];
      return {
        words: `starts in ${formatRoundedDuration(starts - now)}`,
        share: starts > begun ? (now - begun) / (starts - begun) : 0,
      };
    }
    case 'completed':
      return {
        words: `completed after ${formatRoundedDuration(endOf(record, now) - (start ?? now))}`,
        share: 1,
      };
    case 'cancelled':
      return { words: 'cancelled' };
    case 'sending': {
      const rate = record.rate;
      const since = now - (start ?? now);
      if (typeof rate !== 'number' || !size) return { words: `sending for ${formatRoundedDuration(since)}` };
      const sent = estimateMaxMessagesSentSoFar(record, now);
      const left = ((size - sent) / rate) * 3600;
      const rest = left > 0 ? `, ${formatRoundedDuration(left)} left` : '';
      return {
        words: `about ${groupThousands(sent)} of ${groupThousands(size)} sent${rest}`,
        share: sent / size,
      };
    }
  }
}

const endOf = (record: TaskRecord, now: number): number =>
  typeof record.endtime === 'number' ? record.endtime : now;
