/** Interface, "task" and "States and transitions": the words that a table shows for cancelled, completed and the times. */
import { expect, it } from 'vitest';
import { type TaskRecord, taskStatus } from '../../src/service/resources/task.ts';

const NOW = 1_800_000_000;
const task = {
  ...{ cancelled: false, completed: false, scheduledtime: NOW, endtime: null },
  ...{ size: 10_000, rate: null as number | null },
};
const over = { ...task, completed: true, endtime: NOW + 7200 };

it.each([
  ['before its time', task, NOW - 1, 'scheduled'],
  ['at its time', task, NOW, 'sending'],
  ['completed', over, NOW + 9000, 'completed'],
  ['cancelled before its time', { ...task, cancelled: true, endtime: NOW - 60 }, NOW, 'cancelled'],
  ['cancelled while it was sent', { ...over, completed: false, cancelled: true }, NOW + 9000, 'cancelled'],
  // Two hours at 1,000 per hour begin and end within three hours of the clock, plus one hour of tolerance.
  ['ended long before its rate permits', { ...over, rate: 1000 }, NOW + 9000, 'stopped'],
  ['ended when its rate permits', { ...over, rate: 5000 }, NOW + 9000, 'completed'],
  ['ended within the hour, sent at once', { ...over, endtime: NOW + 1, rate: 10_000 }, NOW, 'completed'],
])('%s: %s at %i is %s', (_, record, now, status) => {
  expect(taskStatus(record as TaskRecord, now)).toBe(status);
});
