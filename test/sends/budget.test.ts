/** Contract, "Budgets": "A budget's day is the day in the company's zone on which the send is due". */
import { describe, expect, it } from 'vitest';
import type { Budget } from '../../src/client/profiles/profile.ts';
import { overBudgetReason, type PlannedSend } from '../../src/client/sends/budget.ts';

const send = (local: string, more: Partial<PlannedSend> = {}): PlannedSend => ({
  due: Date.parse(local) / 1000,
  recipients: 1,
  credits: 1,
  tasks: 1,
  ...more,
});
const fault = (budget: Budget, zone: string, due: string, used: readonly string[] = []): string | undefined =>
  overBudgetReason(
    budget,
    zone,
    used.map((each) => send(each)),
    send(due),
  );

describe('a day', () => {
  it.each([
    // 2026-11-24 23:30 UTC is the 25th in Tokyo and still the 24th in New York.
    ['UTC', '2026-11-24T23:30Z', '2026-11-24T00:00Z', true],
    ['UTC', '2026-11-24T23:30Z', '2026-11-25T00:00Z', false],
    ['Asia/Tokyo', '2026-11-24T23:30Z', '2026-11-24T14:59Z', false],
    ['Asia/Tokyo', '2026-11-24T23:30Z', '2026-11-24T15:00Z', true],
    ['America/New_York', '2026-11-25T04:30Z', '2026-11-24T05:00Z', true],
    ['America/New_York', '2026-11-25T04:30Z', '2026-11-25T05:00Z', false],
    // Clocks go back in London on 25 October 2026: that day has 25 hours, from 23:00 UTC of the 24th to 24:00 UTC.
    ['Europe/London', '2026-10-24T23:00Z', '2026-10-25T23:59Z', true],
    ['Europe/London', '2026-10-24T22:59Z', '2026-10-25T23:59Z', false],
    // Clocks go forward in London on 28 March 2027: that day ends at 23:00 UTC.
    ['Europe/London', '2027-03-28T00:00Z', '2027-03-28T22:59Z', true],
    ['Europe/London', '2027-03-28T00:00Z', '2027-03-28T23:00Z', false],
  ])('in %s: %s and %s', (zone, due, used, isSame) => {
    const found = fault({ 'tasks-per-day': 1 }, zone, due, [used]);
    expect(found === undefined).toBe(!isSame);
  });
});

describe('hours', () => {
  it.each([
    ['Europe/London', '2026-10-23T07:30Z', undefined],
    ['Europe/London', '2026-10-26T07:30Z', 'Mon 2026-10-26 07:30 Europe/London'],
    ['Europe/London', '2026-10-23T19:00Z', 'Fri 2026-10-23 20:00 Europe/London'],
    ['Europe/London', '2026-10-26T19:59Z', undefined],
    ['Asia/Kolkata', '2026-10-26T02:29Z', 'Mon 2026-10-26 07:59 Asia/Kolkata'],
    ['Asia/Kolkata', '2026-10-26T02:30Z', undefined],
  ])('08:00-20:00 in %s at %s', (zone, due, local) => {
    const found = fault({ hours: '08:00-20:00' }, zone, due);
    expect(found).toBe(
      local && `budget: the profile allows sends to start only at 08:00-20:00, but this send is due ${local}`,
    );
  });

  it.each([
    ['22:00-06:00', '21:59', false],
    ['22:00-06:00', '22:00', true],
    ['22:00-06:00', '05:59', true],
    ['22:00-06:00', '06:00', false],
    ['00:00-24:00', '23:59', true],
    ['20:00-24:00', '23:59', true],
    ['20:00-24:00', '00:00', false],
  ])('%s at %s', (hours, at, fits) => {
    expect(fault({ hours }, 'UTC', `2026-11-24T${at}Z`) === undefined).toBe(fits);
  });
});

describe('days', () => {
  it.each([
    ['fri-mon', '2026-11-23', true],
    ['fri-mon', '2026-11-24', false],
    ['fri-mon', '2026-11-26', false],
    ['fri-mon', '2026-11-27', true],
    ['mon,wed', '2026-11-25', true],
    ['mon,wed', '2026-11-24', false],
    ['sun', '2026-11-29', true],
  ])('%s on %s', (days, on, fits) => {
    expect(fault({ days }, 'UTC', `${on}T12:00Z`) === undefined).toBe(fits);
  });
});

describe('an unknown number', () => {
  const budget = { 'recipients-per-day': 10 };
  const day = '2026-11-24T12:00Z';

  it('fits no limit, whether it belongs to this send or to another', () => {
    expect(overBudgetReason(budget, 'UTC', [], send(day, { recipients: null }))).toBe(
      'budget: the profile allows at most 10 recipients on 2026-11-24, earlier sends use 0, and this send needs an unknown number',
    );
    expect(overBudgetReason(budget, 'UTC', [send(day, { recipients: null }), send(day)], send(day))).toBe(
      'budget: the profile allows at most 10 recipients on 2026-11-24, earlier sends use 1 and an unknown number, and this send needs 1',
    );
    expect(
      overBudgetReason(budget, 'UTC', [send('2026-11-25T12:00Z', { recipients: null })], send(day)),
    ).toBeUndefined();
  });

  it('matters only to a budget that limits it', () => {
    expect(
      overBudgetReason({ 'tasks-per-day': 1 }, 'UTC', [], send(day, { recipients: null })),
    ).toBeUndefined();
  });
});
