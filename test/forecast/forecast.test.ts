/** Contract, "Insight": `svc forecast` compares the credits of the scheduled tasks, in the order of their time, with the balances. */
import { describe, expect, it } from 'vitest';
import {
  createCreditForecast,
  describeReachedLimits,
  type TaskPriceInputs,
} from '../../src/features/insight/forecast.ts';
import type { AccountRecord } from '../../src/service/resources/account.ts';
import type { TaskRecord } from '../../src/service/resources/task.ts';

const NOW = 1_800_000_000;
const PRICES: TaskPriceInputs = { isEmailFree: false, parts: new Map([[7, 3]]) };
const email = (id: number, size: number | null, scheduledtime = NOW + 60) =>
  ({
    ...{ id, channel: 'email', message_id: 5, size, scheduledtime, cancelled: false, completed: false },
  }) as TaskRecord;
const sms = (id: number, size: number, message_id = 7): TaskRecord => ({
  ...email(id, size),
  ...{ channel: 'sms', message_id },
});

function forecastOf(balance: number) {
  const forecast = createCreditForecast();
  for (const channel of ['email', 'sms'] as const) forecast.setBalance(channel, balance);
  return forecast;
}

describe('the balance after each task', () => {
  it('falls by a credit per recipient, and by a credit per part and recipient of an SMS', () => {
    const forecast = forecastOf(100);
    expect(forecast.add(email(1, 30), PRICES, NOW)).toMatchObject({ parts: 1, credits: 30, balance: 70 });
    expect(forecast.add(sms(2, 30), PRICES, NOW)).toMatchObject({ parts: 3, credits: 90, balance: 10 });
    expect(forecast.runsShort()).toBe(false);
    expect(forecast.notes()).toEqual([]);
  });

  it('does not fall for free e-mails', () => {
    const row = forecastOf(1).add(email(1, 30), { ...PRICES, isEmailFree: true }, NOW);
    expect(row).toMatchObject({ credits: 0, balance: 1 });
  });

  it('falls short at the first uncovered task, and adds up the missing credits', () => {
    const forecast = forecastOf(50);
    for (const id of [1, 2, 3]) forecast.add(email(id, 30), PRICES, NOW);
    expect(forecast.runsShort()).toBe(true);
    expect(forecast.notes().join()).toContain('40 e-mail credits are missing. The credits run out at task 2');
  });
});

describe('a note names', () => {
  it.each([
    ['a task without a size', email(1, null), PRICES, 'Task 1: size unknown'],
    ['a message that cannot be read', sms(1, 1, 8), PRICES, 'Task 1: message not readable'],
    ['a task that started', email(1, 1, NOW - 5), PRICES, 'Task 1: already being sent'],
    ['an unknown price', email(1, 1), { ...PRICES, isEmailFree: undefined }, 'Only an admin or partner'],
  ])('%s', (_, task, prices, note) => {
    const forecast = forecastOf(100);
    forecast.add(task, prices, NOW);
    expect(forecast.notes()).toEqual([expect.stringContaining(note)]);
  });

  it('at most five tasks', () => {
    const forecast = forecastOf(100);
    for (let id = 1; id <= 7; id += 1) forecast.add(email(id, null), PRICES, NOW);
    expect(forecast.notes()).toEqual([expect.stringMatching(/^Tasks 1, 2, 3, 4, 5 and 2 more: /)]);
  });

  it.each([
    [89, []],
    [90, ['The account has nearly reached a limit: 90 of 100 lists (list_limit).']],
    [100, ['The account has reached a limit: 100 of 100 lists (list_limit).']],
  ])('a limit with %s of 100 lists', (list_count, notes) => {
    const account = { list_limit: 100, list_count, subscriber_limit: null } as AccountRecord;
    expect(describeReachedLimits(account)).toEqual(notes);
  });
});
