/** Reads the text and the version of a file: campaign files and files of their tests have both in common. */

import { explainTooNewFileVersion } from '../../../kit/text/svc-error.ts';
import { decodeText } from './content-files.ts';
import type { Faults, YamlMappingNode } from './document.ts';

export const MAX_CAMPAIGN_FILE_OCTETS = 1024 * 1024;

/** Returns undefined after reporting a fault. */
export function textOfFile(octets: Uint8Array, faults: Faults): string | undefined {
  const start = { line: 1, column: 1 };
  if (octets.length > MAX_CAMPAIGN_FILE_OCTETS) {
    faults.add(start, `the file is larger than ${MAX_CAMPAIGN_FILE_OCTETS / 1024 / 1024} MiB`);
    return undefined;
  }
  const text = decodeText(octets);
  if (text === undefined) faults.add(start, 'the file is not UTF-8 text; convert it, for example with iconv');
  return text;
}

/** Returns false for a later version, in which svc checks nothing else. */
export function isReadableVersion(
  { entries, place }: YamlMappingNode,
  faults: Faults,
  version: number,
): boolean {
  const entry = entries.find(({ key }) => key === 'version');
  if (!entry) {
    faults.add(place, `version is required; write "version: ${version}"`);
    return true;
  }
  const { value } = entry;
  if (value.kind === 'faulty' || (value.kind === 'scalar' && value.value === version)) return true;
  const newer =
    value.kind === 'scalar' ? explainTooNewFileVersion('the file', value.value, version) : undefined;
  faults.add(value.place, newer ?? `version must be the number ${version}`);
  return newer === undefined;
}
