/** Interface, "Errors": 400 names the missing attributes of a body, and its faults. Both ends of the wire report the same. */
import { describe, expect, it } from 'vitest';
import {
  bool,
  decimal,
  type Field,
  filterableAndSortable,
  id,
  int,
  oneOf,
  orNull,
  string,
} from '../../src/kit/schema/field.ts';
import { DEFAULT_CONTENT_MARKUP_NAMES, defineResource, type Values } from '../../src/kit/schema/resource.ts';
import { checkPayload, checkValidationRules, checkValue } from '../../src/kit/schema/validator.ts';
import { said } from '../support/said.ts';

describe('a value', () => {
  it.each<readonly [string, Field, unknown]>([
    ['a whole number', int(''), 7],
    ['its least', int('', { min: 1 }), 1],
    ['its most', int('', { max: 9 }), 9],
    ['a large number', int(''), 9007199254740993n],
    ['a large number at its least', int('', { min: 2 ** 53 }), 9007199254740992n],
    ['a large number at its most', int('', { max: 2 ** 53 }), 9007199254740992n],
    ['a fraction of a decimal', decimal(''), 1.5],
    ['a large number of a decimal', decimal(''), 9007199254740993n],
    ['true', bool(''), true],
    ['null if it is allowed', orNull(bool('')), null],
    ['one of the allowed values', oneOf(['a', 2], ''), 2],
    ['a text of the least octets', string('', { octets: [2, 4] }), 'é'],
    ['a text of the most octets', string('', { octets: [2, 4] }), 'éé'],
  ])('accepts %s', (_name, field, value) => {
    expect(checkValue('x', field, value)).toEqual({ value });
  });

  it.each<readonly [string, Field, unknown, object]>([
    ['a fraction', int(''), 1.5, { reason: 'must be a whole number' }],
    ['text for a number', orNull(int('')), '7', { reason: 'must be a whole number, or null' }],
    ['less than its least', int('', { min: 1 }), 0, { reason: 'must be 1 or more' }],
    ['more than its most', int('', { max: 9 }), 10, { reason: 'must be 9 or less' }],
    ['less than its least, large', int('', { min: 1 }), -9007199254740993n, { reason: 'must be 1 or more' }],
    ['more than its most, large', int('', { max: 9 }), 9007199254740993n, { reason: 'must be 9 or less' }],
    ['less than the least decimal', decimal('', { min: 1 }), 0.5, { reason: 'must be 1 or more' }],
    ['text for a decimal', decimal(''), '1.5', { reason: 'must be a number' }],
    ['text for a decimal or null', orNull(decimal('')), '1.5', { reason: 'must be a number, or null' }],
    ['a large number for a text', string(''), 9007199254740993n, { reason: 'must be text' }],
    ['a number for a text or null', orNull(string('')), 7, { reason: 'must be text, or null' }],
    ['a text for a boolean', bool(''), 'true', { reason: 'must be true or false' }],
    ['a text for a boolean or null', orNull(bool('')), 'true', { reason: 'must be true or false, or null' }],
    ['null', bool(''), null, { reason: 'must be true or false' }],
    ['none of the allowed values', oneOf(['a', 2], ''), 'b', { reason: 'must be one of a, 2' }],
    ['too few octets', string('', { octets: [2, 4] }), 'x', { reason: 'must be 2 to 4 bytes long' }],
    ['too many octets', string('', { octets: [2, 4] }), 'ééx', { reason: 'must be 2 to 4 bytes long' }],
    [
      'milliseconds',
      decimal('', { format: 'timestamp' }),
      1_796_115_600_000,
      { reason: 'must be Unix seconds', instead: 'divide a time in milliseconds by 1000' },
    ],
    [
      'a large number of seconds',
      decimal('', { format: 'timestamp' }),
      9007199254740993n,
      { reason: 'must be Unix seconds', instead: 'divide a time in milliseconds by 1000' },
    ],
    [
      'another form',
      string('', { format: 'country' }),
      'gb',
      { reason: 'must be a country code of two capital letters (ISO 3166-1 alpha-2)', instead: 'write GB' },
    ],
    [
      'U+0000',
      string(''),
      'a\0',
      { reason: 'holds U+0000, at which many programs end a text', instead: 'remove it' },
    ],
  ])('rejects %s with its reason', (_name, field, value, finding) => {
    const checked = checkValue('x', field, value);
    expect('finding' in checked && said(checked.finding)).toEqual({ attribute: 'x', value, ...finding });
  });

  it.each([
    ['short', 'secret'],
    ['broken', 'secret77\0'],
  ])('does not repeat a %s password', (_name, value) => {
    const result = checkValue('x', string('', { format: 'password' }), value);
    expect(result).toMatchObject({ finding: { value: undefined } });
  });
});

const thing = defineResource({
  name: 'thing',
  noun: 'thing',
  describe: 'A thing',
  singular: 'a thing',
  plural: 'things',
  fields: {
    id: id('Id'),
    name: string('Name', filterableAndSortable),
    note: orNull(string('Note')),
    owner: int('Owner'),
    tag: string('Tag'),
    paused: bool('Paused'),
    made: int('Made'),
    phone: string('Phone', { format: 'msisdn' }),
  },
  methods: {
    post: {
      required: ['name', 'note'],
      optional: ['tag', 'phone'],
      partner: { required: ['owner'], optional: ['made'] },
    },
    put: { optional: ['name', 'paused', 'tag'] },
  },
  rules: [
    {
      section: 'thing 1',
      text: 'Tag is not name',
      attributes: ['name', 'tag'],
      check: ({ name, tag }) =>
        name !== undefined && name === tag ? { attribute: 'tag', reason: 'is the name' } : undefined,
    },
    {
      section: 'thing 2',
      text: 'Paused needs a tag',
      attributes: ['paused', 'tag'],
      needs: ['paused'],
      check: ({ paused, tag }) =>
        paused === true && !tag ? { attribute: 'tag', reason: 'is needed' } : undefined,
    },
  ],
  identifiedBy: [],
  columns: [],
});

describe('a body', () => {
  const post =
    (body: Values, as: 'company' | 'partner' = 'company') =>
    () =>
      checkPayload(thing, 'POST', as, body);
  const put = (body: Values) => () => checkPayload(thing, 'PUT', 'company', body);

  it.each([
    ['the required', post({ name: 'a', note: null }), { name: 'a', note: null }],
    [
      'optional attributes, in their stored form',
      post({ name: 'a', note: 'b', tag: 'c', phone: '+447700900123' }),
      { name: 'a', note: 'b', tag: 'c', phone: '447700900123' },
    ],
    [
      "a partner's own",
      post({ name: 'a', note: null, owner: 1, made: 2 }, 'partner'),
      { name: 'a', note: null, owner: 1, made: 2 },
    ],
    ['the id of a PUT', put({ id: 7, name: 'a' }), { id: 7, name: 'a' }],
    ['an empty PUT', put({}), {}],
  ])('%s', (_name, check, expected) => {
    const { values, findings } = check();
    expect(findings).toEqual([]);
    expect(values).toEqual(expected);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });

  const good = { name: 'a', note: null };
  it.each<readonly [string, ReturnType<typeof post>, readonly object[]]>([
    [
      'missing attributes, but not a null',
      post({ tag: 'x' }),
      [
        { attribute: 'name', reason: 'is required' },
        { attribute: 'note', reason: 'is required' },
      ],
    ],
    ["a partner's required", post(good, 'partner'), [{ attribute: 'owner', reason: 'is required' }]],
    [
      'an attribute that does not exist, without its value',
      post({ ...good, colour: 'secret77' }),
      [{ attribute: 'colour', value: undefined, reason: 'is not an attribute of thing', instead: undefined }],
    ],
    [
      'a misspelt attribute, and the similar one',
      post({ ...good, 'No-Te': 'x' }),
      [
        {
          attribute: 'No-Te',
          value: undefined,
          reason: 'is not an attribute of thing',
          instead: 'did you mean note?',
        },
      ],
    ],
    [
      'a property that every object has',
      post({ ...good, toString: 'x' } as unknown as Values),
      [
        {
          attribute: 'toString',
          value: undefined,
          reason: 'is not an attribute of thing',
          instead: undefined,
        },
      ],
    ],
    [
      'the id of a POST',
      post({ ...good, id: 7 }),
      [{ attribute: 'id', value: 7, reason: 'is set by the service; POST does not accept it' }],
    ],
    [
      "a partner's own",
      post({ ...good, made: 7 }),
      [{ attribute: 'made', value: 7, reason: 'can be set only by a partner' }],
    ],
    [
      'attributes of a PUT',
      post({ ...good, paused: true }),
      [{ attribute: 'paused', value: true, reason: 'can be set only on one that exists (PUT)' }],
    ],
    [
      'attributes that a POST requires, in a PUT',
      put({ note: 'x' }),
      [{ attribute: 'note', value: 'x', reason: 'cannot be changed once a thing exists' }],
    ],
    [
      'attributes that a POST permits, in a PUT',
      put({ phone: 'x' }),
      [{ attribute: 'phone', value: 'x', reason: 'cannot be changed once a thing exists' }],
    ],
    [
      'attributes that no method sets',
      put({ made: 7 }),
      [{ attribute: 'made', value: 7, reason: 'is read-only' }],
    ],
    [
      'a wrong value',
      put({ name: 7 }),
      [{ attribute: 'name', value: 7, reason: 'must be text', instead: undefined }],
    ],
    ['a rule that is broken', put({ name: 'a', tag: 'a' }), [{ attribute: 'tag', reason: 'is the name' }]],
    [
      'no rule of a wrong value',
      put({ name: 7, tag: 'a' }),
      [{ attribute: 'name', value: 7, reason: 'must be text', instead: undefined }],
    ],
    ['no rule of half of its attributes', put({ tag: 'a' }), []],
    [
      'a rule that only needs its own attributes',
      put({ paused: true }),
      [{ attribute: 'tag', reason: 'is needed' }],
    ],
  ])('the error names %s', (_name, check, expected) => {
    expect(check().findings.map((finding) => said(finding))).toEqual(expected);
  });

  // Wire, "Vendor names", `null-optional`: clients of some deployments omit attributes instead of sending null.
  it('has null for omitted attributes, if a deployment permits that', () => {
    const words = { ...DEFAULT_CONTENT_MARKUP_NAMES, nullOptional: true };
    expect(checkPayload(thing, 'POST', 'company', { name: 'a' }, words)).toEqual({
      values: good,
      findings: [],
    });
    expect(checkPayload(thing, 'POST', 'company', { note: 'b' }, words).findings).toEqual([
      { attribute: 'name', reason: { kind: 'required' } },
    ]);
  });
});

it('a record is checked by the rules with all of its values', () => {
  expect(checkValidationRules(thing, { name: 'a', tag: 'a', paused: true })).toEqual([
    { attribute: 'tag', reason: 'is the name' },
  ]);
  expect(checkValidationRules(thing, { paused: true })).toEqual([{ attribute: 'tag', reason: 'is needed' }]);
  expect(checkValidationRules(defineResource({ ...thing, rules: [] }), { name: 'a', tag: 'a' })).toEqual([]);
});
