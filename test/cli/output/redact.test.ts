import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/cli/output/redact.ts';
import { anyText } from '../../support/any-text.ts';

const key = '0123456789abcdef0123456789abcdef';
const partnerKey = 'p@rt/ner "k&y" 100% +ü';

// Acceptance, S1: the key in each of its encodings, and the password of a user.
describe('a redactor', () => {
  const redact = createRedactor([key, partnerKey, '']);

  it.each([
    ['unchanged', key],
    ['in upper case', key.toUpperCase()],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(partnerKey).toString('base64url')],
    ['percent-encoded', encodeURIComponent(partnerKey)],
    ['as a form writes it', String(new URLSearchParams({ k: partnerKey })).slice(2)],
    ['in JSON', JSON.stringify(partnerKey).slice(1, -1)],
    ['in hexadecimal', Buffer.from(partnerKey).toString('hex')],
    ['all octets percent-encoded', Buffer.from(key).toString('hex').replace(/../g, '%$&')],
  ])('removes a key %s', (_, form) => {
    expect(redact(`before ${form}, after ${form}`)).toMatch(/^before \[redacted\]=*, after \[redacted\]=*$/);
  });

  it('removes a key from a longer text in base64, at any offset', () => {
    for (const before of ['', 'u', 'us', 'user:']) {
      const encoded = Buffer.from(`${before}${key}:more`).toString('base64');
      const inside = Buffer.from(redact(encoded).split('[redacted]')[0] ?? '', 'base64').toString();
      expect(redact(encoded)).toContain('[redacted]');
      expect(inside.length).toBeLessThan(before.length + 4);
    }
  });

  it('does not change other texts', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 30 }), (text) => {
        expect(redact(text)).toBe(text);
        expect(createRedactor([])(text)).toBe(text);
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
});
