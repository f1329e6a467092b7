/** Checks that a checkpoint belongs to this run, by its first line. */
import { isDeepStrictEqual } from 'node:util';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../../kit/text/svc-error.ts';
import { formatJson, parseJson } from '../../service/protocol/json.ts';
import { BulkError } from './errors.ts';

export interface CheckpointFormat {
  readonly version: number;
  readonly identity: object;
  /** The next four are words of messages. */
  readonly name: string;
  readonly firstLine: string;
  readonly otherRun: string;
  readonly difference: (member: string) => string;
  readonly hints: Readonly<Record<'damaged' | 'other', readonly string[]>>;
}

export const damagedCheckpoint = ({ name, hints }: CheckpointFormat, why: string): BulkError =>
  new BulkError('damaged-checkpoint', `cannot resume from ${name}: ${why}; nothing was sent`, {
    hints: hints.damaged,
  });

/** @throws BulkError if a newer svc or another run wrote the header, or if it is damaged */
export function parseHeader(line: string, format: CheckpointFormat): Readonly<Record<string, unknown>> {
  const { name, firstLine, otherRun, difference, hints } = format;
  const { version, ...members } = parseStep(line, format);
  const newer = explainTooNewFileVersion(name, version, format.version);
  if (newer !== undefined)
    throw new BulkError('damaged-checkpoint', `${newer}; nothing was sent`, { hint: UPDATE_SVC_HINT });
  if (version !== format.version) throw damagedCheckpoint(format, `${firstLine} has an unknown format`);
  const identity = Object.entries(Object(parseJson(formatJson(format.identity))));
  const differing = identity.filter(([member, value]) => !isDeepStrictEqual(value, members[member]));
  if (differing.length === 0) return members;
  const differences = differing.map(([member]) => difference(member)).join(', ');
  const message = `${name} is the checkpoint of ${otherRun}: ${differences}; nothing was sent`;
  throw new BulkError('input', message, { hints: hints.other });
}

export function parseStep(line: string, format: CheckpointFormat): Readonly<Record<string, unknown>> {
  const step = parseJsonObject(line, parseJson);
  if (step === undefined) throw damagedCheckpoint(format, 'a line of the file is not JSON');
  return step;
}
