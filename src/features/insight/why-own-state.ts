/** Explains locks of tasks, single SMS, users and accounts, which only their own state can lock (interface, "States and transitions"). */
import { titleOf } from '../../client/requests/record-title.ts';
import type { Id } from '../../kit/schema/integer.ts';
import { assertNever } from '../../kit/schema/resource.ts';
import type { AccountFeaturesRecord } from '../../service/resources/account-features.ts';
import { type SmsRecord, sms } from '../../service/resources/sms.ts';
import { type TaskRecord, task, taskPhase } from '../../service/resources/task.ts';
import { type UserRecord, user } from '../../service/resources/user.ts';
import {
  type Advice,
  describeRecordLock,
  type ExplanationText,
  explainPermanentLock,
  explainThatRecordIsUnlocked,
  type FormatMoment,
  type LockExplanation,
} from './why.ts';

/** A lock by the own state is permanent. @param now Unix seconds by the service's clock */
export function explainWhetherTaskIsLocked(record: TaskRecord, now: number): LockExplanation {
  const phase = taskPhase(record, now);
  const words = (moment: FormatMoment): ExplanationText => explainPhase(record, phase, moment);
  return phase === 'scheduled'
    ? { locked: false, by: [], free: null, words }
    : explainPermanentLock([describeRecordLock('task', record)], words);
}

function explainPhase(
  record: TaskRecord,
  phase: ReturnType<typeof taskPhase>,
  moment: FormatMoment,
): ExplanationText {
  const title = titleOf(task, record);
  const start = moment(record.scheduledtime);
  const ended = record.endtime == null ? '' : `: ${moment(record.endtime)}`;
  switch (phase) {
    case 'scheduled':
      return {
        title: `${title} is not locked: it can be changed and cancelled until it starts.`,
        reasons: [`The task is scheduled for ${start}.`],
        next: [cancelling(record.id)],
      };
    case 'sending':
      return {
        title: `${title} is locked: it is being sent.`,
        reasons: [
          `The task started at this time: ${start}. Its recipients and its time can no longer be changed, and messages that were sent cannot be recalled.`,
        ],
        next: [cancelling(record.id)],
      };
    case 'completed':
      return {
        title: `${title} is locked: it is completed.`,
        reasons: [`The task has been sent${ended}. A completed task can never be changed or cancelled.`],
        next: [{ text: 'Its outcome:', command: `task report ${record.id}` }, again],
      };
    case 'cancelled':
      return {
        title: `${title} is locked: it is cancelled.`,
        reasons: [`The task was cancelled${ended}. A cancellation cannot be undone.`],
        next: [again],
      };
    default:
      return assertNever(phase);
  }
}

const cancelling = (id: Id): Advice => ({
  text: 'The task can be cancelled until it is completed:',
  command: `task cancel ${id}`,
});

const again: Advice = {
  text: 'To send the message again, create another task:',
  command: 'task create --help',
};

export function explainWhetherUserIsLocked(record: UserRecord): LockExplanation {
  const title = titleOf(user, record);
  if (!record.locked)
    return record.active === false
      ? explainThatRecordIsUnlocked(
          `${title} is not locked.`,
          ['The user is not active, and cannot act until you activate the user.'],
          [{ text: 'To activate it:', command: `user update ${record.id} --active` }],
        )
      : explainThatRecordIsUnlocked(`${title} is not locked.`);
  const lock = describeRecordLock('user', { ...record, name: record.username ?? null });
  return explainPermanentLock([lock], () => ({
    title: `${title} is locked: the user cannot log in or send requests.`,
    reasons: [
      'A user is locked after 3 failed logins in a row. The interface does not show how the lock ends. In the sandbox, a new password by the admin or the partner ends it.',
    ],
    next: [
      {
        text: 'As the admin or the partner, set a new password:',
        command: `user update ${record.id} --password-stdin`,
      },
    ],
  }));
}

/** accountFeatures show whether the account is locked. */
export function explainWhetherAccountIsLocked(record: AccountFeaturesRecord): LockExplanation {
  const title = `account ${record.id}`;
  if (!record.locked) return explainThatRecordIsUnlocked(`${title} is not locked.`);
  return explainPermanentLock([describeRecordLock('account', record)], () => ({
    title: `${title} is locked: only its partner can read and change its features.`,
    reasons: ['The partner locked the account. It stays locked until the partner unlocks it.'],
    next: [{ text: 'As the partner:', command: `features set ${record.id} --locked false` }],
  }));
}

/** A single SMS is always locked, because the service has no PUT and no DELETE for it (interface, sms). */
export function explainWhetherSmsIsLocked(record: SmsRecord): LockExplanation {
  const title = titleOf(sms, record);
  return explainPermanentLock([describeRecordLock('sms', record)], (moment) => ({
    title: `${title} is locked: a single SMS can never be changed or recalled.`,
    reasons: [smsState(record, moment)],
  }));
}

function smsState({ dispatched, failed, senddate }: SmsRecord, moment: FormatMoment): string {
  if (failed) return 'The SMS could not be delivered.';
  if (dispatched) return 'It was dispatched.';
  const when =
    senddate == null
      ? 'The SMS waits to be dispatched.'
      : `The SMS waits to be dispatched: ${moment(senddate)}.`;
  return `${when} If no network accepts the SMS, it fails after two weeks.`;
}
