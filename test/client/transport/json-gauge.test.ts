/** Acceptance, F2: what is too deep or too manifold is seen as it comes in, whatever parts it comes in. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createJsonGauge,
  MAX_ANSWER_DEPTH,
  MAX_ANSWER_VALUES,
} from '../../../src/client/transport/json-gauge.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** The first thing said of it, part by part. */
function gauged(text: string, size: number): string | undefined {
  const gauge = createJsonGauge();
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length; at += size) {
    const excess = gauge.add(octets.subarray(at, at + size));
    if (excess !== undefined) return excess;
  }
  return undefined;
}

const nested = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.integer({ min: 0, max: 270 }), fc.boolean())
  .map(([inner, levels, inObjects]) =>
    inObjects
      ? `${'{"[{\\"":'.repeat(levels)}${inner}${'}'.repeat(levels)}`
      : `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`,
  );

it('says that JSON is too deep exactly where it is', () => {
  fc.assert(
    fc.property(nested, fc.integer({ min: 1, max: 50 }), (text, size) => {
      const value: unknown = JSON.parse(text);
      const isJson = typeof value === 'object' && value !== null;
      const expected = isJson && depthOf(value) > MAX_ANSWER_DEPTH ? 'too-deep' : undefined;
      expect(gauged(text, size)).toBe(expected);
    }),
  );
});

it.each([
  [MAX_ANSWER_VALUES, undefined],
  [MAX_ANSWER_VALUES + 1, 'too-manifold'],
] as const)('counts %i values over all parts', (values, expected) => {
  // The array itself is one, and each comma another.
  expect(gauged(`[${'0,'.repeat(values - 1)}0]`, 100_000)).toBe(expected);
});

it.each(['<html>[[[', 'plain [[[ text', ''])('has nothing to say of what is no JSON: %j', (text) => {
  expect(gauged(text.padEnd(2000, '['), 100)).toBe(text === '' ? 'too-deep' : undefined);
});
