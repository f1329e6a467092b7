/** The flags of every bulk job. */

import { type Flag, type Input, textOf } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';

const option = (name: string, value: string, describe: string): Flag => ({
  name,
  value,
  describe,
  group: 'Options',
});

export const concurrencyFlag = option(
  'concurrency',
  'n',
  'Requests at once at most, 1 to 64; 16 unless given. It begins with 4 and halves when the service is busy',
);

export const jobFlags: readonly Flag[] = [
  concurrencyFlag,
  option('rejects', 'file', 'Where rows that are refused are written; FILE.rejects.csv'),
  option('state', 'file', 'Where it is kept how far it has come; FILE.svc-journal'),
];

const MOST_AT_ONCE = 64;

export function readConcurrency(input: Input): number {
  const text = textOf(input, 'concurrency');
  if (text === undefined) return 16;
  if (/^[1-9][0-9]?$/.test(text) && Number(text) <= MOST_AT_ONCE) return Number(text);
  throw new UsageError(`--concurrency: ${text} is not a number from 1 to ${MOST_AT_ONCE}`);
}
