/** Interface, "Limits", and the content rules of messages: the problem with each format, and what to write instead. */
import { describe, expect, it } from 'vitest';
import type { Format } from '../../src/kit/schema/field.ts';
import { checkFormat, normaliseByFormat } from '../../src/kit/schema/formats.ts';
import { said } from '../support/said.ts';

const problemOf = (...given: Parameters<typeof checkFormat>) => {
  const problem = checkFormat(...given);
  return problem && said(problem);
};

describe('the problem of a format', () => {
  const PROBLEMS: readonly (readonly [Format, string, string, string?])[] = [
    ['actionhour', '9:00', 'must be a full hour, HH:00:00', 'write 09:00:00'],
    ['contactdata', 'x', 'must be an e-mail address, a domain name or a number'],
    ['country', 'GBR', 'must be a country code of two capital letters (ISO 3166-1 alpha-2)', 'write GB'],
    ['country', 'xGB', 'must be a country code of two capital letters (ISO 3166-1 alpha-2)', 'write GB'],
    ['destination-keyword', 'abc', 'must have 4 to 64 characters and no spaces'],
    ['destination-keyword', 'ab cd', 'must have 4 to 64 characters and no spaces'],
    ['domain', 'x y', 'must be a domain name'],
    ['email', 'x', 'must be an e-mail address'],
    ['msisdn', '0', 'must be a phone number with its country code, 7 to 15 digits', 'write 447700900123'],
    ['password', 'abcdef', 'must have at least seven characters, with both letters and numbers'],
    ['sender', 'a b', 'must be up to 11 letters and digits, or a phone number with its country code'],
    ['sms-text', '', 'must not be empty'],
    [
      'sms-text',
      'a'.repeat(460),
      'takes 4 parts (460 characters, GSM); the maximum is 3',
      'shorten the text to 459 characters',
    ],
    [
      'sms-text',
      'я'.repeat(202),
      'takes 4 parts (202 characters, UCS-2); the maximum is 3',
      'shorten the text, or use only the GSM alphabet',
    ],
    ['sub-keyword', 'a b', 'must have 1 to 32 letters and digits'],
    ['sub-keyword', 'a'.repeat(33), 'must have 1 to 32 letters and digits'],
    ['timezone', 'London', 'must be a TZ name', 'write Europe/London'],
    ['url', 'ftp://x', 'must be an address that begins with http:// or https://'],
    ['url', 'xhttp://example.com', 'must be an address that begins with http:// or https://'],
    ['url', 'http://', 'must be an address that begins with http:// or https://'],
    [
      'url',
      `http://example.com/${'a'.repeat(2030)}`,
      'must be an address that begins with http:// or https://',
    ],
    ['website', 'example.com', 'must be a full address that begins with http'],
    ['username', ' ', 'must not be empty'],
    ['username', 'a'.repeat(201), 'must not be empty'],
    ['windows-1252', 'a\nb', 'must be one line'],
    ['windows-1252', 'a\rb', 'must be one line'],
    ['windows-1252', 'a→', 'does not fit Windows-1252: → (U+2192) at 1:2', 'replace these characters'],
    [
      'html',
      'яяяяяя',
      'does not fit Windows-1252: я (U+044F) at 1:1, я (U+044F) at 1:2, я (U+044F) at 1:3, я (U+044F) at 1:4, я (U+044F) at 1:5',
      'replace these characters',
    ],
    ['text-body', '😀', 'does not fit Windows-1252: 😀 (U+1F600) at 1:1', 'replace these characters'],
    [
      'text-body',
      'x'.repeat(999),
      'has 1001 bytes in line 1, its line end included; the limit is 1000',
      'break the line',
    ],
    [
      'text-body',
      `a\n${'x'.repeat(999)}\n${'x'.repeat(1000)}\n${'x'.repeat(1000)}`,
      'has 1001 bytes in line 2, its line end included; the limit is 1000, and 2 more lines',
      'break the line',
    ],
  ];
  const named = PROBLEMS.map(([format, value, reason, instead]) => ({ format, value, reason, instead }));
  it.each(named)('$format $value', ({ format, value, reason, instead }) => {
    expect(problemOf(format, value)).toEqual({ reason, instead });
  });

  it.each<readonly [Format, string | number | bigint]>([
    ['timestamp', '1796115600'],
    ['timestamp', -1],
    ['timestamp', 253_402_300_800],
    ['timestamp', 5n],
  ])('%s %s', (format, value) => {
    const reason = 'must be Unix seconds';
    expect(problemOf(format, value)).toEqual({
      reason,
      instead: 'divide a time in milliseconds by 1000',
    });
  });

  it.each<readonly [Format, string | number]>([
    ['timestamp', 0],
    ['timestamp', 253_402_300_799],
    ['country', 'GB'],
    ['destination-keyword', 'word'],
    ['destination-keyword', '€'.repeat(64)],
    ['password', 'abcdef7'],
    ['password', 'ABCDEF7'],
    ['sub-keyword', 'A'],
    ['url', 'HTTPS://example.com'],
    ['url', `http://example.com/${'a'.repeat(2029)}`],
    ['username', 'a'.repeat(200)],
    ['windows-1252', 'one line'],
    ['text-body', 'x'.repeat(998)],
    ['domain', 'example.com'],
    ['email', 'a@example.com'],
  ])('%s has no problem with %.20s', (format, value) => {
    expect(checkFormat(format, value)).toBeUndefined();
  });
});

describe('the stored form of a value', () => {
  it.each<readonly [Format | undefined, string, string]>([
    ['msisdn', '+447700900123', '447700900123'],
    ['msisdn', 'x', 'x'],
    ['sender', '+447700900123', '447700900123'],
    ['sender', 'a b', 'a b'],
    ['contactdata', 'A@Example.com', 'a@example.com'],
    ['contactdata', 'x', 'x'],
    ['email', 'A@Example.com', 'A@Example.com'],
    ['url', 'HTTP://Example.com', 'HTTP://Example.com'],
    [undefined, '+447700900123', '+447700900123'],
  ])('%s %s', (format, value, kept) => {
    expect(normaliseByFormat(format, value)).toBe(kept);
  });
});
