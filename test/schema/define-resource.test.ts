/**
 * Checks of a declaration by the compiler: each `@ts-expect-error` fails `npm run types` if the next line has no
 * error.
 */
import { describe, expect, it } from 'vitest';
import { filterableAndSortable, id, string } from '../../src/kit/schema/field.ts';
import { defineResource, defineValidationRule } from '../../src/kit/schema/resource.ts';

const fields = { id: id('Id'), name: string('Name', filterableAndSortable) };
const rest = {
  noun: 'thing',
  describe: 'A thing',
  singular: 'a thing',
  plural: 'things',
  methods: { get: {} },
};

describe('a name that is not a field of the resource does not compile', () => {
  it('in its columns', () => {
    // @ts-expect-error: nmae is not a field
    defineResource({ ...rest, name: 'thing', fields, identifiedBy: [], columns: ['id', 'nmae'] });
  });
  it('in the attributes of a method', () => {
    const post = { ...rest, methods: { get: {}, post: { required: ['nmae'] as const } } };
    // @ts-expect-error: nmae is not a field
    defineResource({ ...post, name: 'thing', fields, identifiedBy: [], columns: [] });
  });
  it('in its identifying attributes, and in its name for people', () => {
    // @ts-expect-error: nmae is not a field
    defineResource({ ...rest, name: 'thing', fields, identifiedBy: ['nmae'], columns: [] });
    // @ts-expect-error: nmae is not a field
    defineResource({ ...rest, name: 'thing', fields, identifiedBy: [], columns: [], calledBy: 'nmae' });
  });
  it('in its composite id', () => {
    // @ts-expect-error: nmae is not a field
    defineResource({ ...rest, name: 'thing', fields, identifiedBy: [], columns: [], compositeId: ['nmae'] });
  });
  it('in the warning before a deletion', () => {
    const deleteWarning = { consequence: ({ nmae }: { readonly nmae?: unknown }) => String(nmae) };
    // @ts-expect-error: nmae is not a field
    defineResource({ ...rest, name: 'thing', fields, identifiedBy: [], columns: [], deleteWarning });
  });
  it('in a rule', () => {
    const rule = defineValidationRule({
      section: '',
      text: '',
      attributes: ['nmae'],
      check: () => undefined,
    });
    // @ts-expect-error: nmae is not a field
    defineResource({ ...rest, name: 'thing', fields, identifiedBy: [], columns: [], rules: [rule] });
  });
});

describe('a declaration that names its own fields', () => {
  it('has the type of the resource, as it was written', () => {
    const thing = defineResource({ ...rest, name: 'thing', fields, identifiedBy: ['name'], columns: ['id'] });
    expect(thing).toEqual({ ...rest, name: 'thing', fields, identifiedBy: ['name'], columns: ['id'] });
  });
});
