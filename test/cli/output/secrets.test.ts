import { expect, it } from 'vitest';
import { createSecretRedactor } from '../../../src/cli/output/redact.ts';

it('redacts secrets that are added later, in later texts', () => {
  const secrets = createSecretRedactor(['first-secret', undefined]);
  const text = 'first-secret later-secret ab';
  expect(secrets.redact(text)).toBe('[redacted] later-secret ab');
  secrets.hide(['later-secret', undefined]);
  expect(secrets.redact(text)).toBe('[redacted] [redacted] ab');
});

it('redacts a word of less than four letters only if it is a key', () => {
  const secrets = createSecretRedactor(['ab']);
  expect(secrets.redact('ab')).toBe('ab');
  secrets.hideKey('ab');
  expect(secrets.redact('ab')).toBe('[redacted]');
});
