/** Wire, "Vendor names": one table, in both directions. */
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_WIRE_NAMING,
  fromWireName,
  headerNames,
  namingOverridesOf,
  namingWithOverrides,
  parseNamingOverrides,
  renameKeys,
  toWireName,
} from '../../src/service/protocol/naming.ts';

describe('the neutral names', () => {
  it('are the defaults', () => {
    expect(DEFAULT_WIRE_NAMING).toEqual({
      headerPrefix: 'X-Svc-',
      companyScheme: 'SvcHash',
      partnerScheme: 'SvcPartner',
      tokenScheme: 'SvcToken',
      optInTag: '%svc_optin%',
      linkElement: 'svc_link',
      nameElement: 'svc_name',
      footer: 'full',
      fields: {},
      case: 'exact',
      nullOptional: false,
    });
    expect(namingWithOverrides()).toEqual(DEFAULT_WIRE_NAMING);
  });
});

describe('the names of a deployment', () => {
  const fields = { enablesocialnetworka: 'enablefriendface', enablecrm: 'enablesalesthing' };
  const naming = namingWithOverrides({ headerPrefix: 'X-Acme-', fields });

  it('are used in the headers', () => {
    expect(headerNames(naming)).toEqual({
      cid: 'x-acme-cid',
      uid: 'x-acme-uid',
      pid: 'x-acme-pid',
      nonce: 'x-acme-nonce',
      time: 'x-acme-time',
      clock: 'x-acme-clock',
    });
  });

  it('are converted in both directions', () => {
    for (const [neutral, own] of Object.entries(fields)) {
      expect(toWireName(naming, neutral)).toBe(own);
      expect(fromWireName(naming, own)).toBe(neutral);
    }
    for (const same of ['id', 'name', 'constructor', '__proto__', 'toString']) {
      expect(toWireName(naming, same)).toBe(same);
      expect(fromWireName(naming, same)).toBe(same);
    }
    const values = { id: 1, enablecrm: true, enablesocialnetworka: null };
    const sent = renameKeys(values, toWireName, naming);
    expect(sent).toEqual({ id: 1, enablesalesthing: true, enablefriendface: null });
    expect(renameKeys(sent, fromWireName, naming)).toEqual(values);
  });
});

describe('a key is accepted in the spelling of the file and of `profile set`', () => {
  it.each([
    [{ headerPrefix: 'X-Acme-' }, { headerPrefix: 'X-Acme-' }],
    [{ 'header-prefix': 'X-Acme-' }, { headerPrefix: 'X-Acme-' }],
    [
      { 'company-scheme': 'AcmeHash', partnerScheme: 'AcmePartner' },
      { companyScheme: 'AcmeHash', partnerScheme: 'AcmePartner' },
    ],
    [
      { case: 'any', 'null-optional': true },
      { case: 'any', nullOptional: true },
    ],
    [{ nullOptional: 'false' }, { nullOptional: false }],
  ])('%j', (overrides, read) => {
    expect(parseNamingOverrides(overrides)).toEqual(read);
    expect(namingWithOverrides(overrides)).toEqual({ ...DEFAULT_WIRE_NAMING, ...read });
  });

  it('lists the existing entries for an unknown one, in its spelling', () => {
    expect(() => namingWithOverrides({ headers: 'X-' })).toThrow(
      expect.objectContaining({
        message: 'headers is not a naming setting; naming settings define the names that this service uses',
        hint:
          'naming settings: header-prefix, company-scheme, partner-scheme, token-scheme, opt-in-tag, link-element, name-element, footer, ' +
          'case, null-optional, fields',
      }),
    );
  });
});

describe('an invalid override', () => {
  it.each([
    [
      'an unknown entry',
      { headers: 'X-' },
      'headers is not a naming setting; naming settings define the names that this service uses',
    ],
    [
      'a header prefix with a line break',
      { headerPrefix: 'X-A\r\nX-B' },
      'naming.headerPrefix cannot be "X-A\\r\\nX-B": write letters, digits and hyphens, such as X-Acme-',
    ],
    ['an empty prefix', { headerPrefix: '' }, 'cannot be ""'],
    ['a prefix of another type', { headerPrefix: 5 }, 'naming.headerPrefix cannot be 5'],
    ['a prefix in a list', { headerPrefix: ['X-'] }, 'naming.headerPrefix cannot be ["X-"]'],
    ['a scheme with a space', { companyScheme: 'Acme Hash' }, 'naming.companyScheme cannot be'],
    ['a tag with a quote', { optInTag: '%x"%' }, 'text without spaces, quotes, < and >'],
    ['an element with an angle', { linkElement: 'a>b' }, 'the name of an element'],
    [
      'fields that are not an object',
      { fields: 'x' },
      'naming.fields must be an object of attribute names, each with the name that your service uses instead: {"list_id": "listId"}',
    ],
    ['fields as a list', { fields: ['x'] }, 'naming.fields must be an object'],
    [
      'a field name with a dot',
      { fields: { enablecrm: 'a.b' } },
      'naming.fields.enablecrm cannot be "a.b": a name begins with a letter and has only letters, digits and _',
    ],
    [
      'an attribute with a dot',
      { fields: { 'a.b': 'enablecrm' } },
      'naming.fields.a.b cannot be "enablecrm"',
    ],
    [
      'two attributes with the same name',
      { fields: { enablecrm: 'x', enablecms: 'x' } },
      'naming.fields renames two attributes, enablecrm and enablecms, to the same name: x',
    ],
    ['a field name that is not a text', { fields: { enablecrm: 1 } }, 'naming.fields.enablecrm cannot be 1'],
    ['a field name in a list', { fields: { enablecrm: ['x'] } }, 'naming.fields.enablecrm cannot be ["x"]'],
    [
      'one entry in two spellings',
      { headerPrefix: 'X-A-', 'header-prefix': 'X-B-' },
      'naming has header-prefix twice',
    ],
    ['an invalid case', { case: 'lower' }, 'exact or any'],
    ['an invalid switch', { 'null-optional': 'yes' }, 'true or false'],
  ])('%s', (_, overrides, message) => {
    expect(() => namingWithOverrides(overrides)).toThrow(RangeError);
    expect(() => namingWithOverrides(overrides)).toThrow(message);
  });

  it('is an error with its name', () => {
    expect(() => namingWithOverrides({ case: 'lower' })).toThrow(
      expect.objectContaining({ name: 'NamingError' }),
    );
  });
});

describe('the differences from the neutral names', () => {
  it.each([
    ['nothing', {}, undefined],
    ['a neutral name that is given', { linkElement: 'svc_link' }, undefined],
    ['fields that are empty', { fields: {} }, undefined],
    ['an entry', { linkElement: 'a' }, { linkElement: 'a' }],
    ['fields', { fields: { enablecrm: 'x' } }, { fields: { enablecrm: 'x' } }],
  ])('%s', (_, overrides, expected) => {
    expect(namingOverridesOf(namingWithOverrides(overrides))).toEqual(expected);
  });
});

it.each([
  ['true', true],
  ['false', false],
  [true, true],
  [false, false],
])('accepts the text that profile set stores for a switch: %j', (given, nullOptional) => {
  expect(parseNamingOverrides({ nullOptional: given })).toEqual({ nullOptional });
});

it('keeps keys without names of a deployment, in a new object', () => {
  const values = { id: 1 };
  const renamed = renameKeys(values, () => 'x', DEFAULT_WIRE_NAMING);
  expect(renamed).toEqual({ id: 1 });
  expect(renamed).not.toBe(values);
});

it('makes the names of headers only once', () => {
  const naming = namingWithOverrides({ headerPrefix: 'X-Acme-' });
  expect(headerNames(naming)).toBe(headerNames(naming));
});
