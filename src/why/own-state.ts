/** Explains records that only their own state locks: tasks, single SMS, users and accounts (interface, "States and transitions"). */
import { titleOf } from '../client/record-title.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { sms } from '../resources/sms.ts';
import { task } from '../resources/task.ts';
import { phaseOf } from '../resources/task-status.ts';
import { user } from '../resources/user.ts';
import { assertNever } from '../schema/resource.ts';
import { type Advice, type Explanation, type FormatMoment, lockOf, unlocked } from './answer.ts';

/** Explains a task, whose state locks it permanently. @param now Unix seconds by the service's clock */
export function whyTask(record: JsonObject, now: number): Explanation {
  const id = String(record['id']);
  const title = titleOf(task, record);
  const phase = phaseOf(record, now);
  const own = { locked: true, by: [lockOf('task', record)], free: null };
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
          next: [cancelling(id)],
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
          next: [cancelling(id)],
        }),
      };
    case 'completed':
      return {
        ...own,
        words: (moment) => ({
          title: `${title} is locked: it is completed.`,
          reasons: [`It has been sent${ended(moment)}. A completed task can never be changed or cancelled.`],
          next: [{ text: 'Its outcome:', command: `task report ${id}` }, again],
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

export function whyUser(record: JsonObject): Explanation {
  const title = titleOf(user, record);
  if (record['locked'] !== true)
    return unlocked(
      `${title} is not locked.`,
      record['active'] === false ? ['It is not active: it cannot act until you activate it.'] : [],
      record['active'] === false
        ? [{ text: 'To activate it:', command: `user update ${String(record['id'])} --active` }]
        : [],
    );
  return {
    locked: true,
    by: [lockOf('user', { ...record, name: record['username'] ?? null })],
    free: null,
    words: () => ({
      title: `${title} is locked: it cannot log in or act.`,
      reasons: [
        'This happens after 3 failed logins in a row. The interface does not show when or how the lock ends, and has no request to unlock a user.',
      ],
      next: [{ text: 'Ask the operator of the service, or your partner, to unlock the user.' }],
    }),
  };
}

/** Explains an account. @param record accountFeatures, which show whether it is locked */
export function whyAccount(record: JsonObject): Explanation {
  const title = `account ${String(record['id'])}`;
  if (record['locked'] !== true) return unlocked(`${title} is not locked.`);
  return {
    locked: true,
    by: [lockOf('account', record)],
    free: null,
    words: () => ({
      title: `${title} is locked: only its partner can use it or call the interface for it.`,
      reasons: ['Its partner locked it. It stays locked until the partner unlocks it.'],
      next: [{ text: 'As the partner:', command: `features set ${String(record['id'])} --locked false` }],
    }),
  };
}

/** Explains an SMS, which is always locked: PUT and DELETE are unsupported (interface, sms). */
export function whySms(record: JsonObject): Explanation {
  const title = titleOf(sms, record);
  return {
    locked: true,
    by: [lockOf('sms', record)],
    free: null,
    words: (moment) => ({
      title: `${title} is locked: a single SMS can never be changed or recalled.`,
      reasons: [smsState(record, moment)],
    }),
  };
}

function smsState({ dispatched, failed, senddate }: JsonObject, moment: FormatMoment): string {
  if (failed === true) return 'It could not be delivered.';
  if (dispatched === true) return 'It was dispatched.';
  const when =
    typeof senddate === 'number'
      ? `It waits to be dispatched: ${moment(senddate)}.`
      : 'It waits to be dispatched.';
  return `${when} If no network accepts it, it fails after two weeks.`;
}
