import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/cli/output/redact.ts';
import { anyText } from '../../support/any-text.ts';

const key = '0123456789abcdef0123456789abcdef';
const partnerKey = 'p@rt/ner "k&y" 100% +ü';
/** A key whose base64 contains + and /, and whose percent-encoding contains a leading zero. */
const symbols = '~~~???>>>\t~~~';

// Acceptance, S1: the key in each of its encodings, and the password of a user.
describe('a redactor', () => {
  const redact = (text: string): string => createRedactor([key, partnerKey, symbols, ''])(text);

  it.each([
    ['unchanged', key],
    ['in upper case', key.toUpperCase()],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(partnerKey).toString('base64url')],
    ['in base64url, with - and _', Buffer.from(symbols).toString('base64url')],
    ['percent-encoded', encodeURIComponent(partnerKey)],
    ['as a form writes it', String(new URLSearchParams({ k: partnerKey })).slice(2)],
    ['in JSON', JSON.stringify(partnerKey).slice(1, -1)],
    ['in hexadecimal', Buffer.from(partnerKey).toString('hex')],
    ['percent-encoded, with a control character', encodeURIComponent(symbols)],
    ['all octets percent-encoded', Buffer.from(key).toString('hex').replace(/../g, '%$&')],
  ])('removes a key %s', (_, form) => {
    expect(redact(`before ${form}, after ${form}`)).toMatch(/^before \[redacted\]=*, after \[redacted\]=*$/);
  });

  // A character of base64 has 6 bits, so the characters at both ends also have bits of the neighboring text.
  it.each(['', 'u', 'us', 'user:'])('removes a key from a longer text in base64, after "%s"', (before) => {
    const encoded = Buffer.from(`${before}${key}~more`).toString('base64');
    const first = Math.ceil((before.length * 8) / 6);
    const last = Math.floor(((before.length + key.length) * 8) / 6);
    expect(redact(encoded)).toBe(`${encoded.slice(0, first)}[redacted]${encoded.slice(last)}`);
  });

  it('removes base64 of six characters or more, because a shorter text could be a word', () => {
    expect(createRedactor(['abcd'])(Buffer.from('abcd').toString('base64'))).toBe('[redacted]==');
    expect(createRedactor(['abc'])(Buffer.from('abc').toString('base64'))).toBe('YWJj');
  });

  it('removes a longer secret whole, whichever is given first', () => {
    const [short, long] = [key, `${key}${partnerKey}`];
    for (const secrets of [
      [short, long],
      [long, short],
    ])
      expect(createRedactor(secrets)(long)).toBe('[redacted]');
  });

  it('treats each character of a secret as itself', () => {
    expect(createRedactor(['a.c(d|e)*'])('abcd, a.c(d|e)*')).toBe('abcd, [redacted]');
  });

  it('changes nothing without a secret', () => {
    expect(createRedactor([''])('a text')).toBe('a text');
    expect(createRedactor([])('a text')).toBe('a text');
  });

  it('does not change other texts', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 30 }), (text) => {
        expect(redact(text)).toBe(text);
      }),
    );
  });

  it('removes every part of any secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 40 }), fc.string(), (secret, text) => {
        expect(
          createRedactor([secret])(`${text}${secret}${text}`).replaceAll('[redacted]', ''),
        ).not.toContain(secret);
      }),
    );
  });

  it('removes a secret of a megabyte, which is too long for a pattern', () => {
    const long = 'Ab3/'.repeat(300_000);
    const said = createRedactor([long])(`before ${long} after`);
    expect(said).toBe('before [redacted] after');
  });

  it('keeps the text after a secret that fits into a pattern', () => {
    const longest = 'Ab3/'.repeat(250);
    expect(createRedactor([longest])(`${longest}?more`)).toBe('[redacted]?more');
    expect(createRedactor([`${longest}.`])(`${longest}.?more and more`)).toBe('[redacted] and more');
  });
});
