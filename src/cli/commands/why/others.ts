/** Explains the locks of a user, an account and a single SMS (interface, "States and transitions"). */
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { sms } from '../../../resources/sms.ts';
import { user } from '../../../resources/user.ts';
import { idIn } from '../../request/references.ts';
import { type Explanation, type FormatMoment, type Lock, unlocked } from './answer.ts';

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
    by: [itself('user', record, 'username')],
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
    by: [itself('account', record, 'name')],
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
    by: [itself('sms', record, 'name')],
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

const itself = (kind: string, record: JsonObject, called: string): Lock => {
  const name = record[called];
  return { kind, id: idIn(record), name: typeof name === 'string' ? name : null, until: null };
};
