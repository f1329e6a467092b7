/**
 * Each kind of parameter, as a person writes it and as JSON carries it (contract, "The everyday screen"). test/cli/command/flag.test.ts
 * has more cases of flags.
 */
import { describe, expect, it } from 'vitest';
import { MAX_UNIX_SECONDS } from '../../src/kit/schema/integer.ts';
import {
  checkParameter,
  defaultParameterValue,
  type ParameterKind,
  parseNotificationRecipient,
  parseParameter,
  readPercent,
} from '../../src/kit/schema/parameter.ts';

/** Returns the value, or the text of the refusal. */
const outcomeOf = (parsed: ReturnType<typeof parseParameter>): unknown =>
  'value' in parsed ? parsed.value : [parsed.fault.reason, parsed.fault.instead].filter(Boolean).join('; ');

const wait = { kind: 'duration', unit: 'milliseconds', min: '0s', max: '10m', default: '2s' } as const;
const days = {
  kind: 'duration',
  unit: 'seconds',
  whole: true,
  needsUnit: true,
  min: '1s',
  max: '366d',
} as const;
const rule = { kind: 'rule', isRule: (text: string) => text === 'click:12' } as const;
const colour = { kind: 'choice', choices: ['red', 'blue'], near: { rot: 'red' } } as const;
const page = { kind: 'count', min: 1, max: 1000, default: 100 } as const;

describe('a value from the command line', () => {
  it.each<[ParameterKind, string, unknown]>([
    [{ kind: 'text' }, 'a b', 'a b'],
    [{ kind: 'text' }, '', 'is empty; give a value, or leave it out'],
    [{ kind: 'text', mayBeEmpty: true }, '', ''],
    [{ kind: 'id' }, '007', 7],
    [{ kind: 'id' }, '0', 'is not a whole number of at least 1'],
    [{ kind: 'id' }, '1234567890123456', 'is not a whole number of at least 1'],
    [{ kind: 'reference' }, '12', 12],
    [{ kind: 'reference' }, 'a@example.com', 'a@example.com'],
    [{ kind: 'ids' }, '3', [3]],
    [rule, 'click:12', 'click:12'],
    [rule, 'click:13', 'is not the kind and the id of a rule; write click:12'],
    [{ kind: 'rule' }, 'click:12', 'is not the kind and the id of a rule; write click:12'],
    [colour, 'blue', 'blue'],
    [colour, 'rot', 'is not a known choice; did you mean red? choices: red, blue'],
    [page, '1000', 1000],
    [page, '0', 'is not a number from 1 to 1000'],
    [{ kind: 'share' }, '0.25', 0.25],
    [{ kind: 'share' }, '1.5', 'is not a number from 0 to 1'],
    [{ kind: 'percent' }, '0.35', 'is not a share from 0% to 100%; write 35%'],
    [{ kind: 'percent' }, '130%', 'is not a share from 0% to 100%; write 5% or 0.1%'],
    [{ kind: 'recipient' }, 'nobody', 'is not an e-mail address, a phone number or a URL'],
    [{ kind: 'time' }, 'tomorrow 9:00', 'tomorrow 9:00'],
    [wait, '0', 0],
    [wait, '1.5', 1500],
    [wait, '11m', 'is too long: the maximum is 10m; write 10m or less'],
    [days, '2d', 172_800],
    [days, '1.6s', 2],
    [days, '3', 'has no unit; write 3d, 3h or 3m'],
    [days, 'soon', 'is not a length of time; write 2d, 3h or 90m'],
    [days, '0s', 'is too short: 1s is the least; write 1s or more'],
  ])('%j: %j', (parameter, text, expected) => {
    expect(outcomeOf(parseParameter(parameter, text))).toEqual(expected);
  });
});

describe('a value from JSON', () => {
  it.each<[ParameterKind, unknown, unknown]>([
    [{ kind: 'text' }, 'a', 'a'],
    [{ kind: 'text' }, '', 'must be text, and not empty'],
    [{ kind: 'text', mayBeEmpty: true }, '', ''],
    [{ kind: 'text' }, 7, 'must be text, and not empty'],
    [{ kind: 'text' }, 'x'.repeat(4001), 'is longer than 4000 characters'],
    [{ kind: 'text' }, 'a\0b', 'contains U+0000 or an incomplete character'],
    [{ kind: 'text' }, '\ud800', 'contains U+0000 or an incomplete character'],
    [{ kind: 'email' }, ' A@Example.com ', 'a@example.com'],
    [{ kind: 'email' }, 'a', 'is not an e-mail address'],
    [{ kind: 'msisdn' }, '+44 7700 900123', '447700900123'],
    [{ kind: 'msisdn' }, 'a', 'is not a phone number with its country code'],
    [{ kind: 'id' }, 1, 1],
    [{ kind: 'id' }, 0, 'must be a whole number from 1 to 999999999999999'],
    [{ kind: 'id' }, '1', 'must be a whole number from 1 to 999999999999999'],
    [{ kind: 'reference' }, 0, 'must be a whole number from 1 to 999999999999999'],
    [{ kind: 'reference' }, 'Spring', 'Spring'],
    [{ kind: 'ids' }, [1, 2], [1, 2]],
    [{ kind: 'ids' }, [], []],
    [{ kind: 'ids', required: true }, [], 'must name at least one'],
    [{ kind: 'ids' }, [1, 'x'], 'must be a whole number from 1 to 999999999999999'],
    [{ kind: 'ids' }, 1, 'must be an array of ids'],
    [rule, 'click:12', 'click:12'],
    [rule, 12, 'must be the kind and the id of a rule, such as click:12'],
    [colour, 'red', 'red'],
    [colour, 'rot', 'must be one of red, blue'],
    [page, 1.5, 'must be a whole number from 1 to 1000'],
    [{ kind: 'share' }, 0.5, 0.5],
    [{ kind: 'percent' }, 35, 'must be a number from 0 to 1'],
    [{ kind: 'switch' }, false, false],
    [{ kind: 'switch' }, 'no', 'must be true or false'],
    [{ kind: 'time' }, MAX_UNIX_SECONDS, MAX_UNIX_SECONDS],
    [{ kind: 'time' }, MAX_UNIX_SECONDS + 1, `must be a whole number from 0 to ${MAX_UNIX_SECONDS}`],
    [wait, 600_000, 600_000],
    [wait, 600_001, 'must be a whole number from 0 to 600000'],
    [days, 0, 'must be a whole number from 1 to 31622400'],
    [{ kind: 'rows', max: 2 }, [{ a: 1 }, 7], [{ a: 1 }, {}]],
    [{ kind: 'rows', max: 1 }, [{}, {}], 'must be an array of at most 1 objects'],
  ])('%j: %j', (parameter, value, expected) => {
    expect(outcomeOf(checkParameter(parameter, value))).toEqual(expected);
  });
});

it.each<[ParameterKind, unknown]>([
  [wait, 2000],
  [page, 100],
  [{ kind: 'share', default: 1 }, 1],
  [{ kind: 'switch' }, false],
  [{ kind: 'ids' }, []],
  [{ kind: 'text' }, undefined],
])('returns the default if %j is not given', (parameter, value) => {
  expect(defaultParameterValue(parameter)).toEqual(value);
});

it('a default out of bounds is an error in the program', () => {
  expect(() => defaultParameterValue({ ...page, default: 0 })).toThrow(
    'the default 0 is not a number from 1 to 1000',
  );
});

describe('a share', () => {
  it.each([
    ['35%', 0.35],
    ['0.02%', 0.0002],
    ['100%', 1],
    ['0%', 0],
    ['35 %', 0.35],
    [' 35% ', 0.35],
  ])('%s', (text, share) => expect(readPercent(text)).toBeCloseTo(share, 10));

  it.each(['35', '0.35', '101%', '-1%', '%', '', '1e1%', '35%x', 'x35%', '1000%'])('rejects %o', (text) =>
    expect(readPercent(text)).toBeUndefined(),
  );
});

describe('a recipient', () => {
  it.each([
    [' a@example.com ', 'a@example.com'],
    ['+447700900123', '447700900123'],
    ['447700900123', '447700900123'],
    ['HTTPS://example.com/hook', 'HTTPS://example.com/hook'],
    ['http://example.com/@x', 'http://example.com/@x'],
    ['http://', undefined],
    ['xhttp://example.com', undefined],
    ['a@', undefined],
    ['example.com', undefined],
    ['ftp://example.com', undefined],
    ['', undefined],
  ])('%j', (text, recipient) => {
    expect(parseNotificationRecipient(text)).toBe(recipient);
  });
});
