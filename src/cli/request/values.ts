import { type Field, flagName, type Scalar } from '../../kit/schema/field.ts';
import type { Finding } from '../../kit/schema/resource.ts';
import { parseFieldText } from '../../kit/schema/text-value.ts';
import { explainInvalidDuration, parseDuration } from '../../kit/text/duration.ts';
import type { TimePhraseFault } from '../../kit/text/time-phrase.ts';
import { interfaceSpelling, resourceOfActionTarget } from '../../service/resources/automation.ts';
import { InvalidInputError } from '../errors/errors.ts';
import type { Clocks, Invocation, Ports, Profiles, ServiceAccess, Tell } from '../session/ports.ts';
import { resolveReferenceId } from './references.ts';

/** `typedValue` is a boolean for a switch. */
export async function readAttributeFlagValue(
  session: Ports,
  attribute: string,
  field: Field,
  typedValue: string | boolean,
): Promise<FlagReadResult> {
  if (typeof typedValue === 'boolean') return { value: typedValue };
  const given = interfaceSpelling(field, typedValue);
  const { refersTo, byName } = field;
  if (given === '' && (field.nullable || refersTo !== undefined))
    return { finding: emptyValueFinding(attribute, field) };
  if (field.format === 'timestamp') return readTimeFlag(session, attribute, given);
  if (field.unit !== undefined && /^[0-9.]+ *[a-z]/i.test(given))
    return readDurationFlag(attribute, field, given, 1);
  if (refersTo !== undefined && !/^[+-]?[0-9]+$/.test(given)) {
    if (byName) return lookUpByName(session, refersTo, given);
    if (refersTo === 'list') return byListName(session, attribute, given);
    return { finding: { attribute, value: given, reason: `must be the id of a ${refersTo}` } };
  }
  const parsed = parseFieldText(field, given);
  if (parsed.ok) return { value: parsed.value };
  const instead = field.kind === 'bool' ? `write --${flagName(attribute)}=true` : undefined;
  return { finding: { attribute, value: given, reason: parsed.reason, instead } };
}

/** A value from an unset variable must not mean null, because a filter by null may match all records. */
export function emptyValueFinding(attribute: string, { nullable }: Field): Finding {
  // Omitting the flag does not help here: a required, nullable attribute would become null too.
  const instead = nullable
    ? `give a value; if null is meant, say --null ${attribute}`
    : 'give a value, or leave the flag out';
  return { attribute, value: '', reason: 'is empty', instead };
}

const lookUpByName = (session: ServiceAccess, refersTo: string, name: string): FlagReadResult => ({
  placeholder: 1,
  lookUp: async ({ channel }) => ({ value: await resolveReferenceId(session, refersTo, name, channel) }),
});

/** The profile or a sandbox on this machine knows the names, so an unknown name is refused before any request. */
async function byListName(
  session: Invocation & Tell & Profiles,
  attribute: string,
  name: string,
): Promise<FlagReadResult> {
  const { findListNamed, mayBeListName } = await import('./list-names.ts');
  const found = mayBeListName(name)
    ? await findListNamed(session, name)
    : { reason: 'must be the id of a list' };
  return 'value' in found ? found : { finding: { attribute, value: name, ...found } };
}

/** Reads the name of a message in an autoresponder's `actiontarget`. Undefined for an id and other actions. */
export function readTargetByName(
  session: ServiceAccess,
  { actiontype, actiontarget }: Readonly<Record<string, unknown>>,
): PendingFlagValue | undefined {
  const refersTo = resourceOfActionTarget(actiontype);
  if (refersTo === undefined || refersTo === 'list' || typeof actiontarget !== 'string') return undefined;
  if (actiontarget === '' || /^[+-]?[0-9]+$/.test(actiontarget)) return undefined;
  const lookUp = async () => ({ value: String(await resolveReferenceId(session, refersTo, actiontarget)) });
  return { placeholder: '1', lookUp };
}

/** Accepts past times. Other code checks that a send time is not past. */
async function readTimeFlag(
  session: Invocation & Tell & Clocks,
  attribute: string,
  text: string,
): Promise<FlagReadResult> {
  if (/^[0-9]{1,11}$/.test(text)) return { value: Number(text) };
  if (/^now$/i.test(text.trim()))
    return { finding: { attribute, value: text, reason: 'cannot be now', instead: '--now is the way' } };
  const { compileTimePhrase } = await import('../../kit/text/time-phrase.ts');
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
    lookUp: async () => {
      const zone = words.needs === 'now' ? 'UTC' : await session.inputZone();
      if (zone !== undefined) return resolve(zone);
      // svc never guesses the zone, because the send would be hours early or late.
      const { reason, remedy } = await session.unknownZone();
      return {
        finding: { attribute, value: text, reason: `is a local time, but ${reason}`, instead: remedy },
      };
    },
  };
}

/** Not for a send time. Refuses an invalid text before any request. The look-up returns Unix seconds. */
export async function readPastOrFutureTimeFlag(
  session: Invocation & Tell & Clocks,
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

export const quoteSuggestedTimesForShell = (timesJoinedByOr: string): string =>
  timesJoinedByOr
    .split(' or ')
    .map((phrase) => (phrase.includes(' ') ? `"${phrase}"` : phrase))
    .join(' or ');

/** The reason includes the given text. */
function findingOf(attribute: string, { reason, instead }: TimePhraseFault): Finding {
  return {
    attribute,
    reason: `is refused: ${reason}`,
    instead: instead && `write ${quoteSuggestedTimesForShell(instead)}`,
  };
}

/** `2d` is 2880 if the unit of the field is minutes. `sign` is -1 for a negative result. */
export function readDurationFlag(
  attribute: string,
  field: Field,
  text: string,
  sign: 1 | -1,
): FlagReadResult {
  const seconds = parseDuration(text);
  const fault = (reason: string, instead?: string): FlagReadResult => ({
    finding: { attribute, value: text, reason, instead },
  });
  if (seconds === undefined) return fault(explainInvalidDuration(text), 'write 2d, 3h or 90m');
  const number = field.unit === 'minutes' ? seconds / 60 : seconds;
  if (!Number.isInteger(number)) return fault(`is not a whole number of ${field.unit}`);
  return { value: number === 0 ? 0 : sign * number };
}

export type FlagValueOrFinding = { readonly value: Scalar } | { readonly finding: Finding };

export type FlagReadResult = FlagValueOrFinding | PendingFlagValue;

/** Id of a named record, or Unix seconds of a local time. Checks before the look-up use `placeholder`. */
interface PendingFlagValue {
  readonly placeholder: Scalar;
  readonly lookUp: (values: Readonly<Record<string, unknown>>) => Promise<FlagValueOrFinding>;
}
