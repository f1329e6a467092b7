import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  domainOf,
  isDomainName,
  isEmailAddress,
  isMsisdn,
  isSmsSender,
  kindOfContactdata,
  mentionsPostalAddress,
  normaliseContactdata,
  normaliseMsisdn,
  normaliseSmsSender,
  readUrl,
} from '../../src/kit/text/address.ts';
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
  ])('%# rejects %s', (text) => {
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

describe('100 kB of hostile text', () => {
  it.each([
    ['a'.repeat(100_000)],
    ['a.'.repeat(50_000)],
    ['@'.repeat(100_000)],
    [`${'a.'.repeat(50_000)}@`],
    [`a@${'a.'.repeat(50_000)}`],
    [`a@${'-'.repeat(100_000)}.com`],
    [`${'!'.repeat(100_000)}@example.com`],
  ])('%# is rejected', (text) => {
    expect([isEmailAddress(text), isDomainName(text), normaliseContactdata(text)]).toEqual([
      false,
      false,
      undefined,
    ]);
  });
});

// The shortcut for plain addresses must accept no other address, and change none.
it('recognises an address exactly if isEmailAddress does', () => {
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

// wire.md, 'sender': an MSISDN `[1-9][0-9]{6,14}` (a leading `+` is taken and dropped).
describe('isMsisdn', () => {
  it.each([
    ['1234567', true],
    ['123456789012345', true],
    ['+491701234567', true],
    ['123456', false],
    ['1234567890123456', false],
    ['0491701234567', false],
    ['+0491701234567', false],
    ['++491701234567', false],
    ['491701234567+', false],
    ['', false],
    ['+', false],
    [' 491701234567', false],
    ['491701234567\n', false],
    ['49 170 1234567', false],
    ['4917012345ab', false],
    ['١٢٣٤٥٦٧', false],
    ['1.5e10', false],
    ['9'.repeat(100_000), false],
  ])('%# %s: %s', (text, expected) => {
    expect(isMsisdn(text)).toBe(expected);
  });
});

describe('normaliseMsisdn', () => {
  it.each([
    ['491701234567', '491701234567'],
    ['+491701234567', '491701234567'],
    ['  +49 170 123-45.67 \n', '491701234567'],
    ['+49 (170) 1234567', '491701234567'],
    ['+1 (202) 555\u20110143', '12025550143'],
    ['49\u00a0170\u00a01234567', '491701234567'],
    ['+ 491701234567', '491701234567'],
    ['1-2-3-4-5-6-7', '1234567'],
  ])('reads %j as %s', (text, expected) => {
    expect(normaliseMsisdn(text)).toBe(expected);
  });

  it.each([
    [''],
    ['   '],
    ['+'],
    ['()'],
    ['123456'],
    ['0170 1234567'],
    ['00491701234567'],
    ['+49 (0)170 1234567'],
    ['+49 ( 0 ) 170 1234567'],
    ['+49+1701234567'],
    ['49/170/1234567'],
    ['+49 170 CALLNOW'],
    ['tel:+491701234567'],
    ['491701234567;ext=1'],
    [`491701234567${' '.repeat(60)}`],
    ['-'.repeat(100_000)],
    ['1 '.repeat(50_000)],
  ])('%# rejects %s', (text) => {
    expect(normaliseMsisdn(text)).toBeUndefined();
  });
});

// wire.md, 'sender': `[A-Za-z0-9]{1,11}` or an MSISDN `[1-9][0-9]{6,14}` (a leading `+` is taken and
// dropped).
describe('sender', () => {
  it.each([
    ['A', 'A'],
    ['Rehearsal11', 'Rehearsal11'],
    ['0', '0'],
    ['12345', '12345'],
    ['00000000000', '00000000000'],
    ['+1234567', '1234567'],
    ['491701234567', '491701234567'],
    ['+491701234567', '491701234567'],
    ['123456789012345', '123456789012345'],
  ])('reads %s as %s', (text, stored) => {
    expect(isSmsSender(text)).toBe(true);
    expect(normaliseSmsSender(text)).toBe(stored);
  });

  it.each([
    [''],
    ['TwelveLetter'],
    ['My Shop'],
    ['Caf\u00e9'],
    ['Shop!'],
    ['+Shop'],
    ['+12345'],
    ['000000000000'],
    ['1234567890123456'],
    ['Shop\n'],
    ['A'.repeat(100_000)],
  ])('%# rejects %s', (text) => {
    expect(isSmsSender(text)).toBe(false);
    expect(normaliseSmsSender(text)).toBeUndefined();
  });
});

// This check keeps an address from occurring twice in a message.
it.each([
  ['Harbour Coffee, 12 Quayside, Bristol', '12 Quayside, Bristol', true],
  ['BRISTOL\nQuayside 12', '12 Quayside, Bristol', true],
  ['12 Quayside', '12 Quayside, Bristol', true],
  ['We roast in Bristol', '12 Quayside, Bristol', false],
  ['', '12 Quayside, Bristol', false],
  ['Anything', '', false],
  ['Anything', ' , ', false],
])('%j mentions %j: %s', (text, address, is) => {
  expect(mentionsPostalAddress(text, address)).toBe(is);
});

describe('readUrl', () => {
  // `URL.canParse` of Node 20 rejects these after some thousand calls.
  it('reads letters beyond ASCII in any number of calls', () => {
    const hosts = new Set<string | undefined>();
    for (let at = 0; at < 200_000; at += 1) hosts.add(readUrl('https://münchen.example')?.host);
    expect([...hosts]).toEqual(['xn--mnchen-3ya.example']);
  });

  it.each(['', 'no url', 'https://', '//host'])('returns undefined for %j', (text) => {
    expect(readUrl(text)).toBeUndefined();
  });
});
