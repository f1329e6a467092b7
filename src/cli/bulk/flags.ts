import { type FlagShape, wholeNumberFlag, writtenFileFlag } from '../command/flag.ts';

export const DEFAULT_CONCURRENCY = 16;

export const concurrencyFlag = wholeNumberFlag('concurrency', {
  describe: 'Maximum number of requests at once, 1 to 64',
  min: 1,
  max: 64,
  default: DEFAULT_CONCURRENCY,
});

export const rejectedRowsFileFlag = writtenFileFlag('rejects', {
  writes: 'output',
  describe: 'File to write rejected rows to',
  defaultText: 'FILE.rejects.csv',
});

export const checkpointFileFlag = writtenFileFlag('state', {
  writes: 'file',
  describe: 'Checkpoint file, from which an interrupted run continues',
  defaultText: 'FILE.svc-journal',
});

export const bulkJobFlags: readonly FlagShape[] = [concurrencyFlag, rejectedRowsFileFlag, checkpointFileFlag];
