import { expect, it } from 'vitest';
import { nearWords } from '../../src/text/near.ts';

const WORDS = ['task', 'folder', 'form', 'sms', 'sms-message', 'scheduledtime', 'email'];

it.each([
  ['taks', ['task']],
  ['tas', ['task']],
  ['Folders', ['folder']],
  ['fodler', ['folder']],
  ['message', ['sms-message']],
  ['sms', ['sms', 'sms-message']],
  ['sheduledtime', ['scheduledtime']],
  ['campaign', []],
  ['x', []],
  ['', []],
])('%j is near %j', (word, near) => {
  expect(nearWords(word, WORDS)).toEqual(near);
});

it('names three at most, and takes no longer for a long text', () => {
  expect(nearWords('aa', ['ab', 'ac', 'ad', 'ae'])).toEqual(['ab', 'ac', 'ad']);
  expect(nearWords('a'.repeat(1_000_000), WORDS)).toEqual([]);
});
