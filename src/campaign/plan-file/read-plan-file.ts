/** Reads a plan from the disk. */
import { FileError } from '../../files/errors.ts';
import { readRegularFile } from '../../files/private-file.ts';
import { CampaignError } from '../errors.ts';
import { type Plan, readPlan } from './plan-file.ts';

const MAX_OCTETS = 64 * 1024 * 1024;

/**
 * Reads the plan file.
 * @param path absolute path
 * @param name name of the file in error messages
 * @throws CampaignError `refused` if the file does not exist, or differs in any octet from what `svc plan` wrote
 */
export function readPlanFile(path: string, name: string): Plan {
  return readPlan(textOf(path, name), name);
}

function textOf(path: string, name: string): string {
  try {
    const octets = readRegularFile(path, name, MAX_OCTETS);
    // `svc plan` writes no byte order mark, so one must not be ignored.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch (cause) {
    if (cause instanceof FileError) throw new CampaignError('refused', cause.message, { cause });
    if (cause instanceof TypeError)
      throw new CampaignError('refused', `${name} is not a plan: it is not UTF-8 text`, { cause });
    throw cause;
  }
}
