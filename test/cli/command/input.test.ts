/** Flags are read in one place, before the command does anything else (contract, "Safety": all faults at once). */
import { describe, expect, it } from 'vitest';
import type { TopLevelCommandEntry, Verb } from '../../../src/cli/command/command.ts';
import {
  choiceFlag,
  durationFlag,
  switchFlag,
  textFlag,
  wholeNumberFlag,
} from '../../../src/cli/command/flag.ts';
import { readInput } from '../../../src/cli/command/input.ts';
import { readCommandLine } from '../../../src/cli/command/program.ts';
import { UsageError } from '../../../src/cli/errors/errors.ts';

const limit = wholeNumberFlag('limit', { describe: 'Maximum number of rows', min: 1, default: 50 });
const every = durationFlag('every', { describe: 'Polling interval', unit: 'milliseconds' });
const until = choiceFlag('until', ['completed', 'cancelled'], {
  describe: 'State to wait for',
  required: true,
});
const loud = switchFlag('loud', { describe: 'Say more' });
const other = textFlag('other', { describe: 'Not of this verb' });

const verb: Verb = {
  name: 'look',
  summary: 'Look at it',
  work: 'local',
  example: 'look --until completed',
  flags: [limit, every, until, loud],
  run: () => Promise.reject(new Error('never run')),
};
const entries: readonly TopLevelCommandEntry[] = [
  { name: 'look', summary: 'Look at it', heading: 'Tools', load: async () => verb },
];

async function read(...argv: readonly string[]) {
  const line = await readCommandLine(['look', ...argv], entries, { version: '0', columns: 100 });
  if (line.kind === 'print') throw new Error(line.text);
  return readInput(line.verb, line.given);
}

async function refusalOf(...argv: readonly string[]): Promise<UsageError> {
  const error: unknown = await read(...argv).catch((thrown: unknown) => thrown);
  if (error instanceof UsageError) return error;
  throw new Error('it was not refused', { cause: error });
}

describe('an input', () => {
  it('returns each flag with its declared type', async () => {
    const input = await read('--limit', '7', '--every=2m', '--until', 'completed', '--loud');
    expect([limit, every, until, loud].map((flag) => input.get<unknown>(flag))).toEqual([
      7,
      120_000,
      'completed',
      true,
    ]);
  });

  it('returns defaults, and knows which values were given', async () => {
    const input = await read('--until', 'completed');
    expect([input.get(limit), input.get(every), input.get(loud)]).toEqual([50, undefined, false]);
    expect([limit, until].map(input.has)).toEqual([false, true]);
  });

  it('throws for a flag that the verb did not declare, where find returns undefined', async () => {
    const input = await read('--until', 'completed');
    expect(() => input.get(other)).toThrow(
      new RangeError('cannot read --other: the verb does not declare it'),
    );
    expect(input.find(other)).toBeUndefined();
    expect(input.find(limit)).toBe(50);
  });

  it('uses the last of repeated values', async () => {
    const input = await read('--until', 'cancelled', '--limit', '3', '--limit', '4', '--until', 'completed');
    expect([input.get(limit), input.get(until)]).toEqual([4, 'completed']);
  });
});

describe('faults', () => {
  it('reports one fault as a sentence with a hint', async () => {
    const error = await refusalOf('--every', 'soon', '--until', 'completed');
    expect(error.message).toBe('--every: soon is not a length of time');
    expect([error.hints, error.details]).toEqual([['write a duration such as 30s or 2m'], []]);
  });

  it('reports several faults together, global and missing flags included', async () => {
    const error = await refusalOf('--every', 'soon', '--limit', '0', '--tz', 'Mars');
    expect(error.details).toEqual([
      {
        attribute: '--tz',
        value: 'Mars',
        reason: 'is not a known time zone',
        instead: 'write Europe/London',
      },
      { attribute: '--limit', value: '0', reason: 'is not a number of at least 1' },
      {
        attribute: '--every',
        value: 'soon',
        reason: 'is not a length of time',
        instead: 'write a duration such as 30s or 2m',
      },
      { attribute: '--until', reason: 'is required', instead: 'give --until completed, cancelled' },
    ]);
  });
});

describe('help', () => {
  it('renders default, choices and required', async () => {
    const line = await readCommandLine(['look', '--help'], entries, { version: '0', columns: 100 });
    const text = line.kind === 'print' ? line.text : '';
    expect(text).toMatch(/--limit <n> +Maximum number of rows \(default: 50\)\n/);
    expect(text).toMatch(/--every <duration> +Polling interval\n/);
    expect(text).toMatch(/Required flags:\n {2}--until <until> +State to wait for: completed, cancelled\n/);
    expect(text).toMatch(/--loud +Say more\n/);
  });

  it('shows the global flags on a separate page', async () => {
    const line = await readCommandLine(['help', 'flags'], entries, { version: '0', columns: 100 });
    const text = line.kind === 'print' ? line.text : '';
    expect(text).toMatch(/-o, --output <format> +Output format: table, json, ndjson, jsonl, csv, tsv,/);
    expect(text).toMatch(/--retries <n> +Maximum number of retries \(default: 2\)\n/);
  });
});

it('formats flags for another process, and a switch has no value', async () => {
  const input = await read('--loud', '--until', 'completed', '--limit=7');
  const written = input.asWritten([limit, every, until, loud]);
  expect(written).toEqual(['--limit', '7', '--until', 'completed', '--loud']);
  expect((await read(...written)).get(loud)).toBe(true);
});
