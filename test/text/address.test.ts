import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  domainOf,
  isDomainName,
  isEmailAddress,
  kindOfContactdata,
  normaliseContactdata,
} from '../../src/text/address.ts';
import { depth } from '../support/depth.ts';

const label63 = 'a'.repeat(63);
const domain253 = `${`${label63}.`.repeat(3)}${'b'.repeat(57)}.com`;

// RFC 5321 sections 4.5.3.1.1 to 4.5.3.1.3, RFC 5322 section 3.2.3.
describe('isEmailAddress', () => {
  it.each([
    ['a@example.com', true],
    ['first.last+tag@sub.example.co.uk', true],
    ["!#$%&'*+-/=?^_`{|}~@example.com", true],
    ['A@EXAMPLE.COM', true],
    ['a@xn--mnchen-3ya.de', true],
    [`${'a'.repeat(64)}@example.com`, true],
    [`${'a'.repeat(65)}@example.com`, false],
    [`ab@${`${label63}.`.repeat(3)}${'b'.repeat(55)}.com`, true],
    [`abc@${`${label63}.`.repeat(3)}${'b'.repeat(55)}.com`, false],
    ['', false],
    ['@', false],
    ['a', false],
    ['@example.com', false],
    ['a@', false],
    ['a@b', false],
    ['a@localhost', false],
    ['a@@example.com', false],
    ['a@b@example.com', false],
    ['.a@example.com', false],
    ['a.@example.com', false],
    ['a..b@example.com', false],
    ['a b@example.com', false],
    ['"a b"@example.com', false],
    ['a@[192.0.2.1]', false],
    ['a@192.0.2.1', false],
    ['ä@example.com', false],
    ['a@münchen.de', false],
    ['Name <a@example.com>', false],
    ['a@example.com\n', false],
    ['a@example.com, b@example.com', false],
    ['a\0@example.com', false],
  ])('%# %j: %s', (text, expected) => {
    expect(isEmailAddress(text)).toBe(expected);
  });
});

// RFC 1035 section 2.3.4, RFC 1123 section 2.1.
describe('isDomainName', () => {
  it.each([
    ['example.com', true],
    ['EXAMPLE.com', true],
    ['a.b', true],
    ['3com.com', true],
    ['123.example.com', true],
    ['a--b.com', true],
    ['xn--mnchen-3ya.de', true],
    ['example.xn--p1ai', true],
    [`${label63}.com`, true],
    [`${label63}a.com`, false],
    [domain253, true],
    [`a${domain253}`, false],
    ['', false],
    ['com', false],
    ['.com', false],
    ['example.com.', false],
    ['example..com', false],
    ['-example.com', false],
    ['example-.com', false],
    ['exa_mple.com', false],
    ['example.123', false],
    ['192.0.2.1', false],
    ['münchen.de', false],
    ['exam ple.com', false],
    ['example.com/path', false],
    ['https://example.com', false],
    ['example.com\n', false],
  ])('%# %j: %s', (text, expected) => {
    expect(isDomainName(text)).toBe(expected);
  });
});

// Interface, doNotContact, `contactdata`: an email address, a domain name or an MSISDN.
describe('normaliseContactdata', () => {
  it.each([
    ['Jane.Doe@Example.COM', 'email', 'jane.doe@example.com'],
    ['  a@example.com\t', 'email', 'a@example.com'],
    ['Example.COM', 'domain', 'example.com'],
    ['@Example.com', 'domain', 'example.com'],
    [' @example.com ', 'domain', 'example.com'],
    ['+49 170 1234567', 'msisdn', '491701234567'],
    ['491701234567', 'msisdn', '491701234567'],
    ['170.123.4567', 'msisdn', '1701234567'],
  ] as const)('reads %j as %s %s', (text, kind, value) => {
    expect(normaliseContactdata(text)).toEqual({ kind, value });
    expect(kindOfContactdata(text)).toBe(kind);
  });

  it.each([
    [''],
    [' '],
    ['@'],
    ['@@example.com'],
    ['@491701234567'],
    ['example'],
    ['12345'],
    ['192.168.100.200'],
    ['0170 1234567'],
    ['\u212aelvin@example.com'],
    ['\u212aelvin.com'],
    [' '.repeat(100_000)],
  ])('%# refuses %s', (text) => {
    expect(normaliseContactdata(text)).toBeUndefined();
    expect(kindOfContactdata(text)).toBeUndefined();
  });
});

describe('domainOf', () => {
  it.each([
    ['a@Example.COM', 'example.com'],
    ['a@b@example.com', 'example.com'],
    ['example.com', ''],
    ['', ''],
  ])('%j: %j', (email, domain) => {
    expect(domainOf(email)).toBe(domain);
  });
});

describe('100 kB of spite', () => {
  it.each([
    ['a'.repeat(100_000)],
    ['a.'.repeat(50_000)],
    ['@'.repeat(100_000)],
    [`${'a.'.repeat(50_000)}@`],
    [`a@${'a.'.repeat(50_000)}`],
    [`a@${'-'.repeat(100_000)}.com`],
    [`${'!'.repeat(100_000)}@example.com`],
  ])('%# is refused', (text) => {
    expect([isEmailAddress(text), isDomainName(text), normaliseContactdata(text)]).toEqual([
      false,
      false,
      undefined,
    ]);
  });
});

// The shortcut for plain ones must take no other, and change none.
it('whatever is near an address is one exactly where isEmailAddress says so', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b1',
      '0',
      '9',
      'com',
      'example',
      '@',
      '.',
      '.',
      '-',
      '_',
      '+',
      ' ',
      'A',
      'é',
      '\n',
      'xn--a',
      '--',
    ],
    ...['x'.repeat(40), 'y'.repeat(63), '!', "'", '\u212a'],
  );
  const near = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const whole = fc.tuple(near, near).map(([local, domain]) => `${local}@${domain}.com`);
  fc.assert(
    fc.property(fc.oneof(near, whole, fc.emailAddress()), (text) => {
      const address = text.trim();
      const expected = isEmailAddress(address) ? { kind: 'email', value: address.toLowerCase() } : undefined;
      const read = normaliseContactdata(text);
      expect(read?.kind === 'email' ? read : undefined).toEqual(expected);
    }),
    { numRuns: depth('SVC_ADDRESSES', { few: 300, full: 3000 }) },
  );
});
