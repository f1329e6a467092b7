/** Reads times and durations as people write them, in the company's zone. */

import type { Field, Scalar } from '../../schema/field.ts';
import type { Finding } from '../../schema/resource.ts';
import { parseDuration } from '../../text/duration.ts';
import type { TimePhraseFault } from '../../text/time-phrase.ts';
import { InvalidInputError } from '../errors/errors.ts';
import type { Session } from '../session/session.ts';

/** Parses the time in `text`, the value of a flag. Also accepts past times. A send time must not be past, but other code checks this. */
export async function readTimeFlag(
  session: Session,
  attribute: string,
  text: string,
): Promise<FlagReadResult> {
  if (/^[0-9]{1,11}$/.test(text)) return { value: Number(text) };
  if (/^now$/i.test(text.trim()))
    return { finding: { attribute, value: text, reason: 'cannot be now', instead: '--now is the way' } };
  const { compileTimePhrase } = await import('../../text/time-phrase.ts');
  const now = session.context.clock.now() / 1000;
  const words = compileTimePhrase(text, { now, zone: 'UTC' });
  if (!words.ok) return { finding: findingOf(attribute, words) };
  const resolve = async (zone: string): Promise<FlagValueOrFinding> => {
    const read = words.at({ now: words.needs === 'nothing' ? now : await session.serviceNow(), zone });
    if (!read.ok) return { finding: findingOf(attribute, read) };
    if (read.note !== undefined) await session.info(read.note);
    return { value: read.time };
  };
  if (words.needs === 'nothing') return resolve('UTC');
  return {
    placeholder: Math.floor(now) + 7 * 86_400,
    lookUp: async () => resolve(words.needs === 'now' ? 'UTC' : await session.inputZone()),
  };
}

/**
 * Parses `now`, or a time in the past or the future. Do not use it for a send time, which must not be in the past. Refuses an invalid text
 * before any request. Returns a function that requests the service's time and zone, and returns Unix seconds.
 * @param name the flag's name, which an error repeats
 */
export async function readPastOrFutureTimeFlag(
  session: Session,
  name: string,
  text: string,
): Promise<() => Promise<number>> {
  if (/^now$/i.test(text.trim())) return async () => Math.floor(await session.serviceNow());
  const reading = await readTimeFlag(session, name, text);
  if ('finding' in reading) throw new InvalidInputError([reading.finding], '');
  return async () => {
    const read = 'lookUp' in reading ? await reading.lookUp({}) : reading;
    if ('finding' in read) throw new InvalidInputError([read.finding], '');
    return Number(read.value);
  };
}

/** Returns the suggested times, quoted for a shell. */
export const quoteSuggestedTimesForShell = (timesJoinedByOr: string): string =>
  timesJoinedByOr
    .split(' or ')
    .map((phrase) => (phrase.includes(' ') ? `"${phrase}"` : phrase))
    .join(' or ');

/** Returns the finding for an invalid time. Its reason includes the given text. */
function findingOf(attribute: string, { reason, instead }: TimePhraseFault): Finding {
  return {
    attribute,
    reason: `is refused: ${reason.replace(/ or now$/, '')}`,
    ...(instead === undefined ? {} : { instead: `write ${quoteSuggestedTimesForShell(instead)}` }),
  };
}

/** Reads a duration as a number in the unit of the field: `2d` is 2880 if the unit is minutes. @param sign -1 for a negative result */
export function readDurationFlag(
  attribute: string,
  field: Field,
  text: string,
  sign: 1 | -1,
): FlagReadResult {
  const seconds = parseDuration(text);
  const fault = (reason: string, instead?: string): FlagReadResult => ({
    finding: { attribute, value: text, reason, ...(instead === undefined ? {} : { instead }) },
  });
  if (seconds === undefined) return fault('is not a length of time', 'write 2d, 3h or 90m');
  const number = field.unit === 'minutes' ? seconds / 60 : seconds;
  if (!Number.isInteger(number)) return fault(`is not a whole number of ${field.unit}`);
  return { value: number === 0 ? 0 : sign * number };
}

/** Result of reading a flag's text: the value, or a finding if the text is invalid. */
export type FlagValueOrFinding = { readonly value: Scalar } | { readonly finding: Finding };

/** Result of reading the text of a flag: a value, a finding, or a value that svc must look up with the service. */
export type FlagReadResult =
  | FlagValueOrFinding
  /**
   * Value that svc must look up with the service. Examples are the id of a record that the user gave by name, and the Unix time of a local
   * time. Checks before the lookup use `placeholder`.
   */
  | {
      readonly placeholder: Scalar;
      readonly lookUp: (values: Readonly<Record<string, unknown>>) => Promise<FlagValueOrFinding>;
    };
