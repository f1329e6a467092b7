/** Unread messages on the pages: delivered since the sandbox started, and not opened since. */
import { expect, it } from 'vitest';
import { createUnreadMessageTracker } from '../../../src/sandbox/pages/page.ts';

it('earlier deliveries are read, and later ones are unread until they are opened', () => {
  const marks = createUnreadMessageTracker(100);
  expect(marks.isUnread('t1-1', 99)).toBe(false);
  expect(marks.isUnread('t1-1', 100)).toBe(true);
  marks.markAsRead('t1-1', 100);
  expect(marks.isUnread('t1-1', 100)).toBe(false);
  expect(marks.isUnread('t1-2', 100)).toBe(true);
});

it('a send that continues after it was opened becomes unread again', () => {
  const marks = createUnreadMessageTracker(100);
  marks.markAsRead('task:1', 150);
  expect([marks.isUnread('task:1', 150), marks.isUnread('task:1', 151)]).toEqual([false, true]);
  // An older page of its list does not make newer messages unread.
  marks.markAsRead('task:1', 120);
  expect(marks.isUnread('task:1', 150)).toBe(false);
});

it('marks everything up to a time as read at once', () => {
  const marks = createUnreadMessageTracker(100);
  marks.markAllAsRead(200);
  expect([marks.isUnread('a', 200), marks.isUnread('a', 201)]).toEqual([false, true]);
});

it('keeps a limited number of marks, and dropped ones do not become unread', () => {
  const marks = createUnreadMessageTracker(0);
  for (let at = 0; at < 20_001; at += 1) marks.markAsRead(`t1-${at}`, at + 1);
  expect(marks.isUnread('t1-0', 1)).toBe(false);
});
