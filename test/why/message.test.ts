/** Interface, "States and transitions": "creation of a task referencing it" makes a message "not editable". */
import { describe, expect, it } from 'vitest';
import {
  describeDeletedMessage,
  explainLockedMessage,
  isEditable,
} from '../../src/features/insight/why-message.ts';
import {
  EMAIL_EDITOR_NUMBERS,
  type EmailMessageRecord,
  emailMessage,
} from '../../src/service/resources/email-message.ts';
import { smsMessage } from '../../src/service/resources/sms-message.ts';
import type { MessageRecord, TaskRecord } from '../../src/service/resources/task.ts';

const NOW = 1_800_000_000;
const scheduled = {
  ...{ id: 5, name: 'Sale', cancelled: false, completed: false },
  scheduledtime: NOW + 3600,
} as TaskRecord;

describe('a message', () => {
  it.each([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
  ])('with editable %s', (editable, is) => {
    expect(isEditable({ editable } as MessageRecord)).toBe(is);
  });

  it('names the tasks and the editor that lock it, and is never free', () => {
    const record = { id: 3, name: 'Spring', editable: false, editor: EMAIL_EDITOR_NUMBERS.classic };
    const message = record as EmailMessageRecord;
    const answer = explainLockedMessage(emailMessage, message, { tasks: [scheduled], rules: [] }, NOW);
    expect(answer).toMatchObject({ locked: true, free: null });
    expect(answer.by).toContainEqual({ kind: 'task', id: 5, name: 'Sale', until: null });
    expect(answer.by).toContainEqual(expect.objectContaining({ kind: 'editor', name: 'Classic Editor' }));
  });

  it('says so if it has no visible user', () => {
    const record = { id: 3, name: 'Spring' } as MessageRecord;
    const answer = explainLockedMessage(smsMessage, record, { tasks: [], rules: [] }, NOW);
    expect(answer.by).toEqual([]);
    expect(answer.words(String).reasons).toEqual(['No task that you can see uses the message.']);
  });
});

describe('a deleted message', () => {
  it('is still sent by a scheduled task, which can be cancelled', () => {
    const { message, hint } = describeDeletedMessage(emailMessage, 3, scheduled, NOW);
    expect(message).toContain('task 5 (Sale) still sends the message in 1 hour');
    expect(hint).toContain('svc task cancel 5');
  });

  it('was used by a completed task', () => {
    const { message } = describeDeletedMessage(emailMessage, 3, { ...scheduled, completed: true }, NOW);
    expect(message).toContain('task 5 (Sale) used the message');
  });
});
