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
    ['as it is', key],
    ['in upper case', key.toUpperCase()],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(partnerKey).toString('base64url')],
    ['percent-encoded', encodeURIComponent(partnerKey)],
    ['as a form writes it', String(new URLSearchParams({ k: partnerKey })).slice(2)],
    ['in JSON', JSON.stringify(partnerKey).slice(1, -1)],
    ['in hexadecimal', Buffer.from(partnerKey).toString('hex')],
    ['all octets percent-encoded', Buffer.from(key).toString('hex').replace(/../g, '%$&')],
  ])('takes a key out %s', (_, form) => {
    expect(redact(`before ${form}, after ${form}`)).toMatch(/^before \[redacted\]=*, after \[redacted\]=*$/);
  });

  it('takes a key out of a longer text in base64, wherever it begins', () => {
    for (const before of ['', 'u', 'us', 'user:']) {
      const encoded = Buffer.from(`${before}${key}:more`).toString('base64');
      const inside = Buffer.from(redact(encoded).split('[redacted]')[0] ?? '', 'base64').toString();
      expect(redact(encoded)).toContain('[redacted]');
      expect(inside.length).toBeLessThan(before.length + 4);
    }
  });

  it('leaves other texts as they are', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 30 }), (text) => {
        expect(redact(text)).toBe(text);
        expect(createRedactor([])(text)).toBe(text);
      }),
    );
  });

  it('leaves nothing of any secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 40 }), fc.string(), (secret, text) => {
        expect(
          createRedactor([secret])(`${text}${secret}${text}`).replaceAll('[redacted]', ''),
        ).not.toContain(secret);
      }),
    );
  });

  it('takes one of a megabyte out, which no pattern can hold', () => {
    const long = 'Ab3/'.repeat(300_000);
    const said = createRedactor([long])(`before ${long} after`);
    expect(said).toBe('before [redacted] after');
  });
});
