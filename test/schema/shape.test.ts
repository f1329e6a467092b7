/** Checks JSON from outside against a shape: files that svc stores, and plans that people approve (contract, "Campaigns as files"). */
import { describe, expect, it } from 'vitest';
import {
  bool,
  checked,
  createShape,
  either,
  fits,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  objectVariants,
  objectWithAnyMemberNames,
  objectWithAtLeast,
  oneOfValues,
  orNull,
  type ShapeCheck,
  ShapeError,
  scalar,
  text,
} from '../../src/kit/schema/shape.ts';
import { isObject, parseJsonObject } from '../../src/kit/text/json-object.ts';

const pet = object({ name: text, age: nonNegativeInteger }, { tags: listOf(text) });

describe('a shape', () => {
  const ACCEPTED: readonly (readonly [name: string, shape: ShapeCheck, value: unknown])[] = [
    ['required members', pet, { name: 'Rex', age: 0 }],
    ['an optional member', pet, { name: 'Rex', age: 3, tags: ['good'] }],
    ['null if it may be null', orNull(text), null],
    ['members of any names', objectWithAnyMemberNames(bool), { a: true, __proto: false }],
    ['members that it does not name', objectWithAtLeast({ a: text }), { a: '', b: 1 }],
    ['one of its values', oneOfValues(1, 'x'), 'x'],
    ['each scalar', listOf(scalar), ['', 0, false, null]],
    [
      'the first of two members',
      either({ id: object({ id: text }), key: objectWithAtLeast({}) }),
      { id: 'a' },
    ],
    [
      'the second of two members',
      either({ id: object({ id: text }), key: objectWithAtLeast({}) }),
      { key: 1 },
    ],
    ['a word of a pattern', matching(/^a/, ''), 'ab'],
    [
      'the shape that the member selects',
      objectVariants('kind', { pet: objectWithAtLeast({ kind: oneOfValues('pet') }) }),
      { kind: 'pet' },
    ],
  ];
  it.each(ACCEPTED)('accepts %s', (_, shape, value) => {
    expect(fits(shape, value)).toBe(true);
    expect(checked(shape, value)).toBe(value);
  });

  const REFUSED: readonly (readonly [shape: ShapeCheck, value: unknown, message: string])[] = [
    [pet, [], 'must be an object'],
    [pet, { name: 'Rex' }, 'age is missing'],
    [pet, { name: 'Rex', age: -1 }, 'age must be a whole number of at least 0'],
    [pet, { name: 'Rex', age: 1, color: '' }, 'has no member "color"'],
    [pet, { name: 'Rex', age: 1, tags: ['a', 2] }, 'tags[1] must be text'],
    [text, 1, 'must be text'],
    [bool, 'true', 'must be true or false'],
    [nonNegativeInteger, 2 ** 53, 'must be a whole number of at least 0'],
    [nonNegativeInteger, '7', 'must be a whole number of at least 0'],
    [scalar, {}, 'must be text, a number, true, false or null'],
    [orNull(text), 1, 'must be text'],
    [listOf(listOf(text)), [['a'], [1]], '[1][0] must be text'],
    [objectWithAnyMemberNames(text), { a: { b: 1 } }, 'a must be text'],
    [object({ a: object({ b: text }) }), { a: { b: 1 } }, 'a.b must be text'],
    [object({ a: text }), { a: '', toString: '' }, 'has no member "toString"'],
    [object({ a: text }), { a: '', ['x'.repeat(70)]: '' }, `has no member "${'x'.repeat(60)}"`],
    [objectWithAnyMemberNames(text), { '1a': 1 }, '"1a" must be text'],
    [objectWithAnyMemberNames(text), { 'a-b_1': 1 }, 'a-b_1 must be text'],
    [objectWithAnyMemberNames(text), { ['ä'.repeat(70)]: 1 }, `"${'ä'.repeat(60)}" must be text`],
    [matching(/^a/, 'a word with a'), ['a'], 'must be a word with a'],
    [objectVariants('kind', { pet, man: pet }), {}, 'kind must be pet, man'],
    [objectVariants('kind', { pet }), { kind: 'pet' }, 'has no member "kind"'],
    [either({ id: object({ id: text }) }), { id: 1 }, 'id must be text'],
    [objectWithAnyMemberNames(pet), { 'a b': { name: 1, age: 1 } }, '"a b".name must be text'],
    [matching(/^a/, 'a word with a'), 'b', 'must be a word with a'],
    [objectWithAtLeast({ a: text }), {}, 'a must be text'],
    [oneOfValues(1, 'x'), '1', 'must be 1, x'],
    [listOf(text), {}, 'must be a list'],
    [either({ id: object({ id: text }), key: object({ key: text }) }), {}, 'must have id or key'],
    [objectVariants('kind', { pet }), { kind: 'toString' }, 'kind must be pet'],
  ];
  it.each(REFUSED)('rejects case %#', (shape, value, message) => {
    expect(fits(shape, value)).toBe(false);
    expect(() => checked(shape, value)).toThrow(new ShapeError('', message));
  });

  it('passes on an error that its test throws', () => {
    const bug = new TypeError('a bug');
    const broken = createShape(() => {
      throw bug;
    }, '');
    expect(() => fits(broken, 1)).toThrow(bug);
  });
});

describe('objects', () => {
  it.each([null, [], 'a', 1, undefined])('are not %j', (value) => expect(isObject(value)).toBe(false));

  it.each(['', '{', '[]', 'null', '"a"'])('are not in the text %j', (json) =>
    expect(parseJsonObject(json)).toBeUndefined(),
  );

  it('are returned from a text', () => expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 }));
});
