/** The hashes in marks of 0.1.0 (`test/upgrades`). Another hash would make each record look changed by hand. */
import { expect, it } from 'vitest';
import { computePossibleHashesOfMessage } from '../../src/features/campaign/content.ts';

it('of a message stay the same, also if attributes with defaults are missing', () => {
  const email = { html: '<p>Hi</p>', text: 'Hi', subject: 'S' };
  expect(computePossibleHashesOfMessage('email', 'Spring', email, [])).toEqual(['ljyss2k', '4etsodi']);
  expect(computePossibleHashesOfMessage('sms', 'Spring', { message: 'Hi' }, [])).toEqual(['dca7aak']);
});
