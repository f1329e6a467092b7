/** The check that keeps an address from occurring twice in a message. */
import { expect, it } from 'vitest';
import { mentionsAddress } from '../../src/text/postal-address.ts';

it.each([
  ['Harbour Coffee, 12 Quayside, Bristol', '12 Quayside, Bristol', true],
  ['BRISTOL\nQuayside 12', '12 Quayside, Bristol', true],
  ['12 Quayside', '12 Quayside, Bristol', true],
  ['We roast in Bristol', '12 Quayside, Bristol', false],
  ['', '12 Quayside, Bristol', false],
  ['Anything', '', false],
  ['Anything', ' , ', false],
])('%j mentions %j: %s', (text, address, is) => {
  expect(mentionsAddress(text, address)).toBe(is);
});
