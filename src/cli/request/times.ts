/** Times and durations as people say them, in the zone in which the company reads them. */

import type { Field } from '../../schema/field.ts';
import type { Finding } from '../../schema/resource.ts';
import { parseDuration } from '../../text/duration.ts';
import type { TimePhrase } from '../../text/time-phrase.ts';
import { FindingsError } from '../errors/errors.ts';
import type { Session } from '../session/session.ts';
import type { Reading } from './reading.ts';

/** Reads a time. Whether it is past is for the guards to say. */
export async function readTime(session: Session, attribute: string, text: string): Promise<Reading> {
  if (/^[0-9]{1,11}$/.test(text)) return { value: Number(text) };
  if (/^now$/i.test(text.trim()))
    return { finding: { attribute, value: text, reason: 'cannot be now', instead: '--now is the way' } };
  const { parseTimePhrase } = await import('../../text/time-phrase.ts');
  // What is no time in UTC is none anywhere; what is one may not exist in the company's zone.
  const rough = parseTimePhrase(text, { now: session.context.clock.now() / 1000, zone: 'UTC' });
  if (!rough.ok) return { finding: findingOf(attribute, rough) };
  if (ABSOLUTE.test(text.trim())) return { value: rough.time };
  return {
    meanwhile: rough.time,
    later: async () => {
      const zone = RELATIVE.test(text) ? 'UTC' : await session.inputZone();
      const read = parseTimePhrase(text, { now: await session.serviceNow(), zone });
      if (!read.ok) return { finding: findingOf(attribute, read) };
      if (read.note !== undefined) await session.info(read.note);
      return { value: read.time };
    },
  };
}

/**
 * A moment at which nothing is sent, so that `now` and the past are as good as any. What is no time is refused at once;
 * what was given is Unix seconds once the service can be asked for its time and zone.
 * @param name of the flag, which an error repeats
 */
export async function readMoment(
  session: Session,
  name: string,
  text: string,
): Promise<() => Promise<number>> {
  if (/^now$/i.test(text.trim())) return async () => Math.floor(await session.serviceNow());
  const reading = await readTime(session, name, text);
  if ('finding' in reading) throw new FindingsError([reading.finding], '');
  return async () => {
    const read = 'later' in reading ? await reading.later({}) : reading;
    if ('finding' in read) throw new FindingsError([read.finding], '');
    return Number(read.value);
  };
}

/** ISO 8601 with an offset. */
const ABSOLUTE = /:[0-9]{2}.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$/i;
const RELATIVE = /^\s*\+/;

/** The reason repeats what was given. */
function findingOf(attribute: string, { reason, instead }: TimePhrase & { ok: false }): Finding {
  return {
    attribute,
    reason: `is refused: ${reason.replace(/ or now$/, '')}`,
    ...(instead === undefined ? {} : { instead: `write ${instead}` }),
  };
}

/** Reads a length of time as a number in the unit of the field: `2d` is 2880 of a field in minutes. */
export function readSpan(attribute: string, field: Field, text: string, sign: 1 | -1): Reading {
  const seconds = parseDuration(text);
  const fault = (reason: string, instead?: string): Reading => ({
    finding: { attribute, value: text, reason, ...(instead === undefined ? {} : { instead }) },
  });
  if (seconds === undefined) return fault('is not a length of time', 'write 2d, 3h or 90m');
  const number = field.unit === 'minutes' ? seconds / 60 : seconds;
  if (!Number.isInteger(number)) return fault(`is not a whole number of ${field.unit}`);
  return { value: number === 0 ? 0 : sign * number };
}
