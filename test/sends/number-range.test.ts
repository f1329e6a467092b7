import { expect, it } from 'vitest';
import { parseNumberRange } from '../../src/client/sends/cost.ts';

// Contract, "Safety": `--expect-size 9000..11000`
it.each([
  ['447', { from: 447, to: 447 }],
  ['9000..11000', { from: 9000, to: 11000 }],
  ['0..0', { from: 0, to: 0 }],
  ['11000..9000', undefined],
  ['', undefined],
  ['..5', undefined],
  ['5..', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1...2', undefined],
  ['1'.repeat(13), undefined],
])('%j', (text, range) => expect(parseNumberRange(text)).toEqual(range));
