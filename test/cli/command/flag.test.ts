/** The kinds of flags: the accepted values, the refusals and the help (contract, "Safety": all faults at once, with what to do instead). */
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  choiceFlag,
  describeFlag,
  durationFlag,
  type Flag,
  fileFlag,
  folderFlag,
  parsedFlag,
  percentFlag,
  type RawFlagValue,
  repeatableTextFlag,
  switchFlag,
  textFlag,
  unparsedAttributeFlag,
  wholeNumberFlag,
  zoneFlag,
} from '../../../src/cli/command/flag.ts';
import { readFlagValue } from '../../../src/cli/command/input.ts';
import { UsageError } from '../../../src/cli/errors/errors.ts';

/** Returns the value that a flag makes of the input, or the text of its refusal. */
function outcomeOf(flag: Flag<unknown>, given: RawFlagValue | undefined): unknown {
  try {
    return readFlagValue(flag, given);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [error.message, ...error.hints].join('\n');
  }
}

const plain = { describe: 'Some words' };
const port = wholeNumberFlag('port', { ...plain, min: 1, max: 64 });
const hold = durationFlag('hold', { ...plain, unit: 'seconds', min: '2m', max: '24h' });
const wait = durationFlag('wait', { ...plain, unit: 'milliseconds' });
const share = percentFlag('share', plain);
const until = choiceFlag('until', ['completed', 'cancelled'], { ...plain, value: 'state' });
const id = parsedFlag('id', { ...plain, value: 'id' }, (text) =>
  text === 'odd' ? { fault: { reason: 'is odd', instead: 'give an even one' } } : { value: text.length },
);

describe('accepts valid values', () => {
  it.each<[string, Flag<unknown>, RawFlagValue | undefined, unknown]>([
    ['a text', textFlag('name', plain), ' as it is ', ' as it is '],
    ['an empty text', textFlag('name', plain), '', ''],
    ['a missing text', textFlag('name', plain), undefined, undefined],
    ['several texts', repeatableTextFlag('tag', { ...plain, value: 'tag' }), ['a', 'b'], ['a', 'b']],
    ['no texts', repeatableTextFlag('tag', { ...plain, value: 'tag' }), undefined, []],
    ['the least count', port, '1', 1],
    ['the largest count', port, '64', 64],
    ['a count with leading zeros', port, '007', 7],
    ['a count from 0', wholeNumberFlag('n', plain), '0', 0],
    ['the largest whole number', wholeNumberFlag('n', plain), '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['the shortest duration, in seconds', hold, '2m', 120],
    ['the longest duration, in seconds', hold, '1d', 86_400],
    ['a duration in milliseconds', wait, '1.5s', 1500],
    ['a bare number of seconds', wait, '30', 30_000],
    ['a share', share, '0.1%', 0.001],
    ['the whole share', share, '100%', 1],
    ['an empty share', share, '0%', 0],
    ['a choice', until, 'cancelled', 'cancelled'],
    ['a switch that is given', switchFlag('yes', plain), true, true],
    ['a switch that is not given', switchFlag('yes', plain), undefined, false],
    ['a file', fileFlag('out', plain), 'a b.csv', 'a b.csv'],
    ['standard input', fileFlag('in', plain), '-', '-'],
    ['a folder', folderFlag('data', plain), './data', './data'],
    ['a time zone', zoneFlag('tz', plain), 'Europe/Berlin', 'Europe/Berlin'],
    ['the result of its own function', id, 'four', 4],
  ])('%s', (_, flag, given, expected) => {
    expect(outcomeOf(flag, given)).toEqual(expected);
  });

  it.each<[RawFlagValue | undefined]>([['7'], [''], [true], [false], [undefined]])(
    'an attribute keeps the text: %j',
    (given) => {
      const paused = unparsedAttributeFlag({
        name: 'paused',
        bool: true,
        describe: 'Paused',
        group: 'Attributes',
      });
      expect(readFlagValue(paused, given)).toBe(given);
    },
  );
});

describe('rejects invalid values', () => {
  it.each<[Flag<unknown>, RawFlagValue | undefined, string]>([
    [port, '0', '--port: 0 is not a number from 1 to 64'],
    [port, '65', '--port: 65 is not a number from 1 to 64'],
    [port, '-1', '--port: -1 is not a number from 1 to 64'],
    [port, '1.5', '--port: 1.5 is not a number from 1 to 64'],
    [port, '1e1', '--port: 1e1 is not a number from 1 to 64'],
    [port, '0x10', '--port: 0x10 is not a number from 1 to 64'],
    [port, ' 7', '--port:  7 is not a number from 1 to 64'],
    [port, '', '--port is not a number from 1 to 64'],
    [wholeNumberFlag('n', { ...plain, min: 1 }), '0', '--n: 0 is not a number of at least 1'],
    [wholeNumberFlag('n', plain), '9007199254740993', '--n: 9007199254740993 is not a whole number'],
    [wholeNumberFlag('n', plain), '99999999999999999999', '--n: 99999999999999999999 is not a whole number'],
    [wait, 'soon', '--wait: soon is not a length of time\nwrite a duration such as 30s or 2m'],
    [wait, '0', '--wait: 0 is not a length of time\nwrite a duration such as 30s or 2m'],
    [wait, '-5s', '--wait: -5s is not a length of time\nwrite a duration such as 30s or 2m'],
    [hold, '119s', '--hold: 119s is too short: 2m is the least\nwrite 2m or more'],
    [hold, '0', '--hold: 0 is too short: 2m is the least\nwrite 2m or more'],
    [hold, '24h1s', '--hold: 24h1s is too long: the maximum is 24h\nwrite 24h or less'],
    [share, '5', '--share: 5 is not a share from 0% to 100%\nwrite 5%'],
    [share, '101%', '--share: 101% is not a share from 0% to 100%\nwrite 5% or 0.1%'],
    [share, '-1%', '--share: -1% is not a share from 0% to 100%\nwrite 5% or 0.1%'],
    [until, 'Completed', '--until: unknown state Completed\nstates: completed, cancelled'],
    [until, '', '--until is not a known state\nstates: completed, cancelled'],
    [fileFlag('out', plain), '', '--out is empty\ngive a path'],
    [folderFlag('data', plain), ' ', '--data is empty\ngive a path'],
    [zoneFlag('tz', plain), 'Mars', '--tz: unknown time zone Mars\nwrite Europe/London'],
    [zoneFlag('tz', plain), '+02:00', '--tz: unknown time zone +02:00\nwrite Europe/London'],
    [id, 'odd', '--id: odd is odd\ngive an even one'],
    [wholeNumberFlag('task', { ...plain, required: true }), undefined, '--task is required\ngive --task <n>'],
  ])('%# %j', (flag, given, words) => {
    expect(outcomeOf(flag, given)).toBe(words);
  });
});

describe('a default', () => {
  it.each<[Flag<unknown>, unknown]>([
    [wholeNumberFlag('n', { ...plain, default: 16 }), 16],
    [durationFlag('every', { ...plain, unit: 'milliseconds', default: '5s' }), 5000],
    [durationFlag('every', { ...plain, unit: 'seconds', default: '5s' }), 5],
    [percentFlag('share', { ...plain, default: '5%' }), 0.05],
    [choiceFlag('then', ['cancel', 'fail'], { ...plain, default: 'fail' }), 'fail'],
    [textFlag('name', { ...plain, default: 'x' }), 'x'],
    [wholeNumberFlag('n', { ...plain, defaultText: 'adaptive' }), undefined],
  ])('%# applies if the flag is not given', (flag, expected) => {
    expect(readFlagValue(flag, undefined)).toBe(expected);
  });

  it('keeps the error of an invalid value', () => {
    expect(() => readFlagValue(wholeNumberFlag('n', { ...plain, default: 16 }), 'x')).toThrow(UsageError);
  });

  it.each([
    () => wholeNumberFlag('n', { ...plain, max: 10, default: 16 }),
    () => durationFlag('every', { ...plain, unit: 'seconds', default: 'soon' }),
    () => durationFlag('every', { ...plain, unit: 'seconds', min: '2m', default: '1m' }),
  ])('%# outside its own bounds is an error of the declaration', (declare) => {
    expect(declare).toThrow(RangeError);
  });
});

describe('the types', () => {
  it('follow from the declarations', () => {
    expectTypeOf(wholeNumberFlag('n', { ...plain, default: 1 })).toEqualTypeOf<Flag<number>>();
    expectTypeOf(wholeNumberFlag('n', { ...plain, required: true })).toEqualTypeOf<Flag<number>>();
    expectTypeOf(wholeNumberFlag('n', plain)).toEqualTypeOf<Flag<number | undefined>>();
    expectTypeOf(until).toEqualTypeOf<Flag<'completed' | 'cancelled' | undefined>>();
    expectTypeOf(choiceFlag('then', ['a', 'b'], { ...plain, default: 'a' })).toEqualTypeOf<Flag<'a' | 'b'>>();
    expectTypeOf(switchFlag('yes', plain)).toEqualTypeOf<Flag<boolean>>();
    expectTypeOf(repeatableTextFlag('tag', { ...plain, value: 't' })).toEqualTypeOf<
      Flag<readonly string[]>
    >();
    expectTypeOf(id).toEqualTypeOf<Flag<number | undefined>>();
  });
});

describe('formats its help', () => {
  it.each<[Flag<unknown>, { readonly describe: string; readonly value?: string }]>([
    [wholeNumberFlag('n', { ...plain, default: 16 }), { describe: 'Some words (default: 16)', value: 'n' }],
    [wait, { describe: 'Some words', value: 'duration' }],
    [
      durationFlag('every', { ...plain, unit: 'seconds', default: '5s' }),
      { describe: 'Some words (default: 5s)', value: 'duration' },
    ],
    [
      durationFlag('every', { ...plain, unit: 'seconds', defaultText: 'adaptive' }),
      { describe: 'Some words (default: adaptive)', value: 'duration' },
    ],
    [share, { describe: 'Some words', value: 'percent' }],
    [until, { describe: 'Some words: completed, cancelled', value: 'state' }],
    [
      choiceFlag('then', ['cancel', 'fail'], { ...plain, default: 'fail' }),
      { describe: 'Some words: cancel, fail (default: fail)', value: 'then' },
    ],
    [
      wholeNumberFlag('task', { ...plain, required: true }),
      { describe: 'Some words (required)', value: 'n' },
    ],
    [fileFlag('out', { ...plain, required: true }), { describe: 'Some words (required)', value: 'file' }],
    [folderFlag('data', plain), { describe: 'Some words', value: 'dir' }],
    [zoneFlag('tz', plain), { describe: 'Some words', value: 'zone' }],
    [switchFlag('yes', plain), { describe: 'Some words' }],
  ])('%# shows default, choices and required', (flag, expected) => {
    const { value } = flag;
    expect({ describe: describeFlag(flag), ...(value === undefined ? {} : { value }) }).toEqual(expected);
  });
});
