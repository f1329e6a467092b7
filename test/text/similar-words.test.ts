import { expect, it } from 'vitest';
import { similarWords } from '../../src/kit/text/words.ts';

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
  expect(similarWords(word, WORDS)).toEqual(near);
});

it('returns at most three, and takes no longer for a long text', () => {
  expect(similarWords('aa', ['ab', 'ac', 'ad', 'ae'])).toEqual(['ab', 'ac', 'ad']);
  expect(similarWords('a'.repeat(1_000_000), WORDS)).toEqual([]);
});
