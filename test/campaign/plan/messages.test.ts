/** Contract, "Campaigns as files": the whole step of a folder or a message, with its changes, from records alone. */
import { describe, expect, it } from 'vitest';
import { computeFolderNameHash } from '../../../src/features/campaign/marks.ts';
import type { WantedItem } from '../../../src/features/campaign/model.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import { email, text } from '../support.ts';
import { folder, folderRow, marked, messageRow, type Rows, spring, stepsOf } from './records.ts';

const stepOf = (item: WantedItem, rows: Rows, options: Partial<PlanOptions> = {}) =>
  stepsOf([item], rows, options)[0];

describe('a folder', () => {
  const shown = { kind: 'folder', key: 'news', name: 'News' };
  const byHand = { folders: [folderRow({ name: marked(folder('Hand'), computeFolderNameHash('News')) })] };
  it('shows its change, and changes by others', () => {
    expect(stepOf(folder(), {})).toEqual({ ...shown, action: 'create' });
    expect(stepOf(folder(), { folders: [folderRow()] })).toEqual({ ...shown, action: 'keep', id: '1' });
    const reason = 'folder 1 was renamed by hand: Hand';
    expect(stepOf(folder(), byHand)).toEqual({
      ...shown,
      action: 'blocked',
      blockedBy: 'drift',
      id: '1',
      reason,
    });
    expect(stepOf(folder(), byHand, { overwrite: true })).toEqual({
      ...{ ...shown, action: 'change', id: '1' },
      changes: [{ attribute: 'name', from: 'Hand', to: 'News' }],
    });
  });

  it('is kept if two runs made it, because its deletion would delete its lists', () => {
    const reason = 'another run has also created folder 2, 3';
    const folders = [1, 2, 3].map((id) => folderRow({ id }));
    expect(stepOf(folder(), { folders })).toEqual({ ...shown, action: 'keep', id: '1', reason });
  });
});

describe('a message', () => {
  const shown = { kind: 'message', key: 'spring', name: 'Message spring', id: '1' };
  const other = email('spring', { subject: 'Other', html: '<p>Other</p>', text: 'Other' });
  // The contents appear as a diff.
  const changes = [{ attribute: 'subject', from: 'Hello', to: 'Other' }];
  it('shows its changes, but not its contents', () => {
    expect(stepOf(other, { emails: [messageRow(spring, 1)] })).toEqual({
      ...shown,
      action: 'change',
      changes,
    });
    const renamed = { ...spring, name: 'Renamed' };
    expect(stepOf(renamed, { emails: [messageRow(spring, 1)] })).toEqual({
      ...{ ...shown, name: 'Renamed', action: 'change' },
      changes: [{ attribute: 'name', from: 'Message spring', to: 'Renamed' }],
    });
    const more = email('spring', { friendlink: true });
    expect(stepOf(more, { emails: [messageRow(spring, 1)] })).toMatchObject({
      changes: [{ attribute: 'friendlink', from: null, to: true }],
    });
  });

  // Contract: "A locked message is replaced by a new version".
  it('is replaced if it is in use', () => {
    const reason = 'email message 1 is in use, so it cannot be changed';
    const emails = [messageRow(spring, 1, { editable: 0 })];
    expect(stepOf(other, { emails })).toEqual({ ...shown, action: 'replace', reason, changes });
  });

  it('of the other channel is not a version of it', () => {
    expect(stepOf(spring, { texts: [messageRow(text('spring'), 1)] })?.action).toBe('create');
  });

  it('is reported if it was changed by hand, unless another version is unchanged', () => {
    const byHand = messageRow(spring, 1, { subject: 'By hand' });
    const reason = 'email message 1 was changed by hand';
    expect(stepOf(spring, { emails: [byHand] })).toEqual({
      ...shown,
      action: 'blocked',
      blockedBy: 'drift',
      reason,
    });
    expect(stepOf(spring, { emails: [byHand, messageRow(spring, 2)] })).toEqual({
      ...shown,
      action: 'keep',
      id: '2',
    });
  });
});
