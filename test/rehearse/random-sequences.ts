/** Makes a random account and a campaign with sequences in a test sandbox, so that people get their steps. The same seed gives the same ones. */

import type { WantedItem, WantedRule } from '../../src/features/campaign/model.ts';
import { formatStepItemKey } from '../../src/features/campaign/sequences.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { formatStepName } from '../../src/service/resources/step-names.ts';
import { email, rule, task, text } from '../campaign/support.ts';
import { EMAIL, putList, putSms, setAccount } from '../support/messages.ts';
import { IDS, NOW, type TestSandbox } from '../support/sandbox.ts';
import type { RandomAccount } from './random-account.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Clocks change within the span in most of them, in Lord Howe by half an hour. */
const ZONES = [
  ...['Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Auckland'],
  ...['Asia/Kolkata', 'UTC'],
] as const;

/** Seconds. The invitation is sent in the first four months, and the longest path to the last step takes less than two. */
export const SPAN = 180 * DAY;

export async function randomSequences(
  sandbox: TestSandbox,
  seed: number,
): Promise<Omit<RandomAccount, 'pruned'>> {
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const one = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const chance = (share: number): boolean => random() < share;

  const zone = one(ZONES);
  await setAccount(sandbox, { timezone: zone, emailcreditbalance: 100_000, smscreditbalance: 100_000 });
  const [invited, club, friends] = [
    await putList(sandbox),
    await putList(sandbox),
    await putList(sandbox),
  ].map(String) as [string, string, string];
  const hasNumbers = chance(0.7);
  const size = 1 + below(12);
  for (let each = 1; each <= size; each += 1) {
    const subscriber_id = await sandbox.put('subscriber', {
      ...{ account_id: IDS.company, cdate: NOW },
      ...{ email: `someone${each}@people.example`, email_domain: 'people.example' },
      msisdn: hasNumbers ? `447700${String(each).padStart(6, '0')}` : null,
    });
    await sandbox.put('subscription', { list_id: Number(invited), subscriber_id, cdate: NOW });
  }
  // The size of a list is known from an earlier task.
  for (const [channel, sent] of [
    ['email', size],
    ['sms', hasNumbers ? size : 0],
  ] as const)
    await sandbox.put('task', {
      ...{ account_id: IDS.company, user_id: IDS.admin, name: `Past ${channel}`, channel },
      ...{ list_id: Number(invited), size: sent, sent, started: 1, completed: 1 },
      message_id:
        channel === 'email'
          ? Number((await sandbox.send('admin', 'POST', '/v1/emailMessage', EMAIL)).data['id'])
          : await putSms(sandbox),
      ...{ scheduledtime: NOW - 9 * DAY, endtime: NOW - 9 * DAY + 60, cdate: NOW - 10 * DAY },
    });

  const timing = () => {
    const actiontimediff = one([1, 15, 45, 60, 1440, 2 * 1440, 3 * 1440 + 17]);
    const isInDays = actiontimediff >= 1440 && actiontimediff % 1440 === 0;
    const actionhour = isInDays && chance(0.4) ? hour() : null;
    return { actiontimediff, actionhour, actiononweekend: chance(0.6), summary: null };
  };
  const hour = (): string => `${String(below(24)).padStart(2, '0')}:00:00`;

  /** Returns the steps in the order of time, as the file's reader makes them. */
  const sequence = (key: string, name: string, list: string): readonly WantedRule[] => {
    const paused = chance(0.1);
    const waits = Array.from({ length: 1 + below(5) }, () =>
      one([0, 0, 30, 60, 1440, 2 * 1440, 3 * 1440, 10 * 1440, below(14 * 1440)]),
    ).sort((a, b) => a - b);
    return waits.map((actiontimediff, index) => {
      const step = String(index + 1);
      const isSms = chance(0.25);
      const isInDays = actiontimediff >= 1440 && actiontimediff % 1440 === 0;
      const actionhour = isInDays && chance(0.6) ? hour() : null;
      return rule(formatStepItemKey(key, step), {
        rule: 'subscription',
        name: formatStepName(name, step),
        values: {
          ...{ actiontype: isSms ? 'sms_autoresponder' : 'email_autoresponder', actiontimediff, actionhour },
          ...(actiontimediff > 0 ? { actiononweekend: chance(0.5) } : {}),
        },
        references: {
          list_id: { id: list },
          actiontarget: { key: isSms ? 'text' : one(['first', 'second']) },
        },
        paused,
      });
    });
  };

  const link = '<p><a href="https://example.com/join">Join</a></p>';
  const isClick = chance(0.3);
  const items: readonly WantedItem[] = [
    ...[email('invitation', { html: link }), email('first'), email('second', { subject: 'Again' })],
    text('text'),
    task('invite', {
      ...{ message: { key: 'invitation' }, list: invited, rate: chance(0.3) ? 1 + below(20) : null },
      at: String(NOW + HOUR + below(120 * DAY)),
    }),
    rule('join', {
      rule: isClick ? 'click' : 'open',
      values: { actiontype: 'addtolist', ...timing() },
      references: { message_id: { key: 'invitation' }, actiontarget: { id: club } },
    }),
    ...(chance(0.4)
      ? [
          rule('friend', {
            rule: 'subscription',
            values: { actiontype: one(['copytolist', 'movetolist']), ...timing() },
            references: { list_id: { id: club }, actiontarget: { id: friends } },
          }),
          ...sequence('friends', 'Friends', friends),
        ]
      : []),
    ...sequence('welcome', 'Welcome', club),
  ];
  const share = (least: number, most: number): number =>
    Math.round((least + random() * (most - least)) * 1000) / 1000;
  return {
    zone,
    campaign: { campaign: 'Random', company: null, items },
    simulatedRecipients: {
      seed: 1 + below(1_000_000),
      shares: {
        ...{ open: share(0.4, 0.9), click: share(0.3, 0.6), unsubscribe: share(0, 0.2) },
        ...{ complaint: share(0, 0.05), bounce: share(0, 0.2) },
      },
    },
  };
}
