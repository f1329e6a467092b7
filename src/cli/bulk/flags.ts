/** The flags of every bulk job. */
import { countFlag, type FlagShape, fileFlag } from '../command/flag.ts';

export const concurrencyFlag = countFlag('concurrency', {
  describe:
    'Maximum number of requests at once, 1 to 64; it begins with 4 and halves when the service is busy',
  min: 1,
  max: 64,
  default: 16,
});

export const rejectsFlag = fileFlag('rejects', {
  describe: 'File for rows that are refused',
  otherwise: 'FILE.rejects.csv',
});

export const checkpointFlag = fileFlag('state', {
  describe: 'Checkpoint file',
  otherwise: 'FILE.svc-journal',
});

export const jobFlags: readonly FlagShape[] = [concurrencyFlag, rejectsFlag, checkpointFlag];
