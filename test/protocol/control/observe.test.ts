/** Contract, "The everyday screen": whom a message of the outbox went to. */
import { expect, it } from 'vitest';
import { readRecipient } from '../../../src/protocol/control/observe.ts';

it.each([
  [' a@example.com ', 'a@example.com'],
  ['+447700900123', '447700900123'],
  ['447700900123', '447700900123'],
  ['HTTPS://example.com/hook', 'HTTPS://example.com/hook'],
  ['http://example.com/@x', 'http://example.com/@x'],
  ['http://', undefined],
  ['xhttp://example.com', undefined],
  ['a@', undefined],
  ['example.com', undefined],
  ['ftp://example.com', undefined],
  ['', undefined],
])('%j', (text, recipient) => {
  expect(readRecipient(text)).toBe(recipient);
});
