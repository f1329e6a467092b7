/** Wire, "Vendor names": one table, both ways. */
import { describe, expect, it } from 'vitest';
import {
  fromWireName,
  headerNames,
  NEUTRAL_NAMING,
  namingWith,
  readOverrides,
  renameKeys,
  toWireName,
} from '../../src/protocol/naming.ts';

describe('the neutral names', () => {
  it('are the defaults', () => {
    expect(NEUTRAL_NAMING).toEqual({
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
    expect(namingWith()).toEqual(NEUTRAL_NAMING);
  });
});

describe("a deployment's own", () => {
  const fields = { enablesocialnetworka: 'enablefriendface', enablecrm: 'enablesalesthing' };
  const naming = namingWith({ headerPrefix: 'X-Acme-', fields });

  it('make the headers', () => {
    expect(headerNames(naming)).toEqual({
      cid: 'x-acme-cid',
      uid: 'x-acme-uid',
      pid: 'x-acme-pid',
      nonce: 'x-acme-nonce',
      time: 'x-acme-time',
      clock: 'x-acme-clock',
    });
  });

  it('go there and back', () => {
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

describe('keys as the file and as `profile set` spell them', () => {
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
    expect(readOverrides(overrides)).toEqual(read);
    expect(namingWith(overrides)).toEqual({ ...NEUTRAL_NAMING, ...read });
  });

  it('an entry that there is none of lists those that there are, as they are written', () => {
    expect(() => namingWith({ headers: 'X-' })).toThrow(
      expect.objectContaining({
        message: 'naming has no entry headers',
        hint:
          'entries: header-prefix, company-scheme, partner-scheme, token-scheme, opt-in-tag, link-element, name-element, footer, ' +
          'case, null-optional, fields',
      }),
    );
  });
});

describe('what an override may not say', () => {
  it.each([
    ['an entry that there is none of', { headers: 'X-' }],
    ['a header prefix with a line break', { headerPrefix: 'X-A\r\nX-B' }],
    ['an empty prefix', { headerPrefix: '' }],
    ['a prefix of another type', { headerPrefix: 5 }],
    ['a scheme with a space', { companyScheme: 'Acme Hash' }],
    ['a tag with a quote', { optInTag: '%x"%' }],
    ['an element with an angle', { linkElement: 'a>b' }],
    ['fields that are no object', { fields: 'x' }],
    ['a field name with a dot', { fields: { enablecrm: 'a.b' } }],
    ['two attributes with the same name', { fields: { enablecrm: 'x', enablecms: 'x' } }],
    ['a field name that is no text', { fields: { enablecrm: 1 } }],
    ['fields as a list', { fields: ['x'] }],
    ['one entry in two spellings', { headerPrefix: 'X-A-', 'header-prefix': 'X-B-' }],
    ['a case that is none', { case: 'lower' }],
    ['a switch that is none', { 'null-optional': 'yes' }],
  ])('%s', (_, overrides) => {
    expect(() => namingWith(overrides)).toThrow(RangeError);
  });
});
