/** The methods, filters, sort keys, ids and bodies of a declaration (interface, "Resources and their fields"). */
import { describe, expect, it } from 'vitest';
import { filterableAndSortable, id, int, sortable, string } from '../../src/kit/schema/field.ts';
import {
  assertNever,
  defaultSortAttributesOf,
  defineResource,
  filtersOf,
  joinCompositeId,
  METHODS,
  type Methods,
  parseResourceId,
  payloadAttributesFor,
  sortAttributesOf,
  supports,
  type Values,
} from '../../src/kit/schema/resource.ts';
import { keysOf } from '../../src/kit/text/json-object.ts';

const fields = {
  id: id('Id'),
  name: string('Name', filterableAndSortable),
  size: int('Size', sortable),
  note: string('Note'),
};
const about = {
  name: 'thing',
  noun: 'thing',
  describe: 'A thing',
  singular: 'a thing',
  plural: 'things',
  fields,
  identifiedBy: [],
  columns: [],
} as const;
const thing = defineResource({ ...about, methods: {} });
const pair = defineResource({
  ...about,
  methods: {},
  compositeId: ['size', 'name'],
  order: ['size', 'name'],
});

describe('a method', () => {
  const declared: Required<Methods<'id' | 'name'>> = {
    get: {},
    head: { attributes: ['id'] },
    post: {},
    put: {},
    delete: { by: ['id'] },
  };
  it.each(METHODS)('%s exists if it is declared', (method) => {
    const name = method.toLowerCase() as keyof typeof declared;
    expect(supports(thing, method)).toBe(false);
    const alone = defineResource({ ...about, methods: { [name]: declared[name] } });
    expect(METHODS.filter((each) => supports(alone, each))).toEqual([method]);
  });
});

describe('a body', () => {
  const methods: Methods<'name' | 'size' | 'note' | 'id'> = {
    post: { required: ['name'], optional: ['size'], partner: { required: ['note'], optional: ['id'] } },
    put: { optional: ['note'] },
  };
  const sized = defineResource({ ...about, methods });
  it.each([
    ['POST', 'company', { required: ['name'], optional: ['size'] }],
    ['POST', 'partner', { required: ['name', 'note'], optional: ['size', 'id'] }],
    ['PUT', 'company', { required: [], optional: ['note'] }],
    ['PUT', 'partner', { required: [], optional: ['note'] }],
  ] as const)('of %s by a %s', (method, as, expected) => {
    expect(payloadAttributesFor(sized, method, as)).toEqual(expected);
  });

  it('is empty for a method that is not declared', () => {
    expect(payloadAttributesFor(thing, 'POST', 'partner')).toEqual({ required: [], optional: [] });
    expect(payloadAttributesFor(thing, 'PUT', 'company')).toEqual({ required: [], optional: [] });
  });
});

describe('the marks', () => {
  it('F and S are read from the fields, in their order', () => {
    expect(keysOf(fields)).toEqual(['id', 'name', 'size', 'note']);
    expect(filtersOf(thing)).toEqual(['id', 'name']);
    expect(sortAttributesOf(thing)).toEqual(['id', 'name', 'size']);
  });

  it('sort by id if no order is declared', () => {
    expect(defaultSortAttributesOf(thing)).toEqual(['id']);
    expect(defaultSortAttributesOf(pair)).toEqual(['size', 'name']);
  });
});

describe('an id', () => {
  it.each([
    ['12', 12],
    ['2_1', undefined],
    ['x', undefined],
  ])('of one part: %s', (text, expected) => {
    expect(parseResourceId(thing, text)).toBe(expected);
  });

  it.each([
    ['2_1', true],
    [`${'1'.repeat(40)}_1`, true],
    [`${'1'.repeat(41)}_1`, false],
    ['2', false],
    ['2_1_3', false],
    ['2_', false],
    ['2_x', false],
    ['x2_1', false],
    ['2x_1', false],
  ])('of two parts: %s', (text, isOne) => {
    expect(parseResourceId(pair, text)).toBe(isOne ? text : undefined);
  });

  it.each<readonly [string, Values, string | undefined]>([
    ['both parts', { size: 2, name: 'x' }, '2_x'],
    ['a part that is 0', { size: 0, name: 'x' }, '0_x'],
    ['a part missing', { size: 2 }, undefined],
    ['a part null', { size: 2, name: null }, undefined],
  ])('from %s', (_name, values, expected) => {
    expect(joinCompositeId(pair, values)).toBe(expected);
  });

  it('has no parts if none are declared', () => {
    expect(joinCompositeId(thing, { id: 1 })).toBeUndefined();
  });
});

it('a case that the compiler excludes is an error that names it', () => {
  expect(() => assertNever('x' as never)).toThrow('unexpected x');
});
