/** Lists facts that svc can't know when it copies an account, so that the user can judge the rehearsal. This code is pure. */
import type { JsonObject } from '../protocol/envelope.ts';
import type { AccountCopy } from '../sandbox/seed/copied-account.ts';

/** Fact about an account that svc can't read from the service. */
export interface UnreadableAccountFact {
  /** True if numbers of recipients are only estimates because of this unknown fact. */
  readonly makesRecipientCountsEstimates: boolean;
  readonly sentence: string;
}

export const listUnreadableAccountFacts = (copy: AccountCopy): readonly UnreadableAccountFact[] => [
  ...ofPeople(copy),
  ...ofTasks(copy),
  ...ofRules(copy),
];

function ofPeople({ account, lists, searches }: AccountCopy): readonly UnreadableAccountFact[] {
  const found: UnreadableAccountFact[] = [];
  const estimate = (sentence: string): void =>
    void found.push({ makesRecipientCountsEstimates: true, sentence });
  const filled = [...lists, ...searches].filter(({ email, sms }) => Math.max(email, sms) > 0);
  if (filled.length > 1)
    estimate(
      'which subscribers are on several lists or searches: the rehearsal has different subscribers on each',
    );
  const left = [
    `Do Not Contact (${countOf(account, 'blacklist_count')})`,
    `suspended for e-mail (${countOf(account, 'emailsuspended_count')})`,
    `suspended for SMS (${countOf(account, 'smssuspended_count')})`,
  ].filter((each) => !each.endsWith('(0)'));
  if (left.length > 0)
    estimate(`which subscribers are left out: ${left.join(', ')}; the rehearsal leaves out no one`);
  const mixed = lists.filter(({ email, sms }) => email > 0 && sms > 0 && email !== sms);
  if (mixed.length > 0)
    estimate(
      `list ${mixed.map(({ id }) => id).join(', ')}: the service does not show which subscribers have both an e-mail address and a phone number; the rehearsal assumes that as many as possible have both`,
    );
  if (found.length > 0)
    estimate(
      'which recipients react, and when: the rehearsal chooses them at random, based on --seed and the size of the send',
    );
  return found;
}

const countOf = (account: JsonObject, attribute: string): string =>
  account[attribute] === null || account[attribute] === undefined ? 'unknown' : String(account[attribute]);

/** Returns what is unknown about tasks in progress. The interface does not show which recipients they have reached. */
const ofTasks = ({ tasks, at }: AccountCopy): readonly UnreadableAccountFact[] =>
  tasks.flatMap(({ id, cancelled, completed, scheduledtime }) =>
    cancelled !== true && completed !== true && Number(scheduledtime) <= at
      ? [
          {
            makesRecipientCountsEstimates: true,
            sentence: `task ${String(id)} is being sent: the service does not show how many recipients the task has reached, so the rehearsal sends the message to all recipients`,
          },
        ]
      : [],
  );

function ofRules({ rules, tasks, links }: AccountCopy): readonly UnreadableAccountFact[] {
  const isActive = ({ paused }: JsonObject): boolean => paused !== true;
  const sent = new Set(
    tasks.flatMap(({ channel, completed, cancelled, message_id }) =>
      channel === 'email' && completed === true && cancelled !== true ? [message_id] : [],
    ),
  );
  const messageOf = new Map(links.map(({ id, message_id }) => [id, message_id]));
  const nameOf =
    (kind: string) =>
    ({ id }: JsonObject): string =>
      `${kind}:${String(id)}`;
  const dates = rules.date.filter(isActive).map(nameOf('date'));
  const started = [
    ...rules.click
      .filter(
        (rule) => isActive(rule) && sent.has(rule['message_id'] ?? messageOf.get(rule['link_id']) ?? null),
      )
      .map(nameOf('click')),
    ...rules.open
      .filter((rule) => isActive(rule) && sent.has(rule['message_id'] ?? null))
      .map(nameOf('open')),
    ...rules.subscription
      .filter((rule) => isActive(rule) && Number(rule['actiontimediff']) > 0)
      .map(nameOf('subscription')),
  ];
  const incoming = rules.sms.filter(isActive).map(nameOf('sms'));
  return [
    ...(dates.length === 0
      ? []
      : [
          `${dates.join(', ')}: the service does not show the dates that trigger date rules, so these rules do not run in the rehearsal`,
        ]),
    ...(started.length === 0
      ? []
      : [
          `${started.join(', ')}: queued actions from earlier events are not known, so the rehearsal does not run them`,
        ]),
    ...(incoming.length === 0
      ? []
      : [
          `${incoming.join(', ')}: future inbound SMS are not known, so these rules do not run in the rehearsal`,
        ]),
  ].map((sentence) => ({ makesRecipientCountsEstimates: false, sentence }));
}
